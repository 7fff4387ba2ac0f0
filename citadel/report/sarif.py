"""Findings as SARIF 2.1.0 (OASIS, 2020), which code scanning reads.

In: findings, and where the sources of their build have them. Out: a JSON document, with a result
per finding. What strangers wrote is text there, and no path of a source leads out of its root.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from analysis.static.model import FunctionRecord
from analysis.static.sources import Sources
from citadel import __version__
from citadel.family.operations import spelling
from citadel.report.exports import Exported
from citadel.report.text import plain

ROOT = "SRCROOT"
"""What paths of the framework's sources begin at."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_TOLD = re.compile(
    r"(?P<file>[\w.+/-]+\.(?:cpp|cc|cu|cuh|h|py))(?:[\"']?:|[\"']?, line )(?P<line>[1-9]\d{0,5})\b"
)
"""A place that a message names: `at "../aten/src/a.cpp":46`, `(a.cc:46)`."""
_MOST = 8


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line, from 1, of a file below the root of the sources."""

    file: str
    line: int


def source_lines(sources: Sources, row: Exported) -> list[SourceLine]:
    """Where the sources have a finding: the line that its message names, then the functions that
    are the API's operator, or the API itself; nothing where the sources have none of these."""
    known = {one.path for one in sources.files}
    found = [
        SourceLine(path, int(told["line"]))
        for told in _TOLD.finditer(row.symptom)
        for path in _below(told["file"], known)
    ]
    ids = _operators(sources).get(row.operation, ())
    functions = [sources.functions[one] for one in ids]
    functions += [one for one in sources.functions.values() if one.name == row.api]
    functions.sort(key=lambda one: (*_rank(one, row.operation), one.file, one.line))
    found += [SourceLine(one.file, one.line) for one in functions]
    return list(dict.fromkeys(found))[:_MOST]


def _rank(function: FunctionRecord, operation: str) -> tuple[bool, int]:
    """Functions of another spelling come last, and those in deeper folders: kernels, and those of
    special devices and layouts."""
    return spelling(function.base) != operation, function.file.count("/")


@cache
def _operators(sources: Sources) -> Mapping[str, tuple[str, ...]]:
    """The functions of each operation."""
    found: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for name, functions in sources.operators.items():
        found[spelling(name.removeprefix("aten::"))] += functions
    return found


def _below(told: str, known: set[str]) -> list[str]:
    """The file of the sources that ends as a path does that was told where the build was made."""
    parts = told.split("/")
    ends = ("/".join(parts[at:]) for at in range(len(parts) - 1))
    return [one for one in ends if one in known][:1]


def as_sarif(rows: Sequence[Exported], lines: Sequence[Sequence[SourceLine]], out: Path) -> str:
    """The document; `lines` are those of the findings' build, one list per finding, and `out` is
    where it is to lie."""
    rules = sorted({row.severity for row in rows})
    driver = {
        "name": "Citadel",
        "version": __version__,
        "rules": [{"id": one, "shortDescription": {"text": one}} for one in rules],
    }
    results = [_result(row, found, out) for row, found in zip(rows, lines, strict=True)]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _result(row: Exported, lines: Sequence[SourceLine], out: Path) -> dict[str, Any]:
    """One finding: where the sources have it, else in its case, by the name of its API."""
    case = _location(Path(os.path.relpath(row.file, out.parent)).as_posix(), 1)
    places = [*(_location(one.file, one.line, ROOT) for one in lines), case]
    first = places[0] | {"logicalLocations": [{"fullyQualifiedName": plain(row.api)}]}
    told = f"{row.api}: {row.symptom} (reported in {row.report})"
    key = hashlib.sha256(f"{row.report}\0{row.api}".encode("utf-8", "backslashreplace"))
    properties = {"build": plain(row.build), "confidence": row.confidence}
    return {
        "ruleId": row.severity,
        "level": "error",
        "message": {"text": _message(told)},
        "locations": [first],
        "relatedLocations": [one | {"id": at} for at, one in enumerate(places[1:], 1)],
        "partialFingerprints": {"reportAndApi/v1": key.hexdigest()},
        "properties": properties | ({"control": plain(row.control)} if row.control else {}),
    }


def _message(text: str) -> str:
    """Text of strangers as a message, in which braces would name arguments, and brackets before
    parentheses a link (SARIF 3.11.5 and 3.11.6)."""
    doubled = plain(text).replace("{", "{{").replace("}", "}}")
    return doubled.replace("](", "] (")


def _location(file: str, line: int, root: str = "") -> dict[str, Any]:
    artifact = {"uri": quote(file.encode("utf-8", "backslashreplace"))}
    artifact |= {"uriBaseId": root} if root else {}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": line}}}
