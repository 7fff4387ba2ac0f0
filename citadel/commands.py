"""What the commands do: load, index, triage each report, write the outputs."""

from __future__ import annotations

import errno
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from analysis.errors import CitadelError
from analysis.index import ApiIndex, load_or_build
from analysis.sources import SourceRequest
from analysis.target.target import Target
from citadel.model import Finding, Triage
from citadel.progress import Progress
from citadel.report.cases import write_cases
from citadel.report.document import document, write_json
from citadel.report.files import creatable, unwritable
from citadel.report.terminal import render_summary, render_target, render_triage
from citadel.report.text import plain
from citadel.triage import Options, triage
from citadel.workbench import Workbench
from harvest.report.inputs import load
from harvest.report.model import BadInput, Report
from harvest.report.understand import understand

NOTHING_RUN = 3


class Interrupted(Exception):
    """The user pressed Ctrl-C; what was finished by then has been written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageRequest:
    """What `citadel triage` was asked to do."""

    inputs: tuple[str, ...]
    options: Options
    json: str | None
    out: Path
    jobs: int
    show_all: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Exit status (without `--fail-on`) and the number of findings."""

    status: int
    bugs: int


def run_triage(
    request: TriageRequest, find_target: Callable[[], Target], progress: Progress
) -> Done:
    """Triage all inputs; one bad report among many is a row with its error.

    Raises:
        CitadelError: when there is nothing to triage or the target is unusable.
        CitadelError: also when a case or the JSON cannot be written; what was finished is.
        Interrupted: after Ctrl-C, once the finished part has been written.
    """
    loaded = list(load(request.inputs, stdin=sys.stdin.buffer))
    if not loaded:
        raise CitadelError("no reports found", "reports are .json, .md and .py files")
    if all(isinstance(entry, BadInput) for entry in loaded):
        first = loaded[0]
        assert isinstance(first, BadInput)  # noqa: S101
        raise CitadelError(f"{plain(first.source)}: {first.error}", first.hint)
    _check_places(request)
    target = find_target()
    console = Console(
        file=sys.stderr if request.json == "-" else sys.stdout,
        highlight=False,
        soft_wrap=not sys.stdout.isatty(),
    )
    triages: list[Triage] = []
    stopped: Exception | None = None
    with progress:
        index = find_index(target, progress)
        with Workbench(target, index, jobs=request.jobs) as bench:
            summary = bench.summary()
            render_target(console, summary)
            try:
                for entry in loaded:
                    done = _one(entry, bench, request, progress)
                    try:
                        done = write_cases(request.out, summary, done)
                    except CitadelError as problem:
                        stopped = problem
                    triages.append(done)
                    render_triage(console, done, show_all=request.show_all)
                    if stopped is not None:
                        break
            except KeyboardInterrupt:
                bench.abort()
                stopped = Interrupted()
    if len(triages) > 1:
        render_summary(console, triages)
    if request.json is not None:
        write_json(document(summary, triages, complete=stopped is None), request.json)
    if stopped is not None:
        raise stopped
    ran = any(t.case is not None for t in triages)
    return Done(status=0 if ran else NOTHING_RUN, bugs=sum(len(t.bugs) for t in triages))


def _check_places(request: TriageRequest) -> None:
    """Notice before the work what would spoil its results."""
    creatable(request.out)
    if request.json is not None and request.json != "-":
        folder = Path(request.json).parent
        creatable(folder)
        if not folder.exists():
            raise unwritable(request.json, FileNotFoundError(errno.ENOENT, "no such folder"))


def _one(
    entry: Report | BadInput, bench: Workbench, request: TriageRequest, progress: Progress
) -> Triage:
    if isinstance(entry, BadInput):
        return Triage(input=entry.source, error=entry.error)

    def found(finding: Finding) -> None:
        progress.note(f"found: {finding.api}")

    try:
        reading = understand(entry)
        return triage(
            reading, bench, request.options, on_finding=found, on_progress=progress.update
        )
    except CitadelError as problem:
        error = problem.message
    except Exception as problem:  # a bug of ours costs one row, not the night's other reports
        for line in traceback.format_exc().splitlines():
            progress.note(plain(line))  # it may quote the report
        error = f"internal error: {type(problem).__name__}: {problem}"
    finally:
        progress.finish("siblings")
    return Triage(
        input=entry.source,
        repository=entry.repository,
        number=entry.number,
        title=entry.title,
        error=error,
    )


def find_index(
    target: Target,
    progress: Progress,
    *,
    refresh: bool = False,
    source: SourceRequest | None = None,
) -> ApiIndex:
    """The index of a build, with its progress shown.

    Raises:
        CitadelError: when the build cannot be indexed at all.
    """
    index = load_or_build(
        target, progress=progress.update, warn=progress.note, refresh=refresh, source=source
    )
    progress.clear()
    return index
