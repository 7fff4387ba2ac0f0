"""Sparse tensors in parts: operators such as `SparseTensorDenseMatMul` take them as three tensors.

A sibling that has parameters `a_indices`, `a_values` and `a_shape` gets those of the source's
sparse tensor, the one whose name is most like `a` where there are several.
"""

from __future__ import annotations

from collections.abc import Sequence

from citadel.plan.lexicon import Lexicon
from citadel.plan.model import SourceValue
from citadel.plan.places import Place

PARTS = {"indices": "indices", "values": "values", "shape": "shape", "dense_shape": "shape"}
"""How the parameters' names end, and the step that takes the part."""


def part_of(place: Place) -> str:
    """The part of a sparse tensor that a parameter is named after; empty where it is none."""
    name = place.parameter.name
    return next((part for end, part in PARTS.items() if _ends(name, end)), "")


def taken_apart(
    values: Sequence[SourceValue], places: Sequence[Place], lexicon: Lexicon
) -> dict[int, SourceValue]:
    """Number of a place -> the sparse tensor that it gets a part of."""
    sparse = [value for value in values if value.value.layout == "sparse_coo"]
    if not sparse:
        return {}
    found: dict[int, SourceValue] = {}
    for group in _triples(places):
        if not sparse:
            break
        best = max(sparse, key=lambda value: lexicon.likeness(value.name, _stem(places, group)))
        sparse.remove(best)
        found.update(dict.fromkeys(group, best))
    return found


def _triples(places: Sequence[Place]) -> list[list[int]]:
    """Numbers of the places that are the three parts of one tensor."""
    stems: dict[str, list[int]] = {}
    for number, place in enumerate(places):
        if part_of(place):
            stems.setdefault(_stem(places, [number]), []).append(number)
    return [group for group in stems.values() if len({part_of(places[n]) for n in group}) == 3]


def _stem(places: Sequence[Place], group: Sequence[int]) -> str:
    name = places[group[0]].parameter.name
    end = max((end for end in PARTS if _ends(name, end)), key=len)
    return name.removesuffix(end).rstrip("_")


def _ends(name: str, end: str) -> bool:
    return name == end or name.endswith("_" + end)
