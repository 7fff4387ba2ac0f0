"""The dual of what the report calls: the greatest number is the least of the negated ones, negated.

In: a plan for a sibling that is named after the other end (`min` for `max`, `floor` for `ceil`).
Out: a plan in which it is given the report's tensors negated, and its result is negated as well: it
should come to the very same values.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from analysis.catalog.model import Api, ApiKind
from analysis.rules import Phrase
from citadel.match.family import parse
from citadel.plan.assign import DESTINATION
from citadel.plan.invocation import Invocation
from citadel.plan.model import NEGATE, Adaptation, Expression, Slot, Step, Take

_DUALS = {"max": "min", "maximum": "minimum", "ceil": "floor"}
_OTHER = {**_DUALS, **{end: start for start, end in _DUALS.items()}}
_NAMED = Phrase(
    "plan/end-of-order",
    r"^(?P<front>(?:a|f|nan|reduce|cum|arg|nanarg|(?:unsorted)?segment|scatter(?:nd)?)?)"
    r"(?P<end>maximum|minimum|max|min|ceil|floor)$",
    finds=("amax", "argmin", "reducemax", "floor"),
    spares=("softmin", "clampmin", "maxpool"),
    meaning="An operation that gives an end of an order; `softmin` and `clamp_min` do not.",
)
_PLACES = ("arg", "nanarg")
"""In front of what gives the place of a number, which is the same."""
_COST = 0.05


def mirrored(plan: Adaptation, source: Invocation, target: Api) -> Adaptation | None:
    """The plan with what it is given negated; None where the sibling is no dual, or works in place,
    or where numbers have no sign, would stay as they are, or are written to."""
    names = (_named(api.name, api.kind) for api in (source.api, target))
    own, other = next(names), next(names)
    main = source.main
    if own is None or other is None or main is None or target.name.endswith("_"):
        return None
    if own["front"] != other["front"] or _OTHER[own["end"]] != other["end"]:
        return None
    dtype = main.value.dtype or ""
    keys = {v.key for v in source.values if v.value.is_tensor and v.value.dtype == dtype}
    given = [plan.receiver, *(slot.value for slot in (*plan.new, *plan.call))]
    taken = [one for one in given if isinstance(one, Take) and one.key in keys]
    whole = {value.key for value in source.values if value.name in ("other", "y")}
    if main.key not in keys or dtype.startswith(("uint", "bool", "q")) or not taken:
        return None
    if whole - keys or any(value.name == DESTINATION for value in source.values):
        return None

    def negated(given: Expression) -> Expression:
        if not isinstance(given, Take) or given.key not in keys:
            return given
        return replace(given, steps=(*given.steps, Step(name=NEGATE)))

    def slots(given: tuple[Slot, ...]) -> tuple[Slot, ...]:
        return tuple(replace(slot, value=negated(slot.value)) for slot in given)

    place = own["front"] in _PLACES
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


@cache
def _named(name: str, kind: ApiKind) -> re.Match[str] | None:
    return _NAMED.fullmatch(parse(name, kind).core.replace("_", ""))
