"""Replay one generated case and say what it shows: the verdict of a finding."""

from __future__ import annotations

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import instrument
from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits, Session
from citadel.identify import culprit, failing_call, resolve
from citadel.model import Symptom, SymptomKind, Verdict, VerdictKind
from citadel.oracle import status
from citadel.plan.model import Adaptation
from harvest.report.model import Mention


def judge(
    code: str,
    plan: Adaptation,
    target: Api,
    wanted: Symptom,
    session: Session,
    catalog: Catalog,
    *,
    runs: int,
    limits: Limits,
) -> Verdict:
    """Replay once traced (did the sibling itself fail?), then `runs` times as it stands.

    A failure that the rewriting brought about is `not_adapted`, never a finding.
    """
    try:
        traced = session.run(code, traced=instrument(code).traced, limits=limits)
    except CitadelError as problem:
        return _verdict(VerdictKind.NOT_ADAPTED, reason=problem.message)
    seen = status.capture(traced)
    if not status.matches(wanted, seen):
        return _unlike(wanted, seen, traced)
    if not _blames(traced, target, catalog):
        return _verdict(
            VerdictKind.NOT_ADAPTED, symptom=seen, reason="another call than the sibling's fails"
        )
    if plan.invented and seen is not None and status.complains_about_tensors(seen):
        return _verdict(
            VerdictKind.NOT_ADAPTED,
            symptom=seen,
            reason=f"the complaint may be about what was filled in: {', '.join(plan.invented)}",
        )
    hits = sum(
        status.matches(wanted, status.capture(session.run(code, limits=limits, seed=run)))
        for run in range(runs)
    )
    kind = VerdictKind.BUG if hits == runs else VerdictKind.FLAKY
    return Verdict(
        kind=kind if hits else VerdictKind.NOT_ADAPTED,
        runs=(hits, runs),
        confidence=confidence(plan, hits, runs),
        symptom=seen,
        reason=None if hits else "shows only while traced",
    )


def confidence(plan: Adaptation, hits: int, runs: int) -> float:
    """Laplace's estimate of the rate, less what the adaptation may have distorted."""
    rate = (hits + 1) / (runs + 2) if hits < runs else 1.0
    return round(min(0.99, rate * (0.75 + 0.25 * plan.plausibility)), 2)


def _unlike(wanted: Symptom, seen: Symptom | None, observation: Observation) -> Verdict:
    if seen is None:
        if observation.outcome is Outcome.OK:
            return _verdict(VerdictKind.CLEAN)
        return _verdict(VerdictKind.NOT_ADAPTED, reason=f"ended by {observation.outcome}")
    if status.refuses_arguments(seen) and not status.refuses_arguments(wanted):
        return _verdict(VerdictKind.NOT_ADAPTED, symptom=seen, reason=seen.headline()[:200])
    refused = (
        wanted.kind is not SymptomKind.RAISES
        and seen.kind is SymptomKind.RAISES
        and not status.internal(seen)
    )
    kind = VerdictKind.REFUSED if refused else VerdictKind.DIFFERENT
    return _verdict(kind, symptom=seen, reason=seen.headline()[:200])


def _blames(observation: Observation, target: Api, catalog: Catalog) -> bool:
    """Whether the call that fails (or made what fails) is the sibling's."""
    own = (Mention(name=target.name, title=1, body=0),)
    failing = failing_call(observation)
    api = resolve(failing, catalog) if failing is not None else None
    if api is not None and api.name == target.name:
        return True
    blamed = culprit(observation, catalog, own)
    return blamed is not None and blamed[1].name == target.name


def _verdict(
    kind: VerdictKind, *, symptom: Symptom | None = None, reason: str | None = None
) -> Verdict:
    return Verdict(kind=kind, runs=(0, 1), confidence=0.0, symptom=symptom, reason=reason)
