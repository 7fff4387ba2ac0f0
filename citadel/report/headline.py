"""Symptoms in few words: what is cut is the source text, not what came out.

In: a symptom and the room there is. Out: one printable line.
"""

from __future__ import annotations

from dataclasses import replace

from citadel.model import Symptom, SymptomKind
from citadel.report.text import plain, shorten

_MEASURED = frozenset((SymptomKind.SLOW, SymptomKind.MEMORY))
_LEAST_ROOM = 12
"""Characters of an expression below which it says nothing."""


def is_measured(symptom: Symptom) -> bool:
    """Whether the symptom is one of time or memory."""
    return symptom.kind in _MEASURED


def figure(symptom: Symptom) -> str:
    """What was measured (`ratio 5.2`), "" where nothing was."""
    if not is_measured(symptom):
        return ""
    if symptom.ratio is not None:
        return f"ratio {symptom.ratio:.3g}"
    return plain(symptom.observed or "")


def headline(symptom: Symptom, limit: int = 300) -> str:
    """The symptom on one line of at most `limit` characters."""
    if is_measured(symptom) and symptom.where is not None:
        wanted = f", expected {symptom.expected}" if symptom.expected else ""
        return shorten(plain(f"{figure(symptom) or 'no ratio'}{wanted}: {symptom.where}"), limit)
    whole = plain(symptom.headline())
    where = plain(symptom.where or "")
    room = limit - (len(whole) - len(where))
    if len(whole) > limit and where and room >= _LEAST_ROOM:
        whole = plain(replace(symptom, where=shorten(where, room)).headline())
    return shorten(whole, limit)
