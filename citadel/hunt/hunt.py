"""The hunt itself: take the most promising item, hand it to a worker, keep what comes back.

In: a store with open items, an executor, the builds in play. Out: rows. One transaction per item
that ends: a kill at any moment loses what was running, nothing else. What measures time or memory
runs while nothing else does.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from analysis.errors import CitadelError
from citadel.hunt.builds import Site
from citadel.hunt.executor import Answer, Executor, Job, Outcome
from citadel.hunt.schedule import Schedule
from citadel.model import BugKind, Cut, Triage, VerdictKind
from citadel.options import Options
from citadel.report.cases import write_cases
from citadel.store import items, reports, results
from citadel.store.database import Store
from citadel.store.items import Allowed, Item, Key, Lot, Stage, State

TICK = 0.5
GRACE = 0.1
"""Share of the budget by which items that are under way may exceed it."""
MOST_LOST = 3
"""Workers that an item may lose before it is to blame, and not whoever took them away."""
MOST_FAILURES = 20
"""Items in a row that fail, after which something else is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HuntRequest:
    """What a hunt may use: seconds (None: no limit), further attempts, a folder for cases; `since`
    is the `time.monotonic()` at which the seconds began (None: when it looks for its first item).
    """

    options: Options
    out: Path
    budget: float | None = None
    retries: int = 1
    since: float | None = None

    @property
    def allowed(self) -> Allowed:
        """What of it decides what is open."""
        walk = self.options.walk
        return Allowed(
            retries=self.retries,
            seconds=walk.seconds,
            attempts=walk.attempts,
            replays=walk.replays,
            siblings=walk.siblings,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a hunt is doing, for those who watch; `left` is in seconds of wall time."""

    done: int
    waiting: int
    found: int
    seconds: float
    left: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How an item ended, for those who watch."""

    item: Item
    state: State
    triage: Triage | None
    new: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunted:
    """What a hunt did. `dropped` items were under way when it stopped: they are queued again."""

    done: int
    found: int
    waiting: int
    dropped: int
    seconds: float


class Hunt:
    """One hunt; `told` hears of every item that ends, `standing` of the progress."""

    def __init__(
        self,
        store: Store,
        executor: Executor,
        sites: Mapping[str, Site],
        request: HuntRequest,
        *,
        told: Callable[[Ended], None] = lambda _ended: None,
        standing: Callable[[Standing], None] = lambda _standing: None,
    ) -> None:
        self._store = store
        self._executor = executor
        self._sites = sites
        self._request = request
        self._told = told
        self._standing = standing
        self._schedule = Schedule(items.past(store))
        self._running: dict[int, Item] = {}
        self._lost: Counter[int] = Counter()
        self._started = time.monotonic()
        self._failures = self._done = self._found = 0

    def run(self) -> Hunted:
        """Work until nothing is open or the budget is spent.

        Raises:
            CitadelError: when the store or a case cannot be written, or all items fail.
            KeyboardInterrupt: after Ctrl-C; what was under way is queued again.
        """
        dropped = 0
        try:
            while True:
                waiting = self._fill()
                if not self._running:
                    break
                # However short the budget is, one item ends: else no hunt would ever get on.
                if self._late(GRACE) and self._done:
                    break
                for outcome in self._executor.outcomes(TICK):
                    self._keep(outcome)
                self._tell(waiting)
        finally:
            dropped = items.requeue(self._store, list(self._running))
        return Hunted(
            done=self._done,
            found=self._found,
            waiting=sum(lot.waiting for lot in self._lots()),
            dropped=dropped,
            seconds=time.monotonic() - self._started,
        )

    def _left(self) -> float:
        """Seconds that the budget leaves; below zero when it is spent."""
        spent = time.monotonic() - (self._request.since or self._started)
        return (self._request.budget or float("inf")) - spent

    def _late(self, grace: float = 0.0) -> bool:
        return self._left() < -grace * (self._request.budget or 0.0)

    def _lots(self) -> list[Lot]:
        return items.lots(self._store, self._request.allowed, list(self._sites))

    def _fill(self) -> list[Lot]:
        """Give all free workers something to do; returns what is still open."""
        while True:
            lots = self._lots()
            if any(item.exclusive for item in self._running.values()):
                return lots
            if self._late() and (self._done or self._running):
                return lots
            lot = self._schedule.best(lots)
            room = self._executor.slots
            room = min(1, room) if lot is not None and lot.exclusive else room
            if lot is None or len(self._running) >= room:
                return lots
            item = items.take(self._store, lot, self._request.allowed)
            if item is None:
                return lots
            self._running[item.id] = item
            try:
                job = self._job(item)
            except CitadelError as problem:  # the text of its report is gone
                self._keep(Outcome(item=item.id, seconds=0.0, died=problem.message))
            else:
                self._executor.submit(job)

    def _job(self, item: Item) -> Job:
        return Job(
            item=item.id,
            stage=item.key.stage,
            report=reports.report_of(self._store, item.key.report),
            where=replace(self._sites[item.key.build].where, baseline=item.baseline),
            exclusive=item.exclusive,
            options=self._request.options,
        )

    def _keep(self, outcome: Outcome) -> None:
        """One item has ended: everything about it is written at once."""
        item = self._running[outcome.item]
        answer = outcome.answer
        self._lost[item.id] += outcome.lost
        if outcome.lost and self._lost[item.id] < MOST_LOST:
            items.requeue(self._store, [item.id])
            del self._running[outcome.item]
            return
        if answer is not None and answer.misplaced:
            with self._store.transaction():
                items.alone(self._store, item)
            del self._running[outcome.item]
            return
        if answer is not None:
            site = self._sites[item.key.build]
            written = answer.triage
            if item.key.stage is Stage.PROPAGATE:
                written = write_cases(self._request.out, site.summary, written)
            answer = replace(answer, triage=written)
        with self._store.transaction():
            ended = self._written(item, answer, outcome)
        del self._running[outcome.item]
        self._done += 1
        self._found += ended.new
        self._schedule.learn(
            item.key.stage, item.topic, found=self._yield(ended), seconds=outcome.seconds
        )
        self._told(ended)
        self._failures = self._failures + 1 if ended.state is State.FAILED else 0
        if self._failures >= MOST_FAILURES:
            raise CitadelError(
                f"{MOST_FAILURES} items in a row failed, the last one so: {ended.reason}",
                "mend that; the same command goes on, further attempts with --retry",
            )

    @staticmethod
    def _yield(ended: Ended) -> int:
        """What counts of an item: a verification yields a case, what follows yields findings."""
        if ended.item.key.stage is Stage.PROPAGATE:
            return ended.new
        return int(ended.triage is not None and ended.triage.case is not None)

    def _written(self, item: Item, answer: Answer | None, outcome: Outcome) -> Ended:
        """Write the rows of an item that ended."""
        key, triage = item.key, None if answer is None else answer.triage
        error = outcome.died if triage is None else (triage.error or "")
        new = 0
        if triage is None or answer is None or error:
            state, reason = State.FAILED, error
        elif key.stage is Stage.VERIFY:
            state, reason = self._verified(item, triage)
        else:
            state, reason = _confidence(triage)
            new = results.save_findings(self._store, key.report, key.build, triage, answer.kin)
        ended = Ended(item=item, state=state, triage=triage, new=new, reason=reason)
        items.end(
            self._store,
            item,
            state,
            seconds=outcome.seconds,
            found=self._yield(ended),
            reason=reason,
            cut=None if triage is None else triage.cut,
            limit=None if triage is None else self._limit(triage),
        )
        return ended

    def _limit(self, triage: Triage) -> float | None:
        """How much the triage was allowed of what cut it short."""
        measured = triage.case is not None and triage.case.kind is BugKind.PERFORMANCE
        walk = self._request.options.walk.among(measured=measured)
        limits = {
            Cut.SECONDS: walk.seconds,
            Cut.ATTEMPTS: walk.attempts,
            Cut.REPLAYS: walk.replays,
            Cut.SIBLINGS: walk.siblings,
        }
        return None if triage.cut is None else limits.get(triage.cut)

    def _verified(self, item: Item, triage: Triage) -> tuple[State, str]:
        """Keep a case, and queue what follows from it."""
        case = triage.case
        if case is None:
            return State.DONE, triage.skipped or ""
        results.save_case(self._store, item.key.report, item.key.build, triage)
        items.add(
            self._store,
            Key(report=item.key.report, build=item.key.build, stage=Stage.PROPAGATE),
            str(case.symptom.kind),
            cost=float(len(case.code)),
            exclusive=case.kind is BugKind.PERFORMANCE,
            baseline=item.baseline,
        )
        hits, runs = case.runs
        if case.reproduces and hits < runs:
            return State.FLAKY, f"shows in {hits} of {runs} runs"
        return State.DONE, ""

    def _tell(self, lots: list[Lot]) -> None:
        left = self._schedule.seconds(lots) / max(1, self._executor.slots)
        self._standing(
            Standing(
                done=self._done,
                waiting=sum(lot.waiting for lot in lots) + len(self._running),
                found=self._found,
                seconds=time.monotonic() - self._started,
                left=max(0.0, min(left, self._left())),
            )
        )


def _confidence(triage: Triage) -> tuple[State, str]:
    """Whether a propagation has to be looked at again."""
    if triage.case is None:
        return State.FLAKY, f"not reproduced again: {triage.skipped}"
    unsure = [
        finding.api
        for finding in triage.findings
        if finding.verdict.kind in (VerdictKind.FLAKY, VerdictKind.NOISY)
    ]
    if unsure:
        return State.FLAKY, f"{len(unsure)} verdicts are flaky or noisy"
    if triage.unconfirmed:
        return State.DONE, f"{triage.unconfirmed} hits were not replayed within the budget"
    if triage.cut:
        return State.DONE, "not all siblings were tried"
    return State.DONE, ""
