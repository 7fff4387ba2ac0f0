"""Find the value oracle in a report: what of the code's own output shows that something is wrong.

In: the watched expressions of a run and what the report says. Out: oracles, the most trustworthy
first: values unlike what a comment beside them expects; values that the report calls wrong and
right by number; checks (`allclose`, `isnan`, ...) and differences; values shown beside a reference;
the same call shown in two modes or precisions; non-finite values that the report speaks of;
comparisons of size; values unlike expected ones; calls that the report wants to be refused; what it
pastes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations

import libcst as cst

from analysis.target.observation import Observation
from analysis.target.watch import Check, Point, Role
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.evaluations import evaluations
from citadel.oracle.hints import (
    CHECKS,
    DIFFERENT,
    MODES,
    NAN_IS_LOST,
    NEAR,
    NOT_FINITE,
    PRECISION,
    TELLING,
    bad_outcome,
    bare,
    have_common,
    is_called_reference,
    is_duration,
    is_input,
    is_reference,
    says_good,
    wrapped,
)
from citadel.oracle.numbers import agreeing, elements, finite, has_nan, is_literal, of_kind, same
from citadel.oracle.value import Spot, ValueOracle, Values, asserts, values_of
from harvest.report.model import Expectation, Reading

__all__ = ["CHECKS", "capture"]

MOST_COMPARED = 200
"""Characters of two expressions by which their likeness is told: it takes quadratic time."""


def capture(
    points: Sequence[Point], observation: Observation, reading: Reading
) -> tuple[ValueOracle, ...]:
    """All oracles that the code offers, the most trustworthy first, whether or not they hold."""
    case = _Case(points, observation, reading)
    found = [
        *case.beside(),
        *case.numbers(),
        *case.checks(),
        *case.differences(),
        *case.references(),
        *case.modes(),
        *case.nearly_expected(),
        *case.non_finite(),
        *case.precisions(),
        *case.orders(),
        *case.expected(),
        *case.accepted(),
        *case.pasted(),
    ]
    return tuple(dict.fromkeys(found))


class _Case:
    """One run's values, by the place that they were seen at."""

    def __init__(self, points: Sequence[Point], observation: Observation, reading: Reading) -> None:
        self.points = points
        self.values: Values = values_of(observation)
        self.reading = reading
        self.stdout = observation.stdout
        self.asserts = asserts(observation)
        # Assertions that held speak louder than words about values.
        self._asserted = not self.asserts and any(
            point.asserted and point.check in CHECKS for _, point, _ in self._all(Role.TESTED)
        )
        self._right = frozenset(
            spot
            for spot, point, value in self._all(Role.SHOWN, Role.OPERAND)
            if any(is_literal(value, e.numbers) for e in self._said_beside(point) if e.right)
        )

    def spots(self, *roles: Role) -> Iterator[tuple[Spot, Point, Value]]:
        """The values seen at points of these roles, in the order of evaluation.

        What the text itself makes is no result, and what a comment beside it expects is right.
        """
        for spot, point, value in self._all(*roles):
            if not is_input(point) and spot not in self._right:
                yield spot, point, value

    def _all(self, *roles: Role) -> Iterator[tuple[Spot, Point, Value]]:
        for spot, value in self.values.items():
            if spot.point < len(self.points):
                point = self.points[spot.point]
                if point.role in roles and not is_duration(point):
                    yield spot, point, value

    def _said_beside(self, point: Point) -> list[Expectation]:
        """What is said of a value next to the statement that shows it."""
        whole = rf"(?<![\w.]){re.escape(''.join(point.text.split()))}(?![\w.\[(])"
        said = self.reading.expectations
        return [e for e in said if e.beside and re.search(whole, "".join(e.beside.split()))]

    def _is_titled(self, point: Point) -> bool:
        """Whether a value comes of a call of what the report's title names."""
        titled = {one.name.rpartition(".")[2] for one in self.reading.mentions if one.title}
        return not titled.isdisjoint(call.rpartition(".")[2] for call in point.origin.calls)

    def beside(self) -> Iterator[ValueOracle]:
        """A value unlike the one that is expected right where it is shown."""
        for spot, point, value in self._all(Role.SHOWN):
            count = len(elements(value) or ())
            for right in self._said_beside(point):
                if right.right and point.check in CHECKS and right.numbers in _OUTCOMES:
                    yield from self._check(point, bad=not _OUTCOMES[right.numbers])
                elif right.right and count == len(right.numbers) and of_kind(value, right.numbers):
                    yield self._unlike(spot, value, right)

    def _unlike(self, spot: Spot, value: Value, right: Expectation) -> ValueOracle:
        infinite = finite(value) is False and not _unbounded(right)
        return ValueOracle(
            kind=SymptomKind.NON_FINITE if infinite else SymptomKind.DISAGREES,
            spots=(spot,),
            expected=right,
            why=f"the report says: {right.sentence}",
        )

    def numbers(self) -> Iterator[ValueOracle]:
        """A value that the report calls wrong, where it also says what would be right."""
        said = self.reading.expectations
        for spot, _, value in self.spots(Role.SHOWN, Role.OPERAND):
            wrong = [e for e in said if not e.right and is_literal(value, e.numbers)]
            if not wrong:
                continue
            for right in _otherwise(value, said):
                if len(right.numbers) in (1, len(elements(value) or ())):
                    yield self._unlike(spot, value, right)
                    break

    def nearly_expected(self) -> Iterator[ValueOracle]:
        """A value some elements of which are those that the report expects, the nearest first."""
        for spot, value, right in self._unlike_expected():
            if agreeing(value, right.numbers):
                yield self._unlike(spot, value, right)

    def expected(self) -> Iterator[ValueOracle]:
        """A value unlike the one that the report expects, which has as many numbers."""
        for spot, _, right in self._unlike_expected():
            yield ValueOracle(
                kind=SymptomKind.DISAGREES,
                spots=(spot,),
                expected=right,
                why=f"the report says: {right.sentence}",
            )

    def _unlike_expected(self) -> list[tuple[Spot, Value, Expectation]]:
        """Values with what the report expects of as many numbers, the nearest first.

        A single number is meant where the report calls wrong what stands beside it, and what is
        right by now is known there, too; so it is of the only value that is shown.
        """
        found: list[tuple[Spot, Value, Expectation]] = []
        said = self.reading.expectations
        shown = list(self.spots(Role.SHOWN))
        for spot, point, value in shown:
            count = len(elements(value) or ())
            here = any(not one.right for one in self._said_beside(point))
            here = here or (len(shown) == 1 and _right_by_now(value, said))
            rights = [e for e in said if e.right and of_kind(value, e.numbers)]
            for right in rights if here else _otherwise(value, said):
                if (count > 1 or here) and len(right.numbers) == count:
                    found.append((spot, value, right))
        return sorted(found, key=lambda one: -agreeing(one[1], one[2].numbers))

    def checks(self) -> Iterator[ValueOracle]:
        """Checks of equality and finiteness, in the order of the text.

        Where an assertion has ended the run, those that are asserted come first.
        """
        for point in sorted(self.points, key=lambda one: self.asserts and not one.asserted):
            if point.check in CHECKS and not self._compared(point):
                bad = bad_outcome(point)
                if bad is None:
                    bad = CHECKS[point.check] != point.negated
                yield from self._check(point, bad=bad)

    def orders(self) -> Iterator[ValueOracle]:
        """Comparisons of size, whose bad outcome the words around them tell."""
        for point in self.points:
            if point.check is not Check.ORDER or self._of_difference(point):
                continue
            bad = bad_outcome(point)
            if bad is None:
                bad = says_good(point) == point.negated
            yield from self._check(point, bad=bad)

    def _compared(self, point: Point) -> bool:
        """Whether the outcome of a check is itself compared with another."""
        return point.parent is not None and self.points[point.parent].check in CHECKS

    def _check(self, point: Point, *, bad: bool) -> Iterator[ValueOracle]:
        for evaluation in evaluations(point, self.points, self.values, asserts=self.asserts):
            why = f"the report's own check: {point.text[:120]}"
            if evaluation.caught:
                # It raised instead: functions that assert equality do, when there is none.
                if len(evaluation.operands) == 2 and point.check in _ASSERTABLE and not bad:
                    yield self._pair(*evaluation.operands, why)
                continue
            yield ValueOracle(
                kind=SymptomKind.FALSE,
                check=evaluation.check,
                spots=evaluation.operands,
                how=point.check,
                bad=bad,
                why=why,
            )

    def differences(self) -> Iterator[ValueOracle]:
        """`(a - b).abs().max()`: the two should agree."""
        for point in self.points:
            if point.check is Check.DIFFERENCE:
                for evaluation in evaluations(
                    point, self.points, self.values, asserts=self.asserts
                ):
                    if len(evaluation.operands) == 2:
                        why = f"the report's own difference: {point.text[:120]}"
                        yield self._pair(*evaluation.operands, why)

    def _of_difference(self, point: Point) -> bool:
        return any(
            one.parent == point.number and one.check is Check.DIFFERENCE for one in self.points
        )

    def _agree(self, one: Spot, other: Spot) -> bool:
        return same(self.values[one], self.values[other]) is True

    def _pair(self, one: Spot, other: Spot, why: str) -> ValueOracle:
        if self._is_reference(one) and not self._is_reference(other):
            one, other = other, one
        against = self._is_reference(other) and not self._is_reference(one)
        spots = (one, other)
        return ValueOracle(kind=SymptomKind.DISAGREES, spots=spots, against=against, why=why)

    def _is_reference(self, spot: Spot) -> bool:
        return is_reference(self.points[spot.point])

    def references(self) -> Iterator[ValueOracle]:
        """A value shown beside one that is called what it should be, or another library's."""
        for other, spot, point in self._referred():
            found = self._pair(other, spot, why=f"compared with {point.label or point.text}")
            yield replace(found, written=is_input(point), against=True)

    def _referred(self) -> Iterator[tuple[Spot, Spot, Point]]:
        """Values with the reference that is shown beside each, and where that is shown."""
        shown = [s for s in self.spots(Role.SHOWN) if s[1].check in (None, Check.RATIO)]
        for spot, point, value in self._all(Role.SHOWN):
            if not is_reference(point) or elements(value) is None or spot in self._right:
                continue
            named = is_called_reference(point)
            if is_input(point) and not named:
                continue
            near = [
                (abs(point.statement - before.statement), _unlikeness(before, point), other)
                for other, before, seen in reversed(shown)
                if abs(point.statement - before.statement) <= NEAR
                and not is_reference(before)
                and _comparable(seen, value)
                and (not named or len(elements(seen) or ()) == len(elements(value) or ()))
            ]
            if near:
                yield min(near, key=lambda one: one[:2])[-1], spot, point

    def modes(self) -> Iterator[ValueOracle]:
        """One expression shown in two modes: what it is made of is the same."""
        shown = [s for s in self.spots(Role.SHOWN) if _numeric(s[2])]
        for (one, first, left), (other, second, right) in combinations(shown[:40], 2):
            modes = MODES.search(first.label), MODES.search(second.label)
            labelled = all(modes) and first.label != second.label
            if first.number != second.number and _comparable(left, right):
                if labelled and have_common(first, second):
                    yield self._pair(one, other, why=f'"{first.label}" and "{second.label}"')
                elif wrapped(first.node, second.node):
                    yield self._pair(one, other, why="the same arguments, called in two ways")

    def precisions(self) -> Iterator[ValueOracle]:
        """One call shown in two precisions: the coarser should agree within its tolerance."""
        shown = [s for s in self.spots(Role.SHOWN) if s[2].dtype in PRECISION]
        for (one, first, left), (other, second, right) in combinations(shown[:40], 2):
            by_name = first.number == second.number or (
                first.origin.call == second.origin.call != "" and have_common(first, second)
            )
            if not by_name or left.shape != right.shape or left.dtype == right.dtype:
                continue
            coarse, fine = (one, other)
            if PRECISION[left.dtype or ""] > PRECISION[right.dtype or ""]:
                coarse, fine = fine, coarse
            yield self._pair(coarse, fine, why="the same call in two precisions")

    def non_finite(self) -> Iterator[ValueOracle]:
        """NaN and infinities that the report speaks of, unless something says they are right.

        A reference may, and a title that speaks of NaN alone.
        """
        texts = (self.reading.report.title, self.reading.report.body)
        if not any(NOT_FINITE.search(text) for text in texts):
            return
        given = any(NOT_FINITE.search(one.code) for one in self.reading.candidates)
        if given and self.reading.refusal is not None:
            return  # what should be refused goes in as such a number
        if self._asserted:
            return
        right = {one for one, ref, _ in self._referred() if self._agree(one, ref)}
        titled = {word.lower() for word in NOT_FINITE.findall(self.reading.report.title)}
        nan_alone = bool(titled) and titled <= {"nan", "nans"}
        lost = NAN_IS_LOST.search(self.reading.report.title) is not None
        wanted = [e for e in self.reading.expectations if e.right and _unbounded(e)]
        for names in (False, True):
            for spot, point, value in self.spots(Role.SHOWN, *((Role.OPERAND,) if names else ())):
                told = isinstance(point.node, cst.Name) is names and finite(value) is False
                told = told and (has_nan(value) or not nan_alone)
                told = told and not (lost and has_nan(value))
                told = told and spot not in right and not is_reference(point)
                if told and not any(is_literal(value, e.numbers) for e in wanted):
                    yield ValueOracle(
                        kind=SymptomKind.NON_FINITE, spots=(spot,), why="the report speaks of it"
                    )

    def accepted(self) -> Iterator[ValueOracle]:
        """What the report wants to be refused: the result that it shows instead."""
        if self.reading.refusal is None:
            return
        # What makes tensors may be what accepts too much, if nothing else is shown; what is no
        # number (a layer, an optimiser) shows that it could be made.
        shown = [(spot, value) for spot, _, value in self.spots(Role.SHOWN)]
        every = [(spot, value) for spot, _, value in self._all(Role.SHOWN)]
        results = (list(filter(_tells, shown)), list(filter(_tells, every)))
        made = [(spot, value) for spot, value in every if value.kind in _MADE]
        for spot, _ in next(filter(None, (*results, made)), []):
            why = f"the report says: {self.reading.refusal}"
            yield ValueOracle(kind=SymptomKind.ACCEPTS, spots=(spot,), why=why)

    def pasted(self) -> Iterator[ValueOracle]:
        """A result that the report pastes as it comes out here, and calls wrong in words."""
        lines = map(bare, self.stdout.splitlines())
        printed = Counter(line for line in lines if TELLING.search(line))
        pasted = Counter(map(bare, self.reading.output))
        if not printed or not printed <= pasted or self._asserted:
            return
        if len(printed) == 1 < printed.total() and DIFFERENT.search(self.reading.report.title):
            return  # what is said to differ is the same by now
        wanted = [one for one in self.reading.expectations if one.right]
        shown = sorted(self.spots(Role.SHOWN), key=lambda one: not self._is_titled(one[1]))
        for spot, _, value in shown:
            right = any(is_literal(value, one.numbers) for one in wanted)
            if _numeric(value) and not right:
                yield ValueOracle(
                    kind=SymptomKind.DISAGREES, spots=(spot,), why="printed as the report has it"
                )


_ASSERTABLE = (Check.EQUAL, Check.CLOSE)
_MADE = ("module", "other")
"""Kinds of objects of which nothing is known but that they are there."""
_OUTCOMES = {("true",): True, ("false",): False}


def _otherwise(value: Value, said: Sequence[Expectation]) -> list[Expectation]:
    """What the report expects of such a value, where it is not that."""
    kind = [e for e in said if e.right and of_kind(value, e.numbers)]
    return [e for e in kind if not is_literal(value, e.numbers)]


def _right_by_now(value: Value, said: Sequence[Expectation]) -> bool:
    """Whether a value is what the report calls right, and not what it calls wrong."""
    wrong = any(not e.right and of_kind(value, e.numbers) for e in said)
    return wrong and any(e.right and is_literal(value, e.numbers) for e in said)


def _unlikeness(one: Point, other: Point) -> float:
    """From 0 (the same text) to 1."""
    return _apart(one.text[:MOST_COMPARED], other.text[:MOST_COMPARED])


@lru_cache(maxsize=4096)
def _apart(one: str, other: str) -> float:
    return 1 - SequenceMatcher(a=one, b=other, autojunk=False).ratio()


def _unbounded(expectation: Expectation) -> bool:
    return any(number.strip("+-") in ("inf", "infinity", "nan") for number in expectation.numbers)


def _tells(shown: tuple[Spot, Value]) -> bool:
    """Whether a value is a result: numbers, or a tensor of whatever kind."""
    value = shown[1]
    return value.kind != "str" and (_numeric(value) or value.kind in ("tensor", "shape"))


def _numeric(value: Value) -> bool:
    return value.numbers is not None or bool(elements(value))


def _comparable(one: Value, other: Value) -> bool:
    return _numeric(one) and _numeric(other) and same(one, other) is not None
