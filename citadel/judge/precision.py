"""Doubts and guards by double precision: is it the bug, another function, or how it must be?"""

from __future__ import annotations

from citadel.judge.coincidences import misses_what_is_not_finite
from citadel.judge.doubts import Answer, Doubts
from citadel.judge.value_match import ValueMatch
from citadel.judge.verdicts import verdict
from citadel.model import Verdict, VerdictKind
from citadel.oracle.value import has_nan_at, in_double, unlike
from citadel.traced import leaf
from citadel.verify.identify import GRADIENTS
from citadel.verify.infinities import beyond_numbers

NUMBERS: Doubts[ValueMatch] = Doubts("doubt")
"""Values that are wrong by number, beside what is not the sibling's own reference."""


@NUMBERS.doubt("not-cured-as-source")
def _not_cured_as_source(match: ValueMatch) -> str | None:
    """Both show one value beside a reference; in double precision only the source comes to that.

    A product of small numbers is no mean that has overflowed.
    """
    source, replay = match.source, match.replay
    if not (source.referred and source.precise and replay.equal):
        return None
    better = replay.double
    if better is None or not better.reached or better.cures:
        return None
    if True in unlike(match.oracle, replay.values, better.values):
        return None
    return "an equal result, which double precision does not change as it does the source's"


REFERENCE: Doubts[ValueMatch] = Doubts("doubt")
"""Values beside the sibling's own reference, which double precision does not cure."""


@REFERENCE.guard("reference-of-same-form")
def _reference_of_same_form(match: ValueMatch) -> str | None:
    """Shapes or the like are compared, and both are the report's."""
    if not match.plan.drops and match.replay.of_form():
        return "its own reference has the form that the report's has"
    return None


@REFERENCE.doubt("reference-disagrees-elsewhere")
def _reference_disagrees_elsewhere(match: ValueMatch) -> str | None:
    """It does not agree with its reference for other numbers, either."""
    if match.replay.agrees_elsewhere():
        return None
    return "need not be the function that it is compared with"


@REFERENCE.doubt("differs-in-other-places")
def _differs_in_other_places(match: ValueMatch) -> str | None:
    """It is wrong beside its reference in another way than the source is."""
    oracle, source = match.oracle, match.source
    had, has = beyond_numbers(oracle, source.values), beyond_numbers(oracle, match.replay.values)
    if source.hands_on and had != has:
        return "what is finite and what is not differ in another way than in the report"
    return None


@REFERENCE.guard("reference-agrees-elsewhere")
def _reference_agrees_elsewhere(_: ValueMatch) -> str:
    """It agrees with its reference for other numbers."""
    return "agrees with its own reference where both are given other numbers"


DOUBLE: Doubts[ValueMatch] = Doubts("doubt")
"""NaN or infinities, as double precision sees them."""


@DOUBLE.doubt("stays-in-double")
def _stays_in_double(match: ValueMatch) -> Verdict | None:
    """Double precision cures the source, and not the sibling.

    That it tends to something, or that nothing depends on what is let in, says enough.
    """
    doubled = None if match.replay.limited else match.replay.double
    if match.source.precise and doubled is not None and not doubled.cures:
        reason = "double precision does not cure it, as it does the report's: it is to be so"
        return verdict(VerdictKind.EXPECTED, reason=reason)
    return None


@DOUBLE.doubt("nan-in-double")
def _nan_in_double(match: ValueMatch) -> Verdict | None:
    """Double precision makes an infinity of the source's NaN, and not of the sibling's."""
    doubled = None if match.replay.limited else match.replay.double
    if (
        match.source.becomes_infinite
        and doubled is not None
        and doubled.reached
        and has_nan_at(match.oracle, doubled.values)
    ):
        reason = "NaN in double precision as well, where the report's value is infinite"
        return verdict(VerdictKind.EXPECTED, reason=reason)
    return None


@DOUBLE.guard("right-in-double")
def _right_in_double(match: ValueMatch) -> str | None:
    """Double precision cures the sibling.

    What double precision does not change in the source is another thing than an infinity that it
    does away with.
    """
    better = match.replay.double
    other = match.source.precise is False and match.infinite_for_nan
    if better is None or not better.cures or other:
        return None
    match.replay.right = in_double(match.oracle, better.values)
    return "right in double precision"


FULL: Doubts[ValueMatch] = Doubts("doubt")
"""NaN or infinities that double precision does not cure."""


@FULL.doubt("nan-for-infinite")
def _nan_for_infinite(match: ValueMatch) -> str | None:
    """It is NaN, and the source's value is infinite."""
    oracle, source = match.oracle, match.source
    nan = has_nan_at(oracle, match.replay.values) and not has_nan_at(oracle, source.values)
    if nan and not misses_what_is_not_finite(source):
        return "NaN, where the report's value is infinite"
    return None


@FULL.doubt("infinite-slope")
def _infinite_slope(match: ValueMatch) -> str | None:
    """It is a gradient, which may be infinite.

    Of a report that is fixed it is not known whether it was NaN or infinite.
    """
    nan = has_nan_at(match.oracle, match.replay.values)
    other = match.infinite_for_nan or not (match.source.reproduces or nan)
    if other and any(leaf(call.name) in GRADIENTS for call in match.replay.first.calls):
        return "a slope that is infinite, as slopes may be"
    return None


@FULL.doubt("infinite-for-nan")
def _infinite_for_nan(match: ValueMatch) -> str | None:
    """It is infinite, and the source's value is NaN."""
    return "infinite, where the report's value is NaN" if match.infinite_for_nan else None


@FULL.doubt("as-large-as-dtype")
def _as_large_as_dtype(match: ValueMatch) -> Verdict | None:
    """It becomes infinite where its dtype has no larger numbers."""
    if not match.full:
        return None
    reason = "becomes infinite where it is as large as its dtype allows"
    return verdict(VerdictKind.EXPECTED, reason=reason)


@FULL.guard("infinite-too-early")
def _infinite_too_early(match: ValueMatch) -> str | None:
    """It becomes infinite though its dtype has larger numbers."""
    if match.full is False:
        return "becomes infinite long before it is as large as its dtype allows"
    return None


def imprecise(match: ValueMatch) -> Answer | None:
    """Whether double precision says that this is another function, or how it must be."""
    references = match.replay.written.references
    if not match.oracle.of_finiteness and not references:
        return match.ask(NUMBERS)
    better = match.replay.double
    if references and (better is None or not better.cures):
        return match.ask(REFERENCE)
    if match.akin and better is not None and not better.reached:
        return match.ask(FULL)
    return match.ask(DOUBLE, FULL)
