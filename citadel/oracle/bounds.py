"""Bounds that a result should keep, in a report's words: "should stay between 0 and 1", "X.cdf is
negative", "returns values greater than 1".

In: what a report says. Out: oracles for the numbers shown that do not keep them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from analysis.rules import Phrase, Registry
from analysis.target.watch import Role
from citadel.model import SymptomKind
from citadel.oracle.foreign import is_foreign
from citadel.oracle.hints import is_input
from citadel.oracle.numbers import floating
from citadel.oracle.seen import Seen
from citadel.oracle.value import Bounds, ValueOracle
from harvest.report.model import Reading

MOST_WORDS = 20_000
"""Characters of a report that are looked through."""
_NUMBER = r"[-\u2212]?\d+(?:\.\d+)?"
_ENDS = r"(?!\w|\.\d|\*)"
_RESULT = (
    r"\b(?:results?|outputs?|values?|probabilit(?:y|ies)|functions?|cdf|similarit(?:y|ies)"
    r"|correlations?|it)\b"
)
_BETWEEN = Phrase(
    "bounds-word/between",
    rf"{_RESULT}[^.\n:;,]{{0,40}}?\b(?:should|must|has to|have to|ought to) (?:always |only )?"
    r"(?:be|stay|lie|remain|fall) (?:always )?"
    rf"(?:between ({_NUMBER}) and ({_NUMBER}){_ENDS}"
    rf"|(?:in|within|inside)(?: the (?:range|interval))? \[({_NUMBER}), ?({_NUMBER})\])",
    re.IGNORECASE,
    finds=("the result should always be between 0 and 1", "values must lie in the range [-1, 1]"),
    spares=("it was introduced between 2.0 and 2.1",),
)
"""What a result should keep to; "introduced between 2.0 and 2.1", "`q` must be in [0, 1]" and "of
shape [2, 3]" speak of something else."""
_COMES = (
    r"^(?:(?!\b(?:when|if|where|for|with|on|while|unless|and|but)\b).){0,80}?"
    r"\b(?:is|are|becomes?|returns?|gives?|yields?|produces?|outputs?) "
    r"(?:(?:an?|some|slightly|small|large|values?|results?|numbers?|that is|that are) ){0,3}"
)
_NEGATIVE = Phrase(
    "bounds-word/negative",
    rf"{_COMES}negative\b(?! (?:ax[ei]s|dim\w*|ind\w+|steps?|strides?|sizes?|inf\w*|zeros?|shape))",
    re.IGNORECASE,
    finds=("HalfNormal.cdf returns negative values",),
    spares=("f crashes when the size is negative",),
)
_ABOVE_ONE = Phrase(
    "bounds-word/above-one",
    rf"{_COMES}(?:(?:greater|larger|higher|bigger|more) than|above) 1(?:\.0*)?{_ENDS}"
    r"(?!\s*(?:x|times|percent|dim\w*|elements?)\b)",
    re.IGNORECASE,
    finds=("cosine_similarity is slightly larger than 1",),
    spares=("f is more than 1x slower",),
)


STATED: Registry[[Reading], Bounds] = Registry("bounds")


@STATED.rule("between-two-numbers")
def _between_two_numbers(reading: Reading) -> Bounds | None:
    """Between which numbers a result should lie; that may stand anywhere in a report.

    Numbers in the wrong order are the whole real line.
    """
    between = _BETWEEN.search(f"{reading.report.title}\n{reading.prose[:MOST_WORDS]}")
    if between is None:
        return None
    low, high = (_float(number) for number in between.groups() if number is not None)
    return Bounds(low, high) if low < high else Bounds(-math.inf, math.inf)


@STATED.rule("negative")
def _negative(reading: Reading) -> Bounds | None:
    """The title says of a result, and not of when something happens, that it is negative."""
    return Bounds(0.0, math.inf) if _NEGATIVE.search(reading.report.title) else None


@STATED.rule("above-one")
def _above_one(reading: Reading) -> Bounds | None:
    """The title says of a result that it is greater than 1."""
    return Bounds(-math.inf, 1.0) if _ABOVE_ONE.search(reading.report.title) else None


def stated(reading: Reading) -> Bounds | None:
    """The bounds that a report says a result should keep, None where it speaks of none."""
    found = STATED.first(reading)
    return None if found == Bounds(-math.inf, math.inf) else found


def _float(number: str) -> float:
    return float(number.replace("\u2212", "-"))


def out_of_bounds(run: Seen) -> Iterator[ValueOracle]:
    """Results of which some numbers are outside of the bounds that the report states.

    They are of the API in the title; where none of what is shown is, only one may be.
    """
    bounds = stated(run.reading)
    if bounds is None:
        return
    shown = [
        (spot, point)
        for spot, point, value in run.results(Role.SHOWN)
        if floating(value) and not is_input(point) and not is_foreign(point)
    ]
    titled = [(spot, point) for spot, point in shown if run.is_titled(point)]
    for spot, _ in titled or (shown if len(shown) == 1 else []):
        why = f"the report says that it should be {bounds}"
        yield ValueOracle(kind=SymptomKind.DISAGREES, spots=(spot,), bounds=bounds, why=why)
