"""A harvest file -> its queue: a row per issue that says whether it is to be run, and why not.

Rows are JSON lines in the order of repositories and numbers, so that equal harvests give equal
queues. `read_queue` is what the next stage reads: what is kept, with its report.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import IO

from analysis.errors import CitadelError
from harvest.report.filters import NEAR_DUPLICATE, UNREADABLE, Filter, Reason, reasons
from harvest.report.model import BadInput, Reading, Report
from harvest.report.near_duplicates import Sketch, sketch, stand_ins
from harvest.report.text import shorten
from harvest.report.understand import understand
from harvest.tracker.names import queue_path
from harvest.tracker.stored import read_harvest


class Status(StrEnum):
    """What becomes of an issue."""

    KEPT = "kept"
    DROPPED = "dropped"
    LINKED = "linked"
    """Another one, which says almost the same, stands for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One issue, or one thing that was to be one.

    `reasons` has all that speak against it. `stand_in` is the source of the report that runs in its
    place; `snippets` counts what there is to run.
    """

    source: str
    repository: str | None
    number: int | None
    title: str
    status: Status
    reasons: tuple[Reason, ...] = ()
    stand_in: str | None = None
    snippets: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A report that is not run because another one, `stand_in`, says almost the same."""

    source: str
    stand_in: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How the rows of a queue came out.

    `dropped_by` counts the rows that a filter drops, `only_by` those that it alone drops; `before`
    those that were kept in the queue that this one replaces.
    """

    issues: int
    status: Mapping[Status, int]
    dropped_by: Mapping[str, int]
    only_by: Mapping[str, int]
    groups: int
    before: int | None = None


def write_queue(
    harvest: Path,
    filters: Iterable[Filter],
    *,
    progress: Callable[[int], None] = lambda _done: None,
) -> Counts:
    """Filter a harvest and write its queue, whole or not at all.

    Raises:
        CitadelError: when the harvest cannot be read or the queue not be written.
    """
    filters = tuple(filters)
    path = queue_path(harvest)
    before = _kept(path)
    try:
        with tempfile.TemporaryFile("w+", encoding="utf-8", dir=harvest.parent) as rows:
            linked = _filtered(harvest, filters, rows, progress)
            rows.seek(0)
            beside = path.with_name(path.name + ".new")
            with beside.open("w", encoding="utf-8") as file:
                counts = _written(rows, linked, file)
            beside.replace(path)
    except OSError as problem:
        raise CitadelError(f"{path} cannot be written: {problem.strerror}", "is it full?") from None
    return replace(counts, before=before)


def _kept(path: Path) -> int | None:
    """How many rows a queue keeps; None where there is none, or it cannot be read."""
    try:
        return sum(row.status is Status.KEPT for row in read_rows(path))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a queue."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield _row(json.loads(line))


def read_queue(harvest: Path) -> Iterator[Report]:
    """Yield the reports of a harvest that its queue keeps."""
    return (one for one in read_linked(harvest) if isinstance(one, Report))


def read_linked(harvest: Path) -> Iterator[Report | Linked]:
    """Yield what `read_queue` yields, and the links to these."""
    rows = read_rows(queue_path(harvest))
    for item, row in zip(read_harvest(harvest), rows, strict=True):
        if isinstance(item, Report) and row.status is Status.KEPT:
            yield item
        elif row.status is Status.LINKED and row.stand_in is not None:
            yield Linked(source=item.source, stand_in=row.stand_in)


def _filtered(
    harvest: Path, filters: tuple[Filter, ...], rows: IO[str], progress: Callable[[int], None]
) -> dict[int, str]:
    """Write a row per item; return which of the kept ones are represented by which source."""
    places: list[int] = []
    sources: list[str] = []
    sketches: list[Sketch] = []
    compare = any(one.name == NEAR_DUPLICATE for one in filters)
    for place, item in enumerate(read_harvest(harvest)):
        found, reading = _judged(item, filters)
        rows.write(_line(_row_of(item, found, reading)))
        seen = sketch(reading) if compare and not found and reading is not None else None
        if seen is not None:
            places.append(place)
            sources.append(item.source)
            sketches.append(seen)
        progress(place + 1)
    return {places[at]: sources[one] for at, one in stand_ins(sketches).items()}


def _judged(
    item: Report | BadInput, filters: tuple[Filter, ...]
) -> tuple[tuple[Reason, ...], Reading | None]:
    try:
        return reasons(item, understand, filters)
    except Exception as problem:  # a bug of ours costs one row, not the others
        detail = f"internal error: {type(problem).__name__}: {problem}"
        return (Reason(filter=UNREADABLE, detail=shorten(detail)),), None


def _row_of(item: Report | BadInput, found: tuple[Reason, ...], reading: Reading | None) -> Row:
    report = item if isinstance(item, Report) else None
    return Row(
        source=item.source,
        repository=report.repository if report else None,
        number=report.number if report else None,
        title=shorten(report.title) if report else "",
        status=Status.DROPPED if found else Status.KEPT,
        reasons=found,
        snippets=len(reading.candidates) if reading else 0,
    )


def _written(rows: IO[str], linked: Mapping[int, str], file: IO[str]) -> Counts:
    """Write the rows for good, with their links."""
    status: Counter[Status] = Counter()
    dropped: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    for place, line in enumerate(rows):
        row = _row(json.loads(line))
        if place in linked:
            row = _linked_row(row, linked[place])
        file.write(_line(row))
        status[row.status] += 1
        dropped.update(reason.filter for reason in row.reasons)
        if len(row.reasons) == 1:
            alone[row.reasons[0].filter] += 1
    return Counts(
        issues=status.total(),
        status=status,
        dropped_by=dropped,
        only_by=alone,
        groups=len(set(linked.values())),
    )


def _linked_row(row: Row, stand_in: str) -> Row:
    reason = Reason(filter=NEAR_DUPLICATE, detail=f"says almost the same as {stand_in}")
    return replace(row, status=Status.LINKED, reasons=(reason,), stand_in=stand_in)


def _line(row: Row) -> str:
    return json.dumps(asdict(row), separators=(",", ":")) + "\n"


def _row(content: dict[str, object]) -> Row:
    told = content.pop("reasons")
    found = tuple(Reason(**reason) for reason in told) if isinstance(told, list) else ()
    status = Status(str(content.pop("status")))
    return Row(**content, status=status, reasons=found)  # type: ignore[arg-type]
