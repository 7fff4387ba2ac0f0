"""Facts about the values of the source and of a sibling, and about how close the two are.

`false_positives` and `value_replay` have the rules that ask for them.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence

from analysis.target.watch import Role
from analysis.values import Value
from citadel.judge.relations import SAME_PARAMETER, alike, of_one_kind, related
from citadel.judge.verdicts import made_up
from citadel.model import Channels, SymptomKind
from citadel.oracle.numbers import (
    SLIGHTER,
    all_close,
    distance,
    elements,
    finite,
    has_nan,
    largest,
    layout,
    same,
    tolerance,
    whole,
)
from citadel.oracle.value import Spot, ValueOracle, Values, agrees, unlike
from citadel.plan.model import Adaptation
from citadel.plan.types import SEED
from citadel.verify.infinities import beyond_numbers
from citadel.verify.witness import Witness

_OBJECTS = ("module", "function", "other")
"""Kinds of values that do the work later."""

_USUAL = frozenset(("0", "0.0", "1", "1.0"))

SEVERAL = 3
"""Numbers that few functions come to one after the other."""
FEW_TRUTHS = 16
"""Truth values that many functions come to by chance."""

FAR_APART = 0.1
"""Difference of two values, relative to the larger, that no rounding comes to."""
ROUNDING = 1e-2
"""The largest such difference that one of rounding comes to: of finite differences."""


def close_for(channels: Channels, source: Witness, plan: Adaptation) -> bool:
    """Whether an equal result is no coincidence for this symptom."""
    if source.refused:  # what is dropped may be what is to be refused
        return channels.family is not None and not plan.drops
    if source.oracle.kind is SymptomKind.ACCEPTS:
        return related(channels) and (
            channels.family is not None or not source.disputed or _means_the_same(channels, plan)
        )
    if source.let_in or source.hands_on:  # what is not finite is handed on by nearly everything
        return alike(channels) or channels.called
    if source.oracle.of_finiteness and plan.filled and not source.precise:
        return alike(channels)  # what was filled in may demand NaN
    return related(channels) or channels.called  # the source's wrong result is its own


def adds_inputs(plan: Adaptation) -> bool:
    """Whether the sibling works on what the report's call has not got.

    A seed is no such thing: values that depend on it are told apart by runs with others.
    """
    return any(SEED.fullmatch(name) is None for name in made_up(plan))


def unfinished(oracle: ValueOracle, had: Values, has: Values) -> bool:
    """Whether the sibling comes to an object where the source came to a result: it may refuse what
    it was made with as soon as it is called."""
    spots = [spot for spot in oracle.spots if spot in had and spot in has]
    return any(had[spot].kind not in _OBJECTS and has[spot].kind in _OBJECTS for spot in spots)


def differing(source: Witness) -> frozenset[str]:
    """The keys of the arguments, no tensors, that the source's calls have different values for,
    where the results of two of them are compared: `f(x, axis=0)` should be `f(x.T, axis=1)`."""
    if not source.oracle.paired or source.referred:
        return frozenset()
    own = [
        c for c in source.observation.calls if (c.name, c.form) == (source.call.name, "function")
    ]
    given = [
        {f"arg:{at}": one.value.literal() for at, one in enumerate(call.arguments)}
        | {f"kw:{name}": one.value.literal() for name, one in call.keywords}
        for call in own
    ]
    keys = frozenset(key for one in given for key in one)
    plain = (key for key in keys if all(one.get(key, "") is not None for one in given))
    return frozenset(key for key in plain if len({one.get(key, "") for one in given}) > 1)


def of_its_kind(source: Witness, channels: Channels) -> bool:
    """Whether what an object gives should keep within bounds that are those of its kind, or be no
    number where that of its kind should be none: quantiles of what is no probability."""
    no_number = source.call.form == "class" and misses_what_is_not_finite(source)
    return (no_number or source.oracle.bounds is not None) and of_one_kind(channels)


def does_as_much(source: Witness, plan: Adaptation, channels: Channels) -> bool:
    """Whether the value comes of what an object does (an optimiser, a distribution), and the
    sibling makes one of its kind of the very same arguments."""
    made = source.call.form == "class" and True not in source.own
    return made and of_one_kind(channels) and not (plan.filled or plan.drops)


def _means_the_same(channels: Channels, plan: Adaptation) -> bool:
    """Whether what should be refused, under another name, should be so of the sibling as well.

    What runs the same operations may take the same number for something else.
    """
    return not plan.drops and channels.signature >= SAME_PARAMETER


def changes_of(
    oracle: ValueOracle, had: Values, has: Values, *, close: bool
) -> tuple[bool | None, ...]:
    """For each spot of the oracle, whether the sibling's value is another than the source's."""
    found = unlike(oracle, had, has)
    if close:
        return found
    return tuple(
        True if change is False and _zero_for_small(had, has, spot) else change
        for change, spot in zip(found, oracle.spots, strict=True)
    )


def _zero_for_small(had: Values, has: Values, spot: Spot) -> bool:
    """Whether one of the two is zero where the other is not, if only by less than tolerances.

    A function that rightly gives 5e-11 does not lose its numbers, as one does that gives 0.
    """
    if spot not in had or spot not in has:
        return False
    return (largest(had[spot]) == 0) != (largest(has[spot]) == 0)


def misses_what_is_not_finite(source: Witness) -> bool:
    """Whether a check fails because a value is finite that should be NaN or infinite."""
    known = [finite(source.values[spot]) for spot in source.oracle.spots if spot in source.values]
    return source.oracle.check is not None and bool(known) and all(known)


def turns_nan(source: Witness, values: Values) -> bool:
    """Whether NaN stands where the source has numbers, or in what both print besides.

    A check may fail for it alone: NaN is neither within bounds nor out of them.
    """
    spots = {*source.oracle.spots, *_printed(source)}
    had, has = source.values, values
    return any(has_nan(has[s]) and not has_nan(had[s]) for s in spots if s in has and s in had)


def both_turn_nan(oracle: ValueOracle, had: Values, has: Values) -> bool:
    """Whether both compared values have NaN where neither of the source's does.

    Two ways to compute what is not defined need not agree on what else they give.
    """
    spots = [spot for spot in oracle.spots if spot in had and spot in has]
    turned = [has_nan(has[spot]) and not has_nan(had[spot]) for spot in spots]
    return len(turned) == 2 and all(turned)


def differ_beyond_numbers(oracle: ValueOracle, had: Values, has: Values) -> bool:
    """Whether two compared values are the same wherever one is finite, as all of the source's are.

    What is too large for a dtype may be infinite on one way, and NaN on another.
    """
    known = all(spot in had and finite(had[spot]) for spot in oracle.spots)
    return known and beyond_numbers(oracle, has) == {0, 1}


def apart_as_numbers(oracle: ValueOracle, values: Values) -> bool:
    """Whether two compared values differ as numbers, of whatever dtype; NaN equals NaN."""
    return agrees(oracle, values) is False


def slighter(oracle: ValueOracle, had: Values, has: Values) -> bool:
    """Whether two values differ so little, and the source's so much, that it is not the same.

    Strict checks also fail for rounding: of gradients beside differences, say.
    """
    before, now = gap(oracle, had), gap(oracle, has)
    if before is None or now is None or not math.isfinite(before):
        return False
    return before >= FAR_APART and now * SLIGHTER <= before and now <= ROUNDING


def gap(oracle: ValueOracle, values: Values) -> float | None:
    """How far apart two values are that are no whole numbers, relative to the larger of them."""
    found = [values[spot] for spot in oracle.spots if spot in values]
    if len(found) != 2 or any(map(whole, found)):
        return None
    apart, size = distance(*found), max(largest(one) or 0.0 for one in found)
    return apart / size if apart is not None and size else None


def cuts_off(oracle: ValueOracle, before: Values, values: Values) -> bool:
    """Whether one of the two values is of whole numbers, which hold no fractions of the other's,
    where the report compares numbers that hold them."""
    had, found = (
        [each[spot] for spot in oracle.spots if spot in each] for each in (before, values)
    )
    if len(found) != 2 or any(map(whole, had)) or whole(found[0]) == whole(found[1]):
        return False
    apart = distance(*found)
    return apart is not None and apart < 1


def of_one_shape(oracle: ValueOracle, values: Values) -> bool:
    """Whether two tensors of one shape are compared, or two lists that could be such."""
    shapes = [layout(values[spot]) for spot in oracle.spots if spot in values]
    return len(shapes) == 2 and shapes[0] is not None and shapes[0] == shapes[1]


def agree_elsewhere(source: Witness, values: Values) -> bool:
    """Whether the two also come to a value in common that few functions come to, and that does
    not come of something else."""
    printed = [spot for spot in _printed(source) if spot not in source.steady]
    telling = [spot for spot in printed if tells(source.values, spot)]
    agree = [same(source.values[spot], values[spot]) for spot in telling if spot in values]
    return bool(agree) and all(agree)


def right_elsewhere(source: Witness) -> bool:
    """Whether the value agrees with its reference in several numbers, wherever that has one."""
    found = [elements(source.values[spot]) for spot in source.oracle.spots]
    own, reference = found if len(found) == 2 else (None, None)
    if own is None or reference is None or len(own) != len(reference):
        return False
    pairs = [(a, b) for a, b in zip(own, reference, strict=True) if cmath.isfinite(b)]
    near, apart = tolerance(*(source.values[spot] for spot in source.oracle.spots))
    agree = all_close([a for a, _ in pairs], [b for _, b in pairs], near, apart)
    return agree and len({b for _, b in pairs}) >= SEVERAL


def _printed(source: Witness) -> list[Spot]:
    """What the report's code prints, beside what the oracle looks at."""
    places = {point.number for point in source.watched.points if point.role is Role.SHOWN}
    return [spot for spot in source.values if spot.point in places]


def plain(values: Values, spot: Spot) -> bool:
    """Whether a value is one that many functions come to: zeros, ones, NaN, a single number.

    Of a large tensor its range tells; truth values tell less than numbers do.
    """
    if spot not in values:
        return True
    found, held = elements(values[spot]), values[spot].numbers
    if found is not None and len(found) < FEW_TRUTHS and _of_truths(values[spot]):
        return True
    if found is None:
        return held is None or (held.low == held.high and (held.finite or held.low is None))
    return len({repr(number) for number in found}) <= 1


def tells(values: Values, spot: Spot) -> bool:
    """Whether few functions come to a value: it is no plain one, and none of a few zeros and ones.

    Places, which are whole numbers, tell as much as others do.
    """
    found = elements(values[spot]) if spot in values else None
    return not plain(values, spot) and not (found and _few_of_both(found))


def _few_of_both(found: Sequence[complex]) -> bool:
    """Whether numbers are a few zeros and ones with a point: the slope of whatever hands on one
    number is made of such."""
    few = len(found) < FEW_TRUTHS
    return few and all(isinstance(one, float) and abs(one) in (0, 1) for one in found)


def usual(values: Values, spot: Spot) -> bool:
    """Whether a tensor, or an array that was made of one, is of zeros, or of ones, alone, or of a
    few of both."""
    shaped = spot in values and values[spot].is_shaped
    found = elements(values[spot]) if shaped else None
    sizes = {repr(abs(number)) for number in found or ()}
    return bool(found) and sizes <= _USUAL and (len(sizes) == 1 or _few_of_both(found or ()))


def _of_truths(value: Value) -> bool:
    """Whether a value is made of truth values alone."""
    if value.kind in ("list", "tuple"):
        return all(_of_truths(item) for item in value.items or ())
    return value.kind == "bool" or value.dtype == "bool"
