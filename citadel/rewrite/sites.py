"""Which site of the rewritten text is which site of the report's: what traces are compared by."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

import libcst as cst

from analysis.target.instrument import Instrumented, sites_of
from citadel.rewrite.pieces import beside
from citadel.rewrite.tree import Tree


class Sites:
    """The sites of a report, numbered once for all siblings."""

    def __init__(self, source: Instrumented, tree: Tree) -> None:
        self._nodes = source.nodes
        self._tree = tree
        self._numbers = {id(node): site for site, node in enumerate(source.nodes)}
        self._orders = [tree.order(node) for node in source.nodes]

    def moved(
        self, nodes: Mapping[cst.CSTNode, cst.CSTNode], dropped: Sequence[cst.CSTNode] = ()
    ) -> dict[int, int]:
        """Site in the report -> site in the text in which `nodes` were replaced.

        A replaced call is the call that stands in for it; arguments that were kept are themselves;
        what is left out has no site. `dropped` are lines that are gone. A class, or the
        lines of a module, stand in front of the statement that they come with; where a call is no
        call any more, the last of these lines stands in for it.
        """
        added = beside(nodes)
        gone = {self._first(n): (self._size(n), sites_of(new)) for n, new in nodes.items()
                if n not in added and self._size(n)}  # fmt: skip
        gone |= {self._first(line): (self._size(line), ()) for line in dropped if self._size(line)}
        found: dict[int, int] = {}
        starts: dict[int, int] = {}
        site = shift = 0
        while site < len(self._nodes):
            size, made = gone.get(site, (0, ()))
            starts[site] = site + shift
            if not size:
                found[site] = site + shift
                site += 1
                continue
            for at, one in enumerate(made):
                if id(one) in self._numbers:
                    found[self._numbers[id(one)]] = site + shift + at
            if made and self._nodes[site] in nodes:
                found[site] = site + shift + _standing_in(made)
            shift += len(made) - size
            site += size
        for node, new in added.items():
            first, more = self._first(node), len(sites_of(new))
            found = {old: now + more * (old >= first) for old, now in found.items()}
            if isinstance(new, cst.Module) and first in starts:
                last = starts[first] + more - len(sites_of(new.body[-1]))
                here = (n for n in nodes if n not in added and self._tree.inside(n, node))
                found |= {self._numbers[id(n)]: last for n in here
                          if id(n) in self._numbers and not sites_of(nodes[n])}  # fmt: skip
            starts = {old: now + more * (old > first) for old, now in starts.items()}
        return found

    def _first(self, node: cst.CSTNode) -> int:
        """The first site in a subtree of the report."""
        return bisect_left(self._orders, self._tree.order(node))

    def _size(self, node: cst.CSTNode) -> int:
        """How many sites a subtree of the report has."""
        return bisect_right(self._orders, self._tree.end(node)) - self._first(node)


def _standing_in(made: Sequence[cst.CSTNode]) -> int:
    """Which of the sites made is the call that stands in: its result may be indexed, or stand for
    all of several (`[call()] * 2`)."""
    match made[0]:
        case cst.Subscript() | cst.BinaryOperation(left=cst.List()):
            return next((at for at, one in enumerate(made) if isinstance(one, cst.Call)), 0)
    return 0
