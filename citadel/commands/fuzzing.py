"""`citadel fuzz`: a source of ours -> harvest -> queue, a record of all hits, and what came of it.

The harvest and its queue are what `citadel mine` and `citadel import` leave, so that whatever
reads those reads these, too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console

from analysis.errors import CitadelError
from analysis.target.target import Interpreter
from citadel.commands.mining import FOLDER
from citadel.commands.progress import Interrupted, Progress
from citadel.report.build import PIPE
from citadel.report.document import write_json
from citadel.report.files import appendable, writable
from citadel.report.fuzzed import Fuzzed, FuzzRequest, document, render_fuzzed
from harvest.report.filters import NEAR_DUPLICATE, Preset, choose
from harvest.sources import table
from harvest.sources.found import Hits
from harvest.sources.model import Search, Tally
from harvest.sources.notes import Written
from harvest.tracker.gather import gather
from harvest.tracker.names import hits_path, search_path
from harvest.tracker.queue import write_queue
from harvest.tracker.stored import count_issues

NOTHING_RAN = 3
SETTINGS = {
    "framework": ("has no choice of frameworks", "--framework is for eagle"),
    "random": ("has no random variant", "--random is about searches that are guided"),
    "models": ("reads no saved models", "--models is for cradle"),
    "mutants": ("makes no mutants of seed models", "--mutants is for lemon and audee"),
}
"""What only some sources heed: why others refuse it, and a hint."""


class Clock:
    """Shows how far a search is; its time starts with the first call of `tick`."""

    def __init__(self, name: str, budget: float, tally: Tally, progress: Progress) -> None:
        self._stage = f"fuzzing with {name}"
        self._budget = budget
        self._tally = tally
        self._progress = progress
        self._started: float | None = None
        self._shown = 0.0
        progress.update(self._stage, 0, int(budget))
        progress.describe(self._stage, "starting")

    @property
    def seconds(self) -> float:
        """The time of search, without that of the start-up."""
        return 0.0 if self._started is None else time.monotonic() - self._started

    def tick(self) -> None:
        """The search has begun, or its tally has changed."""
        now = time.monotonic()
        if self._started is None:
            self._started = now
        if now - self._shown > 0.2:
            self._shown = now
            self._progress.update(self._stage, int(self.seconds), int(self._budget))
            self._progress.describe(self._stage, f"{self._tally.executed:,} executed")


def run_fuzz(
    request: FuzzRequest, find_interpreter: Callable[[], Interpreter], progress: Progress
) -> int:
    """Search, keep what is found, write the queue and show how it came out; the exit status.

    Raises:
        CitadelError: when the source cannot work with the interpreter, or files not be written.
        Interrupted: after Ctrl-C, when what was found by then has been kept and shown.
    """
    source = table.find(request.source)
    for name, (lacks, hint) in SETTINGS.items():
        if getattr(request, name) and name not in getattr(source, "settings", ()):
            raise CitadelError(f"{source.name} {lacks}", hint)
    path = request.out or FOLDER / "fuzz" / f"{source.name}.jsonl"
    appendable(path)
    writable(request.json)
    tally = Tally()
    with progress:
        interpreter = find_interpreter()
        clock = Clock(source.name, request.budget, tally, progress)
        found_in = (path, hits_path(path))
        notes = Written(search_path(path), _question(request, interpreter), found_in)
        search = Search(
            interpreter=interpreter,
            budget=request.budget,
            seed=request.seed,
            tally=tally,
            progress=clock.tick,
            framework=request.framework,
            random=request.random,
            models=request.models,
            mutants=request.mutants,
            notes=notes,
        )
        found = Hits(source, search, path)
        stopped: BaseException | None = None
        try:
            gather(found, path)
        except (KeyboardInterrupt, CitadelError) as problem:
            if not (found.hits or tally.executed):
                raise  # there is nothing to tell, and the file may be somebody else's
            stopped = problem
        seconds = clock.seconds
        progress.clear()
        kept = path.exists()  # what is stopped before it has a case leaves no file
        if kept:
            # Equal but for the API is what these scripts are on purpose.
            write_queue(path, choose(Preset.WIDE, (), (NEAR_DUPLICATE,)))
    done = Fuzzed(
        harvest=path,
        hits=tuple(found.hits),
        numbers=found.numbers,
        new=found.new,
        cases=count_issues(path) if kept else 0,
        tally=tally,
        seconds=seconds,
        resumed=notes.resumed,
    )
    _tell(request, done, interpreter)
    if isinstance(stopped, KeyboardInterrupt):
        raise Interrupted
    if stopped is not None:
        raise stopped
    return 0 if tally.executed else NOTHING_RAN


def _question(request: FuzzRequest, interpreter: Interpreter) -> dict[str, Any]:
    """What an equal search has in common; saved models are equal by size and time."""
    files = [] if request.models is None else sorted(request.models.glob("*"))
    return {
        "source": request.source,
        "seed": request.seed,
        "framework": request.framework,
        "random": request.random,
        "mutants": request.mutants,
        "models": [[one.name, one.stat().st_size, one.stat().st_mtime] for one in files],
        "versions": interpreter.versions,
    }


def _tell(request: FuzzRequest, done: Fuzzed, interpreter: Interpreter) -> None:
    to_stdout = request.json == "-"
    file = sys.stderr if to_stdout else sys.stdout
    terminal = file.isatty()
    console = Console(
        file=file,
        highlight=False,
        soft_wrap=not terminal,
        width=None if terminal else PIPE,
    )
    render_fuzzed(console, done, interpreter.python)
    if request.json is not None:
        write_json(document(request, done, interpreter), request.json)
