"""Whether the values of a run decide what a report is about, rather than how the run ends.

In: what a report says, and an attempt at its code. Out: decisions for `citadel.verify.reports`.
"""

from __future__ import annotations

import re
from itertools import pairwise

from analysis.rules import Phrase, Registry
from citadel.model import BugKind, Symptom, SymptomKind
from citadel.oracle import status
from citadel.oracle.phrases import DIFFERENT
from citadel.oracle.value import asserts
from citadel.traced import leaf
from citadel.verify.identify import failing_call
from citadel.verify.recorded import STATUS_CLAIMS, bug_kind, recorded
from citadel.verify.variants import CAUGHT
from citadel.verify.verified import Attempt, NotVerified, Verified
from harvest.report.accepted import accepts, is_fact
from harvest.report.lines import is_values
from harvest.report.model import ClaimKind, ClaimSource, Reading
from harvest.report.worded import measures

_ASSERTION = re.compile(r"\bassert")
_QUIETLY = Phrase(
    "word/without-an-error",
    r"\bwithout (?:an? |any )?(?:error|exception|complaint|validation)"
    r"|\b(?:silently|happily) (?!\w*(?:crash|fail|abort|exit))\w+",
    re.IGNORECASE,
    finds=("f takes a bad axis without any error", "f silently wraps the index"),
    spares=("f silently crashes",),
)
"""A title by which there is no error where one is wanted, beside one that speaks of accepting."""
_RAISES = Phrase(
    "word/title-raises",
    r"(?:(?!\b(?:instead|rather|without|no|should|must)\b).)*?\b\w*(?:error|exception)\b",
    re.IGNORECASE,
    finds=("f raises a ValueError for size 0", "RuntimeError in f"),
    spares=("f accepts a negative size",),
)
"""A title that names an error which there is."""
_BUG = Phrase(
    "word/bug",
    r"\b(?:broken|bugs?|buggy|wrong(?:ly)?|incorrect(?:ly)?|misbehav\w+)\b",
    re.IGNORECASE,
    finds=("median is broken", "Wrong result of f"),
    spares=("f is slow",),
)
_PRINTED = Phrase(
    "printed/telling-value",
    r"\d\.\d|\[|\b(?:nan|inf|True|False)\b",
    finds=("1.5", "[1, 2]", "nan"),
    spares=("done 3",),
)
"""In a line of values: what is more than a number in a list, or a remark."""
_PROMPT = re.compile(r">>>|\.\.\. |In ?\[\d+\]:")


def gone(wanted: Symptom | None, attempt: Attempt) -> bool:
    """Whether a failure that the report has at hand, rather than in words, does not happen."""
    at_hand = wanted is not None and (wanted.kind is not SymptomKind.RAISES or wanted.message)
    return bool(at_hand) and attempt.symptom is None


def values_decide(reading: Reading, attempt: Attempt) -> bool:
    """Whether values decide: nothing else does, or an assertion of the report's own fails."""
    return VALUES.first(reading, attempt) is True


VALUES: Registry[[Reading, Attempt], bool] = Registry("values-decide")


def _raised(attempt: Attempt) -> bool:
    return attempt.symptom is not None and attempt.symptom.kind is SymptomKind.RAISES


@VALUES.rule("assertion-fails")
def _assertion_fails(reading: Reading, attempt: Attempt) -> bool | None:
    """An assertion fails that the report makes."""
    return True if _raised(attempt) and _asserts(reading, attempt) else None


@VALUES.rule("ran-there")
def _new_exception(reading: Reading, attempt: Attempt) -> bool | None:
    """The report pastes what its code printed: the exception is new."""
    return True if _raised(attempt) and _ran_there(reading, attempt) else None


@VALUES.rule("numbers-should-differ")
def _numbers_should_differ(reading: Reading, attempt: Attempt) -> bool | None:
    """The report speaks of no failure, and has numbers that should be others."""
    failing = any(claim.kind in STATUS_CLAIMS for claim in reading.claims)
    return True if _raised(attempt) and not failing and reading.expectations else None


@VALUES.rule("claims-of-values")
def _claims_of_values(reading: Reading, attempt: Attempt) -> bool | None:
    """The claims are about values."""
    return True if bug_kind(reading.claims, attempt.symptom) is BugKind.VALUE else None


def _asserts(reading: Reading, attempt: Attempt) -> bool:
    """Whether an assertion fails that the report makes, rather than is about."""
    if attempt.caught is not None:
        return False  # it is about what the code was handling
    raised, failing = attempt.traced.exception, failing_call(attempt.traced)
    if raised is None and attempt.symptom is not None:
        return attempt.symptom.exception == "AssertionError"  # it is one where nothing is traced
    if raised is None or failing is None or "AssertionError" in raised.types:
        return asserts(attempt.traced)
    about = any(m.title and leaf(m.name) == leaf(failing.name) for m in reading.mentions)
    return asserts(attempt.traced) and not about


def only_measures(reading: Reading, attempt: Attempt) -> bool:
    """Whether code measures and ends well, and neither a title nor what is pasted tells of
    anything: then it is about what it measures. (Words that say so are enough by themselves.)"""
    told = any(one.source is not ClaimSource.BODY for one in reading.claims)
    told = told or bug_kind(reading.claims, None) is BugKind.PERFORMANCE
    ends_well = attempt.symptom is None and attempt.caught is None
    return ends_well and not told and measures(attempt.snippet.code)


def fails_an_assertion(reading: Reading, attempt: Attempt) -> bool:
    """Whether the failure that the report records is of an assertion in the code."""
    wanted = recorded(reading.claims)
    failed = wanted is not None and wanted.exception == "AssertionError"
    return failed and _ASSERTION.search(attempt.snippet.code) is not None


def values_after_all(reading: Reading, attempt: Attempt) -> bool:
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
    accepted = wanted is None and reading.refusal is not None  # what it says to fail is another
    return of_values or accepted or any(one.right for one in reading.expectations)


def _titled_value_alone(reading: Reading) -> bool:
    """Whether the title says that a value is wrong, and of no failure.

    What is inconsistent may be that one call fails.
    """
    if DIFFERENT.search(reading.report.title):
        return False
    titled = {claim.kind for claim in reading.claims if claim.source is ClaimSource.TITLE}
    return ClaimKind.VALUE in titled and titled.isdisjoint(STATUS_CLAIMS)


def _ran_there(reading: Reading, attempt: Attempt) -> bool:
    """Whether the report shows what its code came to, and no failure: this exception is new."""
    return _session_without(reading, attempt) or _values_without(reading)


def _values_without(reading: Reading) -> bool:
    """Whether the report pastes values that were printed, and speaks of no failure at all."""
    if reading.claims or reading.refusal is not None:
        return False
    return any(is_values(line) and _PRINTED.search(line) for line in reading.output)


def _session_without(reading: Reading, attempt: Attempt) -> bool:
    """Whether the report pastes a session with results, and no exception: this one is new."""
    if "prompts" not in attempt.snippet.repairs or recorded(reading.claims) is not None:
        return False
    prompted = [_PROMPT.match(line) is not None for line in reading.output]
    shown = any(before and not after for before, after in pairwise(prompted))
    return shown and any(claim.kind is ClaimKind.VALUE for claim in reading.claims)


def asked_to_refuse(reading: Reading, attempt: Attempt) -> bool:
    """Whether an exception may be the very one that the report asks for.

    Where the title says that something is accepted, what the report records is of another call.
    """
    if CAUGHT in attempt.snippet.repairs:
        return True
    seen, wanted = attempt.symptom, recorded(reading.claims)
    raised = seen is not None and seen.kind is SymptomKind.RAISES and not status.internal(seen)
    if not raised or reading.refusal is None:
        return False
    accepted = says_accepted(reading.report.title)
    return wanted is None or (accepted and not status.matches(wanted, seen))


def accepted_quietly(reading: Reading) -> bool:
    """Whether the title says that something is accepted which the report wants refused."""
    return reading.refusal is not None and says_accepted(reading.report.title)


def says_accepted(title: str) -> bool:
    """Whether a title says that there is no error where one is wanted."""
    return not _RAISES.match(title) and (accepts(title) or is_fact(_QUIETLY, title))


def settles(reading: Reading, attempt: Attempt, found: Verified | NotVerified) -> bool:
    """Whether what the values tell is the answer, rather than how the run ended."""
    if values_decide(reading, attempt):
        told = _told(reading) or (attempt.symptom is not None and _values_without(reading))
        return told or (isinstance(found, Verified) and found.case.reproduces)
    if not isinstance(found, Verified) or found.witness is None:
        return False
    return found.witness.refused or found.case.reproduces


def _told(reading: Reading) -> bool:
    """Whether the report speaks of a bug at all; else only what shows by itself counts."""
    told = bool(reading.claims or reading.refusal or reading.expectations)
    return told or _BUG.search(reading.report.title) is not None
