"""The second road of a triage: other APIs' own valid calls meet the report's trigger.

In: a verified case, its trigger, and a bench. Out: a `Finding` per API that goes wrong in the same
way, with its control. Unlike the first road (`citadel.propagate`), it needs no arguments of the
report's call to fit, and no check of the report's to tell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from analysis.catalog.model import Api
from citadel.evidence.confidence import weighed
from citadel.experiment import Control, Evidence, Trigger, Under
from citadel.match.rank import Candidate, rank
from citadel.model import Finding, Road
from citadel.options import Options
from citadel.oracle import status
from citadel.plan.invocation import Invocation
from citadel.propagate.base_rate import BaseRate
from citadel.spread.cases import Hit, replayed
from citadel.spread.derive import relation_of
from citadel.spread.relation import Relation
from citadel.spread.samples import by_operation
from citadel.spread.search import Tally, spread
from citadel.verify.verified import Verified
from citadel.workbench import Workbench

MOST_COMPILED = 100
"""Operations that are tried where each of them is compiled."""


@dataclass(slots=True, kw_only=True)
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
    _found: dict[str, Finding] = field(default_factory=dict)

    def findings(self) -> Iterator[Finding]:
        """The findings as they are found: first one form of each operation, then further forms of
        those that go wrong."""
        relation = relation_of(self.verified, self.trigger, self.use)
        framework = self.bench.index.framework
        if relation is None or relation.lacking(framework) or self.seconds <= 0:
            return
        ranked = rank(self.verified.api, self.bench.index)
        most = self.options.walk.siblings
        if relation.compiles:
            most = min(most or MOST_COMPILED, MOST_COMPILED)
        candidates = {one.api.name: one for one in ranked[:most] if one.api.name not in self.known}
        operation = self.bench.operations.of
        ordered = by_operation((one.api for one in candidates.values()), operation)
        first = len({operation(api.name) for api in ordered})
        yield from self._tried(relation, ordered[:first], candidates)
        wrong = {operation(name) for name in self._found}
        further = [api for api in ordered[first:] if operation(api.name) in wrong]
        yield from self._tried(relation, further, candidates)

    def _tried(
        self, relation: Relation, apis: list[Api], candidates: dict[str, Candidate]
    ) -> Iterator[Finding]:
        index, sessions = self.bench.index, self.bench.probes
        for one in spread(relation, index, apis, sessions, self.seconds, self.tally):
            hit = None
            if not one.limit:
                hit = replayed(
                    one,
                    relation,
                    self.bench.replays[0],
                    index.framework,
                    runs=self.options.runs,
                    limits=self.options.limits,
                )
            if hit is not None and self._alike(hit, relation):
                found = self._finding(hit, relation, candidates[hit.api])
                self._found[hit.api] = found
                yield found

    def _alike(self, hit: Hit, relation: Relation) -> bool:
        """Whether it fails as the report's call does, where failing is the symptom."""
        case = self.verified.case
        names = (case.api, hit.api)
        return not relation.sampled or status.matches(case.symptom, hit.verdict.symptom, names)

    def _finding(self, hit: Hit, relation: Relation, candidate: Candidate) -> Finding:
        told = str(relation.ways[1]) if not relation.sampled else "without the trigger"
        control = Control(
            variations=(), sentence=f"{told}: works", outcome=Under.CURED, code=hit.control
        )
        return Finding(
            api=hit.api,
            verdict=hit.verdict,
            channels=candidate.channels,
            edits=(f"its own call, where {relation}",),
            code=hit.code,
            aliases=candidate.api.aliases,
            evidence=Evidence(controls=(control,)),
            road=Road.TRIGGER,
        )

    def done(self) -> tuple[Finding, ...]:
        """All findings, now that it is known how many operations go wrong."""
        rate = BaseRate(self.bench.operations.of)
        channels = {one.api.name: one.channels for one in rank(self.verified.api, self.bench.index)}
        for name in {*self.tally.valid, *self._found}:
            rate.note(name, channels[name], shows=name in self._found)
        # Where two ways disagree, that many do is no limitation, but a wide bug.
        relation = relation_of(self.verified, self.trigger, self.use)
        share = rate.rate if relation is not None and relation.sampled else None
        least = self.options.least_confidence
        return tuple(weighed(one, self.verified, share, least) for one in self._found.values())
