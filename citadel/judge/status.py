"""Replay one generated case and say what it shows: the verdict of a finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import instrument
from analysis.target.observation import Observation
from analysis.target.session import Limits, Session
from citadel.judge.blamed import returned
from citadel.judge.doubts import Doubts, Guard
from citadel.judge.gradients import Failed
from citadel.judge.status_doubts import (
    ARTEFACTS,
    LACKS,
    OTHER_CHECKS,
    OTHER_NUMBERS,
    StatusMatch,
)
from citadel.judge.status_endings import THROUGH, Ended, unlike
from citadel.judge.verdicts import made_up, rate, shown_in, verdict
from citadel.model import Symptom, SymptomKind, Verdict, VerdictKind
from citadel.oracle import status
from citadel.oracle.aborts import names_check
from citadel.plan.model import Adaptation
from citadel.rewrite.rewriter import Rewritten
from citadel.traced import is_call_of, resolve
from citadel.verify.contrast import refuses
from citadel.verify.crashes import located
from citadel.verify.identify import caught_calls, failing_call
from citadel.verify.verified import Verified

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
        return unlike(Ended(wanted, seen, traced, plan, target, catalog))
    failed = Failed(code, traced_code, traced, target)
    match = StatusMatch(
        failed, plan, seen, source, session, catalog, limits, close=close, late=late
    )
    found = LACKS.settle(match) or _doubted(match)
    if isinstance(found, Verdict):
        return replace(found, symptom=seen)
    hits = _hits(code, traced_code, seen, shows, plan, source, session, limits, runs=runs)
    if hits is None:
        return verdict(VerdictKind.CLEAN, guards=(THROUGH,))  # it takes long
    if seen is not None and hits and not source.deferred:
        seen = located(seen, code, traced_code, session, limits)
    kind = shown_in(hits, runs, source.case.runs)
    return Verdict(
        kind=kind if hits else VerdictKind.NOT_ADAPTED,
        runs=(hits, runs),
        confidence=rate(hits, runs),
        symptom=seen,
        reason=None if hits else "shows only while traced",
        guards=_guards(source, plan, hits, runs, found) if hits else (),
        rule="" if found is None or not hits else found.rule,
    )


def _doubted(match: StatusMatch) -> Verdict | Guard | None:
    """The verdict on a symptom that matches and is another bug's; the guard that the report's own
    call fails for the same argument; or neither."""
    found = ARTEFACTS.settle(match)
    if isinstance(found, Verdict):
        return found
    other = OTHER_NUMBERS.settle(match) or (None if match.late else OTHER_CHECKS.settle(match))
    return other or found


def _guards(
    source: Verified, plan: Adaptation, hits: int, runs: int, shared: Guard | None
) -> tuple[str, ...]:
    """What has spoken for a bug of status; `shared`: that both fail for one argument."""
    crashes = source.case.symptom.kind is SymptomKind.CRASHES
    what = "signal or failed check" if crashes else "kind of failure, in the same words"
    filled = ("nothing that was filled in is complained about",) if made_up(plan) else ()
    if shared is not None:
        filled = (shared.text,)
    return (
        "the failure is the sibling's own",
        f"the same {what}",
        *filled,
        f"shown in {hits} of {runs} runs with seeds of their own",
    )


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
    told = BACKENDS.settle((other.name, refused))
    if isinstance(told, Guard):
        return replace(found, guards=(*found.guards, told.text), rule=told.rule)
    if told is None:
        return found
    return replace(found, kind=told.kind, confidence=0.0, reason=told.reason, rule=told.rule)


BACKENDS: Doubts[tuple[str, bool | None]] = Doubts("doubt")
"""The other backend runs the report's code. Given: its name, and whether it refuses the sibling."""


@BACKENDS.guard("runs-on-other-backend")
def _runs_on_other_backend(told: tuple[str, bool | None]) -> str | None:
    """The other backend runs it."""
    name, refused = told
    return f"the {name} backend runs it" if refused is False else None


@BACKENDS.doubt("raises-on-other-backend")
def _raises_on_other_backend(told: tuple[str, bool | None]) -> Verdict | None:
    """Both backends raise the error."""
    name, refused = told
    reason = f"refused on the {name} backend as well"
    return verdict(VerdictKind.EXPECTED, reason=reason) if refused else None


@BACKENDS.doubt("silent-on-other-backend")
def _silent_on_other_backend(told: tuple[str, bool | None]) -> str:
    """The run on the other backend does not tell."""
    return f"nothing tells whether the {told[0]} backend runs it"


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
