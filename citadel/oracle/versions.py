"""One version of a framework against another: the same text, run in turns on both builds.

A run is then two, one on each build, in one observation: the places of the baseline's run have
numbers of their own. What the report shows (a duration, an amount of memory) is compared with what
the baseline shows at the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from analysis.target.observation import Observation
from analysis.target.watch import MOST_POINTS, Point, Role
from citadel.oracle.measure import Form, Measure
from citadel.oracle.quantities import AMOUNTS, Place, Table

APART = MOST_POINTS
"""What is added to the numbers of the baseline's points."""


def both(here: Observation, there: Observation) -> Observation:
    """The run on the build under test, with what the baseline's run showed beside it."""
    shifted = tuple(replace(seen, point=seen.point + APART) for seen in there.seen)
    return replace(here, seen=(*here.seen, *shifted))


def split(run: Observation) -> tuple[Observation, Observation]:
    """The two runs that `both` has put together, as far as their places go."""
    here = tuple(seen for seen in run.seen if seen.point < APART)
    there = [replace(s, point=s.point - APART) for s in run.seen if s.point >= APART]
    return replace(run, seen=here), replace(run, seen=tuple(there))


def on_one(points: Iterable[int]) -> list[int]:
    """The points to tell of on either build."""
    return sorted({point % APART for point in points})


def measures(points: Sequence[Point], known: Table, baseline: Table, name: str) -> list[Measure]:
    """What is shown and measured on both builds, that which parts most first."""
    found = []
    for place, column in known.items():
        other = baseline.get(place)
        if points[place.point].role is not Role.SHOWN or column.unit not in AMOUNTS:
            continue
        if other is None or other.unit != column.unit or min(column.middle, other.middle) <= 0:
            continue
        measure = Measure(
            form=Form.VERSIONS,
            where=f"{points[place.point].text}, against {name}",
            unit=column.unit,
            upper=place,
            lower=Place(point=place.point + APART, occurrence=place.occurrence),
        )
        ratio = column.middle / other.middle
        if column.unit == "rate":  # of these, less is worse
            measure, ratio = measure.turned(), 1 / ratio
        found.append((ratio, measure))
    return [measure for _, measure in sorted(found, key=lambda one: -one[0])]
