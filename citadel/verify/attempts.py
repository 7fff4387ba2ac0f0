"""Runs the snippets of a report: what each does on a build, or why it says nothing there."""

from __future__ import annotations

from dataclasses import replace

from analysis.catalog.model import Catalog
from analysis.errors import CitadelError
from analysis.rules import Phrase, Registry
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.instrument import instrument
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.session import Limits, Session
from analysis.target.target import TargetInfo
from citadel.model import BugKind, Symptom, SymptomKind
from citadel.oracle import status
from citadel.traced import alike, leaf
from citadel.verify.deciding import accepted_quietly, says_accepted
from citadel.verify.identify import caught_calls, failing_call
from citadel.verify.recorded import bug_kind, recorded
from citadel.verify.variants import (
    eager,
    of_version_1,
    with_imports,
    with_new_names,
    with_refusal_caught,
    without_psutil,
    without_reference,
)
from citadel.verify.verified import Attempt
from harvest.report.model import Claim, Need, Reading, Snippet

MAX_CANDIDATES = 12
INCOMPLETE = frozenset(("NameError", "SyntaxError", "IndentationError", "FileNotFoundError"))
"""Exceptions by which code says that it is not whole, rather than that the framework is broken."""
_OF_MODULE = Phrase(
    "message/name-missing-in-framework",
    r"module '(?:torch|tensorflow|keras)",
    finds=("module 'torch' has no attribute 'vmapp'",),
    spares=("module 'numpy' has no attribute 'float'",),
)
_OF_NUMPY = Phrase(
    "message/name-missing-in-numpy",
    r"module 'numpy' has no attribute '|`np\.\w+` was removed in the NumPy",
    finds=(
        "module 'numpy' has no attribute 'bool'",
        "`np.float_` was removed in the NumPy 2.0 release",
    ),
    spares=("module 'torch' has no attribute 'bool'",),
)
_NO_MODULE = Phrase(
    "message/package-missing",
    r"needs a package: No module named '([\w.]+)'",
    finds=("needs a package: No module named 'scipy.special'",),
    spares=("needs a package: cannot import name 'x'",),
)
MISSING = frozenset(("ModuleNotFoundError", "ImportError"))
ELSEWHERE = "not in this build"


def attempts_of(
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
    accepted = accepted_quietly(reading)  # what fails may be what should
    for snippet in map(_without_packages, reading.candidates[:MAX_CANDIDATES]):
        lack = lacks(snippet, info)
        if lack:
            reasons.append(lack)
            continue
        if snippet.guess and snippet.guess not in reasons:
            continue  # what the report's own code needs is there
        attempt = _attempt(snippet, session, runs, limits, reading.claims)
        fails = _elsewhere(attempt) or _raises_another(attempt, wanted)
        older = of_version_1(snippet, catalog, reading.claims) if fails else None
        older = older or _without_what_is_missing(snippet, attempt)
        older = older or (with_imports(snippet, catalog) if isinstance(attempt, str) else None)
        if older is not None:
            attempt = _attempt(older, session, runs, limits, reading.claims)
        newer = with_new_names(older or snippet) if _names_what_numpy_had(attempt) else None
        if newer is not None:
            attempt = _attempt(newer, session, runs, limits, reading.claims)
        if isinstance(attempt, str):
            reasons.append(attempt)
            continue
        attempt = _refused_elsewhere(attempt, session, runs, limits, reading) or attempt
        attempts.append(attempt)
        if wanted is not None and status.matches(wanted, attempt.symptom) and not accepted:
            break
    if not attempts:
        return "; ".join(dict.fromkeys(reasons)) or "nothing to run"
    return attempts


def _elsewhere(attempt: Attempt | str) -> bool:
    """Whether a snippet names what this build has not."""
    return isinstance(attempt, str) and attempt.startswith(ELSEWHERE)


def _raises_another(attempt: Attempt | str, wanted: Symptom | None) -> bool:
    """Whether a snippet ends by an exception that the report does not record."""
    seen = None if isinstance(attempt, str) else attempt.symptom
    raised = seen is not None and seen.kind is SymptomKind.RAISES
    return raised and (wanted is None or not status.matches(wanted, seen))


def _refused_elsewhere(
    attempt: Attempt, session: Session, runs: int, limits: Limits, reading: Reading
) -> Attempt | None:
    """The attempt beyond the line by which it ends, where the report is about what is accepted.

    It shows how the same call is refused otherwise, if it comes to one that is not.
    """
    failed, seen = failing_call(attempt.traced), attempt.symptom
    raised = seen is not None and seen.kind is SymptomKind.RAISES and not status.internal(seen)
    accepted = reading.refusal is not None and says_accepted(reading.report.title)
    if failed is None or not raised or not accepted:
        return None
    caught = with_refusal_caught(attempt.snippet, attempt.source, attempt.traced)
    found = _attempt(caught, session, runs, limits, reading.claims) if caught else ""
    if isinstance(found, str) or found.traced.outcome is not Outcome.OK:
        return None
    made = (call for call in found.traced.calls if call.result is not None)
    if not any(leaf(call.name) == leaf(failed.name) and alike(call, failed) for call in made):
        return None
    return replace(found, symptom=None, hits=0, caught=None)


def _names_what_numpy_had(attempt: Attempt | str) -> bool:
    """Whether a run ends for the lack of a name in NumPy."""
    symptom = None if isinstance(attempt, str) else attempt.symptom
    message = "" if symptom is None or symptom.exception != "AttributeError" else symptom.message
    return _OF_NUMPY.match(message or "") is not None


def _without_packages(snippet: Snippet) -> Snippet:
    """The snippet without packages that it names, where it can do without them."""
    for need in snippet.needs:
        changed = None
        if need[0] is Need.PACKAGE:
            changed = without_psutil(snippet, need[1]) or without_reference(snippet, need[1])
        if changed is not None:
            left = tuple(one for one in snippet.needs if one != need)
            snippet = replace(changed, needs=left)
    return snippet


def _without_what_is_missing(snippet: Snippet, attempt: Attempt | str) -> Snippet | None:
    """The snippet without a library that this build has not, where only a comparison needs it."""
    missing = _NO_MODULE.search(attempt) if isinstance(attempt, str) else None
    return None if missing is None else without_reference(snippet, missing[1])


def inside_functions(
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


def lacks(snippet: Snippet, info: TargetInfo) -> str | None:
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
        traced_code = source.traced
    except CitadelError as problem:
        return problem.message
    traced = session.run(snippet.code, traced=traced_code, limits=limits)
    symptom = status.capture(traced)
    hits = 0
    for run in range(runs if symptom is not None else 1):
        allowed = limits if run == 0 else status.once_more(limits, symptom)
        plain = status.capture(session.run(snippet.code, limits=allowed, seed=run))
        if run == 0 and not _same(symptom, plain):
            symptom = plain  # tracing changed the run: believe the plain one
        hits += _same(symptom, plain)
    reason = _unusable(traced, symptom)
    if reason is not None:
        return reason
    caught = None
    if symptom is None or symptom.exception == "AssertionError":
        caught = handled(traced) or caught_failure(traced, claims)
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


def handled(observation: Observation) -> Call | None:
    """The refusal that a case was handling when its own check failed: that is what it is about."""
    raised = observation.exception
    if raised is None or not raised.handling:
        return None
    calls = (c for c in caught_calls(observation) if c.raised)
    return next((c for c in calls if c.raised and c.raised.type == raised.handling), None)


def _same(one: Symptom | None, other: Symptom | None) -> bool:
    return one is None and other is None if one is None else status.matches(one, other)


def _unusable(observation: Observation, symptom: Symptom | None) -> str | None:
    """Why a run says nothing about the framework, if so."""
    found = STOPPED.first(observation)
    if found is not None or symptom is None or symptom.kind is not SymptomKind.RAISES:
        return found
    return INCOMPLETE_CODE.first(observation, symptom)


STOPPED: Registry[[Observation], str] = Registry("unusable")


@STOPPED.rule("exceeds-a-limit")
def _exceeds_a_limit(observation: Observation) -> str | None:
    """The sandbox ended the run."""
    limits = (Outcome.MEMORY, Outcome.OUTPUT, Outcome.PROCESSES)
    stopped = observation.outcome in limits
    return f"exceeds the limit on {observation.outcome}" if stopped else None


@STOPPED.rule("killed-its-sandbox")
def _killed_its_sandbox(observation: Observation) -> str | None:
    """The run ended the sandbox."""
    return "killed its own sandbox" if observation.outcome is Outcome.LOST else None


INCOMPLETE_CODE: Registry[[Observation, Symptom], str] = Registry("unusable")


@INCOMPLETE_CODE.rule("needs-a-package")
def _needs_a_package(_: Observation, symptom: Symptom) -> str | None:
    """A package is missing that the code imports."""
    if symptom.exception not in MISSING:
        return None
    missing = _NO_MODULE.search(told := f"needs a package: {symptom.message}")
    own = missing is not None and missing[1].partition(".")[0] in FRAMEWORKS
    return f"{told} (--python names an interpreter that has it)" if own else told


@INCOMPLETE_CODE.rule("not-self-contained")
def _not_self_contained(observation: Observation, symptom: Symptom) -> str | None:
    """The code names what it does not define."""
    call = failing_call(observation)
    if symptom.exception in INCOMPLETE and (call is None or call.form == "other"):
        return f"not self-contained: {symptom.exception}: {symptom.message}"
    return None


@INCOMPLETE_CODE.rule("not-in-this-build")
def _not_in_this_build(_: Observation, symptom: Symptom) -> str | None:
    """The code names what this build of the framework has not."""
    if symptom.exception == "AttributeError" and _OF_MODULE.match(symptom.message or ""):
        return f"{ELSEWHERE}: {symptom.message}"
    return None
