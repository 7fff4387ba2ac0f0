"""Verdicts, and what speaks for and against a generated case before it runs."""

from __future__ import annotations

import re

from analysis import parsing
from analysis.catalog.model import Api
from citadel.model import Symptom, Verdict, VerdictKind
from citadel.plan.model import Adaptation, Fill
from citadel.plan.types import FLOAT, accepted


def verdict(
    kind: VerdictKind,
    *,
    symptom: Symptom | None = None,
    reason: str | None = None,
    guards: tuple[str, ...] = (),
    rule: str = "",
) -> Verdict:
    """A verdict that no run confirms."""
    return Verdict(
        kind=kind,
        runs=(0, 1),
        confidence=0.0,
        symptom=symptom,
        reason=reason,
        guards=guards,
        rule=rule,
    )


_WORD = re.compile(r"(['\"])[A-Za-z_]{3,}\1")
_OF_MODES = ("mode", "reduce", "reduction")
"""Ends of names of parameters whose words decide no shapes, as those of layouts do."""


def made_up(plan: Adaptation) -> tuple[str, ...]:
    """The parameters whose values do not come from the report's call, not even by default."""
    filled = [
        slot.name
        for slot in (*plan.new, *plan.call)
        if isinstance(slot.value, Fill) and not slot.value.implied
    ]
    receiver = ["self"] if isinstance(plan.receiver, Fill) else []
    return (*plan.invented, *receiver, *filled)


def shaping(plan: Adaptation, target: Api) -> tuple[str, ...]:
    """The parameters of `made_up` that may say how tensors go together.

    Numbers with a point do not, nor do modes that are words (`reduce="sum"`).
    """
    slots = (*plan.new, *plan.call)
    fills = {slot.name: slot.value.text for slot in slots if isinstance(slot.value, Fill)}
    signatures = (*target.signatures, *target.call_signatures)
    fractions = {
        parameter.name
        for signature in signatures
        for parameter in signature.parameters
        if _is_number(fills.get(parameter.name, "")) and FLOAT in accepted(parameter.type)
    }
    words = {n for n, text in fills.items() if _WORD.fullmatch(text) and n.endswith(_OF_MODES)}
    return tuple(name for name in made_up(plan) if name not in fractions | words)


def _is_number(text: str) -> bool:
    try:
        return type(parsing.literal(text)) in (int, float)
    except (ValueError, SyntaxError):
        return False


def mostly_filled(plan: Adaptation) -> bool:
    """Whether a crash may well be the fault of what was filled in."""
    given = len(plan.new) + len(plan.call) + len(plan.state) + (plan.receiver is not None)
    return len(made_up(plan)) * 2 > given


def shown_in(hits: int, runs: int, source: tuple[int, int]) -> VerdictKind:
    """What a symptom is that shows in some runs: a bug, if it is no rarer than the report's own."""
    shown, of = source
    as_often = hits == runs or 0 < shown * runs <= hits * of
    return VerdictKind.BUG if as_often else VerdictKind.FLAKY


def rate(hits: int, runs: int) -> float:
    """How sure a symptom shows (0 to 1); whether it is the same bug is for its evidence to say."""
    return round(hits / runs, 2) if runs else 0.0
