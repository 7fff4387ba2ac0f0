"""From a reading to a case: run what the report holds, see whether it shows what the report says.

In: a `Reading` (snippets, claims, mentions). Out: a `Verified` case with its failing call, or the
reason why there is none. The observation counts first, then the recorded symptom: a report that no
longer reproduces keeps the symptom that it recorded and stays a template for its siblings.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise

from analysis.catalog.model import Catalog
from analysis.errors import CitadelError
from analysis.target.instrument import instrument
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.session import Limits, Session
from analysis.target.target import TargetInfo
from citadel.identify import caught_calls, culprit, failing_call, mentioned_call, resolve
from citadel.model import BugCase, BugKind, Symptom, SymptomKind, content_id
from citadel.oracle import status
from citadel.oracle.value import asserts
from citadel.shown import by_measure, by_values
from citadel.variants import eager, of_version_1
from citadel.verified import Attempt, NotVerified, Verified, evidence
from harvest.report.model import Claim, ClaimKind, ClaimSource, Need, Reading, Snippet

MAX_CANDIDATES = 12
STATUS_CLAIMS = (ClaimKind.RAISES, ClaimKind.CRASHES, ClaimKind.HANGS)
INCOMPLETE = frozenset(("NameError", "SyntaxError", "IndentationError", "FileNotFoundError"))
"""Exceptions by which code says that it is not whole, rather than that the framework is broken."""
_OF_MODULE = re.compile(r"module '(?:torch|tensorflow|keras)")
_PROMPT = re.compile(r">>>|\.\.\. |In ?\[\d+\]:")
MISSING = frozenset(("ModuleNotFoundError", "ImportError"))
ELSEWHERE = "not in this build"


def verify(
    reading: Reading,
    session: Session,
    catalog: Catalog,
    info: TargetInfo,
    *,
    runs: int = 3,
    limits: Limits | None = None,
) -> Verified | NotVerified:
    """Reproduce a report on one build."""
    if reading.skipped is not None:
        return NotVerified(reason=reading.skipped)
    found = _reproduced(reading, session, catalog, info, runs, limits)
    guessed = [one for one in reading.candidates if one.guess]
    if isinstance(found, Verified):
        guessed = [one for one in guessed if one.code == found.case.code]
        if _surely(recorded(reading.claims), found.case):
            return found
    elif any(not one.guess and _lacks(one, info) is None for one in reading.candidates):
        guessed = []
    return NotVerified(reason=guessed[0].guess) if guessed else found


def _surely(wanted: Symptom | None, case: BugCase) -> bool:
    """Whether a case shows the very bug: of what is guessed, a failure like it will not do."""
    if wanted is not None and case.kind is BugKind.STATUS:
        return case.reproduces and status.matches(wanted, case.symptom)
    return case.reproduces


def _reproduced(
    reading: Reading,
    session: Session,
    catalog: Catalog,
    info: TargetInfo,
    runs: int,
    limits: Limits | None,
) -> Verified | NotVerified:
    limits = limits or Limits()
    wanted = recorded(reading.claims)
    attempts = _attempts(reading, wanted, session, catalog, info, runs, limits)
    if isinstance(attempts, str):
        return NotVerified(reason=attempts)
    best = max(attempts, key=partial(_promise, wanted))
    of_values = _of_values(reading, best)
    if of_values or _asked_to_refuse(reading, best):
        tried = attempts if of_values else [best]
        found = by_values(reading, tried, session, catalog, info, runs=runs, limits=limits)
        if _settles(reading, best, found):
            return found
    if bug_kind(reading.claims, best.symptom) is BugKind.PERFORMANCE:
        return by_measure(reading, attempts, session, catalog, info, limits=limits)
    found = _conclude(reading, wanted, best, catalog, info)
    if isinstance(found, NotVerified) and _of_values_after_all(reading, best):
        other = by_values(reading, attempts, session, catalog, info, runs=runs, limits=limits)
        return other if isinstance(other, Verified) and other.case.reproduces else found
    if isinstance(found, NotVerified) and "tensorflow" in (info.framework, info.backend):
        inside = _inside_functions(best, session, runs, limits, reading.claims)
        again = _conclude(reading, wanted, inside, catalog, info) if inside else found
        return again if isinstance(again, Verified) else found
    return found


def _attempts(
    reading: Reading,
    wanted: Symptom | None,
    session: Session,
    catalog: Catalog,
    info: TargetInfo,
    runs: int,
    limits: Limits,
) -> list[Attempt] | str:
    """What the report's snippets do here, up to the one that shows what is wanted; else why not."""
    reasons: list[str] = []
    attempts: list[Attempt] = []
    for snippet in reading.candidates[:MAX_CANDIDATES]:
        lack = _lacks(snippet, info)
        if lack:
            reasons.append(lack)
            continue
        if snippet.guess and snippet.guess not in reasons:
            continue  # what the report's own code needs is there
        attempt = _attempt(snippet, session, runs, limits, reading.claims)
        older = of_version_1(snippet, catalog, reading.claims) if _elsewhere(attempt) else None
        if older is not None:
            attempt = _attempt(older, session, runs, limits, reading.claims)
        if isinstance(attempt, str):
            reasons.append(attempt)
            continue
        attempts.append(attempt)
        if wanted is not None and status.matches(wanted, attempt.symptom):
            break
    if not attempts:
        return "; ".join(dict.fromkeys(reasons)) or "nothing to run"
    return attempts


def _elsewhere(attempt: Attempt | str) -> bool:
    """Whether a snippet names what this build has not."""
    return isinstance(attempt, str) and attempt.startswith(ELSEWHERE)


def _inside_functions(
    attempt: Attempt, session: Session, runs: int, limits: Limits, claims: tuple[Claim, ...]
) -> Attempt | None:
    """The attempt with functions run as Python, if it fails in the same way.

    A graph tells of no call in it: where it dies, nobody but the function is to blame.
    """
    changed = eager(attempt.snippet)
    if changed is None or attempt.symptom is None:
        return None
    seen = _attempt(changed, session, runs, limits, claims)
    if isinstance(seen, str) or not status.matches(attempt.symptom, seen.symptom):
        return None
    return seen


def _of_values(reading: Reading, attempt: Attempt) -> bool:
    """Whether values decide: nothing else does, or an assertion of the report's own fails."""
    seen = attempt.symptom
    raised = seen is not None and seen.kind is SymptomKind.RAISES
    if raised and (asserts(attempt.traced) or _session_without(reading, attempt)):
        return True
    return bug_kind(reading.claims, seen) is BugKind.VALUE


def _of_values_after_all(reading: Reading, attempt: Attempt) -> bool:
    """Whether a title that calls it an error, as any bug, is followed by words about values."""
    if attempt.symptom is not None or recorded(reading.claims) is not None:
        return False
    return any(claim.kind is ClaimKind.VALUE for claim in reading.claims)


def _session_without(reading: Reading, attempt: Attempt) -> bool:
    """Whether the report pastes a session with results, and no exception: this one is new."""
    if "prompts" not in attempt.snippet.repairs or recorded(reading.claims) is not None:
        return False
    prompted = [_PROMPT.match(line) is not None for line in reading.output]
    shown = any(before and not after for before, after in pairwise(prompted))
    return shown and any(claim.kind is ClaimKind.VALUE for claim in reading.claims)


def _asked_to_refuse(reading: Reading, attempt: Attempt) -> bool:
    """Whether an exception may be the very one that the report asks for."""
    seen = attempt.symptom
    raised = seen is not None and seen.kind is SymptomKind.RAISES and not status.internal(seen)
    return raised and reading.refusal is not None and recorded(reading.claims) is None


def _settles(reading: Reading, attempt: Attempt, found: Verified | NotVerified) -> bool:
    """Whether what the values tell is the answer, rather than how the run ended."""
    if _of_values(reading, attempt):
        return _told(reading) or (isinstance(found, Verified) and found.case.reproduces)
    return isinstance(found, Verified) and found.witness is not None and found.witness.refused


def _told(reading: Reading) -> bool:
    """Whether the report speaks of a bug at all; else only what shows by itself counts."""
    return bool(reading.claims or reading.refusal or reading.expectations)


def recorded(claims: tuple[Claim, ...]) -> Symptom | None:
    """The status symptom that the report records: claims come strongest first."""
    for claim in claims:
        if claim.kind is ClaimKind.RAISES and claim.exception:
            return status.raises(claim.exception, claim.message or "")
        if claim.kind is ClaimKind.CRASHES:
            return status.crashes(claim.signal, claim.message)
        if claim.kind is ClaimKind.HANGS:
            return Symptom(kind=SymptomKind.HANGS)
    return None


def bug_kind(claims: tuple[Claim, ...], symptom: Symptom | None) -> BugKind:
    """Status if the report pastes a failure or the run died; else what title and body say.

    Where the run raised, words in the body do not outweigh that, nor does a title that speaks of
    both ("raises for a negative size").
    """
    if symptom is not None and symptom.kind is SymptomKind.CRASHES:
        return BugKind.STATUS
    for claim in claims:
        raised = symptom is not None and symptom.kind is SymptomKind.RAISES
        if raised and claim.source is ClaimSource.BODY:
            break
        if claim.kind in STATUS_CLAIMS:
            return BugKind.STATUS
        if claim.kind is ClaimKind.PERFORMANCE:
            return BugKind.PERFORMANCE
        if claim.kind is ClaimKind.VALUE:
            beside = (c for c in claims if c.source is claim.source and c.kind in STATUS_CLAIMS)
            return BugKind.STATUS if raised and any(beside) else BugKind.VALUE
    return BugKind.STATUS if symptom is not None else BugKind.VALUE


def reproduces(wanted: Symptom | None, seen: Symptom | None) -> bool:
    """Whether a run shows what the report recorded.

    Messages drift between releases, so an exception of a related class still counts. A crash that
    has become an exception, or an internal assertion that has become a plain refusal, is fixed; a
    crash that has become an internal assertion is not.
    """
    if seen is None or wanted is None:
        return seen is not None
    if wanted.kind is SymptomKind.CRASHES:
        return seen.kind is not SymptomKind.HANGS and status.internal(seen)
    if wanted.kind is SymptomKind.HANGS:
        return seen.kind is SymptomKind.HANGS
    if seen.kind is not SymptomKind.RAISES:
        return seen.kind is SymptomKind.CRASHES
    if status.internal(wanted) and not status.internal(seen):
        return False
    return wanted.pattern == seen.pattern or _related(wanted.exception, seen.exception)


def _related(one: str | None, other: str | None) -> bool:
    kinds = {str(one), str(other)}
    return len(kinds) == 1 or kinds == {"NotImplementedError", "RuntimeError"}


def _lacks(snippet: Snippet, info: TargetInfo) -> str | None:
    """What the snippet needs that this target has not, if anything."""
    has_cuda = any(device.startswith("cuda") for device in info.devices)
    for need, detail in snippet.needs:
        if need is Need.CUDA and has_cuda:
            continue
        return f"needs {need}" + (f" ({detail})" if detail else "")
    return None


def _attempt(
    snippet: Snippet, session: Session, runs: int, limits: Limits, claims: tuple[Claim, ...]
) -> Attempt | str:
    try:
        source = instrument(snippet.code)
    except CitadelError as problem:
        return problem.message
    traced = session.run(snippet.code, traced=source.traced, limits=limits)
    symptom = status.capture(traced)
    hits = 0
    for run in range(runs if symptom is not None else 1):
        plain = status.capture(session.run(snippet.code, limits=limits, seed=run))
        if run == 0 and not _same(symptom, plain):
            symptom = plain  # tracing changed the run: believe the plain one
        hits += _same(symptom, plain)
    reason = _unusable(traced, symptom)
    if reason is not None:
        return reason
    caught = caught_failure(traced, claims) if symptom is None else None
    if caught is not None and caught.raised is not None:
        return Attempt(
            snippet=snippet,
            source=source,
            traced=traced,
            symptom=status.of_raised(caught.raised),
            hits=1,
            runs=1,
            caught=caught,
        )
    return Attempt(
        snippet=snippet,
        source=source,
        traced=traced,
        symptom=symptom,
        hits=hits if symptom is not None else 0,
        runs=runs if symptom is not None else 1,
    )


def caught_failure(observation: Observation, claims: tuple[Claim, ...]) -> Call | None:
    """The exception that a case catches and the report is about, if there is one.

    It is about one that it records, or, where it claims a failure, about one that is printed.
    """
    if bug_kind(claims, None) is not BugKind.STATUS:
        return None
    wanted = recorded(claims)
    printed = observation.stdout + observation.stderr
    calls = [(c, status.of_raised(c.raised)) for c in caught_calls(observation) if c.raised]
    for call, symptom in calls:
        if wanted is not None and status.matches(wanted, symptom):
            return call
    for call, symptom in calls:
        line = (symptom.message or "")[:60]
        if len(line) > 8 and line in printed:
            return call
    return None


def _same(one: Symptom | None, other: Symptom | None) -> bool:
    return one is None and other is None if one is None else status.matches(one, other)


def _unusable(observation: Observation, symptom: Symptom | None) -> str | None:
    """Why a run says nothing about the framework, if so."""
    if observation.outcome in (Outcome.MEMORY, Outcome.OUTPUT, Outcome.PROCESSES):
        return f"exceeds the limit on {observation.outcome}"
    if observation.outcome is Outcome.LOST:
        return "killed its own sandbox"
    if symptom is None or symptom.kind is not SymptomKind.RAISES:
        return None
    call = failing_call(observation)
    if symptom.exception in MISSING:
        return f"needs a package: {symptom.message}"
    if symptom.exception in INCOMPLETE and (call is None or call.form == "other"):
        return f"not self-contained: {symptom.exception}: {symptom.message}"
    if symptom.exception == "AttributeError" and _OF_MODULE.match(symptom.message or ""):
        return f"{ELSEWHERE}: {symptom.message}"
    return None


def _promise(wanted: Symptom | None, attempt: Attempt) -> tuple[bool, bool, bool, int]:
    """What the report records comes first, then what is like it, then any symptom."""
    seen = attempt.symptom
    recorded_one = wanted is not None and status.matches(wanted, seen)
    return (recorded_one, reproduces(wanted, seen), seen is not None, attempt.hits)


def _conclude(
    reading: Reading,
    wanted: Symptom | None,
    attempt: Attempt,
    catalog: Catalog,
    info: TargetInfo,
) -> Verified | NotVerified:
    seen = attempt.symptom
    kind = bug_kind(reading.claims, seen)
    if kind is not BugKind.STATUS and seen is None and not reading.claims:
        return NotVerified(reason="runs without an error, and the report records no failure")
    if kind is not BugKind.STATUS:
        return NotVerified(reason=f"describes a {kind} symptom, which is not judged yet")
    blamed = culprit(attempt.traced, catalog, reading.mentions) if seen is not None else None
    if attempt.caught is not None and (api := resolve(attempt.caught, catalog)) is not None:
        blamed = attempt.caught, api
    if seen is None:
        blamed = mentioned_call(attempt.traced, catalog, reading.mentions)
    if blamed is None:
        return NotVerified(reason=_without_api(attempt.traced, seen))
    again = reproduces(wanted, seen)
    if not again and seen is not None and seen.kind is SymptomKind.HANGS:
        seconds = round(attempt.traced.wall)
        return NotVerified(reason=f"is still running after {seconds} seconds (see --timeout)")
    symptom = seen if again else wanted
    if symptom is None:
        return NotVerified(reason="runs without a status symptom, and none is recorded")
    call, api = blamed
    if call.site >= len(attempt.source.nodes):
        return NotVerified(reason="the case has tampered with its trace")
    code = attempt.snippet.code
    case = BugCase(
        id=content_id(info.key, api.name, code, symptom.pattern or symptom.signal or symptom.kind),
        origin=reading.report.source,
        framework=info.framework,
        build=info.key,
        api=api.name,
        code=code,
        kind=kind,
        symptom=symptom,
        reproduces=again,
        runs=(attempt.hits if again else 0, attempt.runs),
        observed=seen.headline() if seen is not None else "runs without an error",
        evidence=evidence(wanted, seen, attempt.snippet, call),
        aliases=api.aliases,
    )
    return Verified(
        case=case,
        api=api,
        call=call,
        observation=attempt.traced,
        source=attempt.source,
        caught=attempt.caught is not None,
    )


def _without_api(observation: Observation, seen: Symptom | None) -> str:
    if seen is None:
        return "runs without a status symptom"
    if observation.exception is not None and observation.exception.type == "AssertionError":
        return "an assertion of the report's own fails, and nothing tells what it compares"
    return f"no public API is to blame for: {seen.headline()[:200]}"
