"""Run a case of a value bug once more, made otherwise: is it a bug, or how it must be?

Each guard is a run in the sandbox in which the calls of the blamed API are given something else
than the report gives them. Trackers ask for these before they believe a wrong value: double
precision, ill-conditioned inputs, the order of equal elements. `infinities` has those for results
that are not finite.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import combinations, zip_longest
from typing import Any, TypeVar

from analysis.target.instrument import Watched
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.session import Limits
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.backends import Runs
from citadel.oracle.numbers import (
    LARGEST,
    distance,
    finite,
    largest,
    same,
    whole,
)
from citadel.oracle.value import ValueOracle, Values, shows, unlike, values_of

T = TypeVar("T")

BACKWARD = 10.0
"""How many units in the last place of its inputs a good algorithm may be off (backward error)."""
EQUAL_RUNS = 4
"""Runs in which nothing differs that tell whether values do: garbage may be the same twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """A watched case that can be run again, with some of its calls made otherwise.

    `ended` tells how its runs did (see `_ending`), by what was done otherwise, in words.
    """

    code: str
    watched: Watched
    session: Runs
    limits: Limits
    ended: dict[str, list[str]] = field(default_factory=dict, compare=False)

    def run(
        self, entry: str, calls: Sequence[Call], *, also: Collection[int] = (), **arguments: object
    ) -> Observation:
        """Run it through an entry of `analysis/inside` that knows the sites of calls; `also` are
        further ones."""
        sites = sorted({call.site for call in calls} | set(also))
        seen = self.session.run(
            self.code,
            traced=self.watched.traced,
            limits=self.limits,
            entry=entry,
            arguments={"sites": sites, **arguments},
        )
        if entry in OTHERWISE:
            self.ended.setdefault(OTHERWISE[entry], []).append(_ending(seen))
        return seen

    def cut_short(self, first: Observation) -> dict[str, str]:
        """The guards of which no run ended well, or as the case itself does: what is done otherwise
        -> how the last one ended. They had nothing to say."""
        fine = {_ending(first), ""}
        return {how: ends[-1] for how, ends in self.ended.items() if not fine & set(ends)}


OTHERWISE = {
    "perturb:doubled": "double precision",
    "perturb:widened": "double precision",
    "perturb:nudged": "inputs off by rounding",
    "perturb:reseeded": "other random numbers",
    "perturb:run": "other results",
    "perturb:told": "a look at what its calls are given",
    "selected:run": "a look at the elements that it selects",
}
"""What those guards are run with, in words, that let a bug pass where they say nothing."""


def _ending(seen: Observation) -> str:
    """How a run ended, if not well: by which exception, say."""
    if seen.outcome is Outcome.OK:
        return ""
    return seen.exception.type if seen.exception is not None else str(seen.outcome)


_DOUBLE = frozenset(("float64", "complex128"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubled:
    """What a case comes to where the calls in question are given double precision.

    `cures`: what is wrong goes away, and the values would fit the coarser precision. What stays may
    be what mathematics demands (`exp` of a large number) rather than a bug, and so is what only
    double precision has room for (a product of large numbers); two values that then agree are of
    the same function. `reached`: something of what the case then comes to is in double precision.
    """

    cures: bool
    values: Values
    reached: bool


def doubled(again: Rerun, oracle: ValueOracle, calls: Sequence[Call]) -> Doubled | None:
    """Run with double precision; None where the oracle is of another kind, or shows no value."""
    if not oracle.of_finiteness and not oracle.paired:
        return None
    seen = again.run("perturb:doubled", calls)
    values = values_of(seen)
    shown = shows(oracle, seen, values)
    if shown is None or (oracle.check is not None and oracle.check not in values):
        return None  # a check that refuses two dtypes has not been passed
    fits = oracle.paired or _fits(oracle, values, room(calls))
    # What goes away has been reached, whatever dtypes are shown.
    return Doubled(cures=not shown and fits, values=values, reached=not shown or _reached(seen))


def _reached(seen: Observation) -> bool:
    """Whether anything comes to double precision then: a layer has a dtype of its own."""
    made = [one.result.value for one in seen.calls if one.result is not None]
    dtypes = {value.dtype for value in (*made, *(one.value for one in seen.seen))} - {None}
    return not dtypes or not dtypes.isdisjoint(_DOUBLE)


def widened(again: Rerun, oracle: ValueOracle, calls: Sequence[Call]) -> Values | None:
    """What a value that is wrong by number is in double precision, integers made so unless the
    calls refuse that (of indices).

    None where the oracle is of another kind, where the calls write to what they are given, of
    which they then get a copy, or where double precision does not reach what the case comes to.
    """
    if oracle.paired or oracle.check is not None or oracle.of_finiteness or not oracle.spots:
        return None
    if oracle.kind is SymptomKind.ACCEPTS or any(map(_writes, calls)):
        return None
    seen = again.run("perturb:widened", calls)
    if not all(spot in values_of(seen) for spot in oracle.spots):
        seen = again.run("perturb:doubled", calls)
    return None if _stays_coarse(seen) else values_of(seen)


def _stays_coarse(seen: Observation) -> bool:
    """Whether what is shown has a dtype, and none is double precision; numbers of Python have none,
    whatever they are of, and whole numbers say nothing."""
    dtypes = {one.value.dtype or "" for one in seen.seen}
    fractions = {dtype for dtype in dtypes if "float" in dtype or "complex" in dtype}
    return bool(fractions) and fractions.isdisjoint(_DOUBLE)


def _writes(call: Call) -> bool:
    """Whether a call works in place, or on an `out`."""
    in_place = call.name.endswith("_") and not call.name.endswith("__")
    return in_place or any(name == "out" for name, _ in call.keywords)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One call of a case: the tensors and arrays that it was given, and its result."""

    site: int
    occurrence: int
    given: tuple[Value, ...]
    made: Value

    @property
    def finite(self) -> bool | None:
        """Whether its result is; None where it holds no numbers that are known."""
        return finite(self.made)

    def like(self, other: Told) -> bool | None:
        """Whether both are given the same numbers, whatever their dtypes; None: nobody knows.

        What is of another shape may be a part of the same: a batch, and one item of it.
        """
        pairs = list(zip(self.given, other.given, strict=False))
        if any(one.shape != another.shape for one, another in pairs):
            return None
        found = [same(one, another) for one, another in pairs]
        if False in found:
            return False
        return True if found and all(found) else None


def beside(calls: Sequence[Told]) -> list[tuple[Told, Told]]:
    """The calls that a check may compare: of one round of a loop, or every two of one place."""
    pairs = list(combinations(calls, 2))
    rounds = [(a, b) for a, b in pairs if a.site != b.site and a.occurrence == b.occurrence]
    in_turns = [
        (a, b)
        for a, b in pairs
        if a.site == b.site and a.occurrence % 2 and b.occurrence == a.occurrence + 1
    ]
    return rounds or in_turns


def told(
    again: Rerun, calls: Sequence[Call], number: float | None = None, without: str | None = None
) -> tuple[Told, ...]:
    """What these calls are given and give, those that return; `number`: what they give once it
    stands for each NaN and infinity; `without`: what they give without the argument of that name.
    """
    given: dict[str, Any] = {} if number is None else {"number": number}
    given |= {} if without is None else {"name": without}
    events = again.run("perturb:told", calls, **given).extra if calls else ()
    return tuple(
        Told(
            site=event["site"],
            occurrence=event["occurrence"],
            given=tuple(map(Value.from_json, event["given"])),
            made=Value.from_json(event.get("made")),
        )
        for event in events
        if type(event.get("site")) is int
        and type(event.get("occurrence")) is int
        and isinstance(event.get("given"), list)
    )


def of_chance(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call], loose: Sequence[bool] = ()
) -> bool:
    """Whether the values are others as soon as these calls draw other random numbers.

    What is `loose` differs from run to run anyway.
    """
    one, other = (values_of(seen) for seen in _reseeded(again, calls))
    return True in _firm(unlike(oracle, one, other), loose)


def loose(again: Rerun, oracle: ValueOracle, calls: Sequence[Call]) -> tuple[bool, ...]:
    """For each value of the oracle, whether it is another though these calls draw the same numbers.

    It has then what lies in memory that nothing has written to: no randomness, but a bug.
    """
    one, *others = (
        values_of(again.run("perturb:reseeded", calls, number=1)) for _ in range(EQUAL_RUNS)
    )
    found = [unlike(oracle, one, other) for other in others]
    return tuple(True in changes for changes in zip(*found, strict=True))


def of_draws(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call], loose: Sequence[bool] = ()
) -> bool:
    """Whether two values differ for the random numbers that these calls draw.

    They agree once all calls draw the same ones (the parameters of two layers, say), or change with
    what a call draws that makes no object.
    """
    seen, other = _reseeded(again, calls)
    found = values_of(seen)
    if True not in _firm(unlike(oracle, found, values_of(other)), loose):
        return False
    at_work = [call for call in calls if call.form != "class"]
    return shows(oracle, seen, found) is False or of_chance(again, oracle, at_work, loose)


def _firm(spots: Sequence[T], loose: Sequence[bool]) -> list[T]:
    """What there is for each spot that is not `loose`; of all, where each is."""
    kept = [spot for spot, free in zip_longest(spots, loose) if not free]
    return kept or list(spots)


def _reseeded(again: Rerun, calls: Sequence[Call]) -> tuple[Observation, Observation]:
    one, other = (again.run("perturb:reseeded", calls, number=number) for number in (1, 2))
    return one, other


def of_ties(again: Rerun, oracle: ValueOracle, calls: Sequence[Call], values: Values) -> bool:
    """Whether two values differ only in which of several equal elements they point at."""
    indices = [values[spot] for spot in oracle.spots if spot in values]
    if len(indices) != 2 or not all(map(whole, indices)) or same(*indices):
        return False  # `index < size` fails for equal numbers, too
    spots = [[spot.point, spot.occurrence] for spot in oracle.spots]
    found = values_of(again.run("selected:run", calls, spots=spots))
    one, other = (found.get(spot) for spot in oracle.spots)
    return one is not None and other is not None and same(one, other) is True


def ill_conditioned(
    again: Rerun,
    oracle: ValueOracle,
    calls: Sequence[Call],
    values: Values,
    loose: Sequence[bool] = (),
) -> bool:
    """Whether the last digit of these calls' inputs matters as much as what the report shows.

    Two values that disagree say little then: each is the exact result for inputs that differ
    from the report's by rounding (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
    section 1.5). Where they agree once the inputs are off by that much, the report's own inputs
    are special, and the disagreement is a bug. What is `loose` differs from run to run anyway.
    """
    if not oracle.paired or any(spot not in values for spot in oracle.spots):
        return False
    apart = distance(*(values[spot] for spot in oracle.spots))
    if apart is None or apart == 0:
        return False
    seen = again.run("perturb:nudged", calls)
    moved = values_of(seen)
    if not shows(oracle, seen, moved) or True not in unlike(oracle, values, moved):
        return False
    firm = _firm(oracle.spots, loose)
    drifts = [distance(values[spot], moved[spot]) for spot in firm if spot in moved]
    return BACKWARD * max((drift for drift in drifts if drift is not None), default=0.0) >= apart


def _fits(oracle: ValueOracle, values: Values, room: float) -> bool:
    """Whether the values of an oracle are of no larger size than `room`."""
    sizes = (largest(values[spot]) for spot in oracle.spots if spot in values)
    return all(size is None or size <= room for size in sizes)


def room(calls: Sequence[Call]) -> float:
    """The largest number that fits the coarsest dtype which these calls are given.

    Numbers and lists of Python have none: then it is that of what the calls give.
    """
    given = [value.value.dtype for call in calls for value in call.inputs()]
    made = [call.result.value.dtype for call in calls if call.result is not None]
    known = [[LARGEST[dtype] for dtype in dtypes if dtype in LARGEST] for dtypes in (given, made)]
    return min(known[0] or known[1], default=math.inf)
