"""Bounds that a result should keep, in a report's words: "should stay between 0 and 1", "X.cdf is
negative", "returns values greater than 1".

In: what a report says. Out: oracles for the numbers shown that do not keep them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from analysis.target.watch import Role
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.hints import is_foreign, is_input
from citadel.oracle.numbers import elements
from citadel.oracle.seen import Seen
from citadel.oracle.value import Bounds, ValueOracle
from harvest.report.model import ClaimKind, Reading

MOST_WORDS = 20_000
"""Characters of a report that are looked through."""
_NUMBER = r"[-\u2212]?\d+(?:\.\d+)?"
_TWO = rf"({_NUMBER})\s*(?:,|and|to)\s*({_NUMBER})"
_SHOULD = r"\b(?:should|must|ought|supposed|has to|have to|always|never|outside|out of|leaves?)\b"
_BETWEEN = re.compile(
    rf"{_SHOULD}[^.\n]{{0,60}}?(?:\bbetween {_TWO}|[\[(]{_TWO}[\])])", re.IGNORECASE
)
_COMES = (
    r"\b(?:is|are|was|were|becomes?|turns?|goes|can be|returns?|returned|gives?|gave|yields?"
    r"|produces?|outputs?|got|gets?) (?:(?:an?|some|slightly|large|small|very|values?|results?"
    r"|numbers?|that is|that are) ){0,3}"
)
_NEGATIVE = re.compile(
    rf"{_COMES}negative\b(?! (?:ax[ei]s|dim\w*|ind\w+|steps?|strides?|sizes?|inf\w*|zeros?|shape))"
    r"|\b(?:should|must|can|may) ?(?:not|never) be negative|\b(?:should|must) be non-?negative",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rf"(?:{_COMES}(?:(?:greater|larger|higher|bigger|more) than|above)|\bexceeds?"
    rf"|\b(?:should|must) (?:not|never) exceed) (?P<high>{_NUMBER})"
    r"(?![\w.%]|\s*(?:x|times|percent|ms|us|ns|s|seconds?|minutes?|[KMG]i?B|dim\w*|elements?)\b)",
    re.IGNORECASE,
)


def stated(reading: Reading) -> Bounds | None:
    """The bounds that a report says a result should keep, None where it speaks of none.

    Between which numbers something should lie may stand anywhere; that something is negative, or
    greater than a number, has to be what the title or a claim about values is about.
    """
    claims = [claim.text for claim in reading.claims if claim.kind is ClaimKind.VALUE]
    complaints = "\n".join((reading.report.title, *claims))
    between = _BETWEEN.search(f"{complaints}\n{reading.prose[:MOST_WORDS]}")
    if between is not None:
        one, other = (number for number in between.groups() if number is not None)
        low, high = _float(one), _float(other)
        return Bounds(low, high) if low < high else None
    low = 0.0 if _NEGATIVE.search(complaints) else -math.inf
    above = _ABOVE.search(complaints)
    high = math.inf if above is None else _float(above["high"])
    return Bounds(low, high) if low < high < math.inf or low > -math.inf else None


def _float(number: str) -> float:
    return float(number.replace("\u2212", "-"))


def out_of_bounds(run: Seen) -> Iterator[ValueOracle]:
    """Results of which some numbers are outside of the bounds that the report states."""
    bounds = stated(run.reading)
    if bounds is None:
        return
    for spot, point, value in run.titled_first(run.results(Role.SHOWN)):
        if _floating(value) and not is_input(point) and not is_foreign(point):
            why = f"the report says that it should be {bounds}"
            yield ValueOracle(kind=SymptomKind.DISAGREES, spots=(spot,), bounds=bounds, why=why)


def _floating(value: Value) -> bool:
    """Whether a value is made of numbers with fractions: whole ones count, or are indices."""
    if value.is_shaped:
        return value.dtype is not None and "float" in value.dtype
    found = elements(value)
    return found is not None and any(isinstance(one, float) for one in found)
