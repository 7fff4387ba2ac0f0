"""`citadel fuzz`: a source of ours -> harvest -> queue, a record of all hits, and what came of it.

The harvest and its queue are what `citadel mine` and `citadel import` leave, so that whatever
reads those reads these, too.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.errors import CitadelError
from analysis.target.target import Interpreter
from citadel.mining import FOLDER
from citadel.progress import Interrupted, Progress
from citadel.report.build import PIPE
from citadel.report.document import write_json
from citadel.report.files import appendable, writable
from citadel.report.text import plain
from harvest.report.filters import NEAR_DUPLICATE, Preset, choose
from harvest.sources import table
from harvest.sources.found import Hits, described, hits_path
from harvest.sources.model import Hit, HitKind, Search, Tally
from harvest.tracker.gather import gather
from harvest.tracker.queue import queue_path, write_queue
from harvest.tracker.stored import count_issues

SCHEMA = 1
NOTHING_RAN = 3
SHOWN = 15
"""Hits that are named on a terminal; the record has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzRequest:
    """What `citadel fuzz` was asked to do; `budget` is in seconds."""

    source: str
    budget: float
    seed: int
    out: Path | None
    json: str | None
    random: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzed:
    """How a search came out: its hits, those no earlier search had, cases in the harvest now.

    `numbers` are those of the cases in the harvest, by the keys of their hits.
    """

    harvest: Path
    hits: tuple[Hit, ...]
    numbers: Mapping[str, int]
    new: int
    cases: int
    tally: Tally
    seconds: float

    @property
    def per_second(self) -> float:
        """Executions per second of search."""
        return self.tally.executed / self.seconds if self.seconds else 0.0


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
    if request.random and not getattr(source, "guided", False):
        raise CitadelError(
            f"{source.name} has no random variant", "--random is about searches that are guided"
        )
    path = request.out or FOLDER / "fuzz" / f"{source.name}.jsonl"
    appendable(path)
    writable(request.json)
    tally = Tally()
    with progress:
        interpreter = find_interpreter()
        clock = Clock(source.name, request.budget, tally, progress)
        search = Search(
            interpreter=interpreter,
            budget=request.budget,
            seed=request.seed,
            tally=tally,
            progress=clock.tick,
            random=request.random,
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
    )
    _tell(request, done, interpreter)
    if isinstance(stopped, KeyboardInterrupt):
        raise Interrupted
    if stopped is not None:
        raise stopped
    return 0 if tally.executed else NOTHING_RAN


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


def render_fuzzed(console: Console, done: Fuzzed, python: str) -> None:
    """Show what ran, what was found, what became of it, and what to do next."""
    tally, hits = done.tally, done.hits

    def say(text: str) -> None:
        console.print(plain(text), markup=False)

    say(
        f"{tally.executed:,} executed in {done.seconds:.0f} s ({done.per_second:.1f}/s),"
        f" {tally.valid:,} of them valid;"
        f" {_count(len(tally.rules), 'rule') + ', ' if tally.rules else ''}"
        f"{_count(len(tally.apis), 'API')} covered"
    )
    for name, fact in tally.facts.items():
        say(f"{name}: {fact}")
    kinds = Counter(hit.kind for hit in hits)
    told = ", ".join(f"{kinds[kind]} {kind.value}" for kind in HitKind if kinds[kind])
    say(f"{_count(len(hits), 'hit')}{': ' + told if told else ''}; {done.new} new")
    limits = sum(bool(hit.limit) for hit in hits)
    cases = sum(hit.case is not None for hit in hits)
    say(
        f"explained by known limits: {limits}; became cases: {cases};"
        f" neither: {len(hits) - limits - cases}"
    )
    if hits:
        console.print(_rows(done))
    if len(hits) > SHOWN:
        say(f"and {len(hits) - SHOWN} more")
    if hits:
        say(f"all hits with their measures and reasons in {hits_path(done.harvest)}")
    if done.cases:
        say(f"{_count(done.cases, 'case')} in {done.harvest}; next:")
        say(f"  citadel triage {done.harvest} --python {python}")
        say(f"  citadel triage {done.harvest}#1 --python {python}   # one of them, by its number")


def _rows(done: Fuzzed) -> Table:
    """The first hits, cases before the others."""
    rows = Table(box=None, pad_edge=False, show_edge=False)
    for head in ("hit", "API", "what", "came to"):
        rows.add_column(head, overflow="fold")
    ordered = sorted(done.hits, key=lambda hit: (hit.case is None, bool(hit.limit)))
    for hit in ordered[:SHOWN]:
        number = _case(hit, done.numbers)
        came = hit.limit or hit.no_case if number is None else f"case {number}"
        cells = (hit.kind.value, hit.subject, hit.title.removeprefix(hit.subject).lstrip(), came)
        rows.add_row(*(Text(plain(cell)) for cell in cells))
    return rows


def _case(hit: Hit, numbers: Mapping[str, int]) -> int | None:
    """The number of a hit's case in the harvest, where it has one."""
    return numbers.get(hit.key) if hit.case is not None else None


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def document(request: FuzzRequest, done: Fuzzed, interpreter: Interpreter) -> dict[str, Any]:
    """The result as JSON, with the hits of this search; the record has those of all."""
    kinds = Counter(hit.kind for hit in done.hits)
    return {
        "schema": SCHEMA,
        "source": request.source,
        "seed": request.seed,
        "random": request.random,
        "budget": request.budget,
        "seconds": round(done.seconds, 3),
        "target": {
            "python": interpreter.python,
            "frameworks": list(interpreter.frameworks),
            "versions": interpreter.versions,
        },
        "harvest": str(done.harvest),
        "queue": str(queue_path(done.harvest)),
        "record": str(hits_path(done.harvest)),
        "executed": done.tally.executed,
        "valid": done.tally.valid,
        "per_second": round(done.per_second, 3),
        "rules": sorted(done.tally.rules),
        "apis": sorted(done.tally.apis),
        "facts": dict(done.tally.facts),
        "counts": {
            "hits": len(done.hits),
            "new": done.new,
            "limits": sum(bool(hit.limit) for hit in done.hits),
            "cases": sum(hit.case is not None for hit in done.hits),
            "harvest": done.cases,
            **{kind.value: kinds[kind] for kind in HitKind},
        },
        "hits": [{**described(hit), "case": _case(hit, done.numbers)} for hit in done.hits],
    }
