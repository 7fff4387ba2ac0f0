"""How a report says that times go up with sizes, or with how often something was done."""

from __future__ import annotations

import re
from enum import StrEnum

from analysis.rules import Phrase
from harvest.report.wordings import Wording, Wordings


class Growing(StrEnum):
    """What a report complains of."""

    FASTER_THAN_SIZE = "faster than size"
    AT_ALL = "at all"
    """Time should not depend on the size, or on what was done before."""


_COST = r"(?:time|run-?times?|complexity|costs?|slow\w*|latency|performance|behaviou?r)"
_GROWS = r"(?:grow|scal|increas|ris|slow|degrad)(?:e|es|s|ed|ing)?(?: down| up)?"
_SUPERLINEAR = r"(?:quadratic|cubic|exponential|super-?linear|polynomial|non-?linear)(?:(?:al)?ly)?"
_THE_SIZE = r"(?:the )?(?:\w+ ){0,3}(?:number|size|length|count|rows|columns|batch|n)\b"

_SUPERLINEARLY = {
    # Of time, not of mathematics: quadratic forms and exponential distributions are no slowness.
    "quadratic-time": (
        rf"{_SUPERLINEAR}[ -]{_COST}\b",
        "cat takes quadratic time",
        "sampling from the exponential distribution",
    ),
    "quadratic-in-the-size": (
        rf"{_SUPERLINEAR} (?:in|with) {_THE_SIZE}",
        "it is quadratic in the number of rows",
        "it is quadratic in its argument",
    ),
    "time-is-quadratic": (
        rf"(?:{_COST}|{_GROWS}) (?:is |are |becomes? |gets? )?(?:\w+ )?{_SUPERLINEAR}"
        r"(?: ?[.,;:!)]|$)",
        "its time grows quadratically.",
        "the time of quadratic forms",
    ),
    "squared-in-big-o": (
        r"O\( ?\w+ ?(?:\^|\*\*) ?[23] ?\)",
        "the loop is O(n^2)",
        "the loop is O(n)",
    ),
    "superscript-in-big-o": (
        r"O\( ?\w[\u00b2\u00b3] ?\)",
        "sorting is O(n\u00b2)",
        "sorting is O(n)",
    ),
    "grows-badly": (
        rf"{_GROWS} (?:\w+ ){{0,4}}(?:badly|poorly|terribly|faster than)\b",
        "unique scales very badly",
        "unique scales well",
    ),
    "does-not-scale": (
        r"(?:does|do)(?: not|n't) scale (?:well|linearly|with (?:the )?(?:number|size|length|n))\b",
        "isin does not scale linearly",
        "it does not scale the image",
    ),
    "not-linear": (
        rf"(?:{_COST}|{_GROWS}) (?:is |are )?not (?:scale )?linear(?:ly)?\b",
        "the runtime is not linear",
        "the layer is not linear",
    ),
    "cost-per-element-grows": (
        rf"(?:time|cost) per \w+ {_GROWS}",
        "the time per element increases",
        "the time per element is small",
    ),
}
"""Name -> (pattern, what it finds, what it leaves alone)."""


def faster_than_size(room: str) -> tuple[Wording, ...]:
    """How people say that time grows faster than the size, as wordings of a room."""
    return tuple(
        Wording(f"{room}/{name}", pattern, (found,), (spared,))
        for name, (pattern, found, spared) in _SUPERLINEARLY.items()
    )


_OF_TIME = Phrase(
    "growth/of-time",
    rf"\b(?:{_COST}|takes?|took|seconds|m?s|speed)\b",
    re.IGNORECASE,
    finds=("indexing takes a while",),
    spares=("the sum is constant",),
)
_SENTENCE = re.compile(r"[.!?](?:\s|$)|\n")
_CONSTANT = Wordings(
    Wording(
        "growth/constant-in-big-o",
        r"O\( ?1 ?\)",
        ("a lookup is O(1)",),
        ("a lookup is O(n)",),
    ),
    Wording(
        "growth/independent-of-the-size",
        rf"independent of {_THE_SIZE}",
        ("the latency is independent of the batch",),
        ("the draws are independent of each other",),
    ),
    Wording(
        "growth/should-not-grow",
        r"(?:should|must|need)(?: not|n't) (?:depend|grow|increase|scale|get slower)\b",
        ("the time should not increase",),
        ("the time should not matter",),
    ),
    Wording(
        "growth/should-be-constant",
        r"(?:should|to) (?:be|stay|remain) constant\b",
        ("the time should stay constant",),
        ("the time should be short",),
    ),
    Wording(
        "growth/longer-than-the-last",
        r"(?:longer|slower) than the (?:last|previous|one before)\b",
        ("each call takes longer than the last",),
        ("it takes longer than NumPy",),
    ),
    before=r"\b",
    flags=re.IGNORECASE,
)
"""Said of anything: of time only where the sentence speaks of it."""
_COMPLAINTS = (
    (
        Wordings(*faster_than_size("growth"), before=r"\b", flags=re.IGNORECASE),
        Growing.FASTER_THAN_SIZE,
    ),
    (
        Wordings(
            Wording(
                "growth/constant-time",
                r"constant[- ]time\b",
                ("slicing should take constant time",),
                ("padding with constant values",),
            ),
            Wording(
                "growth/slower-and-slower",
                r"slower and slower\b",
                ("training gets slower and slower",),
                ("training gets slower",),
            ),
            Wording(
                "growth/slower-each-time",
                r"slower (?:with|after|on) (?:each|every)\b",
                ("step is slower with every call",),
                ("step is slower with autograd",),
            ),
            before=r"\b",
            flags=re.IGNORECASE,
        ),
        Growing.AT_ALL,
    ),
    (
        Wordings(
            Wording(
                "growth/time-grows-with-size",
                rf"{_COST} (?:\w+ ){{0,3}}{_GROWS} (?:\w+ ){{0,2}}(?:with|as)\b",
                ("the runtime grows with n",),
                ("the runtime is the same",),
            ),
            Wording(
                "growth/slower-as-size-grows",
                r"(?:slower|longer) (?:\w+ )?(?:with|as) (?:\w+ ){0,4}"
                r"(?:grow|increas|larger|longer|more)",
                ("it is slower as the batch grows",),
                ("it is slower than before",),
            ),
            before=r"\b",
            flags=re.IGNORECASE,
        ),
        Growing.FASTER_THAN_SIZE,
    ),
)


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
