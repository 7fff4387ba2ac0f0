"""Cases that show in values or measurements, rather than in how a run ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from analysis.catalog.model import Catalog
from analysis.target.session import Limits, Session
from analysis.target.target import TargetInfo
from citadel.model import BugCase, BugKind, SymptomKind, content_id
from citadel.oracle import status
from citadel.oracle.measure import Form
from citadel.oracle.phrases import DIFFERENT
from citadel.verify.performance import Measured, measured
from citadel.verify.values import witness
from citadel.verify.verified import Attempt, NotVerified, Verified, evidence
from citadel.verify.witness import Witness
from harvest.report.model import Reading

MOST_SNIPPETS = 4
"""Snippets of one report whose values are watched, or measured."""

Look = Callable[[Attempt], Witness | Measured | str]


def by_values(
    reading: Reading,
    attempts: Sequence[Attempt],
    session: Session,
    catalog: Catalog,
    info: TargetInfo,
    *,
    runs: int,
    limits: Limits,
    only: SymptomKind | None = None,
) -> Verified | NotVerified:
    """The first snippet whose values show what the report describes, else one that would. `only`:
    the kind of symptom that counts."""

    def look(attempt: Attempt) -> Witness | str:
        code, source = attempt.snippet, attempt.source
        return witness(reading, code, source, session, catalog, runs=runs, limits=limits, only=only)

    return _first(reading, attempts, info, look)


def by_measure(
    reading: Reading,
    attempts: Sequence[Attempt],
    session: Session,
    catalog: Catalog,
    info: TargetInfo,
    *,
    limits: Limits,
) -> Verified | NotVerified:
    """The first snippet that measures what the report describes, else one that measures."""

    def look(attempt: Attempt) -> Measured | str:
        code, source = attempt.snippet, attempt.source
        return measured(reading, code, source, session, catalog, limits=limits)

    return _first(reading, attempts, info, look)


def _first(
    reading: Reading, attempts: Sequence[Attempt], info: TargetInfo, look: Look
) -> Verified | NotVerified:
    reasons: list[str] = []
    differing = DIFFERENT.search(reading.report.title) is not None
    kept: Verified | None = None
    for attempt in attempts[:MOST_SNIPPETS]:
        found = look(attempt)
        if isinstance(found, str):
            reasons.append(found)
            continue
        verified = _verified(reading, attempt, found, info)
        if found.reproduces and not _may_be_right(found, differing=differing):
            return verified
        kept = verified if kept is None or _improves(kept, found) else kept
    return kept or NotVerified(reason="; ".join(dict.fromkeys(reasons)))


def _may_be_right(found: Witness | Measured, *, differing: bool) -> bool:
    """Whether NaN or an infinity is all that it shows, and other code may show more: of two results
    that are said to differ, one may well be so, and what is given NaN may well give it."""
    if not isinstance(found, Witness) or found.symptom.kind is not SymptomKind.NON_FINITE:
        return False
    return differing or found.let_in


def _improves(kept: Verified, found: Witness | Measured) -> bool:
    """Whether what is found shows here, where what is kept does not."""
    return found.reproduces and not kept.case.reproduces


def _samples(found: Witness | Measured) -> tuple[float, ...]:
    """The report's own ratios, or bytes per step where memory grows."""
    if isinstance(found, Witness):
        return ()
    logs = found.oracle.logs
    growing = found.oracle.measure.form is Form.GROWTH
    return logs if growing else tuple(math.exp(log) for log in logs)


def _verified(
    reading: Reading, attempt: Attempt, found: Witness | Measured, info: TargetInfo
) -> Verified:
    code, api, symptom = attempt.snippet.code, found.api, found.symptom
    raised = status.capture(found.observation)
    case = BugCase(
        id=content_id(info.key, api.name, code, str(symptom.kind), str(symptom.where)),
        origin=reading.report.source,
        framework=info.framework,
        build=info.key,
        api=api.name,
        code=code,
        kind=found.kind if isinstance(found, Witness) else BugKind.PERFORMANCE,
        symptom=symptom,
        reproduces=found.reproduces,
        runs=(found.hits, found.runs),
        observed=(raised or symptom).headline(),
        evidence=(*evidence(None, None, attempt.snippet, found.call), *found.evidence),
        doubts=found.doubts if isinstance(found, Witness) else (),
        aliases=api.aliases,
        samples=_samples(found),
    )
    return Verified(
        case=case,
        api=api,
        call=found.call,
        observation=found.observation,
        source=attempt.source,
        witness=found if isinstance(found, Witness) else None,
        measured=found if isinstance(found, Measured) else None,
    )
