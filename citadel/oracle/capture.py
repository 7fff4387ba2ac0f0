"""Find the value oracle in a report: what of the code's own output shows that something is wrong.

In: the watched expressions of a run and what the report says. Out: oracles, the most trustworthy
first: values that the report calls wrong and right by number; checks (`allclose`, `isnan`, ...) and
differences; values shown beside a reference; the same call shown in two modes; non-finite values
that the report speaks of; calls that the report wants to be refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

import libcst as cst
import libcst.matchers as m

from analysis.target.observation import Observation
from analysis.target.watch import Check, Point, Role, leaf
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.numbers import elements, finite, is_literal, same
from citadel.oracle.value import Spot, ValueOracle, Values, values_of
from harvest.report.model import Expectation, Reading

CHECKS = {
    Check.EQUAL: False,
    Check.CLOSE: False,
    Check.UNEQUAL: True,
    Check.NAN: True,
    Check.INFINITE: True,
    Check.FINITE: False,
}
"""The outcome of a check that speaks of a bug."""
_REFERENCE = re.compile(
    r"\b(?:expect\w*|should|reference|ref|truth|correct|right|numpy|np|scipy|float64|double|fp64"
    r"|exact|manual\w*|naive|gold\w*|baseline|desired|wanted)\b",
    re.IGNORECASE,
)
_MODES = re.compile(
    r"\b(?:eager|graph|xla|jit\w*|compiled?|inductor|traced|scripted|cpu|gpu|cuda|forward|reverse"
    r"|contiguous|strided|channels.?last|batch\w*|single|in.?place|dense|sparse|out)\b",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"\b(?:ok(?:ay)?|good|same|equal|match(?:es)?|close|correct|pass(?:ed|es)?|within|fine|valid"
    r"|expected|tolerance|agrees?|consistent)\b",
    re.IGNORECASE,
)
_NOT_FINITE = re.compile(r"\b(?:-?inf(?:inite|inity|s)?|nans?|non-?finite|overflow\w*)\b", re.I)


def capture(
    points: Sequence[Point], observation: Observation, reading: Reading
) -> tuple[ValueOracle, ...]:
    """All oracles that the code offers, the most trustworthy first, whether or not they hold."""
    case = _Case(points, observation, reading)
    found = [
        *case.numbers(),
        *case.checks(),
        *case.differences(),
        *case.references(),
        *case.modes(),
        *case.non_finite(),
        *case.orders(),
        *case.accepted(),
        *case.expected(),
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

    def spots(self, *roles: Role) -> Iterator[tuple[Spot, Point, Value]]:
        """The values seen at points of these roles, in the order of evaluation."""
        for spot, value in self.values.items():
            if spot.point < len(self.points):
                point = self.points[spot.point]
                if point.role in roles:
                    yield spot, point, value

    def numbers(self) -> Iterator[ValueOracle]:
        """A value that the report calls wrong, where it also says what would be right."""
        said = self.reading.expectations
        for spot, _, value in self.spots(Role.SHOWN, Role.OPERAND):
            wrong = [e for e in said if not e.right and is_literal(value, e.numbers)]
            if not wrong:
                continue
            for right in _otherwise(value, said):
                if len(right.numbers) in (1, len(elements(value) or ())):
                    infinite = finite(value) is False and not _unbounded(right)
                    yield ValueOracle(
                        kind=SymptomKind.NON_FINITE if infinite else SymptomKind.DISAGREES,
                        spots=(spot,),
                        expected=right,
                        why=f"the report says: {right.sentence}",
                    )
                    break

    def expected(self) -> Iterator[ValueOracle]:
        """A value unlike the one that the report expects, which has as many numbers."""
        said = self.reading.expectations
        for spot, _, value in self.spots(Role.SHOWN):
            count = len(elements(value) or ())
            for right in _otherwise(value, said):
                if count > 1 and len(right.numbers) == count:
                    yield ValueOracle(
                        kind=SymptomKind.DISAGREES,
                        spots=(spot,),
                        expected=right,
                        why=f"the report says: {right.sentence}",
                    )

    def checks(self) -> Iterator[ValueOracle]:
        """Checks of equality and finiteness, those that fail first."""
        for point in self.points:
            if point.check in CHECKS:
                for occurrence in self._occurrences(point):
                    yield self._check(point, occurrence, bad=CHECKS[point.check] != point.negated)

    def orders(self) -> Iterator[ValueOracle]:
        """Comparisons of size, whose bad outcome the words around them tell."""
        for point in self.points:
            if point.check is not Check.ORDER or self._of_difference(point):
                continue
            bad = _says_good(point) == point.negated
            for occurrence in self._occurrences(point):
                yield self._check(point, occurrence, bad=bad)

    def _check(self, point: Point, occurrence: int, *, bad: bool) -> ValueOracle:
        return ValueOracle(
            kind=SymptomKind.FALSE,
            check=Spot(point=point.number, occurrence=occurrence),
            spots=tuple(
                Spot(point=one.number, occurrence=occurrence)
                for one in self.points
                if one.parent == point.number
            ),
            how=point.check,
            bad=bad,
            why=f"the report's own check: {point.text[:120]}",
        )

    def _occurrences(self, point: Point) -> list[int]:
        """The evaluations of a check, also of one that raised instead of returning."""
        numbers = [s.occurrence for s in self.values if s.point == point.number]
        inner = {one.number for one in self.points if one.parent == point.number}
        last = max((s.occurrence for s in self.values if s.point in inner), default=0)
        return numbers if last in numbers or not last else [*numbers, last]

    def differences(self) -> Iterator[ValueOracle]:
        """`(a - b).abs().max()`: the two should agree."""
        for point in self.points:
            if point.check is Check.DIFFERENCE:
                inner = [one.number for one in self.points if one.parent == point.number]
                for occurrence in self._occurrences(point):
                    if len(inner) == 2:
                        left, right = (Spot(point=n, occurrence=occurrence) for n in inner)
                        why = f"the report's own difference: {point.text[:120]}"
                        yield self._pair(left, right, why)

    def _of_difference(self, point: Point) -> bool:
        return any(
            one.parent == point.number and one.check is Check.DIFFERENCE for one in self.points
        )

    def _pair(self, one: Spot, other: Spot, why: str) -> ValueOracle:
        return ValueOracle(kind=SymptomKind.DISAGREES, spots=(one, other), why=why)

    def references(self) -> Iterator[ValueOracle]:
        """A value shown beside one that is labelled as what it should be."""
        shown = list(self.spots(Role.SHOWN))
        for index, (spot, point, value) in enumerate(shown):
            if not _REFERENCE.search(point.label) or elements(value) is None:
                continue
            for other, before, seen in reversed(shown[:index]):
                near = point.statement - before.statement <= 2
                if near and not _REFERENCE.search(before.label) and _comparable(seen, value):
                    yield self._pair(other, spot, why=f'shown as "{point.label}"')
                    break

    def modes(self) -> Iterator[ValueOracle]:
        """One expression shown in two modes: what it is made of is the same."""
        shown = [s for s in self.spots(Role.SHOWN) if _numeric(s[2])]
        for (one, first, left), (other, second, right) in combinations(shown[:40], 2):
            modes = _MODES.search(first.label), _MODES.search(second.label)
            labelled = all(modes) and first.label != second.label
            if first.number != second.number and _comparable(left, right):
                if labelled and _atoms(first.node) & _atoms(second.node):
                    yield self._pair(one, other, why=f'"{first.label}" and "{second.label}"')
                elif _wrapped(first.node, second.node):
                    yield self._pair(one, other, why="the same arguments, called in two ways")

    def non_finite(self) -> Iterator[ValueOracle]:
        """NaN and infinities that the report speaks of."""
        texts = (self.reading.report.title, self.reading.report.body)
        if not any(_NOT_FINITE.search(text) for text in texts):
            return
        for spot, point, value in self.spots(Role.SHOWN):
            if finite(value) is False and not isinstance(point.node, cst.Name):
                yield ValueOracle(
                    kind=SymptomKind.NON_FINITE, spots=(spot,), why="the report speaks of it"
                )
        for spot, point, value in self.spots(Role.SHOWN, Role.OPERAND):
            if finite(value) is False and isinstance(point.node, cst.Name):
                yield ValueOracle(
                    kind=SymptomKind.NON_FINITE, spots=(spot,), why="the report speaks of it"
                )

    def accepted(self) -> Iterator[ValueOracle]:
        """What the report wants to be refused: the result that it shows instead."""
        if self.reading.refusal is None:
            return
        for spot, _, value in self.spots(Role.SHOWN):
            if value.kind != "str" and (_numeric(value) or value.kind in ("tensor", "shape")):
                why = f"the report says: {self.reading.refusal}"
                yield ValueOracle(kind=SymptomKind.ACCEPTS, spots=(spot,), why=why)

    def pasted(self) -> Iterator[ValueOracle]:
        """A result that the report pastes as it comes out here, and calls wrong in words."""
        printed = {" ".join(line.split()) for line in self.stdout.splitlines()}
        if not printed & set(self.reading.output):
            return
        for spot, _, value in self.spots(Role.SHOWN):
            if _numeric(value):
                yield ValueOracle(
                    kind=SymptomKind.DISAGREES, spots=(spot,), why="printed as the report has it"
                )


def _otherwise(value: Value, said: Sequence[Expectation]) -> list[Expectation]:
    """What the report expects, where the value is not that."""
    return [e for e in said if e.right and not is_literal(value, e.numbers)]


def _unbounded(expectation: Expectation) -> bool:
    return any(number.strip("+-") in ("inf", "infinity", "nan") for number in expectation.numbers)


def _numeric(value: Value) -> bool:
    return value.numbers is not None or bool(elements(value))


def _comparable(one: Value, other: Value) -> bool:
    return _numeric(one) and _numeric(other) and same(one, other) is not None


def _says_good(point: Point) -> bool:
    """Whether the words shown with a comparison say that all is well when it is true."""
    return _GOOD.search(point.label) is not None


def _atoms(node: cst.CSTNode) -> frozenset[str]:
    """The names that an expression is made of."""
    names = {n.value for n in m.findall(node, m.Name()) if isinstance(n, cst.Name)}
    return frozenset(names - {"torch", "tf", "np", "numpy", "print", "item", "tolist"})


def _wrapped(one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Whether two calls are handed the same arguments, and one's function holds the other's."""
    first, second = _core(one), _core(other)
    if first is None or second is None or not first.args:
        return False
    if len(first.args) != len(second.args):
        return False
    pairs = zip(first.args, second.args, strict=True)
    if not all(a.value.deep_equals(b.value) for a, b in pairs):
        return False
    return not first.func.deep_equals(second.func) and bool(
        _atoms(first.func) & _atoms(second.func)
    )


def _core(node: cst.BaseExpression) -> cst.Call | None:
    """The call behind `.numpy()`, `.item()` and such."""
    while isinstance(node, cst.Call) and not node.args:
        if not isinstance(node.func, cst.Attribute):
            return None
        node = node.func.value
    return node if isinstance(node, cst.Call) and leaf(node.func) != "" else _called(node)


def _called(node: cst.BaseExpression) -> cst.Call | None:
    """`f(g)(x)` is a call as well."""
    return node if isinstance(node, cst.Call) else None
