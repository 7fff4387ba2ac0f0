"""The siblings of one verified case: plan, rank, probe, rewrite, judge.

In: a `Verified` case and a `Workbench`. Out: a `Finding` per sibling as soon as its verdict stands,
and afterwards what is worth telling of all.

The work is done in steps: while one round of the ranking is probed, the hits of the round before
are replayed. What comes next is decided between two steps only, in ranking order, so that neither
load nor the number of processes changes the answer.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from analysis.catalog.model import Api
from analysis.target.session import Session
from analysis.values import Value
from citadel.evidence.confidence import weighed
from citadel.evidence.controls import Controls
from citadel.evidence.trigger import find_trigger, reruns_of
from citadel.experiment import Trigger
from citadel.judge.values import GIVES_NOTHING
from citadel.match.family import parse
from citadel.match.rank import tables
from citadel.model import Channels, Cut, Finding, SymptomKind, Verdict, VerdictKind
from citadel.options import Options
from citadel.oracle import status
from citadel.plan.invocation import Invocation
from citadel.plan.model import FIRST, Adaptation
from citadel.propagate.base_rate import FLOOD, BaseRate, unrelated
from citadel.propagate.callees import callees
from citadel.propagate.candidates import candidates
from citadel.propagate.judging import Judging
from citadel.propagate.pool import Pool, as_they_end
from citadel.propagate.probe import ProbeOutcome
from citadel.propagate.results import as_many, as_one, gives_several
from citadel.propagate.trial import Trial, as_finding
from citadel.propagate.uses import Uses
from citadel.propagate.walk import (
    AT_LEAST,
    PROBES_ON_GPU,
    REPLAYS_ON_GPU,
    Entry,
    Probed,
    Progress,
    Walk,
    as_if_probed,
    probed,
    units,
    unprobed,
)
from citadel.rewrite.rewriter import Rewritten
from citadel.verify.verified import Verified
from citadel.workbench import Workbench
from harvest.report.text import shorten

REFUSABLE = (SymptomKind.CRASHES, SymptomKind.HANGS, SymptomKind.ACCEPTS)
"""Symptoms of calls that should have been refused: a sibling that raises does that."""
RETURNS = "returns, tried on the arguments of the failing call"
SHOWS = (ProbeOutcome.HIT, VerdictKind.BUG)
WELL = (ProbeOutcome.CLEAN, VerdictKind.CLEAN, VerdictKind.EXPECTED)
FLOODED = Verdict(
    kind=VerdictKind.ALIKE,
    runs=(0, 1),
    confidence=0.0,
    reason=f"not replayed: {FLOOD} unrelated operations in a row show the symptom",
)
MOST_REPLAYED = 600
"""APIs whose values are looked at behind the last finding: each has to be replayed for that."""


class Propagation:
    """Carries one case over to its siblings; `findings` does the work, once. `two_ways`: the case
    compares two ways to make a call, which should agree."""

    def __init__(
        self, verified: Verified, bench: Workbench, options: Options, *, two_ways: bool = False
    ) -> None:
        self.verified = verified
        self.two_ways = two_ways
        self.bench = bench
        walk = options.walk.among(measured=verified.measured is not None)
        self.options = replace(options, walk=walk)
        self.tried = 0
        self.unconfirmed = 0
        self.cut: Cut | None = None
        self._found: dict[str, Finding] = {}
        self._plans: dict[str, tuple[Adaptation, ...]] = {}
        self._rank: dict[str, int] = {}
        self._families: defaultdict[str, set[str]] = defaultdict(set)
        self._base_rate = BaseRate(bench.operations.of)
        self._deadline = math.inf
        self._uses = Uses(verified, bench)
        self._judging = Judging(verified, bench, options, self._uses)
        self._controls = self._controls_of(Trigger())
        self._progress = Progress((), walk)
        self._open: dict[str, Trial] = {}
        """Siblings with cases that are still to be replayed."""

    def findings(self, on_progress: Callable[[str, int, int], None] | None) -> Iterator[Finding]:
        """Probe, and replay what hits beside it; yields each finding when its verdict stands."""
        if not self.verified.tells:
            return
        # Found out before threads share the sessions.
        self._controls = self._controls_of(self.trigger)
        called = self._callees()
        self._uses.ran(called)
        entries = self._entries(called)
        self._plans = {candidate.api.name: plans for candidate, plans in entries}
        self._rank = {name: position for position, name in enumerate(self._plans)}
        for candidate, _ in entries:
            self._families[_family(candidate.api)].add(candidate.api.name)
        self._progress = Progress(entries, self._walk())
        # However busy the machine is when plans are made, siblings get their time.
        self._deadline = time.monotonic() + self.options.walk.seconds
        on_gpu = self.verified.observation.on_gpu
        probes = Pool(self.bench.probes[: PROBES_ON_GPU if on_gpu else None])
        replays = Pool(self.bench.replays[: REPLAYS_ON_GPU if on_gpu else None])
        try:
            while (step := self._next_step()) is not None:
                yield from self._step(*step, probes, replays, on_progress)
            self.cut = self._cut()
            self._keep_unfinished()
        except KeyboardInterrupt:
            self._deadline = 0.0
            self.bench.abort()
            raise
        finally:
            probes.close()  # the next report needs the sessions
            replays.close()

    def _next_step(self) -> tuple[Sequence[Entry], Sequence[Trial]] | None:
        """What to probe, and of which siblings to replay the next case beside it; None at the end.

        Everybody's first case comes before anybody's second: the most plausible ones show nearly
        all bugs.
        """
        if time.monotonic() >= self._deadline:
            return None
        chunk = self._progress.take()
        turns = {trial.turn for trial in self._open.values()}
        turn = 0 if chunk else min(turns, default=0)
        trials = [trial for trial in self._open.values() if trial.turn == turn]
        trials = sorted(trials, key=self._place)[: self._progress.replays_left]
        return (chunk, trials) if chunk or trials else None

    def _step(
        self,
        chunk: Sequence[Entry],
        trials: Sequence[Trial],
        probes: Pool,
        replays: Pool,
        on_progress: Callable[[str, int, int], None] | None,
    ) -> Iterator[Finding]:
        """Probe a round and replay a case of each of these siblings, all at once; then take note
        of what both came to, in ranking order."""
        told = on_progress or (lambda _stage, _done, _all: None)
        work: list[Future[Any]] = [replays.submit(partial(self._tried, one)) for one in trials]
        seen: list[Probed] = []
        if unprobed(self.verified):
            seen = as_if_probed(self.verified, chunk)
            told("siblings", self.tried + len(seen), len(self._progress.entries))
        else:
            work += [probes.submit(partial(self._probed, unit)) for unit in units(chunk)]
        for future in as_they_end(work, self._deadline):
            found = future.result()
            if isinstance(found, Finding):
                self._found[found.api] = found
                yield self._weighed(found)
            elif found is not None:
                for one in found:
                    seen.append(one)
                    told("siblings", self.tried + len(seen), len(self._progress.entries))
        for trial in trials:
            self._note_replays(trial)
        for one in sorted(seen, key=lambda one: self._rank[one.candidate.api.name]):
            if one.outcome is not ProbeOutcome.BUDGET:
                self._note_probed(one)

    def _probed(self, unit: Sequence[Entry], session: Session) -> list[Probed]:
        return probed(
            self.verified, unit, session, deadline=self._deadline, limits=self.options.limits
        )

    def _note_probed(self, one: Probed) -> None:
        """What the probe says of an API: a hit is to be replayed."""
        self.tried += 1
        self._progress.attempts += one.attempts
        name = one.candidate.api.name
        if not self.verified.shown:
            self._note_unrelated(name, one.candidate.channels, one.outcome)
        if one.outcome is ProbeOutcome.HIT:
            self._progress.hit(name)
        if one.outcome is self._telling:
            self._open[name] = self._trial(one, self._plans[name])
        else:
            self._found[name] = _unconfirmed(one, self.verified)

    def _note_replays(self, trial: Trial) -> None:
        """What replays say of a sibling: its kin come next where it is a finding."""
        self._progress.replays += trial.take_replays()
        found = self._found.get(trial.name)
        if found is None:
            return
        del self._open[trial.name]
        if self.verified.shown:
            self._note_unrelated(trial.name, trial.candidate.channels, found.verdict.kind)
        if found.verdict.kind is VerdictKind.BUG:
            self._progress.found(self._place(trial), self._kin(trial.candidate.api))

    def _place(self, trial: Trial) -> int:
        return self._rank[trial.name]

    def _cut(self) -> Cut | None:
        """Which limit the walk ended at, if it had not come to its own end."""
        progress = self._progress
        if time.monotonic() >= self._deadline and (self._open or progress.more):
            return Cut.SECONDS
        if self._open and progress.replays_left <= 0:
            return Cut.REPLAYS
        if progress.more:
            return Cut.REPLAYS if progress.replays_left <= 0 else Cut.ATTEMPTS
        return Cut.SIBLINGS if progress.limited else None

    @property
    def use(self) -> Invocation:
        """The report's call."""
        return self._uses.invocation

    @cached_property
    def trigger(self) -> Trigger:
        """What brings the report's bug about: found out in the first session where it is first
        asked for."""
        session, limits = self.bench.replays[0], self.options.limits
        again = reruns_of(self.verified, self.use, session, self.bench.catalog, limits)
        if again is None:
            return Trigger()
        case, wall = self.verified, self.verified.observation.wall
        accepts = case.case.symptom.kind is SymptomKind.ACCEPTS
        curable = case.contradiction is not None or not accepts
        return find_trigger(again, self.use, case.api, wall, curable=curable)

    def _controls_of(self, trigger: Trigger) -> Controls:
        return Controls(
            verified=self.verified,
            trigger=trigger,
            invocation=self._uses.invocation,
            catalog=self.bench.catalog,
            limits=self.options.limits,
        )

    def _callees(self) -> Mapping[str, Mapping[str, Value]]:
        """What runs within the failing call."""
        session = self.bench.replays[0]
        return callees(self.verified, session, self.bench.catalog, self.options.limits)

    def _entries(self, called: Collection[str]) -> list[Entry]:
        """What may be a sibling, with its plans, the likeliest first."""
        matched = self.options.matches.of(self.verified.api, self.bench.catalog)
        use = self._uses.invocation
        entries = candidates(use, self.bench, self.options.mode, called, matched)
        symptom = self.verified.case.symptom
        of_dtype = status.unavailable(symptom) and not status.lacked_by_compiler(symptom)
        return _as_given(entries) if of_dtype else entries

    def _kin(self, api: Api) -> set[str]:
        """What bears an API's name, in other forms, and the operators that it calls."""
        return self._families[_family(api)] | tables(self.bench.index).operators(api)

    @property
    def _telling(self) -> ProbeOutcome:
        """What of the probe makes a replay worth while: for values, that the call runs at all."""
        return ProbeOutcome.CLEAN if self.verified.shown else ProbeOutcome.HIT

    def _walk(self) -> Walk:
        walk = self.options.walk
        if not self.verified.shown or walk.patience is None:
            return walk
        return replace(walk, patience=min(walk.patience, MOST_REPLAYED))

    def done(self) -> tuple[Finding, ...]:
        """What is worth telling: all hits, and what became of the best-ranked others."""
        telling = (VerdictKind.BUG, VerdictKind.ALIKE, VerdictKind.FLAKY)
        kept = [
            finding
            for name, finding in self._found.items()
            if finding.verdict.kind in telling or self._rank[name] < AT_LEAST or finding.code
        ]
        kept.sort(key=lambda f: (f.verdict.kind is not VerdictKind.BUG, self._rank[f.api]))
        return tuple(map(self._weighed, kept))

    def _weighed(self, finding: Finding) -> Finding:
        """The finding with what it rests on, now that it is known how many others show it."""
        return weighed(finding, self.verified, self._base_rate.rate, self.options.least_confidence)

    def control(self) -> str | None:
        """A warning when most unrelated APIs fail the same way."""
        return self._base_rate.told()

    def _keep_unfinished(self) -> None:
        """Of siblings with further cases that were not replayed: the best of those that were."""
        self._found |= {name: one.best for name, one in self._open.items() if one.best is not None}
        self.unconfirmed = sum(one.best is None for one in self._open.values())

    def _trial(self, probed: Probed, planned: tuple[Adaptation, ...]) -> Trial:
        """What a sibling may show: of values first the plan that gives it all tensors in one, then
        the plan that told something, then the others like it."""
        taken = (plan for plan in planned if probed.plan.cast or not plan.cast)
        planned = tuple(plan.shaped(probed.plan) for plan in taken)
        ordered = [probed.plan, *(plan for plan in planned if plan != probed.plan)]
        witness = self.verified.witness
        if self.verified.shown:
            ordered = [plan.as_computed() for plan in ordered]
        if witness is not None:
            ordered.sort(key=lambda plan: plan.loses or not plan.stacks)
        if witness is not None and witness.of_values:
            ordered.sort(key=lambda plan: not plan.reshapes)  # its result is the report's own
        return Trial(
            candidate=probed.candidate,
            plans=ordered,
            write=self._uses.write,
            most=self.options.adaptations,
        )

    def _tried(self, trial: Trial, session: Session) -> Finding | None:
        """Replay the sibling's next case, and what mends its plan; None where it has more."""
        turn = trial.turn
        while trial.turn == turn and time.monotonic() < self._deadline:
            case = trial.next_case()
            if case is None:
                return trial.end()
            plan, written = case
            verdict = self._judging.verdict(written, plan, trial.candidate, session)
            found = trial.note(verdict, written)
            if verdict.kind is VerdictKind.BUG:
                evidence = self._controls.of(written, plan, trial.candidate.api, session)
                found = replace(found, evidence=replace(evidence, contradicts=self.two_ways))
                return self._judging.everywhere(found, plan, trial.candidate, session)
            if verdict.rule == GIVES_NOTHING:
                trial.next(plan.for_effect())
            elif gives_several(verdict) and FIRST not in plan.after:
                trial.next(plan.first())
            elif (reduced := as_one(plan, verdict, self.verified.witness)) is not None:
                trial.next(reduced)
            elif (unpacked := as_many(plan, verdict)) is not None:
                trial.next(unpacked)
            elif not trial.fronted and (alone := self._in_front(plan, verdict)) is not None:
                trial.front(plan, alone)
            else:
                trial.turn += 1
        return None

    def _in_front(self, plan: Adaptation, verdict: Verdict) -> Rewritten | None:
        """The plan in front of the report's own call, where the text cannot go on with what the
        sibling gives: it was to fail, and something else has."""
        other = (VerdictKind.DIFFERENT, VerdictKind.NOT_ADAPTED)
        return self._uses.in_front(plan) if verdict.kind in other else None

    def _note_unrelated(self, name: str, channels: Channels, kind: object) -> None:
        """Count an API for the base rate; in a flood of refusals time goes to the near ones."""
        if kind not in SHOWS and kind not in WELL:
            return
        before = self._base_rate.flooded
        self._base_rate.note(name, channels, shows=kind in SHOWS)
        symptom = self.verified.case.symptom
        refuses = symptom.kind is SymptomKind.RAISES and not status.internal(symptom)
        if refuses and self._base_rate.flooded and not before:
            self._progress.only(lambda entry: not unrelated(entry[0].channels))
            for trial in [one for one in self._open.values() if unrelated(one.candidate.channels)]:
                self._found[trial.name] = as_finding(trial.candidate, FLOODED, (), "")
                del self._open[trial.name]


def _as_given(entries: Iterable[Entry]) -> list[Entry]:
    """Without plans that cast: in another dtype, what lacks a kernel for this one says nothing."""
    return [(one, tuple(plan for plan in plans if not plan.cast)) for one, plans in entries]


def _family(api: Api) -> str:
    return parse(api.name, api.kind).core


def _unconfirmed(probed: Probed, verified: Verified) -> Finding:
    """The verdict on an API that did not show the symptom on the live arguments."""
    seen = probed.symptom
    reason = shorten(seen.headline()) if seen is not None else None
    if probed.outcome is ProbeOutcome.CLEAN:
        kind = VerdictKind.CLEAN
    elif seen is not None and status.unavailable(seen):
        kind = VerdictKind.NEEDS
    elif probed.outcome is not ProbeOutcome.OTHER or seen is None:
        kind = VerdictKind.NOT_ADAPTED
    else:
        plain = seen.kind is SymptomKind.RAISES and not status.internal(seen)
        kind = VerdictKind.DIFFERENT
        if plain and verified.case.symptom.kind in REFUSABLE:
            kind = VerdictKind.REFUSED
        elif plain and verified.shown:
            kind = VerdictKind.NOT_ADAPTED
    guards = (RETURNS,) if kind is VerdictKind.CLEAN else ()
    verdict = Verdict(
        kind=kind, runs=(0, 1), confidence=0.0, symptom=seen, reason=reason, guards=guards
    )
    return as_finding(probed.candidate, verdict, probed.plan.edits, "")
