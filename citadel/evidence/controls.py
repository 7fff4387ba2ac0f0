"""What becomes of a finding when the sibling's call is changed as cures the report's.

In: a generated case that shows the symptom, its plan, and the trigger of the report. Out: one
`Control` per cure, and from them and the base rate what the finding rests on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import instrument, watched
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.session import Limits, Session
from citadel.evidence.reruns import (
    CALL,
    NEW,
    Rerun,
    Reruns,
    StatusOracle,
    TimeOracle,
    ValuesOracle,
)
from citadel.evidence.trigger import bounded, root_of
from citadel.evidence.variations import BY_NAME
from citadel.evidence.written import control_code
from citadel.experiment import Class, Control, Cure, Evidence, Job, Trigger, Under
from citadel.model import Symptom, SymptomKind
from citadel.oracle import status
from citadel.oracle.backends import Runs, runner
from citadel.oracle.samples import needed
from citadel.oracle.value import values_of
from citadel.plan.invocation import Invocation
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
    invocation: Invocation
    catalog: Catalog
    limits: Limits

    def of(self, written: Rewritten, plan: Adaptation, target: Api, session: Session) -> Evidence:
        """The outcome of each cure on this case, and what the plan has changed."""
        controls: list[Control] = []
        cures = self.trigger.cures[:MOST]
        again = self._reruns(written, plan, target, session) if cures else None
        if again is not None:
            for cure in cures:
                # One control is enough to read; a text with it shows no time.
                told = again.timed is None and not any(one.code for one in controls)
                controls.append(self._made(_wanting(again, cure), cure, plan, target, in_text=told))
        given = len(self.invocation.values)
        return Evidence(
            controls=tuple(controls),
            dropped=min(1.0, len(plan.astray) / given) if given else 0.0,
            same_job=_same_job(self.trigger, controls),
        )

    def _runs(self, session: Session) -> Runs:
        witness = self.verified.witness
        return session if witness is None else runner(session, witness.oracle)

    def _made(
        self, again: Reruns, cure: Cure, plan: Adaptation, target: Api, *, in_text: bool
    ) -> Control:
        changes = [
            (stage, keys, BY_NAME[one.variation])
            for one in cure.changes
            for stage, keys in places(plan, one.key)
        ]
        found = again.under(root_of(target.name), changes)
        return Control(
            variations=tuple(one.variation for one in cure.changes),
            sentence=cure.sentence,
            outcome=found.outcome,
            job=found.job,
            code=self._in_text(again, found, target) if in_text else "",
        )

    def _in_text(self, again: Reruns, found: Rerun, target: Api) -> str:
        """The control as text, if that can be written, and goes well as it stands; else ""."""
        code = control_code(again.code, found.made) if found.outcome is Under.CURED else None
        run = None if code in (None, again.code) else self._run(str(code), again.session, target)
        if code is None or run is None:
            return ""
        _, seen, calls = run
        returned = bool(calls) and all(call.result is not None for call in calls)
        fails = self.verified.witness is None and seen.outcome is not Outcome.OK
        well = again.oracle.shown(seen, None, returned=returned) is False
        return code if well and returned and not fails else ""

    def _run(
        self, code: str, session: Runs, target: Api
    ) -> tuple[str, Observation, list[Call]] | None:
        """A text as it is traced, its run, and the sibling's calls in it."""
        witness = self.verified.witness
        try:
            case = instrument(code)
            points = None if witness is None else witness.watched.points
            traced = case.traced if points is None else watched(case, points).traced
        except CitadelError:
            return None
        seen = session.run(code, traced=traced, limits=self.limits)
        return traced, seen, [one for one in seen.calls if is_call_of(one, target, self.catalog)]

    def _reruns(
        self, written: Rewritten, plan: Adaptation, target: Api, session: Session
    ) -> Reruns | None:
        """A generated case, with the places of the sibling's calls; None where it does not run."""
        verified, witness = self.verified, self.verified.witness
        if verified.measured is not None:
            return self._timed(written, verified.measured.slowest, session)
        at = written.sites.get(verified.call.site)
        run = self._run(written.code, self._runs(session), target)
        if run is None:
            return None
        traced, seen, calls = run
        return Reruns(
            code=written.code,
            traced=traced,
            session=self._runs(session),
            limits=bounded(self.limits, verified),
            sites=_sites(calls, plan, None if witness is not None else at),
            oracle=ValuesOracle(oracle=witness.oracle, values=values_of(seen))
            if witness is not None
            else StatusOracle(
                wanted=verified.case.symptom,
                apis=(verified.case.api, target.name),
                renamed=plan.renamed,
                late=verified.deferred or verified.late,
            ),
        )

    def _timed(self, written: Rewritten, slow: Call, session: Session) -> Reruns | None:
        """A generated case, of which the call in the place of the report's slow one is timed."""
        at = written.sites.get(slow.site)
        if at is None:
            return None
        return Reruns(
            code=written.code,
            traced=instrument(written.code).traced,
            session=session,
            limits=bounded(self.limits, self.verified),
            sites={CALL: frozenset((at,))},
            oracle=TimeOracle(),
            timed=slow.occurrence,
        )


def _wanting(again: Reruns, cure: Cure) -> Reruns:
    """A case; of a slow call a cure is to gain a part of what it gains of the report's."""
    if cure.gain is None:
        return again
    return replace(again, oracle=TimeOracle(wanted=needed(math.log(cure.gain))))


def _sites(calls: Sequence[Call], plan: Adaptation, at: int | None) -> dict[str, frozenset[int]]:
    """Where a sibling's calls stand, by stage; if one of them stands `at` the place of the report's
    failing call, that one alone is to blame."""
    built = frozenset(one.site for one in calls if one.form == "class")
    called = frozenset(one.site for one in calls)
    if plan.form is Form.MODULE:
        called -= built
    called = frozenset((at,)) if at in called else called
    return {NEW: built, CALL: called} if plan.form is Form.MODULE else {CALL: called}


def places(plan: Adaptation, key: str) -> Iterator[tuple[str, str]]:
    """Where a plan hands on a value of the report's call: (stage, keys of `analysis.inside.vary`).

    In the text, what a plan gives by place may be given by name, and the other way about.
    """
    if plan.receiver is not None and _takes(plan.receiver, key):
        yield CALL, "recv|arg:0"
    alone = plan.receiver is None
    for stage, slots in ((NEW, plan.new), (CALL, plan.call)):
        # What is no layer has one call, whatever its plan says.
        told = stage if plan.form is Form.MODULE else CALL
        for place, slot in enumerate(slots):
            if _takes(slot.value, key):
                names = (f"kw:{slot.name}", f"arg:{place}")
                # An operator's first operand, and what a method is called on, is its receiver.
                first = "recv|" if alone and place == 0 and told == CALL else ""
                ordered = names if slot.keyword else names[::-1]
                yield told, first + "|".join(ordered)


def _takes(value: Expression, key: str) -> bool:
    if isinstance(value, Take):
        return value.key == key
    return isinstance(value, Gather) and any(item.key == key for item in value.items)


def class_of(evidence: Evidence, seen: Symptom | None) -> Class:
    """What a finding rests on, once its base rate is known."""
    outcomes = {one.outcome for one in evidence.controls}
    if Under.SHOWN in outcomes:
        return Class.REFUTED
    if evidence.base_rate is not None and evidence.base_rate >= FLOOD:
        return Class.SHARED
    if Under.CURED not in outcomes:
        return Class.UNCONTROLLED
    if seen is not None and own_fault(seen):
        return Class.INTRINSIC
    return Class.CONTRADICTION if evidence.contradicts else Class.CONTROLLED


def own_fault(seen: Symptom) -> bool:
    """Whether nothing can be meant by it: it dies, hangs, or fails an internal assertion."""
    if seen.kind is SymptomKind.RAISES:
        return status.internal(seen)
    return seen.kind in (SymptomKind.CRASHES, SymptomKind.HANGS)


def _same_job(trigger: Trigger, controls: Sequence[Control]) -> bool | None:
    """Whether source and sibling give the same kind of result under the cures that both have."""
    pairs: list[tuple[Job, Job]] = [
        (cure.job, control.job)
        for cure, control in zip(trigger.cures, controls, strict=False)
        if cure.job is not None and control.job is not None
    ]
    return all(one == other for one, other in pairs) if pairs else None
