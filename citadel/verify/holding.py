"""Which oracle holds: here, compiled whole, on one backend only, or no longer.

In: the runs of a case, and the oracles that its code offers. Out: an oracle, and in how many runs
it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.rules import Rule
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.watch import Point
from citadel.model import SymptomKind
from citadel.oracle.capture import capture
from citadel.oracle.hints import CHECKS, tells_apart
from citadel.oracle.value import ValueOracle, shows, values_of
from citadel.traced import leaf
from citadel.verify.identify import failing_call
from harvest.report.model import Reading


def refused(
    runs: Sequence[Observation], suspect: Call, reading: Reading
) -> tuple[ValueOracle, int] | None:
    """Where a report wants a call to be refused, and here it is: the report no longer holds.

    While it is traced, what is compiled is not compiled as a whole, and may be refused for that.
    """
    failed = failing_call(runs[0])
    if any(run.outcome is Outcome.OK for run in runs[1:]):
        return None
    if reading.refusal is None or failed is None or failed.number != suspect.number:
        return None
    return ValueOracle(kind=SymptomKind.ACCEPTS, spots=(), why=reading.refusal), 0


def holding(
    oracles: Sequence[ValueOracle], observations: Sequence[Observation]
) -> tuple[ValueOracle, int] | None:
    """The first oracle that holds in the first run, and in how many runs it does."""
    for oracle in oracles:
        hits = [shows(oracle, seen, values_of(seen)) is True for seen in observations]
        if hits[0]:
            return oracle, sum(hits)
    return None


def whole(
    points: Sequence[Point],
    observations: Sequence[Observation],
    reading: Reading,
    held: ValueOracle | None,
) -> tuple[Observation, tuple[ValueOracle, int]] | None:
    """The first run that is not traced, with an oracle that holds in it and all others but one:
    a tracer in between has things compiled in pieces. What is `held` by the traced run must be
    shown more often then: that may refuse the rest."""
    first, *others = observations
    if not others or not any(leaf(call.name) == "compile" for call in first.calls):
        return None
    places = {spot.point for spot in held.spots} if held is not None else set()
    often, before = (sum(one.point in places for one in run.seen) for run in (others[0], first))
    if places and often <= before:
        return None
    found = holding(capture(points, others[0], reading), others)
    return None if found is None else (replace(others[0], calls=first.calls), found)


def fixed(
    oracles: Sequence[ValueOracle], first: Observation, reading: Reading
) -> tuple[ValueOracle, int] | None:
    """An oracle that tells, on a build that no longer shows the bug.

    Two values of one run are one where the title says that they differ, or that NaN is lost, or
    where one is a reference.
    """
    if first.outcome is not Outcome.OK:
        return None
    differing = tells_apart(reading.report.title)
    telling = (
        one
        for one in oracles
        if one.how in CHECKS
        or one.expected is not None
        or one.kind is SymptomKind.NON_FINITE
        or (one.paired and (differing or one.against))
    )
    values = values_of(first)
    return next(((one, 0) for one in telling if shows(one, first, values) is not None), None)


REFUSED_HERE = Rule("oracle/refused-here", refused)
HOLDS_HERE = Rule("oracle/holds-here", holding)
HOLDS_UNTRACED = Rule("oracle/holds-untraced", whole)
DIFFERS_BY_BACKEND = Rule("oracle/differs-by-backend", holding)
FIXED_HERE = Rule("oracle/fixed-here", fixed)
