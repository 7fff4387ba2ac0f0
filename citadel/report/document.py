"""The JSON document: what `--json` writes (design, section 9).

In: the build under test and the triages. Out: a dictionary of plain JSON values. Fields beyond the
contract are additive: `files` of a report, `case.observed`, `case.runs`, `case.samples`,
`case.evidence`, `case.doubts`, `case.file`, `case.aliases`, `tried`, `control`, and per sibling
`aliases`; `operation`, in the case and per sibling, is the same for the forms of one operation
(function, method, layer); `ways` and `releases` tell where else the first case, of the API
`ways_of`, fails; `issues` of the case and per sibling are what it may be known by; `unsure` is what
the reading leaves open; `rules` of a report are the ids of the rules that decided in it, and those
of the document tell how often each rule was asked, answered and was followed. An API with several
public names has an entry for each of them, so that one looks up whatever name one has; `alias_of`
tells the name under which it was judged.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from analysis import rules
from citadel.model import (
    BugCase,
    Channels,
    Finding,
    Seconds,
    TargetSummary,
    Triage,
    VerdictKind,
)
from citadel.report.files import unwritable, write_atomically
from citadel.report.named import is_public
from citadel.report.order import ranked
from citadel.report.severity import severity

SCHEMA = 1


def document(
    target: TargetSummary, triages: Sequence[Triage], *, complete: bool = True
) -> dict[str, Any]:
    """Return the whole document, reports in the order given, siblings ranked.

    `complete` is false when the run was stopped before all reports were through. `rules` are the
    counts of all rules that this process has asked.
    """
    return {
        "schema": SCHEMA,
        "target": target_record(target),
        "complete": complete,
        "reports": [_report_record(triage) for triage in triages],
        "rules": {name: asdict(tally) for name, tally in rules.counted_since({}).items()},
    }


def write_json(record: dict[str, Any], destination: str | Path) -> None:
    """Write a document to a file, atomically, or to stdout where `destination` is "-".

    Raises:
        CitadelError: where it cannot be written; an older file stays as it was.
    """
    # ASCII only: text of strangers may hold what no terminal or UTF-8 stream should get.
    text = json.dumps(record, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
    if str(destination) == "-":
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            raise unwritable("the standard output", error) from error
        return
    path = Path(destination)
    if path.exists() and not path.is_file() and not path.is_dir():
        _write_to_device(path, text)
        return
    # A link is the user's own: its target is what gets replaced.
    write_atomically(path.resolve() if path.is_symlink() else path, text)


def target_record(target: TargetSummary) -> dict[str, Any]:
    """Return the contract's `target` object."""
    return {
        "python": target.python,
        "framework": target.framework,
        "version": target.version,
        "devices": list(target.devices),
        "sandbox": target.sandbox,
    }


def sibling_record(finding: Finding) -> dict[str, Any]:
    """Return one entry of the contract's `siblings`."""
    verdict = finding.verdict
    return {
        "api": finding.api,
        "operation": finding.operation,
        "verdict": str(verdict.kind),
        "road": str(finding.road),
        "runs": list(verdict.runs),
        "confidence": round(verdict.confidence, 3),
        "channels": finding.channels.to_json(),
        "edits": list(finding.edits),
        "file": finding.file,
        "fails": finding.fails,
        "symptom": None if verdict.symptom is None else verdict.symptom.to_json(),
        "reason": verdict.reason,
        "rule": verdict.rule,
        "guards": list(verdict.guards),
        "evidence": None if finding.evidence is None else finding.evidence.to_json(),
        "control": _control_record(finding),
        "severity": str(severity(verdict.symptom, finding.api)),
        "samples": [round(sample, 4) for sample in verdict.samples],
        "aliases": list(finding.aliases),
        "alias_of": None,
        "issues": [one.to_json() for one in finding.issues],
        "distance": finding.distance,
    }


def _control_record(finding: Finding) -> dict[str, Any] | None:
    """The control of a finding that goes well, and the file of its case, if it was written."""
    evidence = finding.evidence
    control = None if evidence is None else evidence.control
    if evidence is None or control is None:
        return None
    return {"sentence": control.sentence, "file": evidence.file}


def _other_names(case: BugCase | None, findings: Sequence[Finding]) -> Iterator[dict[str, Any]]:
    """Entries for the other names of the source and of the siblings that share the bug."""
    if case is not None and case.reproduces:
        yield from (_source_under(name, case) for name in filter(is_public, case.aliases))
    for finding in findings:
        if finding.verdict.kind is VerdictKind.BUG:
            record = sibling_record(finding)
            for name in filter(is_public, finding.aliases):
                yield {**record, "api": name, "aliases": [], "alias_of": finding.api}


def _source_under(name: str, case: BugCase) -> dict[str, Any]:
    """The source itself, which is the same object under each of its names."""
    return {
        "api": name,
        "operation": case.operation,
        "verdict": str(VerdictKind.BUG),
        "runs": list(case.runs),
        "confidence": 1.0,
        "channels": Channels(signature=1.0, family="same object", arguments=1.0).to_json(),
        "edits": ["another name of the source"],
        "file": case.file,
        "symptom": case.symptom.to_json(),
        "reason": None,
        "rule": "",
        "guards": [],
        "evidence": None,
        "control": None,
        "severity": str(severity(case.symptom, name)),
        "samples": [],
        "aliases": [],
        "alias_of": case.api,
        "issues": [one.to_json() for one in case.issues],
        "distance": case.distance,
    }


def _write_to_device(path: Path, text: str) -> None:
    """Write to a pipe or device as it is: a rename would replace it by a file."""
    try:
        with path.open("w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise unwritable(path, error) from error


def _report_record(triage: Triage) -> dict[str, Any]:
    return {
        "input": triage.input,
        "repository": triage.repository,
        "number": triage.number,
        "title": triage.title,
        "files": list(triage.files),
        "error": triage.error,
        "skipped": triage.skipped,
        "unsure": list(triage.unsure),
        "case": None if triage.case is None else _case_record(triage.case),
        "siblings": [
            *map(sibling_record, ranked(triage.findings)),
            *_other_names(triage.case, ranked(triage.findings)),
        ],
        "families": [
            {"key": family.key, "apis": list(family.apis), "root": family.root}
            for family in triage.families
        ],
        "seconds": _seconds_record(triage.seconds),
        "tried": triage.tried,
        "compared": triage.compared,
        "unconfirmed": triage.unconfirmed,
        "cut": triage.cut,
        "control": triage.control,
        "ways_of": triage.elsewhere.api,
        "ways": [place.to_json() for place in triage.elsewhere.ways],
        "releases": [place.to_json() for place in triage.elsewhere.releases],
        "rules": list(triage.rules),
    }


def _case_record(case: BugCase) -> dict[str, Any]:
    return {
        "id": case.id,
        "api": case.api,
        "operation": case.operation,
        "aliases": list(case.aliases),
        "kind": str(case.kind),
        "reproduces": case.reproduces,
        "symptom": case.symptom.to_json(),
        "needs": list(case.needs),
        "observed": case.observed,
        "runs": list(case.runs),
        "samples": [round(sample, 4) for sample in case.samples],
        "evidence": list(case.evidence),
        "doubts": list(case.doubts),
        "trigger": {**case.trigger.to_json(), "relation": case.relation},
        "file": case.file,
        "issues": [one.to_json() for one in case.issues],
        "distance": case.distance,
    }


def _seconds_record(seconds: Seconds) -> dict[str, float | None]:
    first = seconds.first_finding
    return {
        "verify": round(seconds.verify, 3),
        "siblings": round(seconds.siblings, 3),
        "first_finding": None if first is None else round(first, 3),
    }
