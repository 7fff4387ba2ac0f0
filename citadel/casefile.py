"""Generated cases, read again: a script that fails, its control beside it, and what is known of it.

In: the path of a case. Out: a `CaseFile`, and what it shows on a build.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from analysis.target.observation import Outcome
from analysis.target.session import Limits, Session
from citadel.model import Symptom, SymptomKind
from citadel.oracle import status
from citadel.report.headline import headline
from citadel.selection import SHORT

CONTROL = ".control.py"
_MOST_BYTES = 1_000_000
_GONE = ("AttributeError", "ImportError", "ModuleNotFoundError")
"""How Python says that there is no such name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFile:
    """A case: `code` and `control` without the comment on top, `api` and what it showed."""

    path: Path
    code: str
    control: str
    api: str
    framework: str
    symptom: Symptom
    fails: bool
    """Whether it was seen to fail by itself."""


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
        api, symptom = str(told["api"]), _symptom(told["symptom"])
        fails = told["fails"] is True
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise CitadelError(f"{record} is no record of a case", "run the triage again") from problem
    control = path.with_name(path.stem + CONTROL)
    root = api.partition(".")[0]
    return CaseFile(
        path=path,
        code=_bare(code),
        control=_bare(_read(control)) if control.exists() else "",
        api=api,
        framework=SHORT.get(root, root),
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


def _symptom(record: dict[str, Any]) -> Symptom:
    texts = ("exception", "message", "pattern", "signal", "where", "observed", "expected")
    found = {name: str(record[name]) for name in texts if record.get(name) is not None}
    return Symptom(kind=SymptomKind(record["kind"]), **found)  # type: ignore[arg-type]


class State(StrEnum):
    """What a case says of a build."""

    BAD = "bad"
    """It fails as recorded, and its control does not."""
    GOOD = "good"
    OTHERWISE = "fails otherwise"
    LACKS = "has no such API"
    UNSURE = "control fails, too"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a case shows on a build, in one line for people."""

    state: State
    seen: str


def shown_on(case: CaseFile, session: Session, limits: Limits) -> Shown:
    """Run a case, and its control where that matters.

    Raises:
        CitadelError: when the interpreter cannot be started at all.
    """
    seen = session.run(case.code, limits=limits)
    found = status.capture(seen)
    if seen.outcome is Outcome.OK:
        return Shown(State.GOOD, "runs through")
    if found is None:
        return Shown(State.OTHERWISE, str(seen.outcome))
    told = headline(found, 160).removesuffix(":")
    leaf = case.api.rpartition(".")[2]
    gone = found.exception in _GONE and leaf in (found.message or "")
    if gone or status.unavailable(found):
        return Shown(State.LACKS, told)
    if not status.asserted_at(case.code, seen) and not status.matches(case.symptom, found):
        return Shown(State.OTHERWISE, told)
    if case.control and session.run(case.control, limits=limits).outcome is not Outcome.OK:
        return Shown(State.UNSURE, told)
    return Shown(State.BAD, told)
