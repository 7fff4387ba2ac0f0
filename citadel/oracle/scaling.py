"""How times go up with sizes: what "quadratic" and "slower and slower" mean in numbers.

In: the places of a case, what they measured, and the report's words. Out: a `Measure` of two
evaluations of one shown duration. Where the report says that time grows faster than size, it is
how many times more each unit of size takes at the largest size than at a smaller one, so that what
is proportional comes to 1; where time should not depend on size at all, the plain ratio.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from analysis.target.watch import Point, Role
from citadel.oracle.measure import Form, Measure
from citadel.oracle.quantities import DURATIONS, Column, Place, Table
from harvest.report.growth import Growing

FAR_APART = 2.0
"""Ratio of sizes from which on they say something about growth."""
PROPORTIONAL = 1.5
"""Times as much as their sizes that durations may go up by as a matter of course."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One shown duration at several sizes: the places, in the order of the run, and the sizes."""

    places: tuple[Place, ...]
    sizes: tuple[float, ...]
    named: str
    """Source text of what grows; nothing where only the loop tells."""


def series(points: Sequence[Point], known: Table) -> list[Series]:
    """The durations that are shown once per size, the sizes going up."""
    found = []
    for number, group in groupby(known, key=lambda place: place.point):
        places = tuple(group)
        point = points[number]
        if point.role is not Role.SHOWN or len(places) < 2:
            continue
        if any(known[place].unit not in DURATIONS for place in places):
            continue
        named, sizes = next(_sizes(point, places, points, known), ("", ()))
        if sizes:
            found.append(Series(places=places, sizes=sizes, named=named))
    return found


def by_size(one: Series, known: Table) -> bool:
    """Whether durations go up as the sizes do: other numbers say which variant runs (`dim`)."""
    first, last = (known[place].middle for place in (one.places[0], one.places[-1]))
    smallest, largest = one.sizes[0], one.sizes[-1]
    if smallest <= 0 or largest < FAR_APART * smallest:
        return False
    return first < last <= PROPORTIONAL * first * largest / smallest


def scalings(
    points: Sequence[Point], known: Table, found: Sequence[Series], growing: Growing
) -> Iterator[Measure]:
    """What to compare of each series: its largest size with that at which most is seen."""
    for one in found:
        last, largest = one.places[-1], one.sizes[-1]
        per_size = growing is not Growing.AT_ALL
        chosen = [
            (place, size)
            for place, size in zip(one.places[:-1], one.sizes[:-1], strict=True)
            if known[place].middle > 0 and (size > 0 or not per_size)
            if largest >= FAR_APART * size
        ]
        if not chosen or known[last].middle <= 0:
            continue
        scale = {place: size / largest if per_size else 1.0 for place, size in chosen}
        lower, size = max(chosen, key=lambda two: scale[two[0]] / known[two[0]].middle)
        text = points[last.point].text
        per = f" per {one.named or 'size'}" if per_size else ""
        what = f"{one.named} = " if one.named else "size "
        where = f"{text}{per}, at {what}{largest:g} against {size:g}"
        yield Measure(
            form=Form.SCALING,
            where=where,
            unit=known[last].unit,
            upper=last,
            lower=lower,
            scale=scale[lower],
        )


def _sizes(
    point: Point, places: Sequence[Place], points: Sequence[Point], known: Table
) -> Iterator[tuple[str, tuple[float, ...]]]:
    """What goes up beside a duration: whole numbers in its statement, or those of its loop."""
    for other in points:
        if other.statement != point.statement or other.role is not Role.SHOWN or other is point:
            continue
        columns = [known.get(Place(point=other.number, occurrence=p.occurrence)) for p in places]
        sizes = tuple(_constant(column) for column in columns)
        if _goes_up(sizes):
            yield other.text, sizes
    if len(point.loop) == len(places) and _goes_up(point.loop):
        yield "", point.loop


def _constant(column: Column | None) -> float:
    """The whole number that all runs came to; NaN where they did not."""
    if column is None or column.unit is not None or len(set(column.values)) > 1:
        return math.nan
    value = column.values[0]
    return value if value >= 0 and value.is_integer() else math.nan


def _goes_up(sizes: Sequence[float]) -> bool:
    return all(one < other for one, other in pairwise(sizes))
