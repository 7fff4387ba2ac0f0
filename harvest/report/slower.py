"""What words call slow or fast: comments, labels, names and sentences.

In: a few words. Out: which side of a comparison they speak of, with the time that they tell. What
is denied ("not slow"), wished for ("should be fast") or called both says nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harvest.report.symptoms import INSTEAD, NEGATION, WISH

LEAST = 1.15
"""Ratio of two told times from which on one of them is the slower."""
_SLOW = (
    r"slow(?:er|est|ly|s)?|sluggish|forever|ages"
    r"|(?:takes?|took|taking|needs?) (?:\w+ ){0,2}?(?:long(?:er)?|minutes|hours)"
)
_FAST = r"fast(?:er|est)?|quick(?:er|est|ly)?|instant(?:ly|aneous(?:ly)?)?|immediate(?:ly)?"
_WORD = re.compile(rf"\b(?:(?P<slow>{_SLOW})|(?P<fast>{_FAST}))\b", re.IGNORECASE)
THAN = re.compile(r"\b(?:than|compared (?:to|with)|versus|vs)\b", re.IGNORECASE)
"""What stands between the two sides of a comparison."""
_AMOUNT = re.compile(
    r"(?<![\w.^])(\d+(?:\.\d+)?)[ ]?"
    r"(ns|us|\u00b5s|\u03bcs|ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|hours?|h)\b",
    re.IGNORECASE,
)
_SECONDS = (
    *(("ns", 1e-9), ("us", 1e-6), ("\u00b5s", 1e-6), ("\u03bcs", 1e-6), ("ms", 1e-3)),
    *(("mil", 1e-3), ("mi", 60.0), ("s", 1.0), ("h", 3600.0)),
)
"""Beginnings of units, the first that fits."""
_AS = re.compile(r"\bas $", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What words say of one side: whether it is slow or fast, and how long it takes."""

    slow: bool | None
    seconds: float | None


def told(text: str) -> Told | None:
    """What a text says of the thing that it is about; None where it says nothing of time.

    >>> told("much slower than the loop below"), told("should be fast")
    (Told(slow=True, seconds=None), None)
    >>> told("takes ~12 ms")
    Told(slow=None, seconds=0.012)
    """
    head = THAN.split(text.replace("_", " "))[0]
    sides = {found["slow"] is not None for found in _WORD.finditer(head) if _is_meant(head, found)}
    amount = _AMOUNT.search(head)
    seconds = None if amount is None else float(amount[1]) * _unit(amount[2].lower())
    if len(sides) > 1 or not (sides or seconds):
        return None
    return Told(slow=sides.pop() if sides else None, seconds=seconds)


def slower(one: Told | None, other: Told | None) -> int:
    """1 if `one` is told to be the slow side of the two, -1 if `other`, 0 if that is open."""
    if one is None or other is None:
        return 0
    if one.seconds and other.seconds:
        ratio = one.seconds / other.seconds
        return (ratio >= LEAST) - (ratio <= 1 / LEAST)
    if one.slow is None or other.slow is None:
        return 0
    return int(one.slow) - int(other.slow)


def _is_meant(text: str, found: re.Match[str]) -> bool:
    before = text[max(0, found.start() - 80) : found.start()]
    return not any(words.search(before) for words in (NEGATION, INSTEAD, WISH, _AS))


def _unit(name: str) -> float:
    return next(seconds for start, seconds in _SECONDS if name.startswith(start))
