"""`citadel mine`: a tracker or files of its issues -> harvest file -> filters -> queue, a table.

Nothing of a report runs here. Both files lie beside each other; a second run goes on where the
first one ended, however it ended. GitHub's client, which is large, is imported where it is needed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from analysis.errors import CitadelError
from citadel.commands.progress import Progress
from citadel.report.document import write_json
from citadel.report.files import appendable, writable
from citadel.report.mined import mined_document, render_mined
from citadel.report.text import plain, shorten
from harvest.report.filters import Filter
from harvest.tracker.files import EXPORTS, Files
from harvest.tracker.gather import Gathered, gather
from harvest.tracker.harvest_file import read_checkpoint
from harvest.tracker.pages import Entry, Page, Source, Wanted
from harvest.tracker.patience import Patience
from harvest.tracker.queue import Counts, write_queue
from harvest.tracker.stored import count_issues

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Following:
    """Both are for `gather`."""

    prepare: Callable[[Page], Page]
    again: Callable[[Path], Iterable[Entry]]


def run_mine(request: MineRequest, progress: Progress) -> Counts:
    """Harvest, filter, write the queue and show how it came out.

    Raises:
        CitadelError: when the source cannot be read or the files not be written.
    """
    writable(request.json)
    with progress:
        path, gathered, passed_over = _harvested(request, progress)
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
    found = (path, gathered, counts, request.filters, passed_over)
    render_mined(console, *found)
    if request.json is not None:
        write_json(mined_document(request.source, *found), request.json)
    return counts


def _harvested(
    request: MineRequest, progress: Progress
) -> tuple[Path, Gathered, Mapping[str, int]]:
    """The harvest's file, what was brought into it, and how much of a folder was passed over.

    A harvest itself is only filtered anew.
    """
    given = Path(request.source)
    kept = read_checkpoint(given)
    if kept is not None:
        asked = request.wanted != Wanted(repository="") or request.limit or request.follow_links
        if asked or request.harvest:
            raise CitadelError(
                f"{given} is a harvest, which is only filtered anew",
                "leave out what chooses issues; name the repository to fetch more",
            )
        found = Gathered(issues=count_issues(given), resumed=True, complete=kept.complete)
        return given, found, {}
    patience = Patience(tell=Waiting(progress).tell)
    source, path = _source(request, patience)
    path = request.harvest or path
    appendable(path)
    following = _following(request, patience)
    gathered = gather(
        source,
        path,
        limit=request.limit,
        prepare=following.prepare,
        again=following.again,
        progress=lambda done, total: progress.update("issues", done, max(done, total)),
    )
    progress.finish("issues")
    return path, gathered, source.passed_over if isinstance(source, Files) else {}


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
        files = Files(given, request.wanted)
        files.check()
        return files, FOLDER / f"{given.resolve().name}.harvest.jsonl"
    found = _REPOSITORY.fullmatch(request.source)
    if found is None:
        raise CitadelError(
            f"{shorten(plain(request.source), 80)} is neither a repository nor a file",
            f"give OWNER/REPO, {EXPORTS}",
        )
    if request.wanted.repository:
        raise CitadelError("--repository chooses from files", "leave it out")
    owner, name = found.groups()
    from harvest.tracker.client import Client
    from harvest.tracker.remote import Remote

    wanted = replace(request.wanted, repository=f"{owner}/{name}")
    return Remote(wanted, Client(), patience), FOLDER / owner / f"{name}.jsonl"


def _following(request: MineRequest, patience: Patience) -> _Following:
    """What happens to a page before it is kept, and to which issues that were kept without it."""
    if not request.follow_links:
        return _Following(prepare=lambda page: page, again=lambda _path: ())
    from harvest.tracker.client import Client
    from harvest.tracker.links import Follower, from_drive, unfollowed

    follower = Follower(client=Client(), patience=patience, download=from_drive)
    return _Following(prepare=follower.follow, again=unfollowed)
