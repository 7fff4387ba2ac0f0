"""Which guards passed before each verdict, as a folded table of `family.md`.

In: findings, best first. Out: Markdown, one row for all that passed the same; nothing where no
verdict has guards.
"""

from __future__ import annotations

from collections.abc import Sequence

from citadel.model import Finding, Verdict, VerdictKind
from citadel.report.text import details, table_cell

SHOWN = (VerdictKind.BUG, VerdictKind.FLAKY, VerdictKind.EXPECTED, VerdictKind.CLEAN)
"""Verdicts that guards decide, in the order of the table."""
_ROWS, _NAMES = 50, 20
_CELL, _NAME = 600, 300


def guards_passed(findings: Sequence[Finding]) -> str:
    """The guards of each verdict, and the reason where one of them did not pass."""
    groups: dict[tuple[VerdictKind, str, str], list[str]] = {}
    told = [one for one in findings if one.verdict.guards and one.verdict.kind in SHOWN]
    for one in sorted(told, key=lambda one: SHOWN.index(one.verdict.kind)):
        groups.setdefault(_key(one.verdict), []).append(one.api)
    if not groups:
        return ""
    rows = ["| verdict | guards that passed | decided by | APIs |", "| --- | --- | --- | --- |"]
    rows += [_row(*key, names) for key, names in list(groups.items())[:_ROWS]]
    if len(groups) > _ROWS:
        rows += ["", f"... and {len(groups) - _ROWS} more rows."]
    return details("Guards behind each verdict", "\n".join(rows))


def _key(verdict: Verdict) -> tuple[VerdictKind, str, str]:
    return verdict.kind, "; ".join(verdict.guards), verdict.reason or ""


def _row(kind: VerdictKind, guards: str, reason: str, names: Sequence[str]) -> str:
    apis = ", ".join(table_cell(name, _NAME) for name in names[:_NAMES])
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    decided = table_cell(reason, _CELL) if reason else ""
    return f"| {kind} | {table_cell(guards, _CELL)} | {decided} | {apis}{more} |"
