"""Walk the ranking: probe sibling after sibling in parallel, until the budget or patience ends.

In: candidates with their plans, in ranking order. Out: one `Probed` per API, as it is known; hits
come with the plan that hit. Similarity orders, it does not cut: a walk goes on as long as findings
keep coming, and what bears the name of a finding in another form comes before what is left.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from analysis.target.observation import Outcome
from analysis.target.session import Limits
from citadel.match.rank import Candidate
from citadel.model import Symptom
from citadel.plan.model import Adaptation
from citadel.propagate.probe import Attempt, ProbeOutcome, may_show_later, probe
from citadel.verify.verified import Verified
from citadel.workbench import Workbench

CHUNK = 48
FIRST_CHUNK = 12
"""Size of the first chunks: the likeliest siblings are known soonest."""
AT_LEAST = 150
"""APIs that every walk tries, budget permitting."""
PATIENCE = 1500
"""APIs in a row without a hit after which a walk ends."""
MOST_AHEAD = 48
"""Siblings that may wait for their first replay: to be further ahead is of no use to anybody."""
HITS_AHEAD = 200
"""The same where a walk knows by itself how far to go: the rest of the budget is for replays."""
REPLAYS_ON_GPU, PROBES_ON_GPU = 6, 2
"""Processes on one GPU: those that start CUDA wait for each other. An H200 starts it 2.6 times a
second one by one, 5.4 times where 8 do so at a time, and 4.9 times where 16 do."""
PAUSE = 0.02
SLOW = 0.25
"""Seconds of the report's own call from which on siblings are replayed without being probed."""
TICK = 0.2
"""Seconds without a result after which a walk gives others a turn."""

KILLED = frozenset((Outcome.MEMORY, Outcome.OUTPUT, Outcome.PROCESSES, Outcome.LOST))


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How far to walk: at most `siblings` APIs (None: all) and `seconds`, and no further than
    `patience` APIs behind the last hit (None: to the end).

    `measuring` are the seconds where siblings have to be measured, which takes each of them some.
    """

    siblings: int | None = None
    seconds: float = 60.0
    measuring: float | None = None
    patience: int | None = PATIENCE

    def among(self, *, measured: bool) -> Walk:
        """The walk of a case: what has to be measured may have a time of its own."""
        if not measured or self.measuring is None:
            return self
        return replace(self, seconds=self.measuring)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What the probe says about one API; `plan` is the one that hit, or the last one tried."""

    candidate: Candidate
    outcome: ProbeOutcome
    plan: Adaptation
    symptom: Symptom | None


Entry = tuple[Candidate, tuple[Adaptation, ...]]


class Waiting(Protocol):
    """The replays that a walk waits for."""

    def waiting(self) -> int:
        """How many are still to end."""

    def ahead(self) -> int:
        """How many siblings wait for their first one."""


class Progress:
    """Shared by the threads that probe and replay: what comes next, and when to stop.

    A walk does not run more than `ahead` siblings in front of the `replays`. Where only they find
    something, it could not know whether to go on.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        walk: Walk,
        replays: Waiting | None = None,
        ahead: int = MOST_AHEAD,
    ) -> None:
        self.replays = replays
        self.ahead = ahead
        self.entries = list(entries if walk.siblings is None else entries[: walk.siblings])
        self.deadline = time.monotonic() + walk.seconds
        self.patience = walk.patience
        self.lock = threading.Lock()
        self.next = 0
        self.last_hit = 0
        self.stopped = False

    def take(self) -> tuple[int, Sequence[Entry]]:
        """The next chunk; empty when the walk is over. Waits while too many replays do."""
        while True:
            waiting = self.replays is not None and self.replays.waiting() > 0
            ahead = 0 if self.replays is None else self.replays.ahead()
            with self.lock:
                start = self.next
                if self.stopped or time.monotonic() > self.deadline:
                    return start, ()
                far = self._far(start)
                if far and not waiting:
                    return start, ()
                if not far and ahead < self.ahead:
                    self.next = start + (FIRST_CHUNK if start < AT_LEAST else CHUNK)
                    return start, self.entries[start : self.next]
            time.sleep(PAUSE)

    def _far(self, start: int) -> bool:
        """Whether this place is too far behind the last hit."""
        if self.patience is None:
            return False
        return start >= max(AT_LEAST, self.last_hit + self.patience)

    def hit(self, position: int) -> None:
        """A hit at a position of the ranking keeps the walk going."""
        with self.lock:
            self.last_hit = max(self.last_hit, position)

    def found(self, position: int, kin: Collection[str]) -> None:
        """A finding: its `kin`, of what is still to come, are the next to be tried."""
        with self.lock:
            # What has come early for being kin of another one is no reason to go on for longer.
            self.last_hit = max(self.last_hit, min(position, self.next))
            left = self.entries[self.next :]
            self.entries[self.next :] = sorted(left, key=lambda one: one[0].api.name not in kin)


def walk(
    verified: Verified, progress: Progress, bench: Workbench, limits: Limits
) -> Iterator[Probed | None]:
    """Probe in ranking order on all probing sessions at once; yields results as they come.

    Yields None where nothing has come for a while: the walk may be waiting for replays, and whoever
    follows it need not wait with it.
    """
    if _hopeless(verified):
        yield from _unprobed(verified, progress)
        return
    results: queue.Queue[Probed | Exception | None] = queue.Queue()
    on_gpu = verified.observation.on_gpu

    def work(number: int) -> None:
        try:
            for result in _results(verified, bench, number, progress, limits):
                results.put(result)
        except Exception as problem:  # raised again in the main thread
            results.put(problem)
        finally:
            results.put(None)

    threads = [
        threading.Thread(target=work, args=(number,), daemon=True)
        for number in range(len(bench.probes[: PROBES_ON_GPU if on_gpu else None]))
    ]
    for thread in threads:
        thread.start()
    running = len(threads)
    try:
        while running:
            try:
                result = results.get(timeout=TICK)
            except queue.Empty:
                yield None
                continue
            if result is None:
                running -= 1
            elif isinstance(result, Exception):
                raise result
            else:
                yield result
    except KeyboardInterrupt:
        bench.abort()
        raise
    finally:
        progress.stopped = True
        for thread in threads:  # the next report needs the sessions
            thread.join()


def _hopeless(verified: Verified) -> bool:
    """Whether a probe would take as long as a replay, or cannot tell what one would."""
    untraced = verified.witness is not None and verified.witness.untraced
    # Where nothing can be forked, one run of the case cannot go on with many results in turn.
    later = verified.observation.on_gpu and may_show_later(verified)
    slow = verified.measured is not None and verified.call.seconds >= SLOW
    return untraced or later or slow


def _unprobed(verified: Verified, progress: Progress) -> Iterator[Probed]:
    """All of them, as if the probe had found them worth a replay.

    Where the call itself takes long, a probe takes as long as a replay. A probe follows calls, and
    what is compiled whole shows nothing then.
    """
    outcome = ProbeOutcome.CLEAN if verified.shown else ProbeOutcome.HIT
    while chunk := progress.take()[1]:
        for candidate, plans in chunk:
            yield Probed(candidate=candidate, outcome=outcome, plan=plans[0], symptom=None)


def _results(
    verified: Verified, bench: Workbench, number: int, progress: Progress, limits: Limits
) -> Iterator[Probed]:
    """Chunk after chunk on one session."""
    while True:
        start, chunk = progress.take()
        if not chunk:
            return
        for offset, result in _chunk(verified, chunk, bench, number, progress, limits):
            if result.outcome is ProbeOutcome.HIT:
                progress.hit(start + offset)
            yield result


def _chunk(
    verified: Verified,
    chunk: Sequence[Entry],
    bench: Workbench,
    number: int,
    progress: Progress,
    limits: Limits,
) -> list[tuple[int, Probed]]:
    """One run of the case up to its failing call, with one chunk of APIs tried there."""
    places = {candidate.api.name: offset for offset, (candidate, _) in enumerate(chunk)}
    best: dict[str, Attempt] = {}
    reached: list[int] = []

    def on_attempt(attempt: Attempt) -> None:
        reached.append(attempt.number)
        known = best.get(attempt.plan.target)
        if known is None or _telling(attempt) > _telling(known):
            best[attempt.plan.target] = attempt

    left = [plan for _, plans in chunk for plan in plans]
    while left:
        reached.clear()
        ended = probe(
            verified,
            left,
            bench.probes[number],
            seconds=max(1.0, progress.deadline - time.monotonic()),
            limits=limits,
            on_attempt=on_attempt,
        )
        if ended.outcome not in KILLED or progress.stopped:
            break
        # One attempt took the whole run with it: leave it out, and go on behind it.
        left = left[max(reached, default=-1) + 2 :]
    return [
        (
            places[name],
            Probed(
                candidate=chunk[places[name]][0],
                outcome=attempt.outcome,
                plan=attempt.plan,
                symptom=attempt.symptom,
            ),
        )
        for name, attempt in best.items()
    ]


_ORDER = (
    ProbeOutcome.BUDGET,
    ProbeOutcome.NOT_ADAPTED,
    ProbeOutcome.OTHER,
    ProbeOutcome.CLEAN,
    ProbeOutcome.HIT,
)


def _telling(attempt: Attempt) -> int:
    return _ORDER.index(attempt.outcome)
