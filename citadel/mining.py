"""`citadel mine`: a tracker or files of its issues -> harvest file -> filters -> queue, a table.

Nothing of a report runs here. Both files lie beside each other; a second run goes on where the
first one ended, however it ended. GitHub's client, which is large, is imported where it is needed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from analysis.errors import CitadelError
from citadel.progress import Progress
from citadel.report.document import write_json
from citadel.report.text import plain, shorten
from harvest.report.filters import BY_NAME, Filter
from harvest.tracker.files import Files
from harvest.tracker.gather import Gathered, gather
from harvest.tracker.harvest_file import read_checkpoint
from harvest.tracker.pages import Page, Source, Wanted
from harvest.tracker.patience import Patience
from harvest.tracker.queue import Counts, Row, Status, queue_path, read_rows, write_queue
from harvest.tracker.stored import count_issues

SCHEMA = 1
FOLDER = Path("harvests")
_REPOSITORY = re.compile(r"(?:https?://github\.com/)?([\w.-]+)/([\w.-]+?)(?:\.git)?/?")


@dataclass(frozen=True, slots=True, kw_only=True)
class MineRequest:
    """What `citadel mine` was asked to do; `wanted.repository` is only read for files."""

    source: str
    wanted: Wanted
    limit: int | None
    filters: tuple[Filter, ...]
    follow_links: bool
    harvest: Path | None
    json: str | None


def run_mine(request: MineRequest, progress: Progress) -> Counts:
    """Harvest, filter, write the queue and show how it came out.

    Raises:
        CitadelError: when the source cannot be read or the files not be written.
    """
    with progress:
        path, gathered = _harvested(request, progress)
        counts = write_queue(
            path,
            request.filters,
            progress=lambda done: progress.update(
                "filtering", done, gathered.issues + gathered.unreadable
            ),
        )
        progress.clear()
    to_stdout = request.json == "-"
    console = Console(
        file=sys.stderr if to_stdout else sys.stdout,
        highlight=False,
        soft_wrap=not sys.stdout.isatty(),
    )
    render_mined(console, path, gathered, counts, request.filters)
    if request.json is not None:
        write_json(document(request.source, path, gathered, counts, request.filters), request.json)
    return counts


def _harvested(request: MineRequest, progress: Progress) -> tuple[Path, Gathered]:
    """The harvest's file, and what was brought into it; a harvest itself is only filtered anew."""
    given = Path(request.source)
    kept = read_checkpoint(given)
    if kept is not None:
        asked = request.wanted != Wanted(repository="") or request.limit or request.follow_links
        if asked or request.harvest:
            raise CitadelError(
                f"{given} is a harvest, which is only filtered anew",
                "leave out what chooses issues; name the repository to fetch more",
            )
        return given, Gathered(issues=count_issues(given), resumed=True, complete=kept.complete)
    patience = Patience(tell=Waiting(progress).tell)
    source, path = _source(request, patience)
    path = request.harvest or path
    gathered = gather(
        source,
        path,
        limit=request.limit,
        prepare=_preparing(request, patience),
        progress=lambda done, total: progress.update("issues", done, max(done, total)),
    )
    progress.finish("issues")
    return path, gathered


class Waiting:
    """Shows what is waited for: a countdown on terminals, one line elsewhere."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._stage: str | None = None

    def tell(self, reason: str, done: float, total: float) -> None:
        """Called about once a second while waiting."""
        stage = f"{reason}: waiting (seconds)"
        if done == 0 and total >= 1:
            self._progress.note(f"{reason}; waiting {_spoken(total)}")
            self._stage = stage
        if self._stage == stage:
            self._progress.update(stage, int(done), int(total))
            if done >= total:
                self._progress.finish(stage)
                self._stage = None


def _spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    until = datetime.now(UTC).timestamp() + seconds
    return f"{seconds / 60:.0f} min, until {datetime.fromtimestamp(until).astimezone():%H:%M}"


def moment(since: str | None) -> str | None:
    """A date or time as GitHub spells it, in UTC.

    Raises:
        CitadelError: when it is neither.
    """
    if since is None:
        return None
    try:
        found = datetime.fromisoformat(since)
    except ValueError:
        raise CitadelError(
            f"--since takes a date, not {since}", "e.g. --since 2020-01-01"
        ) from None
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return found.strftime("%Y-%m-%dT%H:%M:%SZ")


def _source(request: MineRequest, patience: Patience) -> tuple[Source, Path]:
    """Files where there are some, else a repository; and where its harvest goes by default."""
    given = Path(request.source)
    if given.exists():
        return Files(given, request.wanted), FOLDER / f"{given.resolve().name}.harvest.jsonl"
    found = _REPOSITORY.fullmatch(request.source)
    if found is None:
        raise CitadelError(
            f"{shorten(plain(request.source), 80)} is neither a repository nor a file",
            "give OWNER/REPO, an export of issues, a dump of GH Archive or a folder of these",
        )
    if request.wanted.repository:
        raise CitadelError("--repository chooses from files", "leave it out")
    owner, name = found.groups()
    from harvest.tracker.client import Client
    from harvest.tracker.remote import Remote

    wanted = replace(request.wanted, repository=f"{owner}/{name}")
    return Remote(wanted, Client(), patience), FOLDER / owner / f"{name}.jsonl"


def _preparing(request: MineRequest, patience: Patience) -> Callable[[Page], Page]:
    """What happens to a page before it is kept."""
    if not request.follow_links:
        return lambda page: page
    from harvest.tracker.client import Client
    from harvest.tracker.links import Follower, from_drive

    return Follower(client=Client(), patience=patience, download=from_drive).follow


def render_mined(
    console: Console,
    path: Path,
    gathered: Gathered,
    counts: Counts,
    filters: tuple[Filter, ...],
) -> None:
    """Show what came and what becomes of it."""
    told = f"{gathered.issues:,} issues in {path}"
    if gathered.resumed:
        told += f", {gathered.fetched:,} of them new or updated"
    if gathered.points:
        told += f" ({gathered.pages} queries, {gathered.points} points of GitHub's hourly 5,000)"
    console.print(told, markup=False)
    if gathered.withheld:
        console.print(f"{gathered.withheld} issues were not shown by GitHub", markup=False)
    if not gathered.complete:
        console.print("the tracker has more: the harvest was stopped, or --limit reached")
    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in ("", "issues", "only reason", "reports ..."):
        table.add_column(name, justify="right" if name in ("issues", "only reason") else "left")
    table.add_row("kept", f"{counts.status[Status.KEPT]:,}", "", "to be run")
    for one in filters:
        dropped, alone = counts.dropped_by.get(one.name, 0), counts.only_by.get(one.name, 0)
        table.add_row(one.name, f"{dropped:,}", f"{alone:,}", one.meaning)
    console.print(table)
    linked = counts.status[Status.LINKED]
    if linked:
        console.print(f"{linked:,} linked to the {counts.groups:,} reports that stand for them")
    console.print(f"each with its reasons in {queue_path(path)}", markup=False)


def document(
    source: str, path: Path, gathered: Gathered, counts: Counts, filters: tuple[Filter, ...]
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
