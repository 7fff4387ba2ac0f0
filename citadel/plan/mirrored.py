"""The dual of what the report calls: the greatest number is the least of the negated ones, negated.

In: a plan for a sibling that is named after the other end (`min` for `max`, `floor` for `ceil`).
Out: a plan in which it is given the report's tensors negated, and its result is negated as well: it
should come to the very same values.
"""

from __future__ import annotations

import re
from dataclasses import replace

from analysis.catalog.model import Api
from citadel.match.family import parse
from citadel.plan.invocation import Invocation
from citadel.plan.model import NEGATE, Adaptation, Expression, Slot, Step, Take

_DUALS = {"max": "min", "maximum": "minimum", "ceil": "floor"}
_OTHER = {**_DUALS, **{end: start for start, end in _DUALS.items()}}
_END = re.compile("|".join(sorted(_OTHER, key=len, reverse=True)))
_PLACE = re.compile(r"\barg")
"""In front of what gives the place of a number, which is the same."""
_COST = 0.05


def mirrored(plan: Adaptation, source: Invocation, target: Api) -> Adaptation | None:
    """The plan with what it is given negated; None where the sibling is no dual, or numbers of the
    main tensor's dtype have no sign."""
    own = parse(source.api.name, source.api.kind).core
    dual = _END.sub(lambda end: _OTHER[end[0]], own)
    main = source.main
    if dual == own or parse(target.name, target.kind).core != dual or main is None:
        return None
    dtype = main.value.dtype or ""
    if not main.value.is_tensor or dtype.startswith(("uint", "bool", "q")):
        return None
    keys = {v.key for v in source.values if v.value.is_tensor and v.value.dtype == dtype}

    def negated(given: Expression) -> Expression:
        if not isinstance(given, Take) or given.key not in keys:
            return given
        return replace(given, steps=(*given.steps, Step(name=NEGATE)))

    def slots(given: tuple[Slot, ...]) -> tuple[Slot, ...]:
        return tuple(replace(slot, value=negated(slot.value)) for slot in given)

    place = _PLACE.match(own) is not None
    return replace(
        plan,
        receiver=None if plan.receiver is None else negated(plan.receiver),
        new=slots(plan.new),
        call=slots(plan.call),
        after=plan.after if place else (*plan.after, Step(name=NEGATE)),
        edits=(*plan.edits, "of negated numbers" if place else "negated, of negated numbers"),
        plausibility=max(0.01, round(plan.plausibility - _COST, 3)),
        mirrored=True,
    )
