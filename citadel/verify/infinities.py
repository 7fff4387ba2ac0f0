"""Is a result that is not finite a bug, or how it must be?

In: a watched case that can be run again (`citadel.verify.guards.Rerun`), its oracle, the calls of
the blamed API. Most functions run the case with these calls made otherwise: given smaller inputs,
finite ones, ones on the way to infinity, finite gradients. `no_room` and `no_real` look at values
alone.
"""

from __future__ import annotations

import cmath
import math
import time
from collections.abc import Sequence

from analysis.target.observation import Call, Observation
from analysis.values import Value
from citadel.oracle.numbers import (
    LARGEST,
    all_close,
    elements,
    finite,
    has_nan,
    largest,
    tolerance,
)
from citadel.oracle.value import ValueOracle, Values, shows, values_of
from citadel.verify.guards import Rerun, Told, room, told

NEAR_LIMIT = 0.75
"""Part of the largest number that a function has come to if it is about to exceed it."""
OCTAVES = 1024
"""How often inputs are halved at most until a result is finite."""
CLOSE = 1e-4
"""Octaves between inputs of which one makes a result infinite."""
STEP = 0.05
"""Octaves over which it is looked how fast a result grows."""
FEW_DIGITS = {"bfloat16": 2.0**-6, "float16": 2.0**-9}
"""Octaves between neighbouring numbers, at most, where that is more than `CLOSE`."""
POWERS = (0.3, 0.4)
"""Of the largest number of a dtype: inputs on the way to infinity whose squares are in range."""
FURTHER = 10.0
"""How often as large a number is that grows from one of these to the next."""
NEARER, FRACTION = 100, 0.4
"""An input on the way to infinity that is no whole number, as all large ones are: so many times as
large as the others, and a fraction."""
APPROACH = 0.25
"""How far from its limit a result may be there, as a part of the limit, or of 1."""
IN_PLACE = (1.0, 0.5)
"""Numbers given for NaN and infinities."""
SECONDS = 60.0
"""Time for one bisection."""


def demanded(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call], values: Values
) -> bool | None:
    """Whether an infinity stands where a function has grown as large as its dtype allows.

    The inputs of these calls are made smaller until the result is finite, and then as large as they
    may be for that (by bisection). A result that becomes infinite while it is far from the largest
    number is a bug of the way it is computed. None: the oracle is of another kind, there are NaNs,
    the result does not become finite, or that would take too long.
    """
    if not oracle.of_finiteness or not oracle.spots:
        return None

    def size(factor: float) -> float | None:
        """The result's largest number; infinite, if one is; None for NaN and what is not there."""
        value = values_of(again.run("perturb:scaled", calls, factor=factor)).get(oracle.spots[0])
        if value is None or has_nan(value) or finite(value) is None:
            return None
        return largest(value) if finite(value) else math.inf

    until = time.monotonic() + SECONDS
    octaves, below = 1, size(0.5)
    while below == math.inf and octaves < OCTAVES and time.monotonic() < until:
        octaves *= 2
        below = size(2.0**-octaves)
    limit = NEAR_LIMIT * _largest(oracle, values, calls)
    if below is None or math.inf in (below, limit):
        return None
    low, high = float(-octaves), -octaves / 2 if octaves > 1 else 0.0
    while below < limit and high - low > CLOSE:
        middle = (low + high) / 2
        found = size(2.0**middle)
        if found is None or time.monotonic() > until:
            return None
        if found == math.inf:
            high = middle
        else:
            low, below = middle, max(below, found)
    if below >= limit:
        return True
    # A steep function, or inputs with few digits, may pass the largest number within one step.
    before = size(2.0 ** (low - STEP))
    if before is None or not 0 < before < below:
        return False
    given = {value.value.dtype for call in calls for value in call.inputs()}
    reach = max([CLOSE, *(step for dtype, step in FEW_DIGITS.items() if dtype in given)])
    return math.log(below) + reach / STEP * math.log(below / before) >= math.log(limit)


def no_room(oracle: ValueOracle, values: Values) -> bool:
    """Whether of two compared values one is infinite just where the other, of a wider dtype, is
    too large for its own: a rounding, however far apart they look.

    Of large tensors only the range is known: all elements have to be too large.
    """
    if not oracle.paired or any(spot not in values for spot in oracle.spots):
        return False
    one, other = (values[spot] for spot in oracle.spots)
    return _outgrown(one, other) or _outgrown(other, one)


def _outgrown(narrow: Value, wide: Value) -> bool:
    limit = LARGEST.get(narrow.dtype or "", math.inf)
    has, had = elements(narrow), elements(wide)
    if has is not None and had is not None and len(has) == len(had):
        try:
            rounded = [math.copysign(math.inf, n.real) if abs(n) > limit else n for n in had]
        except OverflowError:  # an integer that no float holds
            return False
        return rounded != list(had) and all_close(has, rounded, *tolerance(narrow, wide))
    few, many = narrow.numbers, wide.numbers
    if few is None or many is None or few.count != many.count or not many.finite:
        return False
    above = few.inf == few.count and (many.low or 0.0) > limit
    return above or (few.ninf == few.count and (many.high or 0.0) < -limit)


def no_real(oracle: ValueOracle, values: Values) -> bool:
    """Whether of two compared values the real one is NaN just where the complex one is off the real
    axis: the function has no real value there (`acosh(0)` is a quarter turn).
    """
    if not oracle.paired or any(spot not in values for spot in oracle.spots):
        return False
    found = [values[spot] for spot in oracle.spots]
    real = [one for one in found if not _complex(one)]
    if len(real) != 1:
        return False
    has, had = elements(real[0]), elements(next(filter(_complex, found)))
    if has is None or had is None or len(has) != len(had):
        return False
    left_out = [number.imag != 0 and cmath.isfinite(number) for number in had]
    known = [math.nan if out else number for out, number in zip(left_out, had, strict=True)]
    return any(left_out) and all_close(has, known, *tolerance(*found))


def _complex(value: Value) -> bool:
    return value.kind == "complex" or (value.dtype or "").startswith("complex")


def let_in(again: Rerun, oracle: ValueOracle, calls: Sequence[Call]) -> Values:
    """What the values come to where these calls are given finite numbers for NaN and infinities;
    nothing where they are not finite all the same."""
    if not oracle.of_finiteness:
        return {}
    seen = again.run("perturb:cleaned", calls, number=IN_PLACE[0])
    values = values_of(seen)
    return values if shows(oracle, seen, values) is False else {}


def spreads(again: Rerun, oracle: ValueOracle, calls: Sequence[Call], values: Values) -> bool:
    """Whether NaN or infinities stand where nothing depends on those in the inputs of these calls:
    where two runs that are given one number and another for them come to the same.
    """
    one, other = (
        values_of(again.run("perturb:cleaned", calls, number=number)) for number in IN_PLACE
    )
    known = [spot for spot in oracle.spots if spot in values and spot in one and spot in other]
    return any(_apart(values[spot], one[spot], other[spot]) for spot in known)


def _apart(value: Value, one: Value, other: Value) -> bool:
    """Whether an element is not finite that comes to one finite number in the other two."""
    found = [elements(each) for each in (value, one, other)]
    if any(each is None or len(each) != len(found[0] or ()) for each in found):
        return False
    places = zip(*(each or () for each in found), strict=True)
    return any(not cmath.isfinite(a) and cmath.isfinite(b) and b == c for a, b, c in places)


def mixes(again: Rerun, calls: Sequence[Call]) -> bool | None:
    """Whether a number of these calls' results depends on NaN or an infinity in another place.

    What works on each element apart has a result of an input's shape, of which other numbers for
    those change nothing beside them. None where there is no other place, or nobody knows.
    """
    found = told(again, calls)
    held = [abs(n) for one in found for value in one.given for n in elements(value) or ()]
    size = max([1.0, *filter(math.isfinite, held)])
    cured = _by_place(told(again, calls, 1.0))
    known = {_spread(one, cured.get((one.site, one.occurrence))) for one in found}
    for large in sorted({1.0, size}):  # beside large numbers small ones may not matter
        if True in known:
            break
        first, then = (_by_place(told(again, calls, large * number)) for number in IN_PLACE)
        known |= {_mixed(first[place], then[place]) for place in first if place in then}
    return True in known if known - {None} else None


def _by_place(calls: Sequence[Told]) -> dict[tuple[int, int], Told]:
    return {(one.site, one.occurrence): one for one in calls}


def _spread(one: Told, cured: Told | None) -> bool | None:
    """Whether what is not finite stands where no input of that shape has any, and where all is
    finite once the inputs are: what overflows by itself depends on nothing else."""
    made = elements(one.made)
    let_in = [(numbers, _not_finite(numbers)) for numbers in map(elements, one.given) if numbers]
    if made is None or not any(0 < len(places) < len(numbers) for numbers, places in let_in):
        return None
    own = _not_finite(elements(cured.made) or ()) if cured is not None else set()
    return True if _not_finite(made) - _let_in(one) - own else None


def _not_finite(numbers: Sequence[complex]) -> set[int]:
    return {place for place, number in enumerate(numbers) if not cmath.isfinite(number)}


def _let_in(one: Told) -> set[int]:
    """The places of what is not finite in inputs that are shaped as the result."""
    alike = (elements(value) for value in one.given if value.shape == one.made.shape)
    return set().union(*(_not_finite(numbers) for numbers in alike if numbers))


def _mixed(one: Told, other: Told) -> bool | None:
    made, also = elements(one.made), elements(other.made)
    if made is None or also is None or len(made) != len(also):
        return None
    moved = {place for place, (a, b) in enumerate(zip(made, also, strict=True)) if a != b}
    if 0 < len(_let_in(one)) < len(made):
        return bool(moved - _let_in(one))
    several = any(len(elements(value) or ()) > 1 for value in one.given)
    return True if moved and several and one.made.shape not in _shapes(one) else None


def _shapes(one: Told) -> list[tuple[int, ...] | None]:
    return [value.shape for value in one.given]


def tends_to(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call]
) -> tuple[complex, ...] | None:
    """What the values tend to where what these calls are given tends to infinity, if they do.

    A result there is then no more NaN than `sigmoid` is. Nothing is known of `sin`, nor of `x - y`,
    which depends on who is faster.
    """
    rising = _ends(again, oracle, calls, falling=False)
    falling = None if rising is None else _ends(again, oracle, calls, falling=True)
    if rising is None or falling is None:
        return None
    if not all(_equal(one, other) for one, other in zip(rising, falling, strict=True)):
        return None
    return tuple(rising) if _approached(again, oracle, calls, rising) else None


def _approached(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call], ends: Sequence[complex]
) -> bool:
    """Whether the values are near to where they end before the inputs are whole numbers: the
    fractional part of large floating-point numbers is 0, and tends to nothing."""
    if not any(map(cmath.isfinite, ends)):
        return True
    held = [
        abs(n) for one in told(again, calls) for value in one.given for n in elements(value) or ()
    ]
    size = math.ceil(max([1.0, *filter(math.isfinite, held)]))  # beside which it has to be large
    number = NEARER * size + FRACTION
    found = _numbers(again.run("perturb:bounded", calls, number=number, falling=False), oracle)
    if found is None or len(found) != len(ends):
        return True
    pairs = [(a, b) for a, b in zip(found, ends, strict=True) if cmath.isfinite(a)]
    return all(cmath.isinf(b) or abs(a - b) <= APPROACH * max(1.0, abs(b)) for a, b in pairs)


def _ends(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call], *, falling: bool
) -> list[complex] | None:
    """What each number of the oracle's values tends to; None where one tends to nothing."""
    ways: list[list[complex]] = []
    for power in POWERS:
        seen = again.run("perturb:bounded", calls, power=power, falling=falling)
        numbers = _numbers(seen, oracle)
        if numbers is None or any(map(cmath.isnan, numbers)):
            return None
        ways.append(numbers)
    near, far = ways
    if len(near) != len(far):
        return None
    found = [_end(a, b) for a, b in zip(near, far, strict=True)]
    ends = [end for end in found if end is not None]
    return ends if ends and len(ends) == len(found) else None


def _numbers(seen: Observation, oracle: ValueOracle) -> list[complex] | None:
    """All numbers of an oracle's values; None where some are not known."""
    values = values_of(seen)
    known = [elements(values[spot]) for spot in oracle.spots if spot in values]
    if len(known) < len(oracle.spots) or None in known:
        return None
    return [number for found in known for number in found or ()]


def _end(near: complex, far: complex) -> complex | None:
    """The limit of what has come to two numbers on the way: one of them, zero, or an infinity."""
    if _equal(near, far):
        return far
    real = not (near.imag or far.imag) and (near.real > 0) == (far.real > 0 or not far)
    if not real or cmath.isinf(near):
        return None
    if abs(far) > FURTHER * abs(near):
        return math.copysign(math.inf, far.real)
    return 0.0 if abs(far) * FURTHER < abs(near) else None


def _equal(one: complex, other: complex) -> bool:
    return one == other or cmath.isclose(one, other, rel_tol=1e-3, abs_tol=1e-6)


def hands_on(again: Rerun, oracle: ValueOracle, calls: Sequence[Call], values: Values) -> bool:
    """Whether of two compared values one is not finite wherever they differ, and these calls are
    given something that is not."""
    if not beyond_numbers(oracle, values):
        return False
    return any(finite(value) is False for call in told(again, calls) for value in call.given)


def beyond_numbers(oracle: ValueOracle, values: Values) -> frozenset[int]:
    """Which of two compared values (0, 1) are not finite wherever the two differ."""
    if not oracle.paired or any(spot not in values for spot in oracle.spots):
        return frozenset()
    found = [values[spot] for spot in oracle.spots]
    one, other = map(elements, found)
    if one is None or other is None or len(one) != len(other):
        return frozenset()
    near, apart = tolerance(*found)
    pairs = zip(one, other, strict=True)
    wrong = [(a, b) for a, b in pairs if not all_close([a], [b], near, apart)]
    sides = enumerate(zip(*wrong, strict=True))
    return frozenset(number for number, side in sides if not any(map(cmath.isfinite, side)))


def made_backward(again: Rerun, oracle: ValueOracle, calls: Sequence[Call]) -> bool | None:
    """Whether these calls, with finite results and given finite gradients, hand on others.

    None where no gradients go through them.
    """
    if not oracle.of_finiteness or not calls:
        return None
    told = [event.get("made") for event in again.run("perturb:gradients", calls).extra]
    return next((made for made in told if isinstance(made, bool)), None)


def _largest(oracle: ValueOracle, values: Values, calls: Sequence[Call]) -> float:
    """The largest number of a result: by its own dtype if that is known, else by its inputs'."""
    value = values.get(oracle.spots[0])
    known = None if value is None else LARGEST.get(value.dtype or "")
    return known if known is not None else room(calls)
