"""Sparse tensors in parts: operators such as `SparseTensorDenseMatMul` take them as three tensors.

A sibling that has parameters `a_indices`, `a_values` and `a_shape` gets those of the source's
sparse tensor, the one whose name is most like `a` where there are several. A sibling that takes a
sparse tensor gets one that is made of three such values of the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.lexicon import Lexicon
from citadel.plan.model import Gather, SourceValue
from citadel.plan.places import Place

PARTS = {"indices": "indices", "values": "values", "shape": "shape", "dense_shape": "shape"}
"""How the parameters' names end, and the step that takes the part."""
WHOLE = "SparseTensor"
"""The declared type of what takes sparse tensors alone."""
_ORDER = ("indices", "values", "shape")
_HOLDERS = ("tensor", "array", "list", "tuple")
"""Kinds of values that a part of a sparse tensor can be."""


def part_of(place: Place) -> str:
    """The part of a sparse tensor that a parameter is named after; empty where it is none."""
    return _part(place.parameter.name)


def _put_together(
    values: Sequence[SourceValue],
    places: Sequence[Place],
    samples: Sequence[Mapping[str, Value]],
    lexicon: Lexicon,
) -> dict[int, Gather] | None:
    """Indices, values and shape become one sparse tensor: the number of its place -> the three.

    Declarations and valid calls (`samples`) tell where such a tensor is taken. Where there are
    several, those go together whose names begin alike; the likest to the name of the place comes
    first. Parts that no second one stands beside are one tensor's anyhow.
    """
    takers = [n for n, place in enumerate(places) if _takes_whole(place, samples)]
    parts = [v for v in values if _part(v.name) and v.value.kind in _HOLDERS] if takers else []
    stems: dict[str, list[SourceValue]] = {}
    for value in parts:
        stems.setdefault(_stem_of(value.name), []).append(value)
    groups = {stem: found for stem, group in stems.items() if (found := _in_order(group))}
    if not groups and (alone := _in_order(parts)):
        groups[""] = alone
    made: dict[int, Gather] = {}
    for number in takers[: len(groups)]:
        name = places[number].parameter.name
        best = max(groups, key=lambda stem: lexicon.likeness(stem, name))
        made[number] = Gather(items=tuple(v.take() for v in groups.pop(best)), made="sparse")
    return made or None


def _takes_whole(place: Place, samples: Sequence[Mapping[str, Value]]) -> bool:
    name = place.parameter.name
    given = [sample[name] for sample in samples if name in sample]
    sparse = bool(given) and all(one.layout == "sparse_coo" for one in given)
    return sparse or place.parameter.type == WHOLE


def _in_order(values: Iterable[SourceValue]) -> tuple[SourceValue, ...]:
    """Indices, values and shape, or nothing where there is not one of each."""
    found = sorted(values, key=lambda value: _ORDER.index(_part(value.name)))
    return tuple(found) if [_part(value.name) for value in found] == [*_ORDER] else ()


def _part(name: str) -> str:
    return next((part for end, part in PARTS.items() if _ends(name, end)), "")


def _taken_apart(
    values: Sequence[SourceValue], places: Sequence[Place], lexicon: Lexicon
) -> dict[int, SourceValue] | None:
    """A sparse tensor becomes indices, values and shape: the number of a place -> the tensor."""
    sparse = [value for value in values if value.value.layout == "sparse_coo"]
    if not sparse:
        return None
    found: dict[int, SourceValue] = {}
    for group in _triples(places):
        if not sparse:
            break
        best = max(sparse, key=lambda value: lexicon.likeness(value.name, _stem(places, group)))
        sparse.remove(best)
        found.update(dict.fromkeys(group, best))
    return found or None


put_together = Rule("convert/parts-to-sparse-tensor", _put_together)
taken_apart = Rule("convert/sparse-tensor-to-parts", _taken_apart)


def _triples(places: Sequence[Place]) -> list[list[int]]:
    """Numbers of the places that are the three parts of one tensor."""
    stems: dict[str, list[int]] = {}
    for number, place in enumerate(places):
        if part_of(place):
            stems.setdefault(_stem(places, [number]), []).append(number)
    return [group for group in stems.values() if len({part_of(places[n]) for n in group}) == 3]


def _stem(places: Sequence[Place], group: Sequence[int]) -> str:
    return _stem_of(places[group[0]].parameter.name)


def _stem_of(name: str) -> str:
    end = max((end for end in PARTS if _ends(name, end)), key=len)
    return name.removesuffix(end).rstrip("_")


def _ends(name: str, end: str) -> bool:
    return name == end or name.endswith("_" + end)
