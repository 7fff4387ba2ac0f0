"""`citadel report` and `citadel label`: what a store holds, and what people say of it.

In: a store's path. Out: tables and families on a console, the same as JSON; a label more.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console

from citadel.family.known import Known, known_issue
from citadel.report.document import write_json
from citadel.report.files import writable
from citadel.report.hunted import (
    Section,
    in_order,
    render_families,
    render_forecast,
    render_judged,
    render_kinds,
    render_yields,
)
from citadel.report.text import plain
from citadel.store import labels, queries
from citadel.store.database import Store, open_to_label, open_to_read
from citadel.store.details import FindingRow, Listed, detailed, headlines
from citadel.store.labels import LabelKind
from citadel.store.outcomes import latest_figures
from citadel.store.queries import FamilyRow, Filter
from citadel.store.summary import Kinds, Yield, kinds, yields

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """What `citadel report` was asked for."""

    store: Path
    wanted: Filter
    builds: tuple[str, ...] = ()
    known: tuple[Known, ...] = ()
    limit: int = 20
    show_all: bool = False
    order: bool = True
    """Whether to tell what reports were ordered by."""
    json: str | None = None


def run_report(request: ReportRequest) -> None:
    """Print a store's tables and families.

    Raises:
        CitadelError: when the store cannot be read, or JSON not be written.
    """
    writable(request.json)
    console = Console(
        file=sys.stderr if request.json == "-" else sys.stdout,
        highlight=False,
        soft_wrap=not sys.stdout.isatty(),
    )
    with open_to_read(request.store) as store:
        shown = _Shown(store, request)
        shown.render(console)
        if request.json is not None:
            write_json(shown.document(), request.json)


class _Shown:
    """The answers to one request."""

    def __init__(self, store: Store, request: ReportRequest) -> None:
        self._store = store
        self._request = request
        self._issues = [one for one in request.known if not one.done]
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
        families = self._families()
        shown = [self._section(family) for family in families[: request.limit]]
        more = max(0, len(families) - request.limit)
        render_families(console, shown, self._known, more=more)

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
                {**asdict(family), "members": self._members_in_full(family)}
                for family in self._families()
            ],
        }

    def _families(self) -> list[FamilyRow]:
        """The families that have findings of those asked for, the largest first."""
        found = queries.families(self._store, self._request.wanted)
        if not self._request.wanted.only_new:
            return found
        return [family for family in found if family.id in self._new]

    def _members(self, family: FamilyRow) -> list[Listed]:
        """The findings of a family that were asked for, the oldest first."""
        if self._request.wanted.only_new:
            return self._new[family.id]
        return queries.listed(self._store, self._request.wanted, self._builds, family=family.id)

    def _section(self, family: FamilyRow) -> Section:
        """A family as it is printed: reports and labels are read of those that are shown."""
        members = self._members(family)
        shown = in_order(members, show_all=self._request.show_all)
        return Section(family=family, rows=self._told(shown), members=len(members))

    def _members_in_full(self, family: FamilyRow) -> list[dict[str, Any]]:
        rows = self._told(self._members(family))
        remarks = labels.of_each(self._store, [row.id for row in rows])
        return [
            {
                **asdict(row),
                "known": self._known.get(row.id),
                "labels": [asdict(label) for label in remarks.get(row.id, ())],
            }
            for row in rows
        ]

    def _told(self, rows: Sequence[Listed]) -> list[FindingRow]:
        """What is known of findings; notes which issues of the umbrella list cover them."""
        found = detailed(self._store, rows)
        for row in found:
            issue = known_issue(self._issues, row.framework, row.api, row.headline)
            if issue is not None:
                self._known[row.id] = issue
        return found

    @cached_property
    def _split(self) -> tuple[list[Listed], list[Listed]]:
        """The findings that are new: those that the umbrella list does not cover, and the rest."""
        wanted = replace(self._request.wanted, only_new=True)
        rows = queries.listed(self._store, wanted, self._builds)
        if not self._issues:
            return rows, []
        told = headlines(self._store, [row.symptom for row in rows])
        split: tuple[list[Listed], list[Listed]] = ([], [])
        for row in rows:
            issue = known_issue(self._issues, row.framework, row.api, told[row.symptom])
            split[issue is not None].append(row)
        return split

    @cached_property
    def _new(self) -> dict[int, list[Listed]]:
        """The new findings by family."""
        found: dict[int, list[Listed]] = {}
        for row in self._split[0]:
            found.setdefault(row.family, []).append(row)
        return found

    def _without_covered(self, rows: list[Kinds]) -> tuple[list[Kinds], int]:
        """The figures with what the umbrella list covers taken out of the new ones."""
        if not self._issues:
            return rows, 0
        covered = Counter((row.framework, row.kind, row.plain) for row in self._split[1])
        less = [
            replace(row, new=max(0, row.new - covered[row.framework, row.kind, row.plain]))
            for row in rows
        ]
        return less, covered.total()


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
