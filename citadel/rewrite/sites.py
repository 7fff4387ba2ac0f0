"""Which site of the rewritten text is which site of the report's: what traces are compared by."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from analysis.target.instrument import Instrumented, sites_of
from citadel.rewrite.pieces import classes


def moved_sites(
    source: Instrumented,
    nodes: Mapping[cst.CSTNode, cst.CSTNode],
    dropped: cst.CSTNode | None = None,
) -> dict[int, int]:
    """Site in the report -> site in the text in which `nodes` were replaced.

    A replaced call is the call that stands in for it; arguments that were kept are themselves; what
    is left out has no site. `dropped` is a subtree that is gone with its line. A class stands in
    front of the statement that it comes with.
    """
    numbers = {id(node): site for site, node in enumerate(source.nodes)}
    gone: dict[int, tuple[int, list[cst.CSTNode]]] = {}
    added = classes(nodes)
    for node, new in nodes.items():
        if node not in added:
            _replace(node, list(sites_of(new)), numbers, gone)
    if dropped is not None:
        _replace(dropped, [], numbers, gone)
    found: dict[int, int] = {}
    site = shift = 0
    while site < len(source.nodes):
        size, made = gone.get(site, (0, []))
        if not size:
            found[site] = site + shift
            site += 1
            continue
        kept = {numbers[id(one)]: site + shift + at for at, one in enumerate(made)
                if id(one) in numbers}  # fmt: skip
        found.update(kept)
        if made and source.nodes[site] in nodes:
            found[site] = site + shift
        shift += len(made) - size
        site += size
    for node, new in added.items():
        first = min(numbers[id(one)] for one in sites_of(node))
        more = len(sites_of(new))
        found = {old: now + more * (old >= first) for old, now in found.items()}
    return found


def _replace(
    node: cst.CSTNode,
    made: list[cst.CSTNode],
    numbers: Mapping[int, int],
    gone: dict[int, tuple[int, list[cst.CSTNode]]],
) -> None:
    """Note how many sites a replaced node had, from which one on, and what is there instead."""
    before = [numbers[id(one)] for one in sites_of(node) if id(one) in numbers]
    if before:
        gone[min(before)] = len(before), made
