"""Tensors out of lists: `f([(x, 3)])` has nothing to give to what takes a tensor, but for `x`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.model import FIRST, WITHIN, SourceValue, Step

MOST = 4
"""Tensors of one list that are values of their own."""
DEPTH = 3


def _unpacked(values: Sequence[SourceValue]) -> tuple[SourceValue, ...] | None:
    """Tensors take the place of the lists that hold them, unless a list holds too many."""
    found: list[SourceValue] = []
    for value in values:
        inside = list(_tensors(value.value, ()))
        if len(inside) > MOST:
            return None
        found += [_within(value, tensor, path) for tensor, path in inside] or [value]
    return tuple(found) if found != list(values) else None


unpacked = Rule("variant/tensors-out-of-lists", _unpacked)


def _within(value: SourceValue, tensor: Value, path: tuple[int, ...]) -> SourceValue:
    steps = tuple(FIRST if not at else Step(name="item", amount=at) for at in path)
    key = WITHIN.join((value.key, *map(str, path)))
    return replace(value, key=key, value=tensor, type="Tensor", inside=steps)


def _tensors(value: Value, path: tuple[int, ...]) -> Iterator[tuple[Value, tuple[int, ...]]]:
    """The tensors inside of lists and tuples, with the index that leads to them at each depth."""
    if value.kind not in ("list", "tuple") or len(path) == DEPTH:
        return
    for at, item in enumerate(value.items or ()):
        if item.is_tensor:
            yield item, (*path, at)
        else:
            yield from _tensors(item, (*path, at))
