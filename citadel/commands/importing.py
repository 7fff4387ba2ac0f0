"""`citadel import`: another fuzzer's folder -> harvest -> filters -> queue, and what came of it.

The same two files as `citadel mine` leaves, so that whatever reads those reads these, too. No
script runs here; pickles are opened by the interpreter under test, in its sandbox.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.errors import CitadelError
from analysis.target.session import Session
from analysis.target.target import Interpreter
from citadel.commands.mining import FOLDER
from citadel.commands.progress import Progress
from citadel.match.matches import write_matches
from citadel.report.document import write_json
from citadel.report.files import appendable, writable
from citadel.report.text import plain
from harvest.importers import table
from harvest.importers.folder import Folder
from harvest.importers.model import Importer, Lead
from harvest.importers.pairs import Pair, pairs
from harvest.importers.pickles import InSandbox
from harvest.importers.source import FuzzerFolder, skipped
from harvest.report.filters import Preset, choose
from harvest.tracker.gather import Gathered, gather
from harvest.tracker.names import queue_path
from harvest.tracker.queue import Counts, Status, write_queue
from harvest.tracker.stored import read_harvest

SCHEMA = 1
NOTHING_READ = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """What `citadel import` was asked to do; `match` is where pairs of equal APIs go."""

    format: str
    folder: Path
    out: Path | None
    limit: int | None
    match: Path | None
    json: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """How an import came out: `skipped` counts files that are no case, by reason."""

    harvest: Path
    gathered: Gathered
    counts: Counts
    skipped: Counter[str]
    pairs: tuple[Pair, ...] = ()


def run_import(
    request: ImportRequest, find_interpreter: Callable[[], Interpreter], progress: Progress
) -> int:
    """Import, filter, write the queue and show how it came out; returns the exit status.

    Raises:
        CitadelError: when the folder is not of that format, or the files cannot be written.
    """
    importer = table.find(request.format)
    writable(request.json)
    writable(request.match)
    folder = Folder(request.folder)
    _expect(importer, folder)
    found: tuple[Pair, ...] = ()
    if request.match is not None:
        found = tuple(pairs(folder))
        write_matches(request.match, found)
    with progress, InSandbox(_opener(find_interpreter)) as unpickle:
        source = FuzzerFolder(importer, folder, unpickle, limit=request.limit)
        path = request.out or FOLDER / f"{source.repository}.jsonl"
        appendable(path)
        gathered = gather(
            source,
            path,
            limit=request.limit,
            progress=lambda done, total: progress.update("cases", done, max(done, total)),
        )
        progress.clear()
        filters = choose(Preset.WIDE, (), ())
        total = gathered.issues + gathered.unreadable
        counts = write_queue(
            path, filters, progress=lambda done: progress.update("filtering", done, total)
        )
        progress.clear()
    done = Imported(
        harvest=path,
        gathered=gathered,
        counts=counts,
        skipped=skipped(read_harvest(path)),
        pairs=found,
    )
    to_stdout = request.json == "-"
    console = Console(
        file=sys.stderr if to_stdout else sys.stdout,
        highlight=False,
        soft_wrap=not sys.stdout.isatty(),
    )
    render_imported(console, done, request.match)
    if request.json is not None:
        write_json(document(request, done), request.json)
    return 0 if gathered.issues or found else NOTHING_READ


def _expect(importer: Importer, folder: Folder) -> None:
    """Tell a folder of another format before anything is written."""
    if importer.signs(folder) or any(isinstance(one, Lead) for one in importer.find(folder)):
        return
    if not folder.sample:
        raise CitadelError(
            f"{plain(str(folder.root))} is empty", f"{importer.name} reads {importer.layout}"
        )
    other = table.guess(folder)
    hint = f"it looks like {other}" if other else f"{importer.name} reads {importer.layout}"
    raise CitadelError(f"{plain(str(folder.root))} has no layout of {importer.name}", hint)


def _opener(find_interpreter: Callable[[], Interpreter]) -> Callable[[str], Session]:
    """Start the interpreter under test only where there is a pickle to open."""
    made: list[Interpreter] = []

    def opened(framework: str) -> Session:
        if not made:
            made.append(find_interpreter())
        installed = made[0].frameworks
        return made[0].target(framework if framework in installed else installed[0]).session()

    return opened


def render_imported(console: Console, done: Imported, match: Path | None) -> None:
    """Show what became cases, what did not and why, and where it all is."""
    counts, gathered = done.counts, done.gathered
    told = f"{gathered.issues:,} cases in {done.harvest}"
    if gathered.resumed:
        told += f", {gathered.fetched:,} files new or changed"
    console.print(told, markup=False)
    if not gathered.complete:
        console.print("not complete: it was stopped, or is at its --limit; there may be more")
    if done.pairs:
        console.print(f"{len(done.pairs):,} pairs of equal APIs in {match}", markup=False)
    if done.skipped:
        rows = Table(box=None, pad_edge=False, show_edge=False)
        rows.add_column("files", justify="right")
        rows.add_column("that are no case, because")
        for reason, count in done.skipped.most_common():
            rows.add_row(f"{count:,}", Text(plain(reason)))
        console.print(rows)
    kept, linked = counts.status[Status.KEPT], counts.status[Status.LINKED]
    dropped = counts.status[Status.DROPPED] - done.skipped.total()
    console.print(
        f"to be run: {kept:,}; almost the same as one of these: {linked:,}; dropped: {dropped:,}"
    )
    console.print(f"each with its reasons in {queue_path(done.harvest)}", markup=False)
    if kept:
        console.print(f"next: citadel hunt {done.harvest} --python PYTHON", markup=False)


def document(request: ImportRequest, done: Imported) -> dict[str, Any]:
    """The result as JSON; single files are rows of the harvest and of its queue."""
    counts = done.counts
    return {
        "schema": SCHEMA,
        "format": request.format,
        "folder": str(request.folder),
        "harvest": str(done.harvest),
        "queue": str(queue_path(done.harvest)),
        "match": None if request.match is None else str(request.match),
        "complete": done.gathered.complete,
        "counts": {
            "cases": done.gathered.issues,
            "fetched": done.gathered.fetched,
            "pairs": len(done.pairs),
            "skipped": done.skipped.total(),
            **{one.value: counts.status[one] for one in Status},
        },
        "skipped": dict(done.skipped.most_common()),
        "dropped_by": dict(counts.dropped_by),
    }
