"""`citadel hunt`: inputs into the store, then hunting on all their builds, then the tables.

In: what the user named. Out: rows in the store, cases in files, what was found on the console. The
store is the hunt's memory: the same command goes on where it was stopped, however that happened.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from analysis.errors import CitadelError
from analysis.index import ApiIndex, load_or_build
from analysis.target.target import Interpreter, Target
from citadel.commands.inputs import read_known_issues
from citadel.commands.progress import Interrupted, Progress
from citadel.commands.reporting import ReportRequest, run_report
from citadel.hunt.builds import Builds, Site
from citadel.hunt.enlist import Enlisted, enlist
from citadel.hunt.executor import Executor
from citadel.hunt.forecast import order_waiting
from citadel.hunt.hunt import Ended, Hunt, Hunted, HuntRequest, Standing
from citadel.hunt.inputs import reports_of
from citadel.report.files import creatable, writable
from citadel.report.hunted import render_forecast
from citadel.report.terminal import render_target
from citadel.report.text import counted, plain, shorten
from citadel.selection import Wish
from citadel.store import items, outcomes
from citadel.store.database import Store, discard_if_empty, existing, open_to_write
from citadel.store.hunts import begin, finish
from citadel.store.items import Stage, State
from citadel.store.queries import Filter

NOTHING_RUN = 3
MOST_REASONS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class HuntingRequest:
    """What `citadel hunt` was asked to do; without inputs, it goes on with what the store has."""

    inputs: tuple[str, ...]
    store: Path
    wait: bool
    pythons: tuple[str, ...]
    no_sandbox: bool
    wish: Wish
    hunt: HuntRequest
    known: str | None
    json: str | None
    baseline: str | None = None
    """The interpreter with the build that measurements are compared with."""


def run_hunt(
    request: HuntingRequest,
    executor: Callable[[], Executor],
    progress: Progress,
) -> int:
    """Hunt; return the exit status.

    Raises:
        CitadelError: when inputs, builds or the store cannot be used, or all items fail.
        Interrupted: after Ctrl-C.
    """
    # Indexes and reports count: a night is over when it is over.
    request = replace(request, hunt=replace(request.hunt, since=time.monotonic()))
    # A mistake in it shows now, not after the night.
    known = () if request.known is None else read_known_issues(request.known)
    writable(request.json)
    try:
        creatable(request.hunt.out)
    except CitadelError as problem:
        raise CitadelError(problem.message, "name another folder with --out") from problem
    console = Console(
        file=sys.stderr if request.json == "-" else sys.stdout,
        highlight=False,
        soft_wrap=not sys.stdout.isatty(),
    )
    if not request.inputs:
        existing(request.store)  # a mistyped name is no new store
    interrupted = False
    status = 0
    fresh = not request.store.exists()
    try:
        with open_to_write(request.store, wait=request.wait) as store, progress:
            status = _hunted(request, store, executor, console, progress)
    except KeyboardInterrupt:
        interrupted = True
    except CitadelError:
        if fresh:
            discard_if_empty(request.store)
        raise
    console.print()
    asked = ReportRequest(
        store=request.store,
        wanted=Filter(),
        known=known,
        json=request.json,
        limit=10,
        order=False,
    )
    run_report(asked)
    if interrupted:
        raise Interrupted
    return status


def _hunted(
    request: HuntingRequest,
    store: Store,
    executor: Callable[[], Executor],
    console: Console,
    progress: Progress,
) -> int:
    interrupted = items.requeue(store)
    if interrupted:
        progress.note(f"queued again after a kill: {counted(interrupted, 'item')}")
    builds = _builds(request, console, progress)
    baseline = _baseline(request)
    if request.inputs:
        enlisted = enlist(
            store,
            reports_of(request.inputs),
            builds,
            lambda done: progress.update("reading reports", done, done),
            baseline=baseline,
        )
        progress.clear()
        if enlisted.reports == enlisted.unread == 1:
            raise CitadelError(
                plain(next(iter(enlisted.refused))),
                "reports are harvests, .json, .md and .py files, and folders of these",
            )
        _say_enlisted(console, enlisted)
        if not builds.sites:
            console.print("nothing that can be run here", markup=False)
            return NOTHING_RUN
    else:
        known = items.builds_in_play(store, request.hunt.allowed)
        for gone in builds.stored(known):
            progress.note(
                f"{gone.framework} {gone.version} is no longer at {gone.python}: its items wait"
            )
        if known and not builds.sites:
            console.print("nothing of what is open in the store can be run here", markup=False)
            return NOTHING_RUN
        if not known and request.pythons:
            console.print("nothing is open in the store; name reports to run", markup=False)
            return NOTHING_RUN
        if baseline:
            items.compare_open(store, request.hunt.allowed, list(builds.sites), baseline)
    watch = _Watch(console, progress)
    with executor() as workers:
        number = begin(store, workers.slots)
        hunt = Hunt(
            store,
            workers,
            builds.sites,
            request.hunt,
            told=watch.ended,
            standing=watch.standing,
        )
        try:
            _order(store, number, console)
            hunted = hunt.run()
        except KeyboardInterrupt:
            progress.clear()
            _say_interrupted(console, watch)
            raise
        finally:
            progress.clear()
            finish(store, number, watch.done)
    _say_end(console, hunted, watch)
    return 0 if hunted.done or not hunted.waiting else NOTHING_RUN


def _order(store: Store, number: int, console: Console) -> None:
    """Put what waits in order, and say by what."""
    figures = order_waiting(store)
    if figures:
        with store.transaction():
            outcomes.keep_figures(store, number, figures)
        render_forecast(console, figures)


def _builds(request: HuntingRequest, console: Console, progress: Progress) -> Builds:
    def found(target: Target) -> ApiIndex:
        index = load_or_build(target, progress=progress.update, warn=progress.note)
        progress.clear()
        return index

    def opened(site: Site) -> None:
        render_target(console, site.summary)

    interpreters = [
        Interpreter(python, no_sandbox=request.no_sandbox) for python in request.pythons
    ]
    return Builds(interpreters, request.wish, found, opened, no_sandbox=request.no_sandbox)


def _baseline(request: HuntingRequest) -> str:
    """The interpreter that the items are to be compared with, "" for the one that each has kept.

    Raises:
        CitadelError: when it is no interpreter that has a framework.
    """
    if request.baseline is None:
        return ""
    Interpreter(request.baseline, no_sandbox=request.no_sandbox)  # a mistake in it shows now
    path = shutil.which(request.baseline) or request.baseline
    return str(Path(path).absolute())  # the store may be gone on with elsewhere


class _Watch:
    """Tells a person how a hunt goes."""

    def __init__(self, console: Console, progress: Progress) -> None:
        self._console = console
        self._progress = progress
        self.done = 0
        self.no_case: Counter[str] = Counter()
        self.cut = 0

    def ended(self, ended: Ended) -> None:
        """One line for each case with what it found, and for what failed."""
        self.done += 1
        told = ended.triage
        name = "" if told is None else _name(told.repository, told.number, told.input)
        if ended.state is State.FAILED:
            self._progress.note(plain(f"failed: {name or 'a report'}: {ended.reason}"))
        elif told is None:
            return
        elif told.case is None:
            self.no_case[told.skipped or "not reproduced"] += 1
        elif ended.item.key.stage is Stage.PROPAGATE:
            case, bugs = told.case, len(told.bugs)
            self.cut += told.cut is not None
            siblings = f"{counted(bugs, 'sibling')}, {ended.new} new to the store"
            fixed = "" if case.reproduces else ", fixed here"
            line = f"{name} {case.api} ({case.kind}{fixed}): {siblings if bugs else 'no sibling'}"
            self._console.print(shorten(plain(line), 200), markup=False, soft_wrap=True)

    def standing(self, standing: Standing) -> None:
        """The bar: items, findings, rate, time left."""
        rate = standing.done / standing.seconds * 60 if standing.seconds else 0.0
        left = time.strftime("%H:%M:%S", time.gmtime(standing.left))
        days = f"{standing.left // 86400:.0f} days " if standing.left >= 86400 else ""
        self._progress.update("items", standing.done, standing.done + standing.waiting)
        self._progress.describe(
            "items", f"{standing.found} findings, {rate:.0f} items/min, {days}{left} left"
        )


def _say_enlisted(console: Console, enlisted: Enlisted) -> None:
    reports, new = counted(enlisted.reports, "report"), counted(enlisted.queued, "new item")
    console.print(f"{reports}, {new}", markup=False)
    _say_reasons(console, "not run", enlisted.refused, "all in the table refusals")


def _say_end(console: Console, hunted: Hunted, watch: _Watch) -> None:
    console.print()
    _say_reasons(console, "no case", watch.no_case, "all in the table items")
    done, new = counted(hunted.done, "item"), counted(hunted.found, "new finding")
    console.print(f"{done} in {hunted.seconds:.0f} s, {new}", markup=False)
    if watch.cut:
        told = f"not all siblings were tried of {counted(watch.cut, 'case')}"
        larger = "--attempts, --replays, --per-report or --siblings"
        console.print(f"{told}: a hunt with larger {larger} goes on there", markup=False)
    if hunted.waiting:
        dropped = f", {hunted.dropped} of them under way" if hunted.dropped else ""
        open_ = counted(hunted.waiting, "item")
        console.print(f"still open: {open_}{dropped}: the same command goes on", markup=False)


def _say_interrupted(console: Console, watch: _Watch) -> None:
    console.print()
    console.print(
        f"stopped after {counted(watch.done, 'item')}; what was under way is queued again: "
        "the same command goes on",
        markup=False,
        soft_wrap=True,
    )


def _say_reasons(console: Console, what: str, reasons: Counter[str], elsewhere: str) -> None:
    shown = len(reasons) if len(reasons) <= MOST_REASONS + 1 else MOST_REASONS
    for reason, count in reasons.most_common(shown):
        told = f"{what} {count:,}: {shorten(plain(reason), 150)}"
        console.print(told, markup=False, soft_wrap=True)
    rest = len(reasons) - shown
    if rest:
        console.print(f"and {counted(rest, 'further reason')}, {elsewhere}")


def _name(repository: str | None, number: int | None, source: str) -> str:
    return source if number is None else f"{repository or ''}#{number}"
