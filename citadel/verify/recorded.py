"""What a report says went wrong, as a symptom, and whether a run shows it."""

from __future__ import annotations

from analysis.rules import Registry
from citadel.model import BugKind, Symptom, SymptomKind
from citadel.oracle import status
from harvest.report.model import Claim, ClaimKind, ClaimSource
from harvest.report.symptoms import ELSEWHERE

STATUS_CLAIMS = (ClaimKind.RAISES, ClaimKind.CRASHES, ClaimKind.HANGS)


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


def as_told(
    claims: tuple[Claim, ...], wanted: Symptom | None, seen: Symptom | None
) -> Symptom | None:
    """The very exception of a run, if the report tells of it beside the plain one that it records.

    In words (where wishes are no claims), or pasted, if it is one that the framework calls its own
    fault: what else is pasted may be what should be raised.
    """
    plain = wanted is not None and wanted.kind is SymptomKind.RAISES
    if seen is None or seen.kind is not SymptomKind.RAISES or not plain or _internal(wanted):
        return None
    raised = (one for one in claims if one.kind is ClaimKind.RAISES and one.exception)
    told = (one for one in raised if one.message and not ELSEWHERE.search(one.text))
    told = (one for one in told if one.source is ClaimSource.BODY or _internal(seen))
    symptoms = (status.raises(str(one.exception), str(one.message)) for one in told)
    return next((one for one in symptoms if says_the_same(one, seen)), None)


def _internal(symptom: Symptom | None) -> bool:
    return symptom is not None and status.internal(symptom)


def speaks_of_cost(claims: tuple[Claim, ...]) -> bool:
    """Whether a report complains of time or memory, whatever else it tells."""
    return any(claim.kind is ClaimKind.PERFORMANCE for claim in claims)


def bug_kind(claims: tuple[Claim, ...], symptom: Symptom | None) -> BugKind:
    """Status if the report pastes a failure or the run died; else what title and body say.

    Where the run raised, words in the body do not outweigh that, nor does a title that speaks of
    both ("raises for a negative size").
    """
    if symptom is not None and symptom.kind is SymptomKind.CRASHES:
        return BugKind.STATUS
    if symptom is not None and _named(claims, symptom):
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


def _named(claims: tuple[Claim, ...], symptom: Symptom) -> bool:
    """Whether the report names the very exception that the run raised, be it beside the title."""
    return any(
        claim.kind is ClaimKind.RAISES
        and claim.exception is not None
        and claim.exception != "AssertionError"
        and not ELSEWHERE.search(claim.text)
        and claim.exception.rsplit(".", 1)[-1] == symptom.exception
        for claim in claims
    )


def reproduces(wanted: Symptom | None, seen: Symptom | None) -> bool:
    """Whether a run shows what the report recorded.

    Messages drift between releases, so an exception of a related class still counts. A crash that
    has become an exception, or an internal assertion that has become a plain refusal, is fixed; a
    crash that has become an internal assertion is not. Of a crash in words alone, with no log of
    one, a missing kernel may be all that is meant: no refusal of arguments, no device or build
    that the machine lacks.
    """
    if seen is None or wanted is None:
        return seen is not None
    return SAME_BUG.first(wanted, seen) is True


SHORTEST_BEGINNING = 30
"""Characters of a message that make it recognisable."""
SAME_BUG: Registry[[Symptom, Symptom], bool] = Registry("reproduces")
"""Whether a run shows what a report records: the two symptoms -> the first answer counts."""


@SAME_BUG.rule("crash-in-words")
def _crash_in_words(wanted: Symptom, seen: Symptom) -> bool | None:
    """The report calls a missing kernel a crash."""
    in_words = wanted.signal is None and wanted.message is None
    crash = wanted.kind is SymptomKind.CRASHES and in_words
    return True if crash and status.without_kernel(seen) else None


@SAME_BUG.rule("crash")
def _crash(wanted: Symptom, seen: Symptom) -> bool | None:
    """A crash is one still, or an internal assertion by now."""
    if wanted.kind is not SymptomKind.CRASHES:
        return None
    return seen.kind is not SymptomKind.HANGS and status.internal(seen)


@SAME_BUG.rule("hang")
def _hang(wanted: Symptom, seen: Symptom) -> bool | None:
    """A call that hangs does so still."""
    return seen.kind is SymptomKind.HANGS if wanted.kind is SymptomKind.HANGS else None


@SAME_BUG.rule("crash-for-exception")
def _crash_for_exception(_: Symptom, seen: Symptom) -> bool | None:
    """An exception is a crash by now."""
    return None if seen.kind is SymptomKind.RAISES else seen.kind is SymptomKind.CRASHES


@SAME_BUG.rule("same-message")
def _same_message(wanted: Symptom, seen: Symptom) -> bool | None:
    """Both say the same."""
    return True if _same_words(wanted, seen) else None


@SAME_BUG.rule("assertion-became-refusal")
def _assertion_became_refusal(wanted: Symptom, seen: Symptom) -> bool | None:
    """An internal assertion is a plain refusal by now: fixed."""
    return False if status.internal(wanted) and not status.internal(seen) else None


@SAME_BUG.rule("related-exception")
def _related_exception(wanted: Symptom, seen: Symptom) -> bool | None:
    """Both are of one class, or of related ones."""
    return True if _related(wanted.exception, seen.exception) else None


def says_the_same(wanted: Symptom, seen: Symptom) -> bool:
    """Whether a run shows just what the report recorded, be it by a related exception."""
    told = wanted.pattern is not None and _same_words(wanted, seen)
    related = told and _related(wanted.exception, seen.exception)
    return status.matches(wanted, seen) or (seen.kind is SymptomKind.RAISES and related)


def drifted(wanted: Symptom | None, seen: Symptom | None) -> bool:
    """Whether a run shows something else than the message or the signal that a report records."""
    if wanted is None or seen is None or (wanted.pattern is None and wanted.signal is None):
        return False
    return not says_the_same(wanted, seen)


def _same_words(one: Symptom, other: Symptom) -> bool:
    """Whether two messages are the same, or one is in the other: reports cut them short or put into
    one line what a framework puts into several, and what runs a function wraps what it raises."""
    short, long = sorted((one.pattern or "", other.pattern or ""), key=len)
    return short == long or (len(short) >= SHORTEST_BEGINNING and short in long)


def _related(one: str | None, other: str | None) -> bool:
    kinds = {str(one), str(other)}
    return len(kinds) == 1 or kinds == {"NotImplementedError", "RuntimeError"}
