"""What a run of a case has shown, by place, with what the report says of it.

In: the watched expressions of a run and the report. Out: values by the role of their place, without
those that the text makes itself or calls right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from analysis.target.checks import Check
from analysis.target.observation import Observation
from analysis.target.watch import Point, Role
from analysis.values import Value
from citadel.oracle.foreign import REFERENCES, is_foreign
from citadel.oracle.hints import (
    CHECKS,
    is_duration,
    is_input,
    is_reference,
)
from citadel.oracle.numbers import elements, finite, is_literal, same
from citadel.oracle.value import Spot, Values, asserts, values_of
from citadel.traced import leaf
from harvest.report.model import Expectation, Reading

FINITENESS = frozenset((Check.NAN, Check.INFINITE, Check.FINITE))
_SHOWS = re.compile(r"print\s*\(")
"""A statement that shows what its comment speaks of."""


class Seen:
    """One run's values, by the place that they were seen at."""

    def __init__(self, points: Sequence[Point], observation: Observation, reading: Reading) -> None:
        self.points = points
        self.values: Values = values_of(observation)
        self.reading = reading
        self.stdout = observation.stdout
        self._calls = observation.calls
        self.asserts = asserts(observation)
        # Assertions that held speak louder than words about values.
        self.asserted = not self.asserts and any(
            point.asserted and point.check in CHECKS for _, point, _ in self.every(Role.TESTED)
        )
        # Those that are of NaN alone say nothing of another value that has some.
        self.asserted_otherwise = self.asserted and any(
            point.asserted and point.check in CHECKS and point.check not in FINITENESS
            for _, point, _ in self.every(Role.TESTED)
        )
        self.right = frozenset(
            spot
            for spot, point, value in self.every(Role.SHOWN, Role.OPERAND)
            if any(is_literal(value, e.numbers) for e in self.said_beside(point) if e.right)
        )

    def results(self, *roles: Role) -> Iterator[tuple[Spot, Point, Value]]:
        """The values seen at points of these roles, in the order of evaluation.

        What the text itself makes is no result, and what a comment beside it expects is right.
        """
        for spot, point, value in self.every(*roles):
            if not is_input(point) and spot not in self.right:
                yield spot, point, value

    def every(self, *roles: Role) -> Iterator[tuple[Spot, Point, Value]]:
        """The values seen at points of these roles, whatever they are; no durations."""
        for spot, value in self.values.items():
            if spot.point < len(self.points):
                point = self.points[spot.point]
                if point.role in roles and not is_duration(point):
                    yield spot, point, value

    def worked_on(self, point: Point) -> bool:
        """Whether another call was given what a value was made as, of finite numbers: it may have
        changed that."""
        makers = set(map(leaf, point.origin.calls))
        results = [c.result for c in self._calls if leaf(c.name) in makers and c.result is not None]
        made = {n for one in results if finite(one.value) is not False for n in one.ids}
        given = (call for call in self._calls if leaf(call.name) not in makers)
        return any(made & set(one.ids) for call in given for one in call.inputs())

    def said_beside(self, point: Point) -> list[Expectation]:
        """What is said of a value next to the statement that shows it."""
        said = self.reading.expectations
        return [e for e in said if self._says(e, point) and _is_said_here(point, e)]

    def said_of(self, point: Point) -> list[Expectation]:
        """What the report says of values, but for what it says next to others that are shown.

        Another fence may have the same statement, and show there what other inputs give.
        """
        here = self.said_beside(point)
        said = self.reading.expectations
        return [
            e for e in said if e in here or not (_SHOWS.match(e.beside) or self._says(e, point))
        ]

    def _says(self, said: Expectation, point: Point) -> bool:
        """Whether it is said next to a statement like the one that shows a value."""
        whole = rf"(?<![\w.]){re.escape(''.join(point.text.split()))}(?![\w.\[(])"
        return bool(said.beside) and bool(re.search(whole, "".join(said.beside.split())))

    def is_titled(self, point: Point) -> bool:
        """Whether a value comes of a call of what the report's title names."""
        titled = {leaf(one.name) for one in self.reading.mentions if one.title}
        return not titled.isdisjoint(map(leaf, point.origin.calls))

    def titled_first(
        self, shown: Iterable[tuple[Spot, Point, Value]]
    ) -> list[tuple[Spot, Point, Value]]:
        """Values in their order, those before that come of what the title names."""
        return sorted(shown, key=lambda one: not self.is_titled(one[1]))

    @property
    def differs_from_absent(self) -> bool:
        """Whether the title names a library that the code shows no result of."""
        named = set(re.findall(r"\w+", self.reading.report.title.lower()))
        return bool(named & REFERENCES) and not any(map(is_foreign, self.points))

    def is_reference(self, spot: Spot) -> bool:
        """Whether the text calls a value what another should be."""
        return is_reference(self.points[spot.point])


def _is_said_here(point: Point, said: Expectation) -> bool:
    """Whether it stands in the comment of this very statement, if it has one, or in the code."""
    return not point.comment or said.literal in point.comment or said.literal in said.beside


def numeric(value: Value) -> bool:
    """Whether it is a number or has some."""
    return value.numbers is not None or bool(elements(value))


def comparable(one: Value, other: Value) -> bool:
    """Whether both are numeric and of shapes that can be compared."""
    return numeric(one) and numeric(other) and same(one, other) is not None


def unbounded(expectation: Expectation) -> bool:
    """Whether NaN or an infinity is what is expected."""
    return any(number.strip("+-") in ("inf", "infinity", "nan") for number in expectation.numbers)
