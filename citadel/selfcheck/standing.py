"""Which cases fail by themselves where the bug is, and whose controls do not: runs tell.

In: a triage with its findings, and what verified its report. Out: the same with the check of the
bug in the text of its cases, wherever it is seen to tell. Such a case is a test; other builds,
reductions and exports need nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import libcst as cst

from analysis.errors import CitadelError
from analysis.target.instrument import Watched, instrument, watched
from analysis.target.observation import Outcome
from analysis.target.session import Limits, Session
from citadel.evidence.variations import PRESERVING
from citadel.evidence.written import control_code
from citadel.model import STATUS_KINDS, BugCase, Finding, Road, Symptom, SymptomKind, Triage
from citadel.oracle import status
from citadel.oracle.alone import run_alone
from citadel.oracle.numbers import error_of
from citadel.oracle.status import asserted_at
from citadel.oracle.value import values_of
from citadel.propagate.pool import Pool, as_they_end
from citadel.selfcheck.wording import in_full, unlike
from citadel.selfcheck.writing import raising, with_check, with_limit
from citadel.verify.performance import Measured
from citadel.verify.verified import Verified

T = TypeVar("T", BugCase, Finding)
SECONDS = 60.0
"""Most time for all cases of a report."""


def self_checking(
    triage: Triage, verified: Verified, sessions: Sequence[Session], limits: Limits
) -> Triage:
    """The triage whose source and bugs fail by themselves, as far as runs show that they do."""
    case = triage.case
    if case is None:
        return triage
    deadline = time.monotonic() + SECONDS
    check, pool = _Checking(verified, case.framework, limits, deadline), Pool(sessions)
    try:
        source = pool.submit(partial(_or_as_it_is, check.source, case))
        work = {
            pool.submit(partial(_or_as_it_is, check.finding, one)): one.api for one in triage.bugs
        }
        made = {work[one]: one.result() for one in as_they_end(list(work), deadline)}
        case = source.result()
    finally:
        pool.close()
    findings = tuple(made.get(one.api, one) for one in triage.findings)
    return replace(triage, case=case, findings=findings)


def _or_as_it_is(make: Callable[[T, Session], T], one: T, session: Session) -> T:
    """A case with its check; as it is where that goes wrong: what is found must not be lost."""
    try:
        return make(one, session)
    except Exception:
        return one


@dataclass(frozen=True)
class _Checking:
    """Makes cases of one report that fail by themselves."""

    verified: Verified
    framework: str
    limits: Limits
    deadline: float

    def source(self, case: BugCase, session: Session) -> BugCase:
        """The report's own case, with the first cure of its trigger that can be written down and
        runs through with the same check."""
        if not case.reproduces:
            return case
        if self._hangs(case.symptom):
            return replace(case, check=case.code)
        cured = [
            (control_code(case.code, one.made) or "", one) for one in case.trigger.cures if one.made
        ]
        controls = [(text, one) for text, one in cured if text not in ("", case.code)]
        for control, cure in (*controls, ("", None)):
            changes = {one.variation for one in cure.changes} if cure else set()
            same = changes <= PRESERVING
            for code, well in self._pairs(case.code, control, case.symptom, session, same=same):
                if self._stands(code, well, case.symptom, session):
                    away = self._distance(case.code, control, session, same=same)
                    told = cure.sentence if cure and well else ""
                    return replace(case, check=code, control=well, cured=told, distance=away)
        return case

    def finding(self, finding: Finding, session: Session) -> Finding:
        """A finding, with its control, if there is one, that runs through with the same check."""
        if finding.road is Road.TRIGGER:
            return replace(finding, fails=True)  # its check is part of it
        symptom = finding.verdict.symptom or self.verified.case.symptom
        if self._hangs(symptom):
            return replace(finding, fails=True)
        evidence = finding.evidence
        control = None if evidence is None else evidence.control
        good = "" if control is None else control.code
        changes = set() if control is None else set(control.variations)
        same = bool(changes) and changes <= PRESERVING
        for code, well in self._pairs(finding.code, good, symptom, session, same=same):
            if not self._stands(code, well, symptom, session):
                continue
            away = self._distance(finding.code, good, session, same=same)
            if evidence is not None and well:
                told = (replace(c, code=well) if c is control else c for c in evidence.controls)
                evidence = replace(evidence, controls=tuple(told))
            return replace(finding, code=code, evidence=evidence, fails=True, distance=away)
        return finding

    def _pairs(
        self, code: str, control: str, symptom: Symptom, session: Session, *, same: bool
    ) -> Iterator[tuple[str, str]]:
        """Texts that may fail where the bug is, the plainest first, each with the control that has
        the same check ("" where there is none). `same`: its right result is the case's."""
        yield code, control
        try:
            if symptom.kind in STATUS_KINDS:
                yield raising(code), raising(control)
            elif self.verified.measured is not None:
                yield from self._limited(code, control, self.verified.measured)
            else:
                yield from self._checked(code, control, symptom.expected, session, same=same)
        except (CitadelError, cst.ParserSyntaxError, cst.CSTValidationError):
            return

    def _checked(
        self, code: str, control: str, right: str | None, session: Session, *, same: bool
    ) -> Iterator[tuple[str, str]]:
        witness = self.verified.witness
        if witness is None:
            return
        cases = _watched((code, control), witness.watched, witness.oracle.points)
        if not cases:
            return
        # What is checked in a control is what the case comes to.
        oracle = witness.oracle
        values = values_of(session.run(code, traced=cases[0].text, limits=self.limits))
        if right is None and control and same and unlike(oracle):
            well = session.run(control, traced=cases[-1].text, limits=self.limits)
            right = in_full(values_of(well).get(oracle.spots[0]))
        texts = [with_check(one, oracle, values, right, self.framework) for one in cases]
        yield from ((made[0], made[-1] if control else "") for made in zip(*texts, strict=False))

    def _distance(self, code: str, control: str, session: Session, *, same: bool) -> float | None:
        """How far the value of a case is from the right one: from the other side, where it compares
        two, else from what a control gives that changes nothing about the right result."""
        witness = self.verified.witness
        late = time.monotonic() > self.deadline
        if late or witness is None or not witness.oracle.spots:
            return None
        oracle = witness.oracle
        texts = (code,) if oracle.paired else (code, control) if control and same else ()
        cases = _watched(texts, witness.watched, oracle.points)
        seen = [
            values_of(session.run(text, traced=one.text, limits=self.limits))
            for text, one in zip(texts, cases, strict=False)
        ]
        found = [one[spot] for one in seen for spot in oracle.spots if spot in one]
        return error_of(*found) if len(found) == 2 else None

    def _limited(self, code: str, control: str, measured: Measured) -> Iterator[tuple[str, str]]:
        points = frozenset(measured.oracle.measure.points)
        cases = _watched((code, control), measured.watched, points)
        texts = [with_limit(one, measured.oracle) for one in cases]
        yield from ((made[0], made[-1] if control else "") for made in zip(*texts, strict=False))

    def _hangs(self, symptom: Symptom) -> bool:
        """Whether a case was seen to hang: nobody waits for that again."""
        return symptom.kind is SymptomKind.HANGS and not self.verified.caught

    def _stands(self, code: str, control: str, symptom: Symptom, session: Session) -> bool:
        fails = self._fails(code, symptom, session)
        return fails and self._goes_well(control, symptom, session)

    def _fails(self, code: str, symptom: Symptom, session: Session) -> bool:
        """Whether a text ends as the symptom says, or by an assertion of its own, with other
        random numbers as well."""
        if time.monotonic() > self.deadline:
            return False
        seen = run_alone(code, symptom, session, self.limits)
        if symptom.kind in STATUS_KINDS:
            return status.matches(symptom, status.capture(seen))
        if not asserted_at(code, seen):
            return False
        again = run_alone(code, symptom, session, self.limits, seed=1)
        return bool(asserted_at(code, again))

    def _goes_well(self, control: str, symptom: Symptom, session: Session) -> bool:
        if not control:
            return True
        return run_alone(control, symptom, session, self.limits).outcome is Outcome.OK


def _watched(texts: Sequence[str], source: Watched, points: frozenset[int]) -> list[Watched]:
    """Texts, watched where the source is ("" is none); none where one has not got these points."""
    cases = [watched(instrument(one), source.points) for one in texts if one]
    return [] if any(one.missing & points for one in cases) else cases
