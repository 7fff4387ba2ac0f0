"""The same plan with zeros where the report's tensor is given a second time.

What is filled in is often that tensor itself, and of something and itself many functions make
nothing: a distance of 0, a loss of 0. In: a plan. Out: a plan in which they work on the tensor
alone, as `dist(x, zeros)` is the norm of `x`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from citadel.plan.model import ZEROS, Adaptation, Slot, Step, Take

_COST = 0.05


def beside_zeros(plan: Adaptation) -> Adaptation | None:
    """The plan with zeros; None where no tensor is filled in that the sibling is given anyway."""
    slots = (*plan.new, *plan.call)
    given = Counter(one.value.key for one in slots if isinstance(one.value, Take))
    given.update([plan.receiver.key] if isinstance(plan.receiver, Take) else [])
    again = {key for key, times in given.items() if times > 1}
    names = [one.name for one in slots if _filled_with(one, again, plan.invented)]
    if not names:
        return None
    return replace(
        plan,
        new=_with_zeros(plan.new, names),
        call=_with_zeros(plan.call, names),
        edits=(*plan.edits, *(f"{name} all zeros" for name in names)),
        plausibility=max(0.01, round(plan.plausibility - _COST, 3)),
    )


def _filled_with(slot: Slot, keys: set[str], invented: Sequence[str]) -> bool:
    taken = slot.value
    listed = isinstance(taken, Take) and any(step.name == "list" for step in taken.steps)
    return isinstance(taken, Take) and not listed and taken.key in keys and slot.name in invented


def _with_zeros(slots: Sequence[Slot], names: Sequence[str]) -> tuple[Slot, ...]:
    return tuple(
        replace(one, value=replace(one.value, steps=(*one.value.steps, Step(name=ZEROS))))
        if isinstance(one.value, Take) and one.name in names
        else one
        for one in slots
    )
