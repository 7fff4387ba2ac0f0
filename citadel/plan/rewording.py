"""The same plan with other modes: what is filled of them comes of one valid call, and may not suit.

In: a plan that hands on all that the report's call has, and valid calls of the sibling. Out: plans
that differ in what is filled, where that is modes alone (`reduce="sum"`, an interpolation by its
number): which of them the report's own call works in, nobody says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.values import Value
from citadel.plan.model import Adaptation, Fill, Slot

_MODES = ("str", "bool")
_NUMBERS = frozenset(map(str, range(10)))
"""Modes that are numbers; larger ones are sizes and the like."""


def reworded(plan: Adaptation, samples: Sequence[dict[str, Value]]) -> Iterator[Adaptation]:
    """Plans like this one with the modes of other valid calls, each combination once."""
    filled = {slot.name: slot.value.text for slot in _slots(plan) if isinstance(slot.value, Fill)}
    if not filled or plan.drops or plan.invented or isinstance(plan.receiver, Fill):
        return
    tried = {tuple(filled.values())}
    for sample in samples:
        words = {name: _mode(sample.get(name)) for name in filled}
        found = tuple(filter(None, words.values()))
        if len(found) == len(filled) and found not in tried:
            tried.add(found)
            yield replace(plan, new=_with(plan.new, words), call=_with(plan.call, words))


def _slots(plan: Adaptation) -> tuple[Slot, ...]:
    return (*plan.new, *plan.call)


def _mode(value: Value | None) -> str | None:
    """How a mode is written, if it is one."""
    text = value.literal() if value is not None else None
    if value is None or text is None:
        return None
    return text if value.kind in _MODES or (value.kind == "int" and text in _NUMBERS) else None


def _with(slots: Sequence[Slot], words: dict[str, str | None]) -> tuple[Slot, ...]:
    return tuple(
        replace(slot, value=Fill(text=text)) if (text := words.get(slot.name)) else slot
        for slot in slots
    )
