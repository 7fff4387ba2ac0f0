"""Symptoms in few words: what is cut is the source text, not what came out.

In: a symptom and the room there is. Out: one printable line.
"""

from __future__ import annotations

from dataclasses import replace

from citadel.model import MEASURED_KINDS, BugCase, Symptom, Triage
from citadel.report.text import plain, shorten

_WHOLE = 600
_LEAST_ROOM = 12
"""Characters of an expression below which it says nothing."""


def is_measured(symptom: Symptom) -> bool:
    """Whether the symptom is one of time or memory."""
    return symptom.kind in MEASURED_KINDS


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


def complaint(case: BugCase) -> str:
    """What the report says, on one line: of a ratio that is no longer there only what it is of."""
    if case.reproduces or not is_measured(case.symptom):
        return headline(case.symptom, _WHOLE)
    symptom = case.symptom
    wanted = f", expected {symptom.expected}" if symptom.expected else ""
    return shorten(plain(f"{symptom.where or symptom.kind}{wanted}"), _WHOLE)


def observed(case: BugCase) -> str:
    """What the code shows now, where it does not show the symptom; "" where nothing is known."""
    repeated = case.observed == case.symptom.headline()
    return (figure(case.symptom) if repeated else "") or case.observed


def shown_by(triage: Triage, api: str) -> Symptom | None:
    """The symptom that an API of a family shows."""
    found = (f.verdict.symptom for f in triage.findings if f.api == api)
    return next(found, triage.case.symptom if triage.case is not None else None)
