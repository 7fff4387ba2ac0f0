"""What `citadel export` does: findings of generated cases, for other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from analysis.sources import installed
from citadel.casefile import CaseFile
from citadel.commands.rechecking import cases_of
from citadel.model import VerdictKind
from citadel.report.exports import Exported, Format, as_csv, as_junit
from citadel.report.files import writable, write_atomically
from citadel.report.sarif import as_sarif, source_lines
from citadel.report.severity import severity
from citadel.report.testfile import Broken, family_test


def run_export(paths: Sequence[Path], form: Format, out: Path, source: Path | None = None) -> int:
    """Write the bugs among the cases of some paths; how many there are.

    `source` is a checkout of the build's sources: SARIF names lines of it.

    Raises:
        CitadelError: where there are none, or the file cannot be written, or there are no sources.
    """
    if source is not None and form is not Format.SARIF:
        raise CitadelError(f"--source says nothing to {form}", "it is for --format sarif")
    writable(out)
    named = (case for path in paths for case, _, _ in cases_of(path))
    cases = list({case.path.resolve(): case for case in named}.values())
    rows = [(case, row) for case in cases for row in _exported(case)]
    if form is Format.PYTEST:
        rows = [(case, row) for case, row in rows if case.fails]
    if not rows:
        raise CitadelError("no bug to export", "name a case, a folder of cases, or a store")
    if form is Format.SARIF:
        text = _sarif([row for _, row in rows], out, source)
    else:
        text = _text([case for case, _ in rows], [row for _, row in rows], form)
    write_atomically(out, text)
    return len(rows)


def _sarif(rows: Sequence[Exported], out: Path, source: Path | None) -> str:
    if source is None:
        return as_sarif(rows, [() for _ in rows], out)
    sources = installed(str(source)).read()
    return as_sarif(rows, [source_lines(sources, row) for row in rows], out)


def _text(cases: Sequence[CaseFile], rows: Sequence[Exported], form: Format) -> str:
    if form is Format.CSV:
        return as_csv(rows)
    if form is Format.JUNIT:
        return as_junit(rows)
    reports = ", ".join(dict.fromkeys(row.report for row in rows))
    return family_test(reports, reports, [Broken(one.api, one.code, one.symptom) for one in cases])


def _exported(case: CaseFile) -> Iterator[Exported]:
    """The bug of a case; none where its record has another verdict."""
    record: dict[str, Any] = json.loads(case.path.with_suffix(".json").read_text("utf-8"))
    source, own = record["source"], record.get("sibling") or {}
    verdict = str(own.get("verdict", VerdictKind.BUG))
    if verdict != VerdictKind.BUG:
        return
    number = source.get("number")
    place = f"{source.get('repository') or ''}#{number}" if number is not None else ""
    target = record.get("target") or {}
    yield Exported(
        report=place or str(source.get("title") or source["api"]),
        build=f"{target.get('framework', case.framework)} {target.get('version', '')}".strip(),
        api=case.api,
        operation=str((own or source).get("operation") or case.api),
        verdict=verdict,
        confidence=float(own.get("confidence", 1.0)),
        severity=str(own.get("severity") or severity(case.symptom, case.api)),
        symptom=case.symptom.headline(),
        control=_control(case, own, source),
        file=str(case.path),
    )


def _control(case: CaseFile, own: dict[str, Any], source: dict[str, Any]) -> str:
    """What the control of a case changes; "" where it has none. That of a report is its trigger."""
    if own:
        return str((own.get("control") or {}).get("sentence", ""))
    return str(source.get("trigger") or "") if case.control else ""
