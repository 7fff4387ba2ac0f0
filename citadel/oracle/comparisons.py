"""What a report compares: finds the forms that a performance claim takes in code.

In: the points of a case and what they measured in a few runs (`quantities.table`). Out: `Measure`s,
most explicit form first:

    ratio      the report divides one duration (or amount) by another
    order      it asks whether one exceeds a multiple of the other
    pair       it shows two, next to each other or one after the other
    scaling    it shows one at several sizes (`scaling`)
    growth     it shows one in a loop, which goes up with each step

A measure reads one sample from a run: the logarithm of how many times more the wasteful side takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from itertools import groupby, pairwise
from typing import ParamSpec

import libcst as cst
import libcst.matchers as m

from analysis.rules import Registry, Rule
from analysis.target.watch import Check, Point, Role
from citadel.oracle import samples
from citadel.oracle.measure import AGAINST, LEAST_BYTES, SERIES, Form, Measure
from citadel.oracle.quantities import AMOUNTS, Column, Place, Table
from citadel.oracle.scaling import Series, by_size, scalings, series
from citadel.oracle.wording import complaint, pasted_side, slow_side
from harvest.report.model import Reading

P = ParamSpec("P")

MOST_ALLOWED = 20.0
"""Factors in comparisons up to which they are what a report allows for."""
MOST_MEASURES = 8
_PERCENT = re.compile(r"\b100(?:\.0*)? ?\*|\* ?100(?:\.0*)?\b")


def measures(points: Sequence[Point], known: Table, reading: Reading) -> list[Measure]:
    """Every comparison that a case makes, the most explicit form first, each in its direction."""
    explicit = [one for found in EXPLICIT.each(points, known) for one in found]
    at_sizes = series(points, known)
    found = explicit or list(PAIRS(points, known, reading, at_sizes) or ())
    directed = [_directed(one, points, known, reading) for one in found]
    directed.sort(key=lambda one: (_remoteness(one, points), -_seen(one, known)))
    how = None if explicit else complaint(reading)
    scaling = None if how is None else SCALING(points, known, at_sizes, how)
    return [*(scaling or ()), *directed[:MOST_MEASURES], *(GROWTH(points, known) or ())]


def _remoteness(one: Measure, points: Sequence[Point]) -> tuple[bool, bool]:
    """Ratios first; what is shown or tested comes before what is computed on the way."""
    point: Point | None = points[one.upper.point]
    while point is not None and point.role is Role.OPERAND and point.parent is not None:
        point = points[point.parent]
    shown = point is not None and (point.role is Role.SHOWN or point.check is Check.ORDER)
    return one.form is Form.ORDER, not shown


def _directed(one: Measure, points: Sequence[Point], known: Table, reading: Reading) -> Measure:
    """By the report's words, else its numbers; else what was seen to be larger over the smaller."""
    texts = _side_texts(one, points)
    told = slow_side(*texts, reading) if texts is not None else 0
    if not told and one.lower is not None:
        told = pasted_side(points[one.upper.point].label, points[one.lower.point].label, reading)
    if told:
        return replace(one if told > 0 else one.turned(), stated=True)
    return one.turned() if _seen(one, known) < 0 else one


def _seen(one: Measure, known: Table) -> float:
    """The log ratio of the medians."""
    lower = 1.0 if one.lower is None else known[one.lower].middle
    return one.log(known[one.upper].middle, lower) or 0.0


def _side_texts(one: Measure, points: Sequence[Point]) -> tuple[str, str] | None:
    """The text and label of each side, None where the sides have no text of their own."""
    point = points[one.upper.point]
    if one.lower is None:
        match point.node:
            case cst.BinaryOperation(operator=cst.Divide(), left=left, right=right):
                module = cst.Module(body=[])
                return module.code_for_node(left), module.code_for_node(right)
        return None
    other = points[one.lower.point]
    if other is point:
        return None
    return f"{point.label} {point.text}", f"{other.label} {other.text}"


def _ratios(points: Sequence[Point], known: Table) -> Iterator[Measure]:
    """Quotients that are shown or compared: `slow / fast`."""
    for place, column in known.items():
        point = points[place.point]
        operands = _operands(points, place)
        between = [known[one].unit for one in operands if one in known]
        amounts = len(between) == 2 and between[0] == between[1] and between[0] in AMOUNTS
        if column.unit != "ratio" and not (point.check is Check.RATIO and amounts):
            continue
        plain = m.matches(point.node, m.BinaryOperation()) and not _PERCENT.search(point.text)
        if plain and point.check is Check.RATIO and amounts and not _is_excess(point.node):
            yield Measure(
                form=Form.RATIO,
                where=point.text,
                unit=between[0],
                upper=operands[0],
                lower=operands[1],
            )
            continue
        if min(column.values) > 0 or _is_excess(point.node):
            yield Measure(
                form=Form.RATIO,
                where=point.text,
                unit=between[0] if amounts else None,
                upper=place,
                scale=0.01 if _PERCENT.search(point.text) else 1.0,
                excess=_is_excess(point.node),
            )


def _operands(points: Sequence[Point], place: Place) -> list[Place]:
    return [
        Place(point=point.number, occurrence=place.occurrence)
        for point in points
        if point.parent == place.point
    ]


def _is_excess(node: cst.BaseExpression) -> bool:
    """`(a - b) / b`: by how much more it is."""
    if not m.matches(node, m.BinaryOperation(operator=m.Divide(), left=m.BinaryOperation())):
        return False
    assert isinstance(node, cst.BinaryOperation)  # noqa: S101 - just matched
    left = node.left
    assert isinstance(left, cst.BinaryOperation)  # noqa: S101 - just matched
    return isinstance(left.operator, cst.Subtract) and left.right.deep_equals(node.right)


def _orders(points: Sequence[Point], known: Table) -> Iterator[Measure]:
    """Comparisons of two amounts: `slow > 3 * fast`."""
    for point in points:
        if point.check is not Check.ORDER:
            continue
        operands = _operands(points, Place(point=point.number))
        if len(operands) != 2 or any(one not in known for one in operands):
            continue
        units = {known[one].unit for one in operands}
        if len(units) != 1 or not units <= set(AMOUNTS):
            continue
        one, other = operands
        if not _comparable(known[one], known[other]):
            continue
        yield Measure(
            form=Form.ORDER,
            where=point.text,
            unit=units.pop(),
            upper=one,
            lower=other,
            scale=_factor(points[other.point].node) / _factor(points[one.point].node),
        )


def _comparable(one: Column, other: Column) -> bool:
    """Whether both take something; of memory, they may take nothing."""
    low = min(one.middle, other.middle)
    return low > 0 or (one.unit == "B" and low == 0)


def _factor(node: cst.BaseExpression) -> float:
    """The 5 of `5 * fast`: how much is allowed. Larger ones count repetitions."""
    match node:
        case cst.BinaryOperation(operator=cst.Multiply(), left=left, right=right):
            for part in (left, right):
                if isinstance(part, (cst.Integer, cst.Float)):
                    factor = float(part.evaluated_value)
                    return factor if 0 < factor <= MOST_ALLOWED else 1.0
    return 1.0


def _pairs(
    points: Sequence[Point], known: Table, reading: Reading, at_sizes: Sequence[Series]
) -> Iterator[Measure]:
    """Two amounts of one unit: of one statement, of one expression in a loop, or of the report.

    One duration at several sizes is no comparison of variants: more takes longer.
    """
    of_growth = complaint(reading) is not None
    sized = {one.places[0].point for one in at_sizes if of_growth or by_size(one, known)}
    shown = [
        place
        for place, column in known.items()
        if column.unit in AMOUNTS
        and points[place.point].role is Role.SHOWN
        and (_amounts_to(column) or _takes_nothing(place, points, known))
    ]
    for group in _groups(points, known, shown):
        if not 2 <= len(group) < SERIES:
            continue
        upper, *_, lower = sorted(group, key=lambda place: -known[place].middle)
        told = [(a, b) for a in group for b in group if a < b and _told(a, b, points, reading)]
        if len(told) == 1:
            upper, lower = told[0]
        if upper.point in sized and upper.occurrence != lower.occurrence and not told:
            continue
        yield Measure(
            form=Form.PAIR,
            where=AGAINST.join(points[place.point].text for place in (upper, lower)),
            unit=known[upper].unit,
            upper=upper,
            lower=lower,
        )


def _amounts_to(column: Column) -> bool:
    """Whether it is an amount: bytes without a unit that are few are counters."""
    return column.middle >= LEAST_BYTES if column.unit == "B" else column.middle > 0


def _takes_nothing(place: Place, points: Sequence[Point], known: Table) -> bool:
    """Whether it is the memory, none, that a function tells which tells of memory elsewhere."""
    column, call = known[place], points[place.point].origin.call
    return (
        column.unit == "B"
        and not column.guessed
        and column.middle == 0
        and call not in ("", *_COUNTS)
        and any(
            one.unit == "B" and points[other.point].origin.call == call
            for other, one in known.items()
            if other != place
        )
    )


def _told(one: Place, other: Place, points: Sequence[Point], reading: Reading) -> bool:
    texts = [f"{points[p.point].label} {points[p.point].text}" for p in (one, other)]
    return slow_side(texts[0], texts[1], reading) != 0


def _groups(points: Sequence[Point], known: Table, shown: Sequence[Place]) -> list[list[Place]]:
    """Places that a reader compares, closest first."""

    def by(key: Mapping[Place, tuple[object, ...]]) -> list[list[Place]]:
        order = sorted(shown, key=lambda place: repr(key[place]))
        return [list(group) for _, group in groupby(order, key=lambda place: key[place])]

    unit = {place: known[place].unit for place in shown}
    statement = {
        place: (points[place.point].statement, place.occurrence, unit[place]) for place in shown
    }
    point = {place: (place.point, unit[place]) for place in shown}
    return [*by(statement), *by(point), *by({place: (unit[place],) for place in shown})]


_COUNTS = frozenset(("range", "count", "enumerate", "tqdm", "trange"))
"""What loops go through that count."""


def _growths(points: Sequence[Point], known: Table) -> Iterator[Measure]:
    """Amounts of memory in a loop; times in a loop mostly count from the beginning.

    Numbers without a unit may be amounts, and may be those that the loop goes through.
    """
    for number, group in groupby(known.items(), key=lambda item: item[0].point):
        series = [column for _, column in group]
        if len(series) < SERIES or {column.unit for column in series} != {"B"}:
            continue
        values = [column.middle for column in series]
        made = {call.rpartition(".")[2] for call in points[number].origin.calls}
        counting = isinstance(points[number].node, cst.Name) and made <= _COUNTS
        counting = counting and all(after - before == 1 for before, after in pairwise(values))
        if counting or set(values) <= set(points[number].loop):
            continue
        if samples.slope(values) > 0:
            place = Place(point=number)
            yield Measure(form=Form.GROWTH, where=points[number].text, unit="B", upper=place)


def _finder(name: str, find: Callable[P, Iterable[Measure]]) -> Rule[P, tuple[Measure, ...]]:
    """A rule `oracle/NAME` of what a finder yields, if it yields anything."""

    @wraps(find)
    def found(*args: P.args, **kwargs: P.kwargs) -> tuple[Measure, ...] | None:
        return tuple(find(*args, **kwargs)) or None

    return Rule(f"oracle/{name}", found)


EXPLICIT = Registry("oracle", _finder("ratio-shown", _ratios), _finder("sizes-compared", _orders))
PAIRS = _finder("pair-shown", _pairs)
SCALING = _finder("scaling", scalings)
GROWTH = _finder("growth", _growths)
