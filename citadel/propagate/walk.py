"""Walk the ranking, round by round, until the budget or patience ends.

In: candidates with their plans, in ranking order. Out: rounds of them to probe; one `Probed` per
API. Similarity orders, it does not cut: a walk goes on as long as findings keep coming, and other
forms of a finding come before what is left.

Nothing here depends on time or load: what comes next follows from what earlier rounds came to, so
that two runs on one build try the same APIs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from analysis.target.observation import Outcome
from analysis.target.session import Limits, Session
from citadel.limits import ATTEMPTS, MEASURED_REPLAYS, REPLAYS, SECONDS
from citadel.match.rank import Candidate
from citadel.model import Symptom
from citadel.plan.model import Adaptation
from citadel.propagate.probe import Attempt, ProbeOutcome, may_show_later, probe
from citadel.verify.verified import Verified

FIRST_ROUND, MOST_IN_ROUND = 24, 192
"""APIs of the first round, and of the largest one; each is twice as large as the one before."""
UNIT = 24
"""APIs that are probed by one run of the report's code."""
AT_LEAST = 150
"""APIs that every walk tries, budget permitting."""
PATIENCE = 1500
"""APIs in a row without a hit after which a walk ends."""
REPLAYS_ON_GPU, PROBES_ON_GPU = 6, 2
"""Processes on one GPU: those that start CUDA wait for each other. An H200 starts it 2.6 times a
second one by one, 5.4 times where 8 do so at a time, and 4.9 times where 16 do."""
SLOW = 0.25
"""Seconds of the report's own call from which on siblings are replayed without being probed."""

KILLED = frozenset((Outcome.MEMORY, Outcome.OUTPUT, Outcome.PROCESSES, Outcome.LOST))


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How far to walk: at most `siblings` APIs (None: all), so many `attempts` and `replays`, and
    no further than `patience` APIs behind the last hit (None: to the end).

    `attempts` are plans that are tried at the failing call, `replays` generated cases that are run
    and judged (None: as many as suit the kind of bug). After `seconds` a walk is cut, which is
    told: what it has found by then depends on the machine.
    """

    siblings: int | None = None
    attempts: int = ATTEMPTS
    replays: int | None = None
    seconds: float = SECONDS
    patience: int | None = PATIENCE

    def among(self, *, measured: bool) -> Walk:
        """The walk of a case, by whether its siblings have to be measured."""
        if self.replays is not None:
            return self
        return replace(self, replays=MEASURED_REPLAYS if measured else REPLAYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What the probe says about one API; `plan` is the one that hit, or the last one tried."""

    candidate: Candidate
    outcome: ProbeOutcome
    plan: Adaptation
    symptom: Symptom | None
    attempts: int = 1
    """How many of its plans were tried."""


Entry = tuple[Candidate, tuple[Adaptation, ...]]


class Progress:
    """What comes next along the ranking, and when to stop.

    It decides only by what it was told of rounds that have ended, in ranking order.
    """

    def __init__(self, entries: Sequence[Entry], walk: Walk) -> None:
        self.entries = list(entries if walk.siblings is None else entries[: walk.siblings])
        self.limited = len(self.entries) < len(entries)
        """Whether `siblings` has left some out."""
        self.walk = walk
        self.next = 0
        self.last_hit = 0
        self._places: dict[str, int] = {}
        self.attempts = 0
        self.replays = 0
        self._size = FIRST_ROUND

    def take(self) -> Sequence[Entry]:
        """The next round; empty when the walk is over, for now: a finding may prolong it."""
        if self._far() or self.exhausted:
            return ()
        chunk = self.entries[self.next : self.next + self._size]
        left = self.walk.attempts - self.attempts
        within: list[Entry] = []
        for entry in chunk:
            left -= len(entry[1])
            if left < 0:
                break
            within.append(entry)
        if len(within) < len(chunk):
            self.attempts = self.walk.attempts  # what is left is too little for the next API
        self._places |= {one.api.name: self.next + at for at, (one, _) in enumerate(within)}
        self.next += len(within)
        self._size = min(2 * self._size, MOST_IN_ROUND)
        return within

    @property
    def exhausted(self) -> bool:
        """Whether one of the budgets is spent."""
        return self.attempts >= self.walk.attempts or self.replays_left <= 0

    @property
    def replays_left(self) -> int:
        """How many generated cases may still be replayed."""
        return (self.walk.replays or 0) - self.replays

    @property
    def more(self) -> bool:
        """Whether the walk would go on if its budget were larger."""
        return self.next < len(self.entries) and not self._far()

    def _far(self) -> bool:
        """Whether the next place is too far behind the last hit."""
        if self.walk.patience is None:
            return False
        return self.next >= max(AT_LEAST, self.last_hit + self.walk.patience)

    def hit(self, name: str) -> None:
        """A hit of an API that was taken keeps the walk going."""
        self.last_hit = max(self.last_hit, self._places[name])

    def only(self, kept: Callable[[Entry], bool]) -> None:
        """Of what is still to come, keep these alone."""
        self.entries[self.next :] = filter(kept, self.entries[self.next :])

    def found(self, position: int, kin: Collection[str]) -> None:
        """A finding: its `kin`, of what is still to come, are the next to be tried."""
        # What has come early for being kin of another one is no reason to go on for longer.
        self.last_hit = max(self.last_hit, min(position, self.next))
        left = self.entries[self.next :]
        self.entries[self.next :] = sorted(left, key=lambda one: one[0].api.name not in kin)


def units(chunk: Sequence[Entry]) -> list[Sequence[Entry]]:
    """A round in the parts that are probed together."""
    return [chunk[at : at + UNIT] for at in range(0, len(chunk), UNIT)]


def unprobed(verified: Verified) -> bool:
    """Whether a probe would take as long as a replay, or cannot tell what one would."""
    untraced = verified.witness is not None and verified.witness.untraced
    # Where nothing can be forked, one run of the case cannot go on with many results in turn.
    later = verified.observation.on_gpu and may_show_later(verified)
    slow = verified.measured is not None and verified.call.seconds >= SLOW
    return untraced or later or slow


def as_if_probed(verified: Verified, chunk: Sequence[Entry]) -> list[Probed]:
    """A round as if the probe had found each API of it worth a replay."""
    outcome = ProbeOutcome.CLEAN if verified.shown else ProbeOutcome.HIT
    return [
        Probed(candidate=candidate, outcome=outcome, plan=plans[0], symptom=None)
        for candidate, plans in chunk
    ]


def probed(
    verified: Verified,
    chunk: Sequence[Entry],
    session: Session,
    *,
    deadline: float,
    limits: Limits,
) -> list[Probed]:
    """One run of the case up to its failing call, with all APIs of a unit tried there."""
    best: dict[str, Attempt] = {}
    counts: dict[str, int] = {}
    reached: list[int] = []

    def on_attempt(attempt: Attempt) -> None:
        reached.append(attempt.number)
        name = attempt.plan.target
        counts[name] = counts.get(name, 0) + 1
        known = best.get(name)
        if known is None or _telling(attempt) > _telling(known):
            best[name] = attempt

    left = [plan for _, plans in chunk for plan in plans]
    while left:
        reached.clear()
        ended = probe(
            verified,
            left,
            session,
            seconds=max(1.0, deadline - time.monotonic()),
            limits=limits,
            on_attempt=on_attempt,
        )
        if ended.outcome not in KILLED or time.monotonic() >= deadline:
            break
        # One attempt took the whole run with it: leave it out, and go on behind it.
        left = left[max(reached, default=-1) + 2 :]
    return [
        Probed(
            candidate=candidate,
            outcome=attempt.outcome,
            plan=attempt.plan,
            symptom=attempt.symptom,
            attempts=counts[candidate.api.name],
        )
        for candidate, _ in chunk
        if (attempt := best.get(candidate.api.name)) is not None
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
