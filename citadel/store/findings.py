"""Findings across reports: one API with one symptom, however often it is found, and its family.

In: a variant whose verdict is `bug`. Out: its finding, new or known, with a sighting that tells
which report found it on which build.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citadel.family.crash_state import State, state_of
from citadel.model import BugCase, Finding, Symptom, content_id
from citadel.oracle.status import internal
from citadel.store.database import Store
from citadel.store.families import family_of
from citadel.store.symptoms import save_symptom
from citadel.store.texts import sound

FORMS = frozenset(
    ("op", "method", "function", "functional", "module", "class", "compat.v1 function")
)
"""Relations of names (`citadel.match.family`) that say: the same function, reached otherwise."""
TELLING_FRAMES = 2
"""The innermost frames that two stacks share if they are of one cause: one is often a helper's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """What relates findings beyond one report: marks of APIs, and frames that the report pasted."""

    marks: Mapping[str, Sequence[str]]
    frames: Sequence[str] = ()


def finding_id(framework: str, api: str, state: State) -> str:
    """The id of a finding: the same on whatever build and from whatever report."""
    return content_id(framework, api, state.text)


def note(
    store: Store,
    variant: int,
    report: str,
    build: str,
    case: BugCase,
    finding: Finding,
    kin: Kin,
) -> bool:
    """Note that a report found this on a build; whether the store had no such finding."""
    symptom = finding.verdict.symptom or case.symptom
    state = state_of(symptom)
    key = finding_id(case.framework, finding.api, state)
    known = store.db.execute("SELECT 1 FROM findings WHERE id = ?", [key]).fetchone() is not None
    marks = [sound(mark) for mark in _marks(report, state, symptom, finding.api, kin)]
    family = family_of(store, case.framework, marks, sound(symptom.headline()[:200]))
    if not known:
        store.db.execute(
            "INSERT INTO findings (id, framework, api, kind, state, symptom, family, added, plain)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                key,
                case.framework,
                finding.api,
                case.kind,
                sound(state.text),
                save_symptom(store, symptom),
                family,
                time.time(),
                not internal(symptom),
            ],
        )
    if finding.channels.family in FORMS:
        store.db.execute(
            "UPDATE findings SET form_of = coalesce(form_of, ?) WHERE id = ?", [case.api, key]
        )
    forget(store, variant)
    store.db.execute(
        "INSERT INTO sightings VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [key, build, report, variant],
    )
    return not known


def forget(store: Store, variant: int) -> None:
    """A variant does not show its bug after all; the finding stays, with what was said of it."""
    store.db.execute("DELETE FROM sightings WHERE variant = ?", [variant])


def _marks(report: str, state: State, symptom: Symptom, api: str, kin: Kin) -> list[str]:
    """What connects a finding with others: its report's other findings, its stack, its state."""
    marks = [f"report {report}: {state.text}"]
    for frames in (symptom.frames, kin.frames):
        if len(frames) >= TELLING_FRAMES:
            marks.append(f"frames {' < '.join(frames[:TELLING_FRAMES])}")
    if state.telling:
        return [*marks, f"state {state.text}"]
    return [*marks, *(f"{mark}: {state.text}" for mark in kin.marks.get(api, ()))]
