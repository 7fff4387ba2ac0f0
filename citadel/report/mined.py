"""What `citadel mine` shows and writes: what came, what becomes of it and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from citadel.report.text import plain
from harvest.report.filters import BY_NAME, Filter
from harvest.tracker.gather import Gathered
from harvest.tracker.names import queue_path
from harvest.tracker.queue import Counts, Row, Status, read_rows

SCHEMA = 1
_MOST_KINDS = 6


def render_mined(
    console: Console,
    path: Path,
    gathered: Gathered,
    counts: Counts,
    filters: tuple[Filter, ...],
    passed_over: Mapping[str, int],
) -> None:
    """Show what came and what becomes of it; `passed_over` counts what of a folder was not read."""
    told = f"{_issues(gathered.issues)} in {path}"
    if gathered.resumed:
        told += f", {gathered.fetched - gathered.broken:,} of them new or updated"
    if gathered.broken:
        told += f"; {gathered.broken:,} more could not be read"
    if gathered.points:
        told += f" ({gathered.pages} queries, {gathered.points} points of GitHub's hourly 5,000)"
    console.print(told, markup=False)
    if gathered.withheld:
        console.print(f"{_issues(gathered.withheld)} not shown by GitHub", markup=False)
    if not gathered.complete:
        console.print("not complete: it was stopped, or is at its --limit; there may be more")
    _render_filters(console, counts, filters)
    linked = counts.status[Status.LINKED]
    if linked:
        stand = f"report{'s' * (counts.groups != 1)} that stand{'s' * (counts.groups == 1)}"
        them = "it" if linked == 1 else "them"
        console.print(f"{linked:,} linked to the {counts.groups:,} {stand} for {them}")
    anew = ""
    if counts.before not in (None, counts.status[Status.KEPT]):
        anew = f", written anew: it kept {counts.before:,} before"
    console.print(f"each with its reasons in {queue_path(path)}{anew}", markup=False)
    if passed_over:
        _render_passed_over(console, passed_over)
    if counts.status[Status.KEPT]:
        console.print(f"next: citadel hunt {path} --python PYTHON", markup=False)


def _render_filters(console: Console, counts: Counts, filters: tuple[Filter, ...]) -> None:
    """Show what is kept, and which filter dropped how many."""
    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in ("", "issues", "only reason", "reports ..."):
        table.add_column(name, justify="right" if name in ("issues", "only reason") else "left")
    table.add_row("kept", f"{counts.status[Status.KEPT]:,}", "", "to be run")
    idle = []
    for one in filters:
        dropped, alone = counts.dropped_by.get(one.name, 0), counts.only_by.get(one.name, 0)
        if dropped:
            table.add_row(one.name, f"{dropped:,}", f"{alone:,}", one.meaning)
        else:
            idle.append(one.name)
    console.print(table)
    if idle:
        console.print(f"nothing dropped by {', '.join(idle)}", markup=False)


def _render_passed_over(console: Console, passed_over: Mapping[str, int]) -> None:
    """Say what a folder holds besides, the most frequent first."""
    ordered = sorted(passed_over.items(), key=lambda item: (-item[1], item[0]))
    kinds = ", ".join(f"{count:,} {plain(kind)}" for kind, count in ordered[:_MOST_KINDS])
    more = f" and {len(ordered) - _MOST_KINDS} more kinds" if ordered[_MOST_KINDS:] else ""
    told = f"passed over, as no exports of issues: {kinds}{more}"
    console.print(f"{told} (citadel triage takes Markdown and scripts)", markup=False)


def _issues(count: int) -> str:
    return f"{count:,} issue{'' if count == 1 else 's'}"


def mined_document(
    source: str,
    path: Path,
    gathered: Gathered,
    counts: Counts,
    filters: tuple[Filter, ...],
    passed_over: Mapping[str, int],
) -> dict[str, Any]:
    """The result as JSON; rows are in the queue's file as well."""
    return {
        "schema": SCHEMA,
        "source": source,
        "harvest": str(path),
        "queue": str(queue_path(path)),
        "complete": gathered.complete,
        "counts": {
            "issues": counts.issues,
            "fetched": gathered.fetched,
            "withheld": gathered.withheld,
            **{one.value: counts.status[one] for one in Status},
            "groups": counts.groups,
        },
        "passed_over": dict(passed_over),
        "filters": [
            {
                "name": one.name,
                "meaning": BY_NAME[one.name].meaning,
                "dropped": counts.dropped_by.get(one.name, 0),
                "only": counts.only_by.get(one.name, 0),
            }
            for one in filters
        ],
        "rows": [_told(row) for row in read_rows(queue_path(path))],
    }


def _told(row: Row) -> dict[str, Any]:
    return {
        "source": row.source,
        "repository": row.repository,
        "number": row.number,
        "title": row.title,
        "status": row.status.value,
        "reasons": [{"filter": one.filter, "detail": one.detail} for one in row.reasons],
        "stand_in": row.stand_in,
        "snippets": row.snippets,
    }
