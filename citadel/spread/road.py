"""The second road of a triage: other APIs' own valid calls meet the report's trigger.

In: a verified case, its trigger, and a bench. Out: a `Finding` per API that goes wrong in the same
way, with its control. Unlike the first road (`citadel.propagate`), it needs no arguments of the
report's call to fit, and no check of the report's to tell.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from analysis.catalog.model import Api
from analysis.dynamic.model import Sample
from analysis.target.session import Session
from citadel.evidence.confidence import weighed
from citadel.evidence.controls import FLOOD
from citadel.experiment import Control, Evidence, Trigger, Under
from citadel.match.channels import rawness
from citadel.match.rank import Candidate, rank
from citadel.model import Finding, Road, Symptom, SymptomKind
from citadel.options import Options
from citadel.oracle import status
from citadel.plan.invocation import Invocation
from citadel.propagate.base_rate import BaseRate, unrelated
from citadel.propagate.pool import Pool
from citadel.spread.cases import Hit, replayed
from citadel.spread.derive import besides, relations_of
from citadel.spread.facts import Given
from citadel.spread.relation import Relation
from citadel.spread.samples import by_operation, described, reported
from citadel.spread.search import SEARCHED, Tally, spread
from citadel.spread.surroundings import surroundings
from citadel.traced import is_call_of
from citadel.verify.verified import Verified
from citadel.workbench import Workbench
from harvest.sources.eagle.finding import Finding as EagleFinding

UNRELATED = 120
"""Unrelated operations that are tried before the others: they tell how common the failure is."""
NEAREST = 100
"""Operations that are tried of a limitation that unrelated ones share."""
RUNS = 1
"""Runs of a case: what the search finds has been seen by then, in another process."""
OF_VALUES = (SymptomKind.DISAGREES, SymptomKind.ACCEPTS)
"""How a wrong value may show where a call is made in two ways."""
MOST_TRIED = 2
"""Facts at once of which fewer have been tried before."""
MOST_COMPILED = 100
"""Operations that are compared where each of them is compiled, and as many are tried at once."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A relation that the report's own API shows, and the known limit that explains it."""

    relation: Relation
    limit: str


@dataclass(kw_only=True)
class SecondRoad:
    """Carries one trigger over; `findings` does the work, once. `seconds` are a cap."""

    verified: Verified
    trigger: Trigger
    use: Invocation
    bench: Workbench
    options: Options
    seconds: float
    known: Collection[str] = ()
    """APIs that are findings already."""
    tally: Tally = field(default_factory=Tally)
    relation: Relation | None = None
    """How the bug was asked for; None where nothing was."""
    _deadline: float = field(init=False)
    _own: Sample | None = field(init=False, default=None)
    """A further call of the report's API."""
    _found: dict[str, Finding] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.seconds

    def findings(self) -> Iterator[Finding]:
        """The findings as they are found; those of what else may be asked come first, as most plain
        calls are quick to tell that they have none."""
        self.relation = self._relation()
        if self.relation is None:
            return
        for one in besides(self.relation):
            if self._shown(one) is not None:
                yield from self._asked(one)
        yield from self._asked(self.relation)

    def _asked(self, relation: Relation) -> Iterator[Finding]:
        """What one relation finds."""
        tally = Tally()
        try:
            yield from self._tried(relation, tally)
        finally:
            self.tally.add(tally)

    def _tried(self, relation: Relation, tally: Tally) -> Iterator[Finding]:
        """First one form of each operation, then further forms of those that go wrong, and of those
        of which the first one could not be compared."""
        ranked = rank(self.verified.api, self.bench.index)[: self.options.walk.siblings]
        candidates = {
            one.api.name: one
            for one in ranked
            if one.api.name not in {*self.known, *self._found} and not relation.documented(one.api)
        }
        operation = self.bench.operations.of
        ordered = by_operation((one.api for one in candidates.values()), operation)
        first = len({operation(api.name) for api in ordered})
        asked: set[str] = set()
        for part in self._parts(relation, ordered[:first], candidates, tally):
            asked |= {operation(api.name) for api in part}
            for hit in self._hits(relation, part, tally):
                yield self._finding(hit, relation, candidates[hit.api])
        again = {operation(name) for name in self._found}
        if not relation.compiles:
            again |= asked - {operation(name) for name in tally.valid}
        further = [api for api in ordered[first:] if operation(api.name) in again]
        for hit in self._hits(relation, further, tally):
            yield self._finding(hit, relation, candidates[hit.api])

    def _parts(
        self,
        relation: Relation,
        apis: Sequence[Api],
        candidates: Mapping[str, Candidate],
        tally: Tally,
    ) -> Iterator[Sequence[Api]]:
        """What is tried at once. Where failing is the symptom, some unrelated operations come
        first: if it is a limitation that they share, only the nearest ones follow. Where each is
        compiled, enough are compared at some time."""
        if relation.compiles:
            for start in range(0, len(apis), MOST_COMPILED):
                if len(tally.valid) < MOST_COMPILED:
                    yield apis[start : start + MOST_COMPILED]
            return
        if not relation.fails:
            yield apis
            return
        far = [api for api in apis if unrelated(candidates[api.name].channels)][:UNRELATED]
        yield far
        known = {api.name for api in far}
        rest = [api for api in apis if api.name not in known]
        shared = self._base_rate(candidates, tally) >= FLOOD
        yield rest[:NEAREST] if shared else rest

    def _base_rate(self, candidates: Mapping[str, Candidate], tally: Tally) -> float:
        """The share of unrelated operations that fail under the trigger; 0 where too few did it."""
        rate = BaseRate(self.bench.operations.of)
        for name in tally.valid | (self._found.keys() & candidates.keys()):
            rate.note(name, candidates[name].channels, shows=name in self._found)
        return rate.rate or 0.0

    def _relation(self) -> Relation | None:
        """The simplest way to ask for the bug under which valid calls of the report's own API show
        it, and what these show; where no call of it is known, all facts together."""
        framework = self.bench.index.framework
        possible = [
            one
            for one in relations_of(self.verified, self.trigger, self.use, self._surroundings())
            if framework in SEARCHED and not one.lacking(framework)
        ]
        source = self.verified.api
        if described(self.bench.index, source) is None:
            self._own = self._reported
        if possible and described(self.bench.index, source, self._own) is None:
            told = [one for one in possible if self.trigger.cures or not one.sampled]
            told = [one for one in told if not _fixes(one)]
            return max(told, key=lambda one: len(one.infections), default=None)
        # What explains a difference of any other API explains none that the report tells of.
        explained = None
        wrong = {one.ways for one in possible if one.whole and self._shown(one) is None}
        for one, own in self._asks([one for one in possible if one.ways not in wrong]):
            self._own = own
            found = self._shown(one)
            if found is not None and not found.limit:
                return self._apart(self._simplest(found.relation))
            explained = explained or found
        return None if explained is None else explained.relation

    def _asks(self, possible: Sequence[Relation]) -> Iterator[tuple[Relation, Sample | None]]:
        """Relations in order, each with a further call of the report's API: of a failure that no
        other call of it shows, its own, cured, is asked before what holds for this API alone."""
        given, facts = self._own, [one for one in possible if not _fixes(one)]
        yield from ((one, given) for one in facts)
        if given is None and self._reported is not None:
            yield from ((one, self._reported) for one in facts if one.sampled and not one.guessed)
        yield from ((one, given) for one in possible if _fixes(one))

    def _surroundings(self) -> list[Given]:
        """What encloses the report's call, without which it does not fail."""
        session = self.bench.replays[0]
        run = partial(session.run, limits=self.options.limits)
        return surroundings(self.verified, self.bench.catalog, run)

    @cached_property
    def _reported(self) -> Sample | None:
        """The report's own call, cured. What else of its trigger it still has counts for nothing
        there: other calls of its API come first."""
        return reported(self.use, self.trigger.cures)

    def _shown(self, relation: Relation) -> _Shown | None:
        """Whether calls of the report's own API show the bug; preferably one that no known limit
        explains."""
        wanted, found = None if relation.asked else self._refusal(), None
        for hit in self._hits(relation, [self.verified.api], Tally(), wanted, limits=True):
            shown = hit.verdict.symptom
            if wanted is not None and shown is not None and shown.pattern != wanted.pattern:
                continue  # it refuses something else
            told = relation
            if shown is not None and not relation.sampled:
                told = replace(relation, kind=shown.kind)
            if not hit.limit:
                return _Shown(told, "")
            found = found or _Shown(told, hit.limit)
        return found

    def _simplest(self, relation: Relation) -> Relation:
        """The relation without the facts that it does not need; of those that the report's API has
        no argument for, nobody knows."""
        for one in relation.infections if len(relation.infections) > MOST_TRIED else ():
            fewer = tuple(other for other in relation.infections if other != one)
            if not fewer or not self._meets(replace(relation, infections=(one,))):
                continue
            found = self._shown(replace(relation, infections=fewer))
            if found is not None and not found.limit:
                relation = found.relation
        return relation

    def _apart(self, relation: Relation) -> Relation:
        """The relation; where one tensor of another dtype is refused, and all of that dtype are
        not, it is about tensors that are unlike."""
        if not (relation.sampled and relation.promotes):
            return relation
        apart = replace(relation, apart=True)
        return apart if self._shown(apart) is not None else relation

    def _meets(self, relation: Relation) -> bool:
        """Whether the report's API has a call that a trigger can be brought into."""
        tally = Tally()
        deque(self._hits(relation, [self.verified.api], tally), maxlen=0)
        return tally.pairs > 0

    def _refusal(self) -> Symptom | None:
        """How the report's API refuses, in one way, what it takes in another."""
        case = self.verified.case
        if self.verified.contradiction is not None:
            return self.verified.contradiction.refusal
        if case.symptom.kind is not SymptomKind.ACCEPTS:
            return None
        calls = self.verified.observation.calls
        own = (
            one
            for one in calls
            if one.raised and is_call_of(one, self.verified.api, self.bench.catalog)
        )
        return next((status.of_raised(one.raised) for one in own if one.raised), None)

    def _hits(
        self,
        relation: Relation,
        apis: Sequence[Api],
        tally: Tally,
        wanted: Symptom | None = None,
        *,
        limits: bool = False,
    ) -> Iterator[Hit]:
        """What goes wrong as the report's call does, or as `wanted`, replayed beside the search;
        with `limits` also what a known limit explains."""
        index, replays = self.bench.index, Pool(self.bench.replays)
        left = self._deadline - time.monotonic()
        work: deque[Future[Hit | None]] = deque()
        try:
            wanted = wanted or self.verified.case.symptom
            own = self._own if apis == [self.verified.api] else None
            for one in spread(relation, index, apis, self.bench.probes, left, tally, wanted, own):
                if limits or not one.limit:
                    work.append(replays.submit(partial(self._replayed, one, relation)))
                while work and work[0].done():
                    yield from self._kept(work.popleft(), relation)
            while work and time.monotonic() < self._deadline:
                yield from self._kept(work.popleft(), relation)
            tally.cut = tally.cut or bool(work)
        finally:
            replays.close()

    def _replayed(self, one: EagleFinding, relation: Relation, session: Session) -> Hit | None:
        limits, framework = self.options.limits, self.bench.index.framework
        return replayed(one, relation, session, framework, runs=RUNS, limits=limits)

    def _kept(self, future: Future[Hit | None], relation: Relation) -> Iterator[Hit]:
        hit = future.result()
        if hit is not None and self._alike(hit, relation):
            yield hit

    def _alike(self, hit: Hit, relation: Relation) -> bool:
        """Whether it fails as the report's call does, where failing is the symptom."""
        case = self.verified.case
        names = (case.api, hit.api)
        seen = hit.verdict.symptom
        other = hit.api != self.verified.api.name
        # What people do not call themselves may be particular about dtypes.
        raw = any(rawness(self.bench.catalog.apis[hit.api]))
        if other and relation.harmless and case.symptom.kind is SymptomKind.RAISES and not raw:
            return seen is not None and seen.kind is SymptomKind.RAISES
        if relation.fails and not relation.asked:
            return status.matches(case.symptom, seen, names)
        kinds = OF_VALUES if relation.kind is None else (relation.kind,)
        return seen is not None and seen.kind in kinds

    def _finding(self, hit: Hit, relation: Relation, candidate: Candidate) -> Finding:
        """A hit as a finding, which is kept."""
        told = relation.ways[1].told if not relation.sampled else "without the trigger"
        control = Control(
            variations=(), sentence=f"{told}: works", outcome=Under.CURED, code=hit.control
        )
        found = Finding(
            api=hit.api,
            verdict=hit.verdict,
            channels=candidate.channels,
            edits=("its own call",),
            code=hit.code,
            aliases=candidate.api.aliases,
            evidence=Evidence(
                controls=(control,), contradicts=not relation.fails, guessed=relation.guessed
            ),
            road=Road.TRIGGER,
        )
        self._found[hit.api] = found
        return found

    def done(self) -> tuple[Finding, ...]:
        """All findings, now that it is known how many operations go wrong."""
        if self.relation is None:
            return ()
        ranked = {one.api.name: one for one in rank(self.verified.api, self.bench.index)}
        share, least = self._base_rate(ranked, self.tally), self.options.least_confidence
        return tuple(weighed(one, self.verified, share, least) for one in self._found.values())


def _fixes(relation: Relation) -> bool:
    """Whether arguments become what the report's were, whatever they are of another API."""
    return any(one.given.fact.fixed for one in relation.infections)
