"""Generated cases, read again: a script that fails, its control beside it, and what is known of it.

In: the path of a case. Out: a `CaseFile`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from citadel.elsewhere import Script
from citadel.model import Symptom, SymptomKind
from citadel.selection import SHORT

CONTROL = ".control.py"
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFile:
    """A case: `code` and `control` without the comment on top, `api` and what it showed."""

    path: Path
    code: str
    control: str
    api: str
    framework: str
    version: str
    """Of the build that it was found on; "" where that is not known."""
    symptom: Symptom
    fails: bool
    """Whether it was seen to fail by itself."""

    @property
    def script(self) -> Script:
        """What is run of it."""
        return Script(code=self.code, control=self.control, api=self.api, symptom=self.symptom)


def read_case(path: Path) -> CaseFile:
    """Read a generated case with its control and its record.

    Raises:
        CitadelError: where it is no generated case, or cannot be read.
    """
    if path.suffix != ".py" or path.name.endswith(CONTROL):
        raise CitadelError(f"{path} is no case", "name one that Citadel has generated: NAME.py")
    code, record = _read(path), path.with_suffix(".json")
    if not record.exists():
        raise CitadelError(f"{path} has no record", f"{record.name} lies beside each case")
    try:
        known = json.loads(_read(record))
        told = known["sibling"] or known["source"]
        api, symptom = str(told["api"]), read_symptom(told["symptom"])
        fails = told["fails"] is True
        version = str((known.get("target") or {}).get("version") or "")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise CitadelError(f"{record} is no record of a case", "run the triage again") from problem
    control = path.with_name(path.stem + CONTROL)
    root = api.partition(".")[0]
    return CaseFile(
        path=path,
        code=_bare(code),
        control=_bare(_read(control)) if control.exists() else "",
        api=api,
        framework=SHORT.get(root, root),
        version=version,
        symptom=symptom,
        fails=fails,
    )


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()[: _MOST_BYTES + 1]
        if len(data) > _MOST_BYTES:
            raise CitadelError(f"{path} is too large", "a case is a short script")
        return data.decode("utf-8")
    except OSError as problem:
        raise CitadelError(f"cannot read {path}: {problem.strerror}", "check the path") from problem
    except UnicodeDecodeError as problem:
        raise CitadelError(f"{path} is no text", "name a generated case") from problem


def _bare(text: str) -> str:
    """A script without the comment on top that says what it is."""
    head, gap, rest = text.partition("\n\n")
    ours = gap and all(line.startswith("#") for line in head.splitlines())
    return rest if ours else text


def read_symptom(record: dict[str, Any]) -> Symptom:
    """The symptom of a record, or of the JSON document."""
    texts = ("exception", "message", "pattern", "signal", "where", "observed", "expected")
    found = {name: str(record[name]) for name in texts if record.get(name) is not None}
    return Symptom(kind=SymptomKind(record["kind"]), **found)  # type: ignore[arg-type]
