"""From a reading to a case: run what the report holds, see whether it shows what the report says.

In: a `Reading` (snippets, claims, mentions). Out: a `Verified` case with its failing call, or the
reason why there is none. The observation counts first, then the recorded symptom: a report that no
longer reproduces keeps the symptom that it recorded and stays a template for its siblings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Call, Observation
from analysis.target.session import Limits, Session
from analysis.target.target import TargetInfo
from citadel.model import BugCase, BugKind, Symptom, SymptomKind, content_id
from citadel.oracle import status
from citadel.verify.attempts import attempts_of, inside_functions, lacks
from citadel.verify.contradiction import accepted_at_last, contradicting
from citadel.verify.contrast import refuses
from citadel.verify.crashes import located_case
from citadel.verify.culprit import culprit
from citadel.verify.deciding import (
    accepted_quietly,
    asked_to_refuse,
    fails_an_assertion,
    gone,
    only_measures,
    settles,
    values_after_all,
    values_decide,
)
from citadel.verify.recorded import (
    as_told,
    bug_kind,
    drifted,
    recorded,
    reproduces,
    says_the_same,
    speaks_of_cost,
)
from citadel.verify.shown import by_measure, by_values
from citadel.verify.suspects import meant, never_called, titled, titled_call
from citadel.verify.verified import Attempt, NotVerified, Verified, evidence
from harvest.report.model import Reading
from harvest.report.on_cpu import compares_devices
from harvest.report.text import shorten

Look = Callable[[Sequence[Attempt]], Verified | NotVerified]
"""What the values, or the costs, of some attempts show."""


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
    if isinstance(found, Verified):
        found = located_case(found, session, limits or Limits())
        found = replace(found, runs_on=_runs_on(found, session, catalog, limits or Limits()))
    guessed = [one for one in reading.candidates if one.guess]
    if isinstance(found, Verified):
        guessed = [one for one in guessed if one.code == found.case.code]
        alone = found.case.kind is BugKind.STATUS or not compares_devices(reading.report.title)
        if alone and _surely(recorded(reading.claims), found.case):
            return found
    elif any(not one.guess and lacks(one, info) is None for one in reading.candidates):
        guessed = []
    return NotVerified(reason=guessed[0].guess) if guessed else found


def _runs_on(found: Verified, session: Session, catalog: Catalog, limits: Limits) -> str:
    """The other backend, if the report compares with one and it runs what raises an error here."""
    other, case = session.beside, found.case
    if other is None or not case.reproduces or case.symptom.kind is not SymptomKind.RAISES:
        return ""
    refused = refuses(other.session, case.code, found.source.traced, limits, found.api, catalog)
    return other.name if refused is False else ""


def _surely(wanted: Symptom | None, case: BugCase) -> bool:
    """Whether a case shows the very bug: of what is guessed, a failure like it will not do."""
    if wanted is not None and case.kind is BugKind.STATUS:
        return case.reproduces and says_the_same(wanted, case.symptom)
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
    by_cost: Look = partial(
        by_measure, reading, session=session, catalog=catalog, info=info, limits=limits
    )
    values = partial(
        by_values, session=session, catalog=catalog, info=info, runs=runs, limits=limits
    )
    by_value: Look = partial(values, reading)
    wanted = recorded(reading.claims)
    attempts = attempts_of(reading, wanted, session, catalog, info, runs, limits)
    if isinstance(attempts, str):
        return NotVerified(reason=attempts)
    contradiction = contradicting(reading, attempts, catalog, info)
    if contradiction is not None:
        return _as_told(contradiction, by_value(attempts))
    best = max(attempts, key=partial(_promise, wanted))
    accepted = partial(values, only=SymptomKind.ACCEPTS)
    settled = _accepting_at_last(reading, attempts, catalog, accepted)
    settled = settled or _holding_by_now(reading, best, by_value)
    settled = settled or _accepting(reading, attempts, best, by_value)
    settled = settled or _measuring(reading, attempts, best, by_cost)
    if settled is not None:
        return settled
    wanted = as_told(reading.claims, wanted, best.symptom) or wanted
    of_values = values_decide(reading, best)
    if of_values or asked_to_refuse(reading, best):
        tried = attempts if of_values else [best]
        found = by_value(tried)
        if settles(reading, best, found):
            if isinstance(found, Verified) or not gone(wanted, best):
                return found
            fixed = _conclude(reading, wanted, best, catalog, info, kind=BugKind.STATUS)
            return fixed if isinstance(fixed, Verified) else found
    if bug_kind(reading.claims, best.symptom) is BugKind.PERFORMANCE:
        return by_cost(attempts)
    found = _conclude(reading, wanted, best, catalog, info)
    if isinstance(found, Verified) and found.case.reproduces:
        return found
    other = _after_all(reading, attempts, best, by_value, by_cost)
    if other is not None:
        return other
    return _inside(reading, wanted, best, found, session, catalog, info, runs, limits)


def _as_told(contradiction: Verified, told: Verified | NotVerified) -> Verified:
    """A contradiction; where the report's own words tell what the API accepts, that call is the
    case."""
    if isinstance(told, NotVerified) or told.api != contradiction.api or not told.case.reproduces:
        return contradiction
    accepts = told.case.symptom.kind is SymptomKind.ACCEPTS
    return replace(told, contrast=contradiction) if accepts else contradiction


def _accepting_at_last(
    reading: Reading,
    attempts: Sequence[Attempt],
    catalog: Catalog,
    accepted: Callable[[Reading, Sequence[Attempt]], Verified | NotVerified],
) -> Verified | None:
    """The case of an API that takes in its last call what the code shows it to refuse before."""
    known = accepted_at_last(reading, attempts, catalog)
    if known is None:
        return None
    attempt, raised, api = known
    why = reading.refusal or status.of_raised(raised).headline()
    found = accepted(replace(reading, refusal=why), [attempt])
    if isinstance(found, NotVerified) or found.api is not api or not found.case.reproduces:
        return None
    return found


def _holding_by_now(
    reading: Reading,
    best: Attempt,
    by_value: Look,
) -> Verified | None:
    """The case, fixed, of an assertion that the report records and that holds by now: what else is
    shown may look wrong, and is not what the report is about."""
    if best.symptom is not None or not fails_an_assertion(reading, best):
        return None
    found = by_value([best])
    return found if isinstance(found, Verified) and not found.case.reproduces else None


def _accepting(
    reading: Reading,
    attempts: list[Attempt],
    best: Attempt,
    by_value: Look,
) -> Verified | None:
    """What code that ends well accepts, where the title says that something is accepted: what fails
    in other code, as the report records, is the contrast."""
    quiet = [one for one in attempts if one.symptom is None]
    if best.symptom is None or not quiet or not accepted_quietly(reading):
        return None
    found = by_value(quiet)
    if not isinstance(found, Verified) or not found.case.reproduces:
        return None
    return found if found.case.symptom.kind is SymptomKind.ACCEPTS else None


def _measuring(
    reading: Reading,
    attempts: list[Attempt],
    best: Attempt,
    by_cost: Look,
) -> Verified | None:
    """What code costs that does nothing but measure, or whose assertion compares times or bytes."""
    asserted = bug_kind(reading.claims, None) is BugKind.PERFORMANCE and values_decide(
        reading, best
    )
    if not asserted and not only_measures(reading, best):
        return None
    found = by_cost(attempts)
    return found if isinstance(found, Verified) and found.case.reproduces else None


def _after_all(
    reading: Reading,
    attempts: list[Attempt],
    best: Attempt,
    by_value: Look,
    by_cost: Look,
) -> Verified | None:
    """What else a report tells of, where the failure that it records does not show: of its costs,
    where what is pasted besides comes of larger inputs, or of its values."""
    found: list[Verified | NotVerified] = []
    if best.symptom is None and speaks_of_cost(reading.claims):
        found.append(by_cost(attempts))
    if values_after_all(reading, best):
        found.append(by_value(attempts))
    shown = (one for one in found if isinstance(one, Verified) and one.case.reproduces)
    return next(shown, None)


def _inside(
    reading: Reading,
    wanted: Symptom | None,
    attempt: Attempt,
    found: Verified | NotVerified,
    session: Session,
    catalog: Catalog,
    info: TargetInfo,
    runs: int,
    limits: Limits,
) -> Verified | NotVerified:
    """What a run shows once its graphs run as Python, where it shows nothing else."""
    if isinstance(found, Verified) or "tensorflow" not in (info.framework, info.backend):
        return found
    inside = inside_functions(attempt, session, runs, limits, reading.claims)
    again = _conclude(reading, wanted, inside, catalog, info) if inside else found
    return again if isinstance(again, Verified) else found


def _promise(wanted: Symptom | None, attempt: Attempt) -> tuple[bool, bool, bool, int, bool]:
    """What the report records comes first, then what is like it, then any symptom.

    Where none shows one, it is the code that has the recorded message in it: of an assertion.
    """
    seen = attempt.symptom
    recorded_one = wanted is not None and status.matches(wanted, seen)
    words = wanted.message if wanted is not None else None
    own = bool(words) and str(words) in attempt.snippet.code
    return (recorded_one, reproduces(wanted, seen), seen is not None, attempt.hits, own)


def _conclude(
    reading: Reading,
    wanted: Symptom | None,
    attempt: Attempt,
    catalog: Catalog,
    info: TargetInfo,
    *,
    kind: BugKind | None = None,
) -> Verified | NotVerified:
    seen = attempt.symptom
    kind = kind or bug_kind(reading.claims, seen)
    if kind is not BugKind.STATUS and seen is None and not reading.claims:
        repairs = attempt.snippet.repairs
        mended = f" once it is mended ({', '.join(repairs)})" if repairs else ""
        reason = f"runs without an error{mended}, and the report records no failure"
        return NotVerified(reason=reason)
    if kind is not BugKind.STATUS:
        return NotVerified(reason=f"describes a {kind} symptom, which is not judged yet")
    again = reproduces(wanted, seen)
    blamed = _blamed(reading, wanted, attempt, catalog)
    if blamed is None:
        return NotVerified(reason=_without_api(attempt.traced, seen))
    if not again and seen is not None and not titled(blamed[1], reading.mentions):
        missed = never_called(attempt.traced, catalog, reading)
        if missed is not None:
            reason = (
                f"{blamed[1].name} ends it before {missed} is called: {shorten(seen.headline())}"
            )
            return NotVerified(reason=reason)
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
        drifted=again and drifted(wanted, seen),
    )
    return Verified(
        case=case,
        api=api,
        call=call,
        observation=attempt.traced,
        source=attempt.source,
        caught=attempt.caught is not None,
    )


def _blamed(
    reading: Reading, wanted: Symptom | None, attempt: Attempt, catalog: Catalog
) -> tuple[Call, Api] | None:
    """The call and the API that a run's symptom is of; without one, those the report is about."""
    seen, again = attempt.symptom, reproduces(wanted, attempt.symptom)
    blamed = None
    if seen is not None:
        blamed = culprit(attempt.traced, catalog, reading.mentions, attempt.caught)
    if seen is None:
        blamed = meant(attempt.traced, catalog, reading)
    elif blamed is None and again and wanted is not None and wanted.message:
        blamed = titled_call(attempt.traced, catalog, reading)
    if blamed is None and again and attempt.late:
        blamed = meant(attempt.traced, catalog, reading)
    return blamed


def _without_api(observation: Observation, seen: Symptom | None) -> str:
    if seen is None:
        return "runs without a status symptom"
    if observation.exception is not None and observation.exception.type == "AssertionError":
        return "an assertion of the report's own fails, and nothing tells what it compares"
    return f"no public API is to blame for: {shorten(seen.headline())}"
