"""Replay a generated case of a value bug and say what it shows.

The same expressions of the text are watched as in the report's own code. A check that compares the
sibling with the sibling speaks for itself. One that compares it with something of another making (a
reference, a literal) does so only if the sibling computes what the source computes: then it has the
very same wrong value.
"""

from __future__ import annotations

from dataclasses import replace

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import instrument, watched
from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits, Session
from citadel.judge.relations import alike
from citadel.judge.value_replay import ValueReplay
from citadel.judge.verdicts import confidence, shown_in, verdict
from citadel.model import Channels, SymptomKind, Verdict, VerdictKind
from citadel.oracle import status
from citadel.oracle.value import ValueOracle, shows
from citadel.plan.model import Adaptation
from citadel.rewrite.rewriter import Rewritten
from citadel.traced import is_call_of
from citadel.verify.identify import failing_call
from citadel.verify.witness import Witness
from harvest.report.text import shorten

GIVES_NOTHING = "gives nothing, where the report's call gives a value"
RIGHT = "what is wrong in the report is right in the same place"
UNGUARDED = 0.8
"""What a guard that could not be run leaves of the confidence."""


def judge_value(
    written: Rewritten,
    plan: Adaptation,
    target: Api,
    source: Witness,
    channels: Channels,
    session: Session,
    catalog: Catalog,
    *,
    runs: int,
    limits: Limits,
) -> Verdict:
    """Replay once traced and watched, then with other seeds."""
    try:
        case = watched(instrument(written.code), source.watched.points)
    except CitadelError as problem:
        return verdict(VerdictKind.NOT_ADAPTED, reason=problem.message)
    if case.missing & source.oracle.points:
        return verdict(VerdictKind.NOT_ADAPTED, reason="the rewritten code shows other values")
    replay = ValueReplay(written, case, target, source, session, catalog, limits)
    if not replay.calls:
        return verdict(VerdictKind.NOT_ADAPTED, reason="the sibling is not reached")
    accepts = source.oracle.kind is SymptomKind.ACCEPTS
    if accepts and not plan.effect and replay.gives_nothing:
        return verdict(VerdictKind.NOT_ADAPTED, reason=GIVES_NOTHING)
    shown = shows(source.oracle, replay.first, replay.values)
    if shown is None:
        return _elsewhere(replay.first, target, catalog, source.oracle)
    if not shown:
        return verdict(VerdictKind.CLEAN, guards=(*replay.guards, RIGHT))
    seen = replay.symptom()
    as_source = alike(channels) and not plan.filled and not plan.drops
    doubt = replay.doubt(plan, channels, same=as_source)
    doubt = doubt or replay.imprecise(akin=alike(channels), whole=not plan.drops)
    doubt = doubt or replay.unsteady() or replay.uncontested()
    if doubt is not None:
        return replace(doubt, symptom=seen, guards=(*replay.guards, *replay.silent))
    hits = replay.again(runs)
    any_value = source.random or accepts
    # Garbage differs from run to run; of the same function it is garbage all the same.
    any_value = any_value or (as_source and source.oracle.of_finiteness)
    if replay.moved and not any_value:
        reason = "its values differ from seed to seed"
        return verdict(VerdictKind.NOT_ADAPTED, symptom=seen, reason=reason)
    silent = replay.silent
    sure = confidence(plan, hits, runs) * UNGUARDED ** len(silent)
    return Verdict(
        kind=shown_in(hits, runs, (source.hits, source.runs)),
        runs=(hits, runs),
        confidence=round(sure / 2 ** len(source.doubts), 2),
        symptom=replace(seen, expected=replay.right or seen.expected),
        guards=(*replay.guards, *silent, f"shown in {hits} of {runs} runs with seeds of their own"),
    )


def _elsewhere(
    observation: Observation, target: Api, catalog: Catalog, oracle: ValueOracle
) -> Verdict:
    """The verdict on a run that did not come to the place of the oracle.

    An exception is a refusal where the report wants one; else the sibling cannot take the case.
    """
    seen = status.capture(observation)
    if seen is None:
        reason = "does not come to the place where the report shows the value"
        return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
    reason = shorten(seen.headline())
    failing = failing_call(observation)
    if status.unavailable(seen):
        return verdict(VerdictKind.NEEDS, symptom=seen, reason=reason)
    if (
        failing is None
        or not is_call_of(failing, target, catalog)
        or status.refuses_arguments(seen)
    ):
        return verdict(VerdictKind.NOT_ADAPTED, symptom=seen, reason=reason)
    if observation.outcome is not Outcome.EXCEPTION or status.internal(seen):
        return verdict(VerdictKind.DIFFERENT, symptom=seen, reason=reason)
    refused = oracle.kind is SymptomKind.ACCEPTS
    kind = VerdictKind.REFUSED if refused else VerdictKind.NOT_ADAPTED
    return verdict(kind, symptom=seen, reason=reason)
