"""What becomes of a finding when the sibling's call is changed as cures the report's.

In: a generated case that shows the symptom, its plan, and the trigger of the report. Out: one
`Control` per cure, and from them and the base rate what the finding rests on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import instrument, watched
from analysis.target.observation import Call
from analysis.target.session import Limits, Session
from citadel.evidence.reruns import CALL, NEW, Reruns, StatusOracle, ValuesOracle
from citadel.evidence.trigger import root_of
from citadel.evidence.variations import BY_NAME
from citadel.experiment import Class, Control, Cure, Evidence, Job, Trigger, Under
from citadel.model import SymptomKind, Verdict
from citadel.oracle import status
from citadel.oracle.backends import runner
from citadel.plan.model import Adaptation, Expression, Form, Gather, Take
from citadel.rewrite.rewriter import Rewritten
from citadel.traced import is_call_of
from citadel.verify.verified import Verified

MOST = 5
"""Cures that are made on one sibling, the preserving ones first."""
FLOOD = 0.3
"""Share of unrelated operations with the symptom from which on it is a limitation they share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """Makes the cures of one report on generated cases."""

    verified: Verified
    trigger: Trigger
    catalog: Catalog
    limits: Limits

    def of(
        self, written: Rewritten, plan: Adaptation, target: Api, session: Session
    ) -> tuple[Control, ...]:
        """The outcome of each cure on this case; none where the report's call has none."""
        if not self.trigger.cures:
            return ()
        again = self._reruns(written, plan, target, session)
        if again is None:
            return ()
        return tuple(self._made(again, cure, plan, target) for cure in self.trigger.cures[:MOST])

    def _made(self, again: Reruns, cure: Cure, plan: Adaptation, target: Api) -> Control:
        root = root_of(target.name)
        changes = [
            (stage, keys, BY_NAME[one.variation].ways_in(root))
            for one in cure.changes
            for stage, keys in places(plan, one.key)
        ]
        outcome, job = again.under(changes)
        names = tuple(one.variation for one in cure.changes)
        return Control(variations=names, sentence=cure.sentence, outcome=outcome, job=job)

    def _reruns(
        self, written: Rewritten, plan: Adaptation, target: Api, session: Session
    ) -> Reruns | None:
        """The generated case, with the places of the sibling's calls."""
        verified, code = self.verified, written.code
        witness = verified.witness
        try:
            instrumented = instrument(code)
            case = None if witness is None else watched(instrumented, witness.watched.points)
        except CitadelError:
            return None
        runs = session if witness is None else runner(session, witness.oracle)
        traced = instrumented.traced if case is None else case.traced
        first = runs.run(code, traced=traced, limits=self.limits)
        calls = [one for one in first.calls if is_call_of(one, target, self.catalog)]
        late = verified.deferred or verified.late
        return Reruns(
            code=code,
            traced=traced,
            session=runs,
            limits=self.limits,
            sites=_sites(calls, plan),
            oracle=ValuesOracle(oracle=witness.oracle)
            if witness is not None
            else StatusOracle(
                wanted=verified.case.symptom,
                apis=(verified.case.api, target.name),
                renamed=plan.renamed,
                late=late,
            ),
        )


def _sites(calls: Sequence[Call], plan: Adaptation) -> dict[str, frozenset[int]]:
    """Where a sibling's calls stand, by stage."""
    built = frozenset(one.site for one in calls if one.form == "class")
    if plan.form is Form.MODULE:
        return {NEW: built, CALL: frozenset(one.site for one in calls) - built}
    return {CALL: frozenset(one.site for one in calls)}


def places(plan: Adaptation, key: str) -> Iterator[tuple[str, str]]:
    """Where a plan hands on a value of the report's call: (stage, keys of `analysis.inside.vary`).

    In the text, what a plan gives by place may be given by name, and the other way about.
    """
    if plan.receiver is not None and _takes(plan.receiver, key):
        yield CALL, "recv|arg:0"
    for stage, slots in ((NEW, plan.new), (CALL, plan.call)):
        # What is no layer has one call, whatever its plan says.
        told = stage if plan.form is Form.MODULE else CALL
        for place, slot in enumerate(slots):
            if _takes(slot.value, key):
                names = (f"kw:{slot.name}", f"arg:{place}")
                first = "recv|" if not slot.keyword and place == 0 and told == CALL else ""
                ordered = names if slot.keyword else names[::-1]
                yield told, first + "|".join(ordered)


def _takes(value: Expression, key: str) -> bool:
    if isinstance(value, Take):
        return value.key == key
    return isinstance(value, Gather) and any(item.key == key for item in value.items)


def weigh(
    verdict: Verdict, controls: Sequence[Control], trigger: Trigger, base_rate: float | None
) -> Evidence:
    """What a finding rests on."""
    outcomes = {one.outcome for one in controls}
    job = _same_job(trigger, controls)
    if Under.SHOWN in outcomes:
        kind = Class.REFUTED
    elif Under.CURED not in outcomes:
        kind = Class.UNCONTROLLED
    elif base_rate is not None and base_rate >= FLOOD:
        kind = Class.SHARED
    elif verdict.symptom is not None and _is_own_fault(verdict):
        kind = Class.INTRINSIC
    else:
        kind = Class.CONTROLLED
    return Evidence(kind=kind, controls=tuple(controls), base_rate=base_rate, same_job=job)


def _is_own_fault(verdict: Verdict) -> bool:
    seen = verdict.symptom
    dies = (SymptomKind.CRASHES, SymptomKind.HANGS)
    if seen is None:
        return False
    return seen.kind in dies or (seen.kind is SymptomKind.RAISES and status.internal(seen))


def _same_job(trigger: Trigger, controls: Sequence[Control]) -> bool | None:
    """Whether source and sibling give the same kind of result under the cures that both have."""
    pairs: list[tuple[Job, Job]] = [
        (cure.job, control.job)
        for cure, control in zip(trigger.cures, controls, strict=False)
        if cure.job is not None and control.job is not None
    ]
    return all(one == other for one, other in pairs) if pairs else None
