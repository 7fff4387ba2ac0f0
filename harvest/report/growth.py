"""How a report says that times go up with sizes, or with how often something was done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum


class Growing(StrEnum):
    """What a report complains of."""

    FASTER_THAN_SIZE = "faster than size"
    AT_ALL = "at all"
    """Time should not depend on the size, or on what was done before."""


_COST = r"(?:time|run-?times?|complexity|costs?|slow\w*|latency|performance|behaviou?r)"
_GROWS = r"(?:grow|scal|increas|ris|slow|degrad)(?:e|es|s|ed|ing)?(?: down| up)?"
_SUPERLINEAR = r"(?:quadratic|cubic|exponential|super-?linear|polynomial|non-?linear)(?:(?:al)?ly)?"
_THE_SIZE = r"(?:the )?(?:\w+ ){0,3}(?:number|size|length|count|rows|columns|batch|n)\b"

FASTER_THAN_SIZE = (
    # Of time, not of mathematics: quadratic forms and exponential distributions are no slowness.
    rf"{_SUPERLINEAR}[ -]{_COST}\b",
    rf"{_SUPERLINEAR} (?:in|with) {_THE_SIZE}",
    rf"(?:{_COST}|{_GROWS}) (?:is |are |becomes? |gets? )?(?:\w+ )?{_SUPERLINEAR}(?: ?[.,;:!)]|$)",
    r"O\( ?\w+ ?(?:\^|\*\*) ?[23] ?\)",
    r"O\( ?\w[\u00b2\u00b3] ?\)",
    rf"{_GROWS} (?:\w+ ){{0,4}}(?:badly|poorly|terribly|faster than)\b",
    r"(?:does|do)(?: not|n't) scale (?:well|linearly|with (?:the )?(?:number|size|length|n))\b",
    rf"(?:{_COST}|{_GROWS}) (?:is |are )?not (?:scale )?linear(?:ly)?\b",
    rf"(?:time|cost) per \w+ {_GROWS}",
)
_AT_ALL = (
    r"constant[- ]time\b",
    r"slower and slower\b",
    r"slower (?:with|after|on) (?:each|every)\b",
)
_NOT_TO_CHANGE = (
    r"O\( ?1 ?\)",
    rf"independent of {_THE_SIZE}",
    r"(?:should|must|need)(?: not|n't) (?:depend|grow|increase|scale|get slower)\b",
    r"(?:should|to) (?:be|stay|remain) constant\b",
    r"(?:longer|slower) than the (?:last|previous|one before)\b",
)
"""Said of anything: of time only where the sentence speaks of it."""
_OF_TIME = re.compile(rf"\b(?:{_COST}|takes?|took|seconds|m?s|speed)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?](?:\s|$)|\n")
_WITH_SIZE = (
    rf"{_COST} (?:\w+ ){{0,3}}{_GROWS} (?:\w+ ){{0,2}}(?:with|as)\b",
    r"(?:slower|longer) (?:\w+ )?(?:with|as) (?:\w+ ){0,4}(?:grow|increas|larger|longer|more)",
)


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})", re.IGNORECASE)


_COMPLAINTS = (
    (_any(FASTER_THAN_SIZE), Growing.FASTER_THAN_SIZE),
    (_any(_AT_ALL), Growing.AT_ALL),
    (_any(_WITH_SIZE), Growing.FASTER_THAN_SIZE),
)
_CONSTANT = _any(_NOT_TO_CHANGE)


def growing(text: str) -> Growing | None:
    """Whether a text complains of how time goes up, and what it may at most.

    Where it only says that time grows with size, being proportional is what one can expect.

    >>> growing("cat takes quadratic time")
    <Growing.FASTER_THAN_SIZE: 'faster than size'>
    >>> growing("indexing should take constant time")
    <Growing.AT_ALL: 'at all'>
    >>> growing("the exponential distribution is slow to sample")
    """
    for sentence in _SENTENCE.split(text):
        if _CONSTANT.search(sentence) and _OF_TIME.search(sentence):
            return Growing.AT_ALL
    return next((how for pattern, how in _COMPLAINTS if pattern.search(text)), None)
