"""A value that is wrong by what its own call gives in double precision: no words have to say so.

In: the runs of a case that shows values, none of which the report's words or checks call wrong.
Out: an oracle for the first of them that is another one, beyond rounding, where a call is given
double precision: the experiment that trackers ask for.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.catalog.model import Api, Catalog
from analysis.rules import Rule
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.watch import Point, Role
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.numbers import (
    ABSOLUTE,
    RELATIVE,
    all_close,
    distance,
    elements,
    finite,
    floating,
    same,
)
from citadel.oracle.value import Spot, ValueOracle, Values, values_of
from citadel.traced import resolve
from citadel.verify.guards import BACKWARD, Rerun, of_chance

MOST_APIS = 3
"""APIs of a case whose calls are given double precision, the likeliest first."""
_COARSE = ("float16", "bfloat16", "float32", "complex64")


def imprecise(
    again: Rerun,
    points: Sequence[Point],
    runs: Sequence[Observation],
    suspected: Sequence[tuple[Call, Api]],
    catalog: Catalog,
) -> tuple[ValueOracle, int] | None:
    """The oracle, and in how many of the runs the same value is shown; None where all values are
    the same in double precision, but for rounding."""
    first, *others = runs
    if any(run.outcome is not Outcome.OK for run in runs):
        return None
    values = values_of(first)
    shown = [one for one, value in values.items() if _is_result(points[one.point], value)]
    for _, api in suspected[:MOST_APIS] if shown else ():
        calls = [one for one in first.calls if resolve(one, catalog) is api]
        dtype = _coarsest(calls)
        if dtype is None:
            continue
        wide = values_of(again.run("perturb:doubled", calls))
        apart = [one for one in shown if _differs(values[one], wide.get(one), dtype)]
        if not apart:
            continue
        nudged = values_of(again.run("perturb:doubled", calls, off=True))
        for spot in apart:
            why = f"`{points[spot.point].text[:80]}` is another value in double precision"
            oracle = ValueOracle(kind=SymptomKind.DISAGREES, spots=(spot,), why=why)
            if _rounds(spot, values, wide, nudged) or of_chance(again, oracle, calls):
                continue
            alike = [_equal(values[spot], values_of(run).get(spot)) for run in others]
            return oracle, 1 + sum(alike)
    return None


def _is_result(point: Point, value: Value) -> bool:
    """Whether finite numbers are shown that may have fractions."""
    return point.role is Role.SHOWN and floating(value) and finite(value) is True


def _coarsest(calls: Sequence[Call]) -> str | None:
    """The coarsest dtype of real or complex numbers that calls are given or give, if there is one
    that is coarser than double precision."""
    given = [argument.value for call in calls for argument in call.inputs()]
    made = [call.result.value for call in calls if call.result is not None]
    dtypes = {value.dtype for value in (*given, *made)}
    return next((one for one in _COARSE if one in dtypes), None)


def _differs(value: Value, wide: Value | None, dtype: str) -> bool:
    """Whether two values differ by more than the rounding of a dtype, whatever shows them."""
    if wide is None or finite(wide) is not True:
        return False
    left, right = elements(value), elements(wide)
    if left is None or right is None or len(left) != len(right):
        return same(value, wide) is False
    return not all_close(left, right, BACKWARD * RELATIVE[dtype], BACKWARD * ABSOLUTE[dtype])


def _equal(value: Value, other: Value | None) -> bool:
    return other is not None and same(value, other) is True


def _rounds(spot: Spot, values: Values, wide: Values, nudged: Values) -> bool:
    """Whether the last digit of what is given matters as much as the precision (`nudged`: in double
    precision, of inputs that are off by it)."""
    if spot not in nudged:
        return False
    apart, drift = distance(values[spot], wide[spot]), distance(wide[spot], nudged[spot])
    return apart is None or drift is None or BACKWARD * drift >= apart


OTHERWISE_IN_DOUBLE = Rule("oracle/otherwise-in-double", imprecise)
