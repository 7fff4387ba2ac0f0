"""Writes generated cases: `<out>/<framework>/<case id>/<target api>.py`, with a `.json` beside.

In: a triage. Out: per finding a script that a maintainer can read and run, the reproduced code of
the report (`source.py`), the report on the whole family (`family.md`) and its test
(`test_family.py`). All names and texts come from strangers: they choose neither where a file lands
nor where its header comment ends.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

from citadel.model import (
    BugCase,
    Cut,
    Finding,
    Road,
    SymptomKind,
    TargetSummary,
    Triage,
    VerdictKind,
)
from citadel.report.document import SCHEMA, sibling_record, target_record
from citadel.report.files import folder_inside, safe_component, write_atomically
from citadel.report.markdown import family_markdown
from citadel.report.order import by_operation, ranked
from citadel.report.printed import renamed_in_prints
from citadel.report.testfile import Broken, family_test
from citadel.report.text import plain, shorten

WRITTEN = frozenset({VerdictKind.BUG, VerdictKind.FLAKY, VerdictKind.DIFFERENT})
"""Verdicts whose generated case is worth a file."""

_RESERVED = frozenset({"source", "family", "test_family"})
_WIDTH = 96


def write_cases(out: Path, target: TargetSummary, triage: Triage) -> Triage:
    """Write all files of one triage; return it with the `file` of case and findings filled in.

    Raises:
        CitadelError: where a file cannot be written; files written before stay.
    """
    if triage.case is None:
        return triage
    source = write_source(out, target, triage)
    findings = tuple(write_finding(out, target, triage, finding) for finding in triage.findings)
    case = replace(triage.case, file=None if source is None else str(source))
    written = replace(triage, case=case, findings=findings)
    folder = case_folder(out, triage.case)
    if written.cut is not Cut.ONLY_REPRODUCE:
        write_atomically(folder / "family.md", family_markdown(target, written, folder))
    _write_test(folder / "test_family.py", written, triage.case)
    return written


def _write_test(path: Path, triage: Triage, case: BugCase) -> None:
    """Write the test of a family: one case of each operation that fails by itself."""
    broken: dict[str, Broken] = {}
    if case.check:
        own = Broken(case.api, case.check, case.symptom)
        broken[case.operation or case.api] = own
    for forms in by_operation(one for one in ranked(triage.bugs) if _tells(one)):
        first = forms[0]
        code = renamed_in_prints(first.code, case.api, first.api)
        found = Broken(first.api, code, first.verdict.symptom or case.symptom)
        broken.setdefault(first.operation or first.api, found)
    if broken:
        write_atomically(path, family_test(triage.title, _origin(triage), list(broken.values())))
    else:
        path.unlink(missing_ok=True)  # of an earlier run


def _tells(finding: Finding) -> bool:
    """Whether a case is a test. One that raises may be a call that is never valid: only a control
    that runs through tells that it will pass some day."""
    symptom, evidence = finding.verdict.symptom, finding.evidence
    controlled = evidence is not None and evidence.control is not None and evidence.control.code
    raises = symptom is not None and symptom.kind is SymptomKind.RAISES
    return finding.fails and (bool(controlled) or not raises)


def write_finding(out: Path, target: TargetSummary, triage: Triage, finding: Finding) -> Finding:
    """Write one generated case, if its verdict deserves one; return the finding with `file` set."""
    case = triage.case
    if case is None or not finding.code or finding.verdict.kind not in WRITTEN:
        return finding
    folder = case_folder(out, case)
    name = safe_component(finding.api, _RESERVED)
    script = folder / f"{name}.py"
    placed = replace(finding, file=str(script))
    placed = _with_control(placed, target, triage, folder / f"{name}.control.py")
    code = renamed_in_prints(finding.code, case.api, finding.api)
    write_atomically(script, _script(_finding_header(target, triage, case, placed), code))
    _write_record(folder / f"{name}.json", target, triage, case, sibling_record(placed))
    return placed


def _write_record(
    path: Path,
    target: TargetSummary,
    triage: Triage,
    case: BugCase,
    sibling: dict[str, Any] | None = None,
) -> None:
    """Write what is known of a case: of the report's own, there is no sibling."""
    source = {
        "repository": triage.repository,
        "number": triage.number,
        "title": triage.title,
        "api": case.api,
        "operation": case.operation,
        "case": case.id,
        "symptom": case.symptom.to_json(),
        "trigger": case.trigger.sentence,
        "fails": bool(case.check),
    }
    build = target_record(target)
    record = {"schema": SCHEMA, "target": build, "source": source, "sibling": sibling}
    text = json.dumps(record, indent=1, ensure_ascii=True, allow_nan=False) + "\n"
    write_atomically(path, text)


def _with_control(finding: Finding, target: TargetSummary, triage: Triage, path: Path) -> Finding:
    """Write the case that goes well beside the one that does not, where there is one."""
    evidence = finding.evidence
    control = None if evidence is None else evidence.control
    if evidence is None or control is None or not control.code:
        path.unlink(missing_ok=True)  # of an earlier run
        return finding
    case = f"{path.name.removesuffix('.control.py')}.py"
    header = _control_header(target, triage, finding.api, control.sentence, case)
    source = finding.api if triage.case is None else triage.case.api
    code = renamed_in_prints(control.code, source, finding.api)
    write_atomically(path, _script(header, code))
    return replace(finding, evidence=replace(evidence, file=str(path)))


def write_source(out: Path, target: TargetSummary, triage: Triage) -> Path | None:
    """Write the report's own code as `source.py`; return its path."""
    case = triage.case
    if case is None:
        return None
    path = case_folder(out, case) / "source.py"
    code = case.check or case.code
    write_atomically(path, _script(_source_header(target, triage, case), code))
    _write_record(path.with_suffix(".json"), target, triage, case)
    control = path.with_name("source.control.py")
    if case.control:
        header = _control_header(target, triage, case.api, case.cured, path.name)
        write_atomically(control, _script(header, case.control))
    else:
        control.unlink(missing_ok=True)  # of an earlier run
    return path


def _control_header(
    target: TargetSummary, triage: Triage, api: str, why: str, case: str
) -> list[str]:
    entries = [
        ("Shows", f"{api} goes well here"),
        ("Report", _origin(triage)),
        ("Control", why),
        ("Case", f"{case}, which shows the bug"),
        ("Build", _build(target)),
    ]
    return _comment("The control of a case generated by Citadel.", entries, target)


def case_folder(out: Path, case: BugCase) -> Path:
    """Create the folder of a case and return it, always inside `out`."""
    return folder_inside(out, case.framework, case.id)


def _script(header: list[str], code: str) -> str:
    # A byte order mark is only legal at the very start of a file.
    body = code.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").lstrip("\n")
    return "\n".join(header) + "\n\n" + (body if body.endswith("\n") else body + "\n")


def _finding_header(
    target: TargetSummary, triage: Triage, case: BugCase, finding: Finding
) -> list[str]:
    verdict = finding.verdict
    shown = verdict.symptom or case.symptom
    hits, runs = verdict.runs
    entries = [
        ("Shows", f"{finding.api}: the bug reported for {case.api}"),
        ("Report", _origin(triage)),
        ("Edits", "; ".join(finding.edits) or "none"),
        *([("Trigger", told)] if (told := _trigger(case, finding)) else []),
        ("Symptom", shown.headline()),
        *([("Control", told)] if (told := _control(finding)) else []),
        ("Verdict", f"{verdict.kind}, {hits} of {runs} runs, {_build(target)}"),
    ]
    if verdict.kind is VerdictKind.DIFFERENT:
        entries[0] = ("Shows", f"{finding.api} fails otherwise than {case.api} was reported to")
        entries.insert(3, ("Reported", case.symptom.headline()))
    return _comment("Generated by Citadel from a bug report.", entries, target)


def _trigger(case: BugCase, finding: Finding) -> str:
    """What brings the bug about in the sibling's call, as far as something cures that; else in the
    report's, whose arguments may have other names."""
    if finding.road is Road.TRIGGER:
        return case.relation
    control = finding.evidence and finding.evidence.control
    if control:
        return control.sentence
    told = case.trigger.sentence
    return f"of {case.api}: {told}" if told else ""


def _control(finding: Finding) -> str:
    """Where to see what goes well; "" where nothing does, or it is not written down."""
    evidence = finding.evidence
    if evidence is None or evidence.control is None or not evidence.file:
        return ""
    told = f"{evidence.control.sentence}, in " if finding.road is Road.TRIGGER else ""
    return f"{told}{Path(evidence.file).name}"


def _source_header(target: TargetSummary, triage: Triage, case: BugCase) -> list[str]:
    now = "reproduces" if case.reproduces else f"fixed here: now {case.observed or 'no failure'}"
    entries = [
        ("Shows", case.api),
        ("Report", _origin(triage)),
        ("Symptom", case.symptom.headline()),
        *([("Trigger", case.trigger.sentence)] if case.trigger.sentence else []),
        ("Now", f"{now}, {_build(target)}"),
        *([("Check", "added: it fails while the bug is there")] if _adds_check(case) else []),
        *([("Control", "source.control.py")] if case.control else []),
    ]
    return _comment("The code of a bug report, as Citadel reproduced it.", entries, target)


def _adds_check(case: BugCase) -> bool:
    return case.check not in ("", case.code)


def _origin(triage: Triage) -> str:
    place = triage.repository or ""
    number = "" if triage.number is None else f"#{triage.number}"
    quoted = f'"{triage.title}"' if triage.title else "(no title)"
    return f"{place}{number} {quoted}".strip()


def _build(target: TargetSummary) -> str:
    return f"{target.framework} {target.version} ({', '.join(target.devices)})"


def _comment(first: str, entries: list[tuple[str, str]], target: TargetSummary) -> list[str]:
    """Lay out the header; its first two lines are fixed: a coding cookie counts there."""
    lines = [f"# {first}", "#"]
    for label, text in entries:
        line = f"{label + ':':10}{shorten(plain(text), 400)}"
        lines += textwrap.wrap(
            line,
            _WIDTH,
            initial_indent="# ",
            subsequent_indent="#" + " " * 11,
            break_on_hyphens=False,
        )
    chosen = "".join(f"{name}={value} " for name, value in target.settings)
    run = f"{chosen}python FILE"
    lines.append(f"# Run:      read it first (a stranger wrote the original), then `{run}`")
    return lines
