"""The figures of a store: what the paper's tables 1 and 2 hold, for this store's hunts.

In: an open store. Out: per kind of bug and per framework, numbers of findings and of cases. What
would have to be counted over all runs is read from tallies that the database keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from citadel.model import BugKind
from citadel.store.database import Store
from citadel.store.items import Stage, State
from citadel.store.queries import LET_THROUGH, Filter, new_ones


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """One row of table 1: findings of a kind. `new` are those that nobody is known to know.

    `confirmed` are those of which nobody took that back later; they may be `fixed` as well.
    `plain` are exceptions that the API may be meant to raise.
    """

    framework: str
    kind: BugKind
    plain: bool
    total: int
    new: int
    confirmed: int
    rejected: int
    duplicate: int
    fixed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Yield:
    """One row of table 2: what a build's hunts took and brought; seconds of one worker.

    `tried` are APIs that the failing calls were carried over to, in memory or as code, `generated`
    those for which code was written and replayed.
    """

    framework: str
    version: str
    build: str
    reports: int
    verified: int
    tried: int
    generated: int
    triggering: int
    findings: int
    seconds: float
    open: int
    failed: int
    cut: int

    @property
    def ratio(self) -> float | None:
        """The share of generated cases that trigger a bug."""
        return self.triggering / self.generated if self.generated else None

    @property
    def seconds_per_finding(self) -> float | None:
        """Time per bug."""
        return self.seconds / self.findings if self.findings else None


# Confirmed is what no later label takes back: one that tells of a fix does not.
_KINDS = f"""
SELECT framework, kind, plain, count(*),
  sum(label IS NOT NULL AND EXISTS (
    SELECT 1 FROM labels l WHERE l.finding = f.id AND l.kind = 'confirmed' AND NOT EXISTS (
      SELECT 1 FROM labels later WHERE later.finding = f.id AND later.id > l.id
        AND later.kind IN ('rejected', 'duplicate-of', 'withdrawn')))),
  sum(label IS 'rejected'), sum(label IS 'duplicate-of'),
  sum(label IS 'fixed-in')
FROM findings f WHERE sightings AND {LET_THROUGH}
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""  # noqa: S608 - a constant goes in


def kinds(store: Store, wanted: Filter, builds: Mapping[str, str]) -> list[Kinds]:
    """Table 1, by framework and kind; `builds` are those that novelty is told for.

    Findings that an umbrella list knows still count as new.
    """
    rows = store.db.execute(_KINDS, wanted.values())
    new = new_ones(store, wanted, builds)
    return [
        Kinds(
            framework=framework,
            kind=BugKind(kind),
            plain=bool(plain),
            total=total,
            new=new[framework, kind, bool(plain)],
            confirmed=confirmed,
            rejected=rejected,
            duplicate=duplicate,
            fixed=fixed,
        )
        for framework, kind, plain, total, confirmed, rejected, duplicate, fixed in rows
    ]


def yields(store: Store) -> list[Yield]:
    """Table 2, one row per build."""
    db = store.db
    rows = db.execute("SELECT id, framework, version FROM builds ORDER BY framework, added")
    work = {
        (build, stage, state): (count, seconds)
        for build, stage, state, count, seconds in db.execute(
            "SELECT build, stage, state, count(*), sum(seconds) FROM items GROUP BY 1, 2, 3"
        )
    }
    cases = dict(db.execute("SELECT build, count(*) FROM cases GROUP BY 1").fetchall())
    generated = dict(
        db.execute("SELECT build, sum(number) FROM tallies WHERE generated GROUP BY 1").fetchall()
    )
    tried = dict(db.execute("SELECT build, sum(tried) FROM cases GROUP BY 1").fetchall())
    bugs = dict(
        db.execute(
            "SELECT build, sum(number) FROM tallies WHERE verdict = 'bug' AND generated GROUP BY 1"
        ).fetchall()
    )
    cut = dict(
        db.execute(
            "SELECT build, count(*) FROM items"
            " WHERE coalesce(cut_seconds, cut_attempts, cut_replays, cut_siblings) IS NOT NULL"
            " GROUP BY 1"
        ).fetchall()
    )
    findings = dict(
        db.execute("SELECT build, count(DISTINCT finding) FROM sightings GROUP BY 1").fetchall()
    )

    def count(build: str, *states: State, stage: Stage | None = None) -> int:
        return sum(
            found
            for (of, at, state), (found, _) in work.items()
            if of == build and state in states and stage in (None, at)
        )

    return [
        Yield(
            framework=framework,
            version=version,
            build=build,
            reports=count(build, *State, stage=Stage.VERIFY),
            verified=cases.get(build, 0),
            tried=tried.get(build, 0),
            generated=generated.get(build, 0),
            triggering=bugs.get(build, 0),
            findings=findings.get(build, 0),
            seconds=sum(spent for (of, _, _), (_, spent) in work.items() if of == build),
            open=count(build, State.QUEUED, State.RUNNING),
            failed=count(build, State.FAILED),
            cut=cut.get(build, 0),
        )
        for build, framework, version in rows.fetchall()
    ]
