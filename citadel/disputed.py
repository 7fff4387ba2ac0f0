"""Which arguments a report wants refused: "`Adam` accepts beta_1 > 1", "negative `stddev`".

In: the call that is blamed, and the report's words. Out: the arguments that they speak of, by their
keys in an `Invocation`. A sibling that takes the very same value under the same name, and accepts
it, has the bug whatever its result is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api
from analysis.target.observation import Call
from citadel.plan.invocation import invocation
from citadel.plan.lexicon import same_name
from citadel.plan.model import Adaptation, SourceValue, Take
from harvest.report.model import Reading

MOST_WORDS = 20_000
"""Characters of a report that are looked through for names."""
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w.]*\w)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputed:
    """One argument that should be refused: its key among the source's values, and its name."""

    key: str
    name: str


def disputed(call: Call, api: Api, calls: Sequence[Call], reading: Reading) -> tuple[Disputed, ...]:
    """The arguments that a report wants refused; none where its words do not tell.

    Those that the title or the sentence about the missing error name, by parameter or by value;
    else those that the rest of the text names; else the only one that there is. Tensors are left
    out: what is wrong with them (a dtype, a shape) may well be right for another function.
    """
    given = [
        value
        for value in invocation(call, api, calls).values
        if value.value.literal() is not None and not value.name.startswith("#")
    ]
    for text in (f"{reading.report.title}\n{reading.refusal or ''}", reading.prose[:MOST_WORDS]):
        found = [value for value in given if _named(value.name, text)]
        found = found or [value for value in given if value.value.literal() in _numbers(text)]
        if found:
            return _told(found)
    return _told(given) if len(given) == 1 else ()


def carried(plan: Adaptation, wanted: Iterable[Disputed]) -> bool:
    """Whether a plan hands these arguments on unchanged, each to a parameter of the same name."""
    slots = {
        (slot.value.key, slot.name)
        for slot in (*plan.new, *plan.call)
        if isinstance(slot.value, Take) and not slot.value.steps
    }
    found = [
        any(key == one.key and same_name(name, one.name) for key, name in slots) for one in wanted
    ]
    return bool(found) and all(found)


def _told(values: Iterable[SourceValue]) -> tuple[Disputed, ...]:
    return tuple(Disputed(key=value.key, name=value.name) for value in values)


def _named(name: str, text: str) -> bool:
    """Whether a text names a parameter; a single letter only where it is marked as code."""
    if len(name) == 1:
        return re.search(rf"`{re.escape(name)}\b|\b{re.escape(name)} ?[=<>]", text) is not None
    return re.search(rf"\b{re.escape(name)}s?\b", text, re.IGNORECASE) is not None


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))
