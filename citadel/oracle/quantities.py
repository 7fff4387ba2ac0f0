"""What watched expressions measured: durations, amounts of memory, ratios; per place and run.

In: points and observations of runs that measure. Out: `Table`, in which each place that every run
reached has its numbers and their unit. Where computing has lost the unit (a NumPy array of times),
it is guessed from the report: numbers that differ from run to run in a report that reads clocks are
durations; numbers in a report about memory that reads none are amounts.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from analysis.rules import Phrase
from analysis.target.observation import Observation
from analysis.target.watch import Point
from analysis.values import Value
from harvest.report.model import Reading

DURATIONS = ("s", "ms", "us", "ns")
AMOUNTS = (*DURATIONS, "B", "rate")
CLOCK = Phrase(
    "hint/clock",
    r"\b(?:time\.time|perf_counter|process_time|monotonic|timeit|default_timer|benchmark"
    r"|elapsed_time|timestamp)(?:_ns)?\b",
    finds=("time.perf_counter()", "timeit.default_timer"),
    spares=("timeout=3",),
)
MEMORY = Phrase(
    "hint/memory",
    r"\bmemory\b|\bbytes?\b|\bleak(?:s|ed|ing|age)?\b|\ballocat\w+|\bRSS\b|\b[KMG]i?B\b"
    r"|\bOOM\b|\bactivations?\b",
    re.IGNORECASE,
    finds=("needs 3 GiB", "memory leak"),
    spares=("takes 3 seconds",),
)


class Topic(StrEnum):
    """What a report measures."""

    TIME = "time"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """One evaluation of a watched expression; occurrences count from 1."""

    point: int
    occurrence: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What one place came to in each of the runs."""

    values: tuple[float, ...]
    unit: str | None
    guessed: bool = False
    """Whether the report's words, rather than a meter, tell the unit."""

    @property
    def middle(self) -> float:
        """The median of the runs."""
        return statistics.median(self.values)


Table = Mapping[Place, Column]


def topic(reading: Reading, code: str) -> Topic:
    """What the report is about: memory, if it says so and reads no clock or says nothing else."""
    said = " ".join((reading.report.title, *(claim.text for claim in reading.claims)))
    if MEMORY.search(said):
        return Topic.MEMORY
    about = MEMORY.search(reading.report.body) and not CLOCK.search(code)
    return Topic.MEMORY if about else Topic.TIME


def number(value: Value) -> tuple[float, str | None] | None:
    """A recorded value as a finite number with its unit; of a list of times, their median."""
    if value.kind in ("int", "float") and value.text is not None and value.length is None:
        try:
            found = float(int(value.text, 0) if value.kind == "int" else float(value.text))
        except (ValueError, OverflowError):
            return None
        return (found, value.unit) if math.isfinite(found) else None
    if value.is_shaped and value.numbers is not None:
        few = value.numbers.few
        if value.numbers.count == 1 and few and isinstance(few[0], (int, float)):
            return (float(few[0]), None) if math.isfinite(few[0]) else None
    if value.kind in ("list", "tuple") and value.items:
        return _of_list([number(item) for item in value.items])
    return None


def _of_list(items: Sequence[tuple[float, str | None] | None]) -> tuple[float, str | None] | None:
    known = [item for item in items if item is not None]
    units = {unit for _, unit in known}
    if len(known) < len(items) or len(units) != 1 or None in units:
        return None
    middle = statistics.median(found for found, _ in known)
    return (middle, units.pop()) if math.isfinite(middle) else None


def numbers(observation: Observation) -> dict[Place, tuple[float, str | None]]:
    """Every number that a run's watched expressions came to."""
    found = {}
    for seen in observation.seen:
        known = number(seen.value)
        if known is not None:
            found[Place(point=seen.point, occurrence=seen.occurrence)] = known
    return found


def table(
    points: Sequence[Point], runs: Sequence[Observation], about: Topic, code: str
) -> dict[Place, Column]:
    """The places that all runs reached with a number of one unit, in the order of the text."""
    each = [numbers(run) for run in runs]
    shared = set.intersection(*(set(one) for one in each)) if each else set()
    found: dict[Place, Column] = {}
    for place in sorted(shared):
        values = tuple(one[place][0] for one in each)
        units = {one[place][1] for one in each}
        if len(units) == 1 and place.point < len(points):
            found[place] = Column(values=values, unit=units.pop())
    return {place: _guessed(column, found, about, code) for place, column in found.items()}


def _guessed(column: Column, others: Table, about: Topic, code: str) -> Column:
    if column.unit is not None:
        return column
    units = {other.unit for other in others.values()}
    if about is Topic.MEMORY and not units & {"B", *DURATIONS} and not CLOCK.search(code):
        return Column(values=column.values, unit="B", guessed=True)
    varies = len(column.values) > 1 and len(set(column.values)) == len(column.values)
    if about is Topic.TIME and varies and CLOCK.search(code):
        return Column(values=column.values, unit="s", guessed=True)
    return column
