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
from analysis.target.observation import Observation
from analysis.target.session import Limits, Session
from analysis.target.target import TargetInfo
from citadel.attempts import attempts_of, inside_functions, lacks
from citadel.crashes import located_case
from citadel.identify import culprit, failing_call
from citadel.model import BugCase, BugKind, Symptom, SymptomKind, content_id
from citadel.oracle import status
from citadel.oracle.hints import DIFFERENT
from citadel.oracle.value import asserts
from citadel.recorded import STATUS_CLAIMS, bug_kind, recorded, reproduces, says_the_same
from citadel.shown import by_measure, by_values
from citadel.suspects import meant, titled_call
from citadel.traced import leaf, resolve
from citadel.verified import Attempt, NotVerified, Verified, evidence
from harvest.report.accepted import accepts, is_fact
from harvest.report.model import ClaimKind, ClaimSource, Reading
from harvest.report.on_cpu import compares_devices

_ASSERTION = re.compile(r"\bassert")
_QUIETLY = re.compile(
    r"\bwithout (?:an? |any )?(?:error|exception|complaint|validation)"
    r"|\b(?:silently|happily) (?!\w*(?:crash|fail|abort|exit))\w+",
    re.IGNORECASE,
)
"""A title by which there is no error where one is wanted, beside one that speaks of accepting."""
_RAISES = re.compile(
    r"(?:(?!\b(?:instead|rather|without|no|should|must)\b).)*?\b\w*(?:error|exception)\b",
    re.IGNORECASE,
)
"""A title that names an error which there is."""
_BUG = re.compile(
    r"\b(?:broken|bugs?|buggy|wrong(?:ly)?|incorrect(?:ly)?|misbehav\w+)\b", re.IGNORECASE
)
_PROMPT = re.compile(r">>>|\.\.\. |In ?\[\d+\]:")


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
    guessed = [one for one in reading.candidates if one.guess]
    if isinstance(found, Verified):
        guessed = [one for one in guessed if one.code == found.case.code]
        alone = found.case.kind is BugKind.STATUS or not compares_devices(reading.report.title)
        if alone and _surely(recorded(reading.claims), found.case):
            return found
    elif any(not one.guess and lacks(one, info) is None for one in reading.candidates):
        guessed = []
    return NotVerified(reason=guessed[0].guess) if guessed else found


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
    wanted = recorded(reading.claims)
    attempts = attempts_of(reading, wanted, session, catalog, info, runs, limits)
    if isinstance(attempts, str):
        return NotVerified(reason=attempts)
    best = max(attempts, key=partial(_promise, wanted))
    if best.symptom is None and _asserted(reading, best):
        held = by_values(reading, [best], session, catalog, info, runs=runs, limits=limits)
        if isinstance(held, Verified) and not held.case.reproduces:
            return held  # what else it shows may look wrong, and is not what the report is about
    of_values = _of_values(reading, best)
    if of_values or _asked_to_refuse(reading, best):
        tried = attempts if of_values else [best]
        found = by_values(reading, tried, session, catalog, info, runs=runs, limits=limits)
        if _settles(reading, best, found):
            if isinstance(found, Verified) or not _gone(wanted, best):
                return found
            fixed = _conclude(reading, wanted, best, catalog, info, kind=BugKind.STATUS)
            return fixed if isinstance(fixed, Verified) else found
    if bug_kind(reading.claims, best.symptom) is BugKind.PERFORMANCE:
        return by_measure(reading, attempts, session, catalog, info, limits=limits)
    found = _conclude(reading, wanted, best, catalog, info)
    shown = isinstance(found, Verified) and found.case.reproduces
    if not shown and _of_values_after_all(reading, best):
        other = by_values(reading, attempts, session, catalog, info, runs=runs, limits=limits)
        return other if isinstance(other, Verified) and other.case.reproduces else found
    if isinstance(found, NotVerified) and "tensorflow" in (info.framework, info.backend):
        inside = inside_functions(best, session, runs, limits, reading.claims)
        again = _conclude(reading, wanted, inside, catalog, info) if inside else found
        return again if isinstance(again, Verified) else found
    return found


def _gone(wanted: Symptom | None, attempt: Attempt) -> bool:
    """Whether a failure that the report has at hand, rather than in words, does not happen."""
    at_hand = wanted is not None and (wanted.kind is not SymptomKind.RAISES or wanted.message)
    return bool(at_hand) and attempt.symptom is None


def _of_values(reading: Reading, attempt: Attempt) -> bool:
    """Whether values decide: nothing else does, or an assertion of the report's own fails."""
    seen = attempt.symptom
    raised = seen is not None and seen.kind is SymptomKind.RAISES
    if raised and (_asserts(reading, attempt) or _session_without(reading, attempt)):
        return True
    failing = any(claim.kind in STATUS_CLAIMS for claim in reading.claims)
    if raised and not failing and reading.expectations:
        return True  # the report has numbers that should be others: this failure is none of its
    return bug_kind(reading.claims, seen) is BugKind.VALUE


def _asserts(reading: Reading, attempt: Attempt) -> bool:
    """Whether an assertion fails that the report makes, rather than is about."""
    raised, failing = attempt.traced.exception, failing_call(attempt.traced)
    if raised is None and attempt.symptom is not None:
        return attempt.symptom.exception == "AssertionError"  # it is one where nothing is traced
    if raised is None or failing is None or "AssertionError" in raised.types:
        return asserts(attempt.traced)
    about = any(m.title and leaf(m.name) == leaf(failing.name) for m in reading.mentions)
    return asserts(attempt.traced) and not about


def _asserted(reading: Reading, attempt: Attempt) -> bool:
    """Whether the failure that the report records is of an assertion in the code."""
    wanted = recorded(reading.claims)
    failed = wanted is not None and wanted.exception == "AssertionError"
    return failed and _ASSERTION.search(attempt.snippet.code) is not None


def _of_values_after_all(reading: Reading, attempt: Attempt) -> bool:
    """Whether a title that calls it an error, as any bug, is followed by words about values.

    An exception that is named in words alone may be what others raise ("NumPy raises IndexError,
    this silently returns the last element"), where the report wants one, or says what is right.
    One that a log has may be of anything, where the title speaks of a value alone.
    """
    wanted = recorded(reading.claims)
    if attempt.symptom is not None:
        return False
    if wanted is not None and _titled_value_alone(reading):
        return True
    if wanted is not None:
        in_words = wanted.kind is SymptomKind.RAISES and not wanted.message
        if reading.refusal is None or not in_words:
            return False
    of_values = any(claim.kind is ClaimKind.VALUE for claim in reading.claims)
    return of_values or any(one.right for one in reading.expectations)


def _titled_value_alone(reading: Reading) -> bool:
    """Whether the title says that a value is wrong, and of no failure.

    What is inconsistent may be that one call fails.
    """
    if DIFFERENT.search(reading.report.title):
        return False
    titled = {claim.kind for claim in reading.claims if claim.source is ClaimSource.TITLE}
    return ClaimKind.VALUE in titled and titled.isdisjoint(STATUS_CLAIMS)


def _session_without(reading: Reading, attempt: Attempt) -> bool:
    """Whether the report pastes a session with results, and no exception: this one is new."""
    if "prompts" not in attempt.snippet.repairs or recorded(reading.claims) is not None:
        return False
    prompted = [_PROMPT.match(line) is not None for line in reading.output]
    shown = any(before and not after for before, after in pairwise(prompted))
    return shown and any(claim.kind is ClaimKind.VALUE for claim in reading.claims)


def _asked_to_refuse(reading: Reading, attempt: Attempt) -> bool:
    """Whether an exception may be the very one that the report asks for.

    Where the title says that something is accepted, what the report records is of another call.
    """
    seen, wanted = attempt.symptom, recorded(reading.claims)
    raised = seen is not None and seen.kind is SymptomKind.RAISES and not status.internal(seen)
    if not raised or reading.refusal is None:
        return False
    accepted = says_accepted(reading.report.title)
    return wanted is None or (accepted and not status.matches(wanted, seen))


def says_accepted(title: str) -> bool:
    """Whether a title says that there is no error where one is wanted."""
    return not _RAISES.match(title) and (accepts(title) or is_fact(_QUIETLY, title))


def _settles(reading: Reading, attempt: Attempt, found: Verified | NotVerified) -> bool:
    """Whether what the values tell is the answer, rather than how the run ended."""
    if _of_values(reading, attempt):
        return _told(reading) or (isinstance(found, Verified) and found.case.reproduces)
    return isinstance(found, Verified) and found.witness is not None and found.witness.refused


def _told(reading: Reading) -> bool:
    """Whether the report speaks of a bug at all; else only what shows by itself counts."""
    told = bool(reading.claims or reading.refusal or reading.expectations)
    return told or _BUG.search(reading.report.title) is not None


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
        return NotVerified(reason="runs without an error, and the report records no failure")
    if kind is not BugKind.STATUS:
        return NotVerified(reason=f"describes a {kind} symptom, which is not judged yet")
    blamed = culprit(attempt.traced, catalog, reading.mentions) if seen is not None else None
    if attempt.caught is not None and (api := resolve(attempt.caught, catalog)) is not None:
        blamed = attempt.caught, api
    again = reproduces(wanted, seen)
    if seen is None:
        blamed = meant(attempt.traced, catalog, reading)
    elif blamed is None and again and wanted is not None and wanted.message:
        blamed = titled_call(attempt.traced, catalog, reading)
    if blamed is None and again and attempt.late:
        blamed = meant(attempt.traced, catalog, reading)
    if blamed is None:
        return NotVerified(reason=_without_api(attempt.traced, seen))
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
