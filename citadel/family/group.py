"""Group the findings of one report into families: findings with one likely root cause.

Findings are only made where the sibling shows the source's own symptom, so what tells families
apart is what the symptom says: its normalised message, or the signal and the crash state.
"""

from __future__ import annotations

from citadel.model import BugCase, Family, Symptom, SymptomKind, Triage, content_id


def families(triage: Triage) -> tuple[Family, ...]:
    """The families of one triage, the source API first in each; none without a finding."""
    case = triage.case
    if case is None:
        return ()
    members: dict[str, list[str]] = {}
    roots: dict[str, Symptom] = {}
    for finding in triage.bugs:
        symptom = finding.verdict.symptom or case.symptom
        key = content_id(case.framework, _essence(symptom))
        members.setdefault(key, _source(case, symptom)).append(finding.api)
        roots.setdefault(key, symptom)
    return tuple(
        Family(key=key, apis=tuple(apis), root=roots[key].headline()[:200])
        for key, apis in members.items()
    )


def _source(case: BugCase, symptom: Symptom) -> list[str]:
    """The source API, if it shows this symptom: another check that fails has another cause."""
    told = case.symptom.pattern is not None and symptom.pattern is not None
    other = symptom.kind is SymptomKind.CRASHES and told and symptom.pattern != case.symptom.pattern
    return [case.api] if case.reproduces and not other else []


def _essence(symptom: Symptom) -> str:
    if symptom.kind is SymptomKind.RAISES:
        return f"{symptom.exception}: {symptom.pattern}"
    return f"{symptom.kind} {symptom.signal or ''} {symptom.pattern or ''}".rstrip()
