"""Findings and families, as they are listed: filtered, with what is known of each.

In: an open store and filters. Out: rows, with all that is known of them (`details`) or without.
Novelty is told for one build per framework, the one that was hunted on last unless another one is
asked for.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.errors import CitadelError
from citadel.store.database import Store
from citadel.store.details import FindingRow, Listed, Novelty, detailed
from citadel.store.labels import LabelKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A build that novelty is told for."""

    framework: str
    version: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which findings; None and False leave out a condition. `api` is a part of its name.

    `no_plain` leaves out exceptions that an API may be meant to raise.
    """

    framework: str | None = None
    kind: str | None = None
    api: str | None = None
    only_new: bool = False
    no_plain: bool = False

    def values(self) -> dict[str, str | bool | None]:
        """The parameters of `LET_THROUGH`."""
        return {
            "framework": self.framework,
            "kind": self.kind,
            "api": self.api,
            "no_plain": self.no_plain,
        }


LET_THROUGH = """(:framework IS NULL OR f.framework = :framework)
      AND (:kind IS NULL OR f.kind = :kind)
      AND (:api IS NULL OR instr(lower(f.api), lower(:api)) > 0)
      AND NOT (:no_plain AND f.plain)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRow:
    """One family: what its findings have in common, and how many there are."""

    id: int
    framework: str
    root: str
    findings: int
    reports: int


_UNKNOWN = """form_of IS NULL AND coalesce(label NOT IN ('rejected', 'duplicate-of', 'fixed-in'), 1)
  AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.api = told.api AND c.state = told.state)"""
"""Whether neither a person nor a report knows a finding, called `told`."""

# What novelty calls new (or new on this build): this build shows it, and no other one does.
_NEW = f"""
SELECT framework, kind, plain, count(*) FROM (
  SELECT f.* FROM findings f CROSS JOIN json_each(:builds) here
    ON here.key = f.framework AND here.value = f.only_build
  WHERE f.sightings AND {LET_THROUGH}
) told
WHERE {_UNKNOWN}
GROUP BY 1, 2, 3
"""  # noqa: S608 - a constant goes in

# CROSS JOIN keeps the order: from one finding to its few reports, and on to one verdict each.
_FINDINGS = f"""
SELECT * FROM (
  SELECT *, CASE
    WHEN shown AND elsewhere THEN 'seen'
    WHEN shown AND EXISTS (
      SELECT 1 FROM sightings s CROSS JOIN cases c ON c.report = s.report
        AND c.build <> listed.build
      CROSS JOIN pairs p ON p.build = c.build AND p.source = c.api AND p.target = listed.api
      CROSS JOIN variants v ON v."case" = c.id AND v.pair = p.id
      CROSS JOIN verdicts d ON d.variant = v.id AND d.kind IN ('clean', 'refused', 'expected')
      WHERE s.finding = listed.id) THEN 'new on this build'
    WHEN shown THEN 'new'
    WHEN EXISTS (
      SELECT 1 FROM sightings s CROSS JOIN cases c ON c.report = s.report
        AND c.build = listed.build
      CROSS JOIN pairs p ON p.build = c.build AND p.source = c.api AND p.target = listed.api
      CROSS JOIN variants v ON v."case" = c.id AND v.pair = p.id
      CROSS JOIN verdicts d ON d.variant = v.id AND d.kind IN ('clean', 'refused', 'expected')
      WHERE s.finding = listed.id) THEN 'fixed'
    ELSE 'not judged here' END AS novelty
  FROM (
    SELECT f.*, here.value AS build,
      EXISTS (SELECT 1 FROM sightings s
        WHERE s.finding = f.id AND s.build = here.value) AS shown,
      EXISTS (SELECT 1 FROM sightings s
        WHERE s.finding = f.id AND s.build <> here.value) AS elsewhere
    FROM findings f CROSS JOIN json_each(:builds) here ON here.key = f.framework
    WHERE f.sightings AND {LET_THROUGH}
      AND (:family IS NULL OR f.family = :family)
  ) listed
) told
WHERE NOT :only_new OR (novelty IN ('new', 'new on this build') AND {_UNKNOWN})
ORDER BY added, id LIMIT :limit
"""  # noqa: S608 - a constant goes in

_OF_FAMILY = _FINDINGS.replace("(:family IS NULL OR f.family = :family)", "f.family = :family")
"""The same, so written that an index finds the family."""

_FAMILIES = f"""
SELECT m.id, m.framework, m.root, count(DISTINCT f.id) AS findings,
  (SELECT count(DISTINCT s.report) FROM sightings s JOIN findings g ON g.id = s.finding
   WHERE g.family = m.id)
FROM findings f JOIN families m ON m.id = f.family
WHERE f.sightings AND {LET_THROUGH}
GROUP BY m.id ORDER BY findings DESC, m.id LIMIT :limit
"""  # noqa: S608 - a constant goes in


def latest_builds(store: Store, chosen: Sequence[str] = ()) -> dict[str, str]:
    """framework -> the build that novelty is told for: a chosen one, else the last one hunted on.

    Raises:
        CitadelError: when the store has no such build.
    """
    rows = store.db.execute(
        "SELECT framework, id FROM builds b"
        " ORDER BY (SELECT max(ended) FROM items WHERE build = b.id), added"
    ).fetchall()
    found = dict(rows)
    for wanted in chosen:
        matching = [(framework, key) for framework, key in rows if key.startswith(wanted)]
        if not matching:
            known = ", ".join(key for _, key in rows) or "none"
            raise CitadelError(f"the store has no build {wanted}", f"it has: {known}")
        found.update(matching)
    return found


def judged_builds(store: Store, builds: Mapping[str, str]) -> list[Judged]:
    """The builds of `latest_builds`, as people know them."""
    rows = store.db.execute(
        "SELECT framework, version, id FROM builds WHERE id IN (SELECT value FROM json_each(?))"
        " ORDER BY framework",
        [json.dumps(list(builds.values()))],
    )
    return [Judged(framework=f, version=version, key=key) for f, version, key in rows]


def new_ones(
    store: Store, wanted: Filter, builds: Mapping[str, str]
) -> Counter[tuple[str, str, bool]]:
    """How many findings are new on these builds: (framework, kind, plain) -> number."""
    rows = store.db.execute(_NEW, {**wanted.values(), "builds": json.dumps(dict(builds))})
    return Counter({(framework, kind, bool(plain)): n for framework, kind, plain, n in rows})


def listed(
    store: Store,
    wanted: Filter,
    builds: Mapping[str, str],
    *,
    limit: int | None = None,
    family: int | None = None,
) -> list[Listed]:
    """The findings that a filter lets through, the oldest first."""
    values = {
        **wanted.values(),
        "limit": -1 if limit is None else limit,
        "builds": json.dumps(dict(builds)),
        "family": family,
        "only_new": wanted.only_new,
    }
    asked = _FINDINGS if family is None else _OF_FAMILY
    return [
        Listed(
            id=row["id"],
            framework=row["framework"],
            api=row["api"],
            kind=row["kind"],
            state=row["state"],
            symptom=row["symptom"],
            family=row["family"],
            build=row["build"],
            novelty=Novelty(row["novelty"]),
            label=None if row["label"] is None else LabelKind(row["label"]),
            label_value=row["label_value"],
            plain=bool(row["plain"]),
            form_of=row["form_of"],
        )
        for row in store.db.query(asked, values)
    ]


def findings(
    store: Store,
    wanted: Filter,
    builds: Mapping[str, str],
    *,
    limit: int | None = None,
    family: int | None = None,
) -> list[FindingRow]:
    """The same with all that is known of each."""
    return detailed(store, listed(store, wanted, builds, limit=limit, family=family))


def families(store: Store, wanted: Filter, *, limit: int | None = None) -> list[FamilyRow]:
    """The families that have such findings, the largest first."""
    values = {**wanted.values(), "limit": -1 if limit is None else limit}
    rows = store.db.execute(_FAMILIES, values)
    return [
        FamilyRow(id=key, framework=framework, root=root, findings=count, reports=reports)
        for key, framework, root, count, reports in rows
    ]
