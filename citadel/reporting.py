"""`citadel report` and `citadel label`: what a store holds, and what people say of it.

In: a store's path. Out: tables and families on a console, the same as JSON; a label more.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from citadel.family.known import Known, known_issue, read_known
from citadel.report.document import write_json
from citadel.report.files import writable
from citadel.report.hunted import (
    render_families,
    render_forecast,
    render_judged,
    render_kinds,
    render_yields,
)
from citadel.report.text import plain
from citadel.store import labels, queries
from citadel.store.database import Store, open_to_label, open_to_read
from citadel.store.labels import LabelKind
from citadel.store.outcomes import latest_figures
from citadel.store.queries import FamilyRow, Filter, FindingRow
from citadel.store.summary import Kinds, Yield, kinds, yields

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """What `citadel report` was asked for."""

    store: Path
    wanted: Filter
    builds: tuple[str, ...] = ()
    known: Path | None = None
    limit: int = 20
    show_all: bool = False
    order: bool = True
    """Whether to tell what reports were ordered by."""
    json: str | None = None


def run_report(request: ReportRequest) -> None:
    """Print a store's tables and families.

    Raises:
        CitadelError: when the store or the umbrella list cannot be read, or JSON not be written.
    """
    writable(request.json)
    issues = () if request.known is None else read_known(request.known)
    console = Console(
        file=sys.stderr if request.json == "-" else sys.stdout,
        highlight=False,
        soft_wrap=not sys.stdout.isatty(),
    )
    with open_to_read(request.store) as store:
        shown = _Shown(store, request, issues)
        shown.render(console)
        if request.json is not None:
            write_json(shown.document(), request.json)


class _Shown:
    """The answers to one request."""

    def __init__(self, store: Store, request: ReportRequest, issues: Sequence[Known]) -> None:
        self._store = store
        self._request = request
        self._issues = issues
        self._builds = queries.latest_builds(store, request.builds)
        self._known: dict[str, str] = {}
        self.kinds, covered = self._without_covered(kinds(store, request.wanted, self._builds))
        self._covered = covered
        self.yields = yields(store)
        self._forecast = latest_figures(store)

    def render(self, console: Console) -> None:
        """Print the tables, then families."""
        request = self._request
        wanted = request.wanted
        render_kinds(console, self.kinds, self._covered)
        if wanted.kind is None and wanted.api is None:  # builds are not told apart by these
            console.print()
            render_yields(
                console, [y for y in self.yields if wanted.framework in (None, y.framework)]
            )
        judged = queries.judged_builds(self._store, self._builds)
        if len(self.yields) > len(judged):
            render_judged(console, judged)
        if request.order:
            render_forecast(console, self._forecast)
        shown, more = self._largest(request.limit)
        render_families(console, shown, self._known, more=more, show_all=request.show_all)

    def document(self) -> dict[str, Any]:
        """All of it as JSON, families without a limit."""
        return {
            "schema": SCHEMA,
            "store": str(self._request.store),
            "novelty_on": self._builds,
            "findings": [asdict(row) for row in self.kinds],
            "covered": self._covered,
            "builds": [_yield(row) for row in self.yields],
            "forecast": [asdict(one) for one in self._forecast],
            "families": [
                {**asdict(family), "members": [self._finding(row) for row in rows]}
                for family, rows in self._families()
            ],
        }

    def _largest(self, limit: int) -> tuple[list[tuple[FamilyRow, list[FindingRow]]], int]:
        """The largest families with findings that the filter lets through, and how many follow."""
        if self._request.wanted.only_new:  # how many families have some is known of no other
            kept = self._families()
            return kept[:limit], max(0, len(kept) - limit)
        found: list[tuple[FamilyRow, list[FindingRow]]] = []
        families = queries.families(self._store, self._request.wanted)
        for place, family in enumerate(families):
            if len(found) == limit:
                return found, len(families) - place
            rows = queries.findings(
                self._store, self._request.wanted, self._builds, family=family.id
            )
            known = [row for row in rows if self._wanted(row)]
            if known:
                found.append((family, known))
        return found, 0

    def _families(self) -> list[tuple[FamilyRow, list[FindingRow]]]:
        """All families with findings that the filter lets through."""
        rows: dict[int, list[FindingRow]] = {}
        for row in queries.findings(self._store, self._request.wanted, self._builds):
            if self._wanted(row):
                rows.setdefault(row.family, []).append(row)
        found = queries.families(self._store, self._request.wanted)
        return [(family, rows[family.id]) for family in found if family.id in rows]

    def _wanted(self, row: FindingRow) -> bool:
        """Whether to show a finding; notes which issue of the umbrella list covers it."""
        issue = known_issue(self._issues, row.framework, row.api, row.headline)
        if issue is not None:
            self._known[row.id] = issue
        return issue is None or not self._request.wanted.only_new

    def _without_covered(self, rows: list[Kinds]) -> tuple[list[Kinds], int]:
        """The figures with what the umbrella list covers taken out of the new ones."""
        if not self._issues:
            return rows, 0
        covered: Counter[tuple[str, str, bool]] = Counter()
        new = replace(self._request.wanted, only_new=True)
        for row in queries.findings(self._store, new, self._builds):
            if known_issue(self._issues, row.framework, row.api, row.headline) is not None:
                covered[row.framework, row.kind, row.plain] += 1
        less = [
            replace(row, new=max(0, row.new - covered[row.framework, row.kind, row.plain]))
            for row in rows
        ]
        return less, sum(covered.values())

    def _finding(self, row: FindingRow) -> dict[str, Any]:
        remarks = labels.all_of(self._store, row.id)
        return {
            **asdict(row),
            "known": self._known.get(row.id),
            "labels": [asdict(label) for label in remarks],
        }


def run_label(path: Path, finding: str, kind: LabelKind, value: str | None, note: str) -> None:
    """Add a label and say so.

    Raises:
        CitadelError: when the store is not there, or has no such finding.
    """
    with open_to_label(path) as store:
        label = labels.add(store, finding, kind, value, note)
    told = f"{label.finding}: {label.kind} {label.value or ''}".rstrip()
    Console(highlight=False).print(plain(told), markup=False)


def _yield(row: Yield) -> dict[str, Any]:
    return {
        **asdict(row),
        "ratio": None if row.ratio is None else round(row.ratio, 4),
        "seconds_per_finding": row.seconds_per_finding,
    }
