"""Findings in the forms that other tools read: CSV for spreadsheets, JUnit for test reports.

In: the records of generated cases. Out: text. What strangers wrote is text there, too: no formula
of a spreadsheet, no markup.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from xml.etree import ElementTree

from citadel.report.text import plain


class Format(StrEnum):
    """What is written."""

    CSV = "csv"
    JUNIT = "junit"
    PYTEST = "pytest"
    SARIF = "sarif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """One finding, as the exports tell of it. `report` names the report that it comes from."""

    report: str
    build: str
    api: str
    operation: str
    verdict: str
    confidence: float
    severity: str
    symptom: str
    control: str
    file: str


def as_csv(rows: Sequence[Exported]) -> str:
    """A table with a line per finding, under the names of the fields."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [one.name for one in fields(Exported)], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in asdict(row).items()})
    return text.getvalue()


def _cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    if not isinstance(value, str):
        return value
    told = plain(value)
    return f"'{told}" if told[:1] in ("=", "+", "-", "@") else told


def as_junit(rows: Sequence[Exported]) -> str:
    """A suite per report with a failed test per operation, which names all forms of it."""
    root = ElementTree.Element("testsuites")
    suites: dict[str, dict[str, list[Exported]]] = {}
    for row in rows:
        suites.setdefault(row.report, {}).setdefault(row.operation, []).append(row)
    for report, operations in suites.items():
        count = str(len(operations))
        suite = ElementTree.SubElement(
            root, "testsuite", name=_xml(report), tests=count, failures=count, errors="0"
        )
        for forms in operations.values():
            first = forms[0]
            test = ElementTree.SubElement(
                suite, "testcase", classname=_xml(report), name=_xml(forms[0].api)
            )
            failure = ElementTree.SubElement(
                test, "failure", type=_xml(first.severity), message=_xml(first.symptom)
            )
            failure.text = "\n".join(
                _xml(f"{one.api}: {one.symptom} ({one.build}, {one.file})") for one in forms
            )
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Text of characters that XML has: it has no form for lone surrogates and the like."""
    return plain(text).encode("utf-8", "backslashreplace").decode("utf-8")
