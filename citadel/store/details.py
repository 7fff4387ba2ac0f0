"""What is known of findings that were listed: who found them where, and who reported them.

In: an open store and rows of a list. Out: the same rows with all of it, read for all at once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citadel.store.database import Store
from citadel.store.labels import LabelKind
from citadel.store.reports import report_of
from citadel.store.symptoms import read_symptom

SEARCHED = "fuzz/"
"""How the repositories begin whose reports a source has found."""


class Novelty(StrEnum):
    """What the store's other builds say of a finding."""

    NEW = "new"
    """No other build has judged it."""
    SEEN = "seen"
    """Another build shows it, too."""
    NEW_HERE = "new on this build"
    """Another build runs it without the symptom."""
    FIXED = "fixed"
    """Another build shows it, and this one runs it without the symptom."""
    NOT_JUDGED = "not judged here"
    """Another build shows it; this one has no clear verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One finding as its own row tells of it; `build` is the one that novelty is told for."""

    id: str
    framework: str
    api: str
    kind: str
    state: str
    symptom: str
    family: int
    build: str
    novelty: Novelty
    label: LabelKind | None
    label_value: str | None
    plain: bool
    form_of: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding. `reports` found it, those on the build that it is listed for come first;
    `reported_in` names reports that are about this very API and symptom.

    `plain`: the symptom is an exception that the API may be meant to raise. `form_of` is a reported
    API that is the same function, reached otherwise. `drawn` are files beside a harvest, of the
    searches that found these reports.
    """

    id: str
    framework: str
    api: str
    kind: str
    state: str
    headline: str
    family: int
    novelty: Novelty
    label: LabelKind | None
    label_value: str | None
    reports: tuple[str, ...]
    reported_in: tuple[str, ...]
    builds: tuple[str, ...]
    file: str | None
    plain: bool
    form_of: str | None
    drawn: tuple[str, ...]


# CROSS JOIN keeps the order: from the findings to their few reports.
_SEEN = """
SELECT s.finding, r.id, r.repository, r.number, r.source, s.build, v.file
FROM json_each(?) wanted CROSS JOIN sightings s ON s.finding = wanted.value
JOIN reports r ON r.id = s.report JOIN variants v ON v.id = s.variant
ORDER BY r.added, r.id
"""
_ABOUT = """
SELECT DISTINCT f.id, r.id, r.repository, r.number, r.source
FROM json_each(?) wanted CROSS JOIN findings f ON f.id = wanted.value
CROSS JOIN cases c ON c.api = f.api AND c.state = f.state JOIN reports r ON r.id = c.report
"""


def headlines(store: Store, symptoms: Collection[str]) -> dict[str, str]:
    """What each symptom is in short, by its id."""
    return {key: read_symptom(store, key).headline() for key in set(symptoms)}


def detailed(store: Store, rows: Sequence[Listed]) -> list[FindingRow]:
    """The rows with all that is known of them, in their order."""
    ids = json.dumps([row.id for row in rows])
    seen: dict[str, list[tuple[str, str, str | None]]] = {}
    searched: dict[str, dict[str, None]] = {}
    for finding, report, repository, number, source, build, file in store.db.execute(_SEEN, [ids]):
        seen.setdefault(finding, []).append((_name(repository, number, source), build, file))
        if (repository or "").startswith(SEARCHED):
            searched.setdefault(finding, {})[report] = None
    about: dict[str, list[str]] = {}
    for finding, report, repository, number, source in store.db.execute(_ABOUT, [ids]):
        about.setdefault(finding, []).append(_name(repository, number, source))
        if (repository or "").startswith(SEARCHED):
            searched.setdefault(finding, {})[report] = None
    told = headlines(store, [row.symptom for row in rows])
    files = {key: report_of(store, key).files for found in searched.values() for key in found}
    return [
        _detailed(
            store,
            row,
            told[row.symptom],
            seen.get(row.id, []),
            about.get(row.id, []),
            [file for key in searched.get(row.id, ()) for file in files[key]],
        )
        for row in rows
    ]


def _detailed(
    store: Store,
    row: Listed,
    headline: str,
    seen: list[tuple[str, str, str | None]],
    about: list[str],
    drawn: list[str],
) -> FindingRow:
    """One row; `seen` are its sightings: report, build, file."""
    seen = sorted(seen, key=lambda one: one[1] != row.build)
    return FindingRow(
        id=row.id,
        framework=row.framework,
        api=row.api,
        kind=row.kind,
        state=row.state,
        headline=headline,
        family=row.family,
        novelty=row.novelty,
        label=row.label,
        label_value=row.label_value,
        reports=tuple(dict.fromkeys(report for report, _, _ in seen)),
        reported_in=tuple(dict.fromkeys(about)),
        builds=tuple(dict.fromkeys(build for _, build, _ in seen)),
        file=store.found(next((file for _, _, file in seen if file), None)),
        plain=row.plain,
        form_of=row.form_of,
        drawn=tuple(dict.fromkeys(drawn)),
    )


def _name(repository: str | None, number: int | None, source: str) -> str:
    return source if number is None else f"{repository or ''}#{number}"
