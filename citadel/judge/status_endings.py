"""Runs that do not show the report's symptom: which verdict each ending gets."""

from __future__ import annotations

from dataclasses import dataclass, replace

from analysis.catalog.model import Api, Catalog
from analysis.rules import Registry
from analysis.target.observation import Observation, Outcome
from citadel.judge.blamed import unfilled
from citadel.judge.verdicts import verdict
from citadel.model import Symptom, SymptomKind, Verdict, VerdictKind
from citadel.oracle import status
from citadel.plan.model import Adaptation
from harvest.report.text import shorten

THROUGH = "runs to its end"


@dataclass(frozen=True, slots=True)
class Ended:
    """A sibling's run that shows another symptom (`seen`) than the one `wanted`, or none."""

    wanted: Symptom
    seen: Symptom | None
    observation: Observation
    plan: Adaptation
    target: Api
    catalog: Catalog


Endings = Registry[[Ended], Verdict]
WITHOUT_SYMPTOM = Endings("ending")
OTHER_SYMPTOM = Registry[[Ended, Symptom], Verdict]("ending")


@WITHOUT_SYMPTOM.rule("runs-through")
def _runs_through(ended: Ended) -> Verdict | None:
    """The case runs to its end."""
    ok = ended.observation.outcome is Outcome.OK
    return verdict(VerdictKind.CLEAN, guards=(THROUGH,)) if ok else None


@WITHOUT_SYMPTOM.rule("stopped")
def _stopped(ended: Ended) -> Verdict:
    """A limit, or the case itself, ends the run."""
    return verdict(VerdictKind.NOT_ADAPTED, reason=f"ended by {ended.observation.outcome}")


@OTHER_SYMPTOM.rule("parameters-do-not-fit")
def _parameters_do_not_fit(ended: Ended, seen: Symptom) -> Verdict | None:
    """A layer could not be given the parameters of the report's call."""
    if not ended.plan.state or not unfilled(ended.observation, ended.target, ended.catalog):
        return None
    reason = "its parameters are not those of the report's call"
    return verdict(VerdictKind.NOT_ADAPTED, symptom=seen, reason=reason)


@OTHER_SYMPTOM.rule("unavailable")
def _unavailable(ended: Ended, seen: Symptom) -> Verdict | None:
    """This build has not got what was called."""
    if status.unavailable(seen) and not status.unavailable(ended.wanted):
        return _told(VerdictKind.NEEDS, seen)
    return None


@OTHER_SYMPTOM.rule("refuses-the-call")
def _refuses_the_call(ended: Ended, seen: Symptom) -> Verdict | None:
    """The sibling is called in a way that it does not know."""
    if status.refuses_arguments(seen) and not status.refuses_arguments(ended.wanted):
        return _told(VerdictKind.NOT_ADAPTED, seen)
    return None


@OTHER_SYMPTOM.rule("refuses")
def _refuses(ended: Ended, seen: Symptom) -> Verdict | None:
    """It raises a plain exception, and the report's call dies or hangs."""
    raised = seen.kind is SymptomKind.RAISES and not status.internal(seen)
    if ended.wanted.kind is not SymptomKind.RAISES and raised:
        return _told(VerdictKind.REFUSED, seen)
    return None


@OTHER_SYMPTOM.rule("fails-otherwise")
def _fails_otherwise(_: Ended, seen: Symptom) -> Verdict:
    """It fails in another way."""
    return _told(VerdictKind.DIFFERENT, seen)


def _told(kind: VerdictKind, seen: Symptom) -> Verdict:
    return verdict(kind, symptom=seen, reason=shorten(seen.headline()))


def unlike(ended: Ended) -> Verdict:
    """The verdict on a run that does not show the report's symptom, with the rule that says so."""
    if ended.seen is None:
        found = WITHOUT_SYMPTOM.decided(ended)
    else:
        found = OTHER_SYMPTOM.decided(ended, ended.seen)
    rule, told = found or ("", verdict(VerdictKind.DIFFERENT, symptom=ended.seen))
    return replace(told, rule=rule)
