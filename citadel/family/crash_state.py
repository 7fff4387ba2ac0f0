"""What findings of different reports are merged by: the crash state (paper, section 4.7).

In: a symptom. Out: the state, and whether it tells causes apart by itself: an internal assertion
names its cause, "crashes with SIGSEGV" and "NaN" do not (stacks do: `citadel.oracle.frames`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citadel.model import Symptom, SymptomKind

MOST_STATE = 400

_WORD = re.compile(r"[A-Za-z][a-z_]{2,}\w*")
_PLACEHOLDERS = frozenset(("ADDRESS", "NODE", "OP", "NAME", "API", "DTYPE", "NAMES", "SHAPE"))
_TELLING_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is the same in all findings of one cause.

    `telling`: whether findings of one state are of one cause wherever they come from; else they
    need something else in common.
    """

    text: str
    telling: bool


def state_of(symptom: Symptom) -> State:
    """The state of a symptom."""
    pattern = symptom.pattern or ""
    if symptom.kind is SymptomKind.RAISES:
        text = f"{symptom.exception}: {pattern}"
        return State(text=text[:MOST_STATE], telling=_tells(pattern))
    text = f"{symptom.kind} {symptom.signal or ''} {pattern}".strip()
    return State(text=" ".join(text.split())[:MOST_STATE], telling=_tells(pattern))


def _tells(pattern: str) -> bool:
    """Whether a normalised message has words enough of its own."""
    words = {word for word in _WORD.findall(pattern) if word not in _PLACEHOLDERS}
    return len(words) >= _TELLING_WORDS
