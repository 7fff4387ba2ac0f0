"""What became of reports, and in what order the open ones are looked at: the classifier's rows.

In: items that ended, what reading said of reports. Out: one outcome per issue, the reports that
wait, and the chances and cross-validated figures that `citadel.hunt.forecast` comes to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citadel.store.database import Store
from citadel.store.items import Stage, State


class Target(StrEnum):
    """What is foretold of a report."""

    CASE = "case"
    """It reproduces on some build, or its recorded symptom makes a case."""
    SIBLINGS = "siblings"
    """Its case has findings, once it is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one report; `siblings` is None until its case was carried over."""

    report: str
    case: bool
    siblings: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How well one target was learnt from `reports` of which it holds for `positives`.

    `auc` is the mean over the folds of a cross-validation, `spread` its standard deviation there,
    `precision` the mean average precision. Without `used`, `reason` tells why.
    """

    target: Target
    reports: int
    positives: int
    auc: float | None = None
    spread: float | None = None
    precision: float | None = None
    used: bool = False
    reason: str = ""

    @property
    def base(self) -> float:
        """The share for which it holds: the average precision of a guess."""
        return self.positives / self.reports if self.reports else 0.0


_ENDED = (State.DONE, State.FLAKY)


def outcomes(store: Store) -> list[Outcome]:
    """What became of reports, ordered by id. Of versions of one issue, the latest one counts."""
    carried = dict(
        store.db.execute(
            "SELECT report, EXISTS (SELECT 1 FROM sightings s WHERE s.report = i.report)"
            " FROM items i WHERE stage = ? AND attempts > 0 AND state IN (?, ?) GROUP BY report",
            [Stage.PROPAGATE, *_ENDED],
        ).fetchall()
    )
    rows = store.db.execute(
        "SELECT r.id, r.repository, r.number, max(i.found > 0) FROM items i"
        " JOIN reports r ON r.id = i.report"
        " WHERE i.stage = ? AND i.attempts > 0 AND i.state IN (?, ?)"
        " GROUP BY r.id ORDER BY r.added, r.id",
        [Stage.VERIFY, *_ENDED],
    )
    found: dict[tuple[str, int] | str, Outcome] = {}
    for report, repository, number, case in rows:
        issue = report if number is None else (repository or "", number)
        siblings = bool(carried[report]) if case and report in carried else None
        found[issue] = Outcome(report=report, case=bool(case), siblings=siblings)
    return sorted(found.values(), key=lambda one: one.report)


def waiting(store: Store) -> list[str]:
    """The reports that are still to be verified on some build, ordered by id."""
    rows = store.db.execute(
        "SELECT DISTINCT report FROM items WHERE stage = ? AND state = ? ORDER BY report",
        [Stage.VERIFY, State.QUEUED],
    )
    return [report for (report,) in rows]


def keep_traits(store: Store, report: str, traits: Iterable[str]) -> None:
    """Keep what reading says of a report, as words without blanks."""
    store.db.execute(
        "INSERT INTO readings VALUES (?, ?) ON CONFLICT DO UPDATE SET traits = excluded.traits",
        [report, " ".join(traits)],
    )


def traits(store: Store, report: str) -> list[str] | None:
    """What was kept of the reading of a report, if anything."""
    row = store.db.execute("SELECT traits FROM readings WHERE report = ?", [report]).fetchone()
    return None if row is None else str(row[0]).split()


def order(store: Store, chances: Mapping[str, float]) -> None:
    """Note the chances of reports, by which equal items are ordered; all others have none."""
    store.db.execute("UPDATE items SET chance = 0 WHERE chance <> 0")
    store.db.conn.executemany(
        "UPDATE items SET chance = ? WHERE report = ? AND stage = ?",
        [(chance, report, Stage.VERIFY) for report, chance in chances.items()],
    )


def keep_figures(store: Store, hunt: int, figures: Sequence[Figures]) -> None:
    """Keep how well a hunt could foretell what comes of reports."""
    for one in figures:
        store.db.execute(
            "INSERT INTO forecasts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                hunt,
                one.target,
                one.reports,
                one.positives,
                one.auc,
                one.spread,
                one.precision,
                one.used,
                one.reason,
            ],
        )


def latest_figures(store: Store) -> list[Figures]:
    """The figures of the last hunt that had something to order."""
    rows = store.db.execute(
        "SELECT target, reports, positives, auc, spread, precision, used, reason FROM forecasts"
        " WHERE hunt = (SELECT max(hunt) FROM forecasts) ORDER BY target"
    )
    return [
        Figures(
            target=Target(target),
            reports=reports,
            positives=positives,
            auc=auc,
            spread=spread,
            precision=precision,
            used=bool(used),
            reason=reason,
        )
        for target, reports, positives, auc, spread, precision, used, reason in rows
    ]
