"""The value oracle: what is wrong with a result, as the report's own code shows it.

A `ValueOracle` names places of the code (`Spot`s: the n-th evaluation of a watched expression) and
says when their values are a bug. The same places exist in the code that was rewritten for a
sibling, so that one oracle judges both. `citadel.oracle.capture` finds oracles in a report.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.target.observation import Observation, Outcome
from analysis.target.watch import CHECK_CALLS, Check, Point
from analysis.values import Value
from citadel.model import Symptom, SymptomKind
from citadel.oracle.numbers import elements, finite, has_nan, is_literal, same
from harvest.report.model import Expectation

MOST_TOLD = 8
"""Numbers of a tensor that a headline shows."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Spot:
    """The n-th evaluation (from 1) of a watched expression."""

    point: int
    occurrence: int = 1


Values = Mapping[Spot, Value]


_ROOM = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-6}
"""How far beyond a bound rounding may take a number of a dtype, as a part of the bound."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Numbers that a result should not go beyond; infinite where there is no such number."""

    low: float
    high: float

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"at least {self.low:g}"
        return f"at most {self.high:g}" if math.isinf(self.low) else self._both()

    def _both(self) -> str:
        return f"between {self.low:g} and {self.high:g}"

    def left(self, value: Value) -> bool | None:
        """Whether some of a value's numbers are beyond; None where these are not known."""
        found = [one for one in elements(value) or () if isinstance(one, (int, float))]
        many = value.numbers
        if not found and many is not None and many.low is not None and many.high is not None:
            found = [many.low, many.high]
        room = _ROOM.get(value.dtype or "", 0.0)
        low, high = (
            bound if math.isinf(bound) else bound + sign * room * abs(bound)
            for bound, sign in ((self.low, -1), (self.high, 1))
        )
        return any(one < low or one > high for one in found) if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueOracle:
    """When a run shows the bug.

    `false`: the `check` comes out as `bad`; `spots` are what it compares. `non_finite`: the value
    at the one spot is. `disagrees`: the values at the two spots differ, or the one spot's from what
    is `expected` (where nothing is, any value is wrong that equals the report's). `accepts`: the
    spot is reached at all; without one (the source's call is refused by now) the run ends well.
    With `bounds`, the one spot's value is wrong that has numbers beyond them.
    """

    kind: SymptomKind
    spots: tuple[Spot, ...]
    check: Spot | None = None
    how: Check | None = None
    bad: bool = False
    expected: Expectation | None = None
    bounds: Bounds | None = None
    written: bool = False
    """Whether the second of two values is written down in the text: then however small it is."""
    against: bool = False
    """Whether the second of two values is shown as what the first should be."""
    parts: bool = False
    """Whether one of two values comes of a batch, and the other of each of its items alone."""
    beside: str = ""
    """The backend that the second of two values is of: the same expression, run there."""
    why: str = ""
    """The evidence, for people."""

    @property
    def of_finiteness(self) -> bool:
        """Whether NaN or infinities are the bug."""
        checks = (Check.NAN, Check.INFINITE, Check.FINITE)
        return self.kind is SymptomKind.NON_FINITE or self.how in checks

    @property
    def points(self) -> frozenset[int]:
        """The numbers of the points that a run has to tell of."""
        spots = self.spots if self.check is None else (*self.spots, self.check)
        return frozenset(spot.point for spot in spots)

    @property
    def guessed(self) -> bool:
        """Whether it is neither a check of the report's own nor a value that it expects."""
        told = self.expected is not None or self.bounds is not None
        return self.check is None and not told and not self.of_finiteness

    @property
    def paired(self) -> bool:
        """Whether two values of the run are compared with each other."""
        return len(self.spots) == 2


def values_of(observation: Observation) -> dict[Spot, Value]:
    """What the watched expressions of a run came to."""
    return {Spot(point=s.point, occurrence=s.occurrence): s.value for s in observation.seen}


def shows(oracle: ValueOracle, observation: Observation, values: Values) -> bool | None:
    """Whether a run shows the bug; None where it did not come so far, or cannot be compared."""
    if oracle.check is not None:
        return _check_fails(oracle, observation, values)
    if any(spot not in values for spot in oracle.spots):
        return None
    found = [values[spot] for spot in oracle.spots]
    if oracle.kind is SymptomKind.ACCEPTS:
        return True if oracle.spots or observation.outcome is Outcome.OK else None
    if oracle.kind is SymptomKind.NON_FINITE:
        known = finite(found[0])
        return None if known is None else not known
    if oracle.bounds is not None:
        return oracle.bounds.left(found[0])
    if oracle.expected is not None:
        return not is_literal(found[0], oracle.expected.numbers)
    if not oracle.paired:
        return True
    agree = agrees(oracle, values)
    return None if agree is None else not agree


def agrees(oracle: ValueOracle, values: Values) -> bool | None:
    """Whether the two values of a pair agree; None where they are not there, or not comparable."""
    if not oracle.paired or any(spot not in values for spot in oracle.spots):
        return None
    one, other = (values[spot] for spot in oracle.spots)
    return same(one, other, relative=oracle.written)


def _check_fails(oracle: ValueOracle, observation: Observation, values: Values) -> bool | None:
    value = values.get(oracle.check) if oracle.check is not None else None
    if value is not None and value.kind != "none":
        outcome = truth(value, oracle.how)
        return None if outcome is None else outcome == oracle.bad
    reached = bool(oracle.spots) and all(spot in values for spot in oracle.spots)
    if not reached:
        return None
    # Functions that assert return nothing, or raise instead of returning.
    return value is None and observation.outcome is Outcome.EXCEPTION and _ended(observation)


def _ended(observation: Observation) -> bool:
    """Whether a check ended a run that has come to its operands.

    Where nothing was traced, nobody knows which call raised.
    """
    if asserts(observation):
        return True
    raised = observation.exception
    known = bool(observation.calls)
    return not known and raised is not None and "InvalidArgumentError" in raised.types


def asserts(observation: Observation) -> bool:
    """Whether a run was ended by an assertion: of the case itself, or of a function that checks.

    What an API asserts of its own arguments is an exception like others. TensorFlow's functions
    that check raise `InvalidArgumentError`.
    """
    raised = observation.exception
    if raised is None:
        return False
    asserting = [
        call.name
        for call in observation.calls
        if call.form != "other" and call.raised is not None
        if (call.raised.types, call.raised.message) == (raised.types, raised.message)
    ]
    if "AssertionError" not in raised.types:
        refused = "InvalidArgumentError" in raised.types
        return refused and any(_last(name) in CHECK_CALLS for name in asserting)
    return not asserting or any(map(_checks, asserting))


def _checks(name: str) -> bool:
    return _last(name) in CHECK_CALLS or _last(name).lower().startswith("assert")


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def truth(value: Value, how: Check | None) -> bool | None:
    """The outcome of a check: of many, whether all are equal, or any is NaN."""
    if how is Check.FINITE and value.dtype not in (None, "bool"):
        return finite(value)  # what asserts it hands on the numbers themselves
    found = elements(value)
    any_will_do = how in (Check.NAN, Check.INFINITE, Check.UNEQUAL)
    if found is None:
        many = value.numbers
        end = None if many is None else many.high if any_will_do else many.low
        return None if end is None else end != 0
    return any(found) if any_will_do else all(found)


def unlike(oracle: ValueOracle, one: Values, other: Values) -> tuple[bool | None, ...]:
    """For each spot of the oracle, whether its values in two runs differ."""
    found: list[bool | None] = []
    for spot in oracle.spots:
        if spot not in one or spot not in other:
            found.append(None)
            continue
        agree = same(_bare(one[spot]), _bare(other[spot]), relative=oracle.written)
        found.append(None if agree is None else not agree)
    return tuple(found)


def _bare(value: Value) -> Value:
    """A single number without its shape: in how many dimensions it is given is nobody's bug."""
    return replace(value, shape=None) if len(elements(value) or ()) == 1 else value


def symptom(oracle: ValueOracle, points: Sequence[Point], values: Values) -> Symptom:
    """What a run shows at the places of the oracle."""
    main = oracle.check if oracle.check in values else next(iter(oracle.spots), oracle.check)
    shown = values.get(main) if main is not None else None
    sides = [values[spot] for spot in oracle.spots if spot in values]
    observed = None if shown is None else told(shown)
    expected = oracle.expected.literal if oracle.expected is not None else None
    if oracle.bounds is not None:
        expected = str(oracle.bounds)
    if oracle.paired and oracle.check is None and len(sides) == 2:
        if oracle.beside:
            expected = f"{told(sides[1])} (as on the {oracle.beside} backend)"
        else:
            other, its = points[oracle.spots[1].point].text[:200], told(sides[1])
            # Of two results of one API nobody says which is right.
            expected = f"{its} (which is {other})" if oracle.against else f"as {other}, {its}"
    elif oracle.check is not None and sides and oracle.check in values:
        observed = f"{observed} ({' against '.join(told(side) for side in sides)})"
    elif oracle.check is not None and sides:
        observed = f"not so ({' against '.join(told(side) for side in sides)})"
    return Symptom(
        kind=oracle.kind,
        where=None if main is None else points[main.point].text[:200],
        observed=None if observed is None else observed[:400],
        expected=expected,
    )


def has_nan_at(oracle: ValueOracle, values: Values) -> bool:
    """Whether one of the oracle's values has a NaN in it."""
    return any(has_nan(values[spot]) for spot in oracle.spots if spot in values)


def becomes_infinite(oracle: ValueOracle, values: Values, better: Values) -> bool:
    """Whether one of the oracle's values is NaN in a run, and not in a better one, where it is
    infinite."""
    spots = [one for one in oracle.spots if one in values and one in better]
    return oracle.of_finiteness and any(
        has_nan(values[one]) and not has_nan(better[one]) and finite(better[one]) is False
        for one in spots
    )


def in_double(oracle: ValueOracle, values: Values) -> str | None:
    """What the oracle's one value should be, by a run in double precision."""
    if oracle.kind is not SymptomKind.NON_FINITE or oracle.spots[0] not in values:
        return None
    return f"{_rounded(values[oracle.spots[0]])} (in double precision)"


def _rounded(value: Value) -> str:
    """A value in few words, and a number in few digits: single precision has no more of its own."""
    try:
        return f"{float(value.text or ''):.6g}" if value.kind == "float" else told(value)
    except ValueError:
        return told(value)


def told(value: Value) -> str:
    """A value in few words."""
    if value.is_shaped:
        return _tensor(value)
    if value.kind in ("list", "tuple") and value.items is not None:
        inner = ", ".join(told(item) for item in value.items[:MOST_TOLD])
        return f"[{inner}{', ...' if len(value.items) > MOST_TOLD else ''}]"
    return (value.text or value.kind)[:100]


def _tensor(value: Value) -> str:
    kind = f"{value.dtype} of shape {list(value.shape or ())}"
    if value.numbers is None:
        return kind
    few = value.numbers.few
    if few is not None and len(few) <= MOST_TOLD:
        numbers = ", ".join(_number(number) for number in few)
        return numbers if value.shape == () else f"[{numbers}] ({kind})"
    problem = (
        "" if value.numbers.finite else ", with NaN" if has_nan(value) else ", with infinities"
    )
    return (
        f"{kind}, from {value.numbers.low:g} to {value.numbers.high:g}{problem}"
        if (value.numbers.low is not None and value.numbers.high is not None)
        else f"{kind}{problem}"
    )


def _number(number: complex) -> str:
    if isinstance(number, (bool, int)):
        return str(number)
    return f"{number:.6g}"
