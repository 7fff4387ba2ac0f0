"""Replay one generated case and say what it shows: the verdict of a finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import instrument
from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits, Session
from citadel.judge.blamed import blames, fails_itself, gives_nothing, returned, unfilled
from citadel.judge.complaints import of_one_argument
from citadel.judge.gradients import Failed, cut, of_another_check, other_numbers
from citadel.judge.verdicts import confidence, made_up, mostly_filled, shaping, shown_in, verdict
from citadel.model import Symptom, SymptomKind, Verdict, VerdictKind
from citadel.oracle import status
from citadel.oracle.aborts import names_check
from citadel.plan.model import Adaptation
from citadel.rewrite.rewriter import Rewritten
from citadel.traced import is_call_of, leaf, resolve
from citadel.verify.contrast import refuses
from citadel.verify.crashes import located
from citadel.verify.identify import GRADIENTS, caught_calls, failing_call
from citadel.verify.verified import Verified
from harvest.report.text import shorten

OF_FILLED = "the complaint may be about what was filled in"
THROUGH = "runs to its end"
PAST = "runs past the call at which the report fails"
COLD_START = 30.0
"""Seconds more for a run that has to import the framework."""


def judge(
    written: Rewritten,
    plan: Adaptation,
    target: Api,
    source: Verified,
    session: Session,
    catalog: Catalog,
    *,
    close: bool,
    runs: int,
    limits: Limits,
) -> Verdict:
    """Replay once traced (did the sibling itself fail?), then `runs` times as it stands.

    A native crash that names no failed check is also replayed in an interpreter of its own: what is
    read out of bounds depends on what the process did before. A failure that the rewriting brought
    about is `not_adapted`, never a finding; what fails behind the place where the report failed is
    no failure. `close`: the sibling is a close relation of the source.
    """
    code = written.code
    try:
        traced_code = instrument(code).traced
    except CitadelError as problem:
        return verdict(VerdictKind.NOT_ADAPTED, reason=problem.message)
    wanted, apis = source.case.symptom, (source.case.api, target.name)

    def shows(observation: Observation) -> Symptom | None:
        return _shown(observation, source, target, catalog)

    # Of a call that does not return, only the run that counts is waited for in full.
    traced = session.run(code, traced=traced_code, limits=status.once_more(limits, wanted))
    seen = shows(traced)
    late = source.late and seen is None and returned(traced, target, catalog)
    if late:
        seen = shows(session.run(code, limits=limits))
    if not status.matches(wanted, seen, apis, plan.renamed):
        if passed(traced, written, source):
            return verdict(VerdictKind.CLEAN, guards=(PAST,))
        return _unlike(wanted, seen, traced, plan, target, catalog)
    if (lack := _lack(traced, wanted, seen)) is not None:
        return verdict(VerdictKind.NEEDS, symptom=seen, reason=lack)
    failed = Failed(code, traced_code, traced, target)
    doubt, shared = _doubted(
        failed, plan, seen, source, session, catalog, limits, close=close, late=late
    )
    if doubt is not None:
        return doubt
    hits = _hits(code, traced_code, seen, shows, plan, source, session, limits, runs=runs)
    if hits is None:
        return verdict(VerdictKind.CLEAN, guards=(THROUGH,))  # it takes long
    if seen is not None and hits and not source.deferred:
        seen = located(seen, code, traced_code, session, limits)
    kind = shown_in(hits, runs, source.case.runs)
    return Verdict(
        kind=kind if hits else VerdictKind.NOT_ADAPTED,
        runs=(hits, runs),
        confidence=confidence(plan, hits, runs),
        symptom=seen,
        reason=None if hits else "shows only while traced",
        guards=_guards(source, plan, hits, runs, shared) if hits else (),
    )


def _doubted(
    failed: Failed,
    plan: Adaptation,
    seen: Symptom | None,
    source: Verified,
    session: Session,
    catalog: Catalog,
    limits: Limits,
    *,
    close: bool,
    late: bool,
) -> tuple[Verdict | None, str | None]:
    """The verdict on a symptom that matches and is another bug's, or none; and the argument that
    both fail for, where the sibling has got more of them."""
    seen_of, shared = failed.observation, None
    reason = _artefact(seen_of, plan, failed.api, seen, source, catalog, close=close, late=late)
    if reason is not None and reason.startswith(OF_FILLED):
        shared = of_one_argument(failed, plan, source, session, catalog, limits)
        reason = reason if shared is None else None
    if reason is None and other_numbers(seen_of, source.observation):
        why = "other numbers are wrong"
        return verdict(VerdictKind.DIFFERENT, symptom=seen, reason=why), shared
    if reason is None and not late:
        reason = of_another_check(failed, source, session, catalog, limits)
    if reason is None:
        return None, shared
    return verdict(VerdictKind.NOT_ADAPTED, symptom=seen, reason=reason), shared


def _guards(
    source: Verified, plan: Adaptation, hits: int, runs: int, shared: str | None
) -> tuple[str, ...]:
    """What has spoken for a bug of status; `shared`: the argument that both fail for."""
    crashes = source.case.symptom.kind is SymptomKind.CRASHES
    what = "signal or failed check" if crashes else "kind of failure, in the same words"
    filled = ("nothing that was filled in is complained about",) if made_up(plan) else ()
    if shared is not None:
        filled = (f"the report's call fails for its {shared} as well",)
    return (
        "the failure is the sibling's own",
        f"the same {what}",
        *filled,
        f"shown in {hits} of {runs} runs with seeds of their own",
    )


def _lack(traced: Observation, wanted: Symptom, seen: Symptom | None) -> str | None:
    """Why a missing kernel says nothing about the report's, if so."""
    if traced.exception is not None and status.no_kernel_here(traced.exception.message):
        return "the operator has no kernel for this device, whatever it is given"
    if seen is not None and status.library(seen) != status.library(wanted):
        return "the operator is of another library, whose kernels are for tensors of its own"
    return None


def refused_elsewhere(
    written: Rewritten,
    plan: Adaptation,
    target: Api,
    source: Verified,
    session: Session,
    catalog: Catalog,
    limits: Limits,
) -> bool:
    """Whether a sibling raises another exception where the report's API, given the same, returns.

    `written`: the case with the sibling there, too (`Uses.everywhere`).
    """
    try:
        traced = instrument(written.code).traced
    except CitadelError:
        return False
    observation = session.run(written.code, traced=traced, limits=limits)
    failed, seen = failing_call(observation), status.capture(observation)
    if failed is None or failed.site == written.sites.get(source.call.site):
        return False
    apis = (source.case.api, target.name)
    own = is_call_of(failed, target, catalog)
    return own and not status.matches(source.case.symptom, seen, apis, plan.renamed)


def contrasted(
    found: Verdict,
    code: str,
    target: Api,
    source: Verified,
    session: Session,
    catalog: Catalog,
    limits: Limits,
) -> Verdict:
    """What a bug comes to where another backend runs the report's code: it has to run this, too.

    An error that both backends raise is no difference of backends.
    """
    other = session.beside
    if other is None or not source.runs_on:
        return found
    try:
        traced = instrument(code).traced
    except CitadelError:
        return found
    refused = refuses(other.session, code, traced, limits, target, catalog)
    if refused is False:
        return replace(found, guards=(*found.guards, f"the {other.name} backend runs it"))
    if refused:
        reason = f"refused on the {other.name} backend as well"
        return replace(found, kind=VerdictKind.EXPECTED, confidence=0.0, reason=reason)
    reason = f"nothing tells whether the {other.name} backend runs it"
    return replace(found, kind=VerdictKind.NOT_ADAPTED, confidence=0.0, reason=reason)


def passed(observation: Observation, written: Rewritten, source: Verified) -> bool:
    """Whether a replay came past the call at which the report's own run failed.

    What follows was written for the source's result, and never ran with it.
    """
    failed = failing_call(source.observation)
    if failed is None:
        return False
    site = written.sites.get(failed.site)
    return any(
        call.site == site and call.occurrence >= failed.occurrence and call.result is not None
        for call in observation.calls
    )


def _hits(
    code: str,
    traced_code: str,
    seen: Symptom | None,
    shows: Callable[[Observation], Symptom | None],
    plan: Adaptation,
    source: Verified,
    session: Session,
    limits: Limits,
    *,
    runs: int,
) -> int | None:
    """How many of `runs` runs as it stands show the bug; None: a hang that comes to its end."""
    wanted, apis = source.case.symptom, (source.case.api, plan.target)
    crashes = wanted.kind is SymptomKind.CRASHES
    alone = crashes and not names_check(None if seen is None else seen.message)
    hits = 0
    for run in range(runs):
        traced_again = traced_code if source.caught else None
        cold = run == 0 and alone
        entry = "cold:run" if cold else "case:run"
        # Importing the framework is not the case's own time.
        allowed = replace(limits, wall=limits.wall + COLD_START) if cold else limits
        allowed = status.once_more(allowed, seen) if hits else allowed
        observation = session.run(code, traced=traced_again, limits=allowed, seed=run, entry=entry)
        again = shows(observation)
        hits += status.matches(wanted, again, apis, plan.renamed)
        if wanted.kind is SymptomKind.HANGS and again is None and not hits:
            return None
    return hits


def _shown(
    observation: Observation, source: Verified, target: Api, catalog: Catalog
) -> Symptom | None:
    """What a replay shows; where the report's code catches its exception, what it caught."""
    if not source.caught:
        return status.capture(observation)
    for call in caught_calls(observation):
        api = resolve(call, catalog)
        if api is not None and api.name == target.name and call.raised is not None:
            return status.of_raised(call.raised)
    return status.capture(observation)


def _artefact(
    observation: Observation,
    plan: Adaptation,
    target: Api,
    seen: Symptom | None,
    source: Verified,
    catalog: Catalog,
    *,
    close: bool,
    late: bool,
) -> str | None:
    """Why a symptom that matches does not count, if so; `late`: it is not in the observation."""
    unseen = late or (source.caught and status.capture(observation) is None)
    if not unseen and not blames(observation, target, source, catalog):
        return "another call than the sibling's fails"
    if cut(plan, source.call, observation.calls):
        return "gradients do not reach what a layer has a copy of"
    filled = made_up(plan)
    blamed = () if seen is None else _may_be_meant(seen, source.case.symptom, plan, target)
    if blamed:
        return f"{OF_FILLED}: {', '.join(blamed)}"
    if not close and gives_nothing(observation, target, catalog):
        return "gives nothing, as functions may that are called for their effect"
    stranger = filled and plan.drops and not close
    # What its gradients bring about is nothing that it says of its arguments.
    other = stranger or (not close and bool(filled or plan.drops) and _of_gradients(source))
    if source.deferred and other and fails_itself(observation, target, catalog):
        return "no relation, and fails at once, where the report's call returns"
    if source.case.symptom.kind is not SymptomKind.CRASHES:
        return None  # of crashes, the signal alone is compared
    if mostly_filled(plan):
        return "more of the call is filled in than comes from the report"
    if stranger:
        return "no relation, and takes other arguments than the report's call"
    return None


def _of_gradients(source: Verified) -> bool:
    """Whether the report's run ends where gradients are computed."""
    failing = failing_call(source.observation)
    return failing is not None and leaf(failing.name) in GRADIENTS


def _may_be_meant(seen: Symptom, wanted: Symptom, plan: Adaptation, target: Api) -> tuple[str, ...]:
    """The arguments that an exception may be about and the report has not got."""
    if status.names_the_same(seen, wanted):
        return ()
    if status.complains_about_another_value(seen, wanted):
        return made_up(plan)
    return shaping(plan, target) if status.complains_about_tensors(seen) else ()


def _unlike(
    wanted: Symptom,
    seen: Symptom | None,
    observation: Observation,
    plan: Adaptation,
    target: Api,
    catalog: Catalog,
) -> Verdict:
    if seen is None:
        if observation.outcome is Outcome.OK:
            return verdict(VerdictKind.CLEAN, guards=(THROUGH,))
        return verdict(VerdictKind.NOT_ADAPTED, reason=f"ended by {observation.outcome}")
    if plan.state and unfilled(observation, target, catalog):
        reason = "its parameters are not those of the report's call"
        return verdict(VerdictKind.NOT_ADAPTED, symptom=seen, reason=reason)
    if status.unavailable(seen) and not status.unavailable(wanted):
        return verdict(VerdictKind.NEEDS, symptom=seen, reason=shorten(seen.headline()))
    if status.refuses_arguments(seen) and not status.refuses_arguments(wanted):
        return verdict(VerdictKind.NOT_ADAPTED, symptom=seen, reason=shorten(seen.headline()))
    refused = (
        wanted.kind is not SymptomKind.RAISES
        and seen.kind is SymptomKind.RAISES
        and not status.internal(seen)
    )
    kind = VerdictKind.REFUSED if refused else VerdictKind.DIFFERENT
    return verdict(kind, symptom=seen, reason=shorten(seen.headline()))
