"""The report on one family, ready to paste into an issue: at most `LINES` lines.

In: the build under test and one triage. Out: Markdown with one case and its control, what brings
the bug about, the operations that have it, and the versions. Whatever comes from the report or the
framework stands in inline code or fences, where it can neither break the page's structure nor
mention, reference or embed anything.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from pathlib import Path
from urllib.parse import quote

from citadel.model import BugCase, Finding, Symptom, SymptomKind, TargetSummary, Triage, VerdictKind
from citadel.places import by_state, turns
from citadel.report.besides import none_found
from citadel.report.headline import complaint, figure, headline, is_measured, observed
from citadel.report.labels import suggested
from citadel.report.lead import Lead, lead
from citadel.report.order import INTENDED, by_operation, everywhere, may_be_intended, ranked
from citadel.report.severity import severity
from citadel.report.text import (
    code_span,
    counted,
    fence,
    lines_of,
    source_name,
    table_cell,
    without_folders,
)
from harvest.tracker.issue import Issue

LINES = 60
"""Most lines of a page."""
_LEAD_LINES = 24
"""Lines of a case up to which it is shown."""
_CHANGED_LINES = 6
_FEWEST_ROWS = 5
_AROUND_ROWS = 9
"""Lines of the table of operations beside its rows."""
_CELL, _FEW = 100, 5

VERBS = {
    SymptomKind.RAISES: ("fail", "fails"),
    SymptomKind.CRASHES: ("crash", "crashes"),
    SymptomKind.HANGS: ("hang", "hangs"),
    SymptomKind.ACCEPTS: ("accept bad input", "accepts bad input"),
    SymptomKind.SLOW: ("are slow", "is slow"),
    SymptomKind.MEMORY: ("use too much memory", "uses too much memory"),
}
"""What several APIs do, and what one does."""
WRONG = ("give wrong results", "gives wrong results")


def family_markdown(target: TargetSummary, triage: Triage, folder: Path | None = None) -> str:
    """Return the family report of one triage as Markdown; `folder` is where it is to lie."""
    case = triage.case
    if case is None:
        reason = triage.error or triage.skipped or "nothing was run"
        return f"# No case for {code_span(source_name(triage.input))}\n\n{code_span(reason)}\n"
    bugs = [one for one in ranked(triage.findings) if one.verdict.kind is VerdictKind.BUG]
    first = lead(case, bugs, triage.repro)
    below = [*_beside(triage), _environment(target, case, bugs)]
    above, room = list[str](), 0
    for shown in Shown:  # what takes too much room is left in its file
        above = [_title(case, bugs), *_said(triage, case, folder), *_lead(first, shown)]
        room = LINES - "\n\n".join((*above, *below)).count("\n") - _AROUND_ROWS
        if room >= _FEWEST_ROWS:
            break
    return "\n\n".join((*above, *_operations(triage, case, bugs, room), *below)) + "\n"


class Shown(Enum):
    """How much of the case to show first stands on the page."""

    WITH_CONTROL = auto()
    ALONE = auto()
    NAMED = auto()


def _title(case: BugCase, bugs: list[Finding]) -> str:
    """Name the API that fails on this build: the source, or the first sibling where it is fixed."""
    failing = [case.api] if case.reproduces else []
    failing += [finding.api for finding in bugs]
    if not failing:
        return f"# {code_span(case.api)} is fixed here, and no sibling fails"
    own = {case.operation or case.api} if case.reproduces else {bugs[0].operation or bugs[0].api}
    rest = len({one.operation or one.api for one in bugs} - own)
    siblings = f" and {counted(rest, 'sibling operation')}" if rest else ""
    if not rest and len(failing) > 1:
        siblings, rest = " and other forms of it", 1
    verb = VERBS.get(case.symptom.kind, WRONG)[0 if rest else 1]
    return f"# {code_span(failing[0])}{siblings} {verb}: {code_span(_cause(case, bugs), 100)}"


def _cause(case: BugCase, bugs: list[Finding]) -> str:
    symptom = case.symptom
    if is_measured(symptom) and not case.reproduces:  # its own ratio is nothing to complain about
        symptom = bugs[0].verdict.symptom or symptom
    if symptom.kind is SymptomKind.CRASHES and symptom.signal:
        return symptom.signal
    if symptom.kind is SymptomKind.ACCEPTS and symptom.observed:
        return f"gives {symptom.observed}"  # the verb says the rest
    return without_folders(symptom.message or headline(symptom, 100))


def _said(triage: Triage, case: BugCase, folder: Path | None) -> list[str]:
    """Where the bug was reported, what brings it about, and what speaks against it."""
    # Where a file lies on the reporter's disk is nobody's business.
    number = f"{triage.repository or ''}#{triage.number}"
    source = Path(source_name(triage.input)).name if triage.number is None else number
    told = f"First reported for {code_span(case.api)} in {code_span(source)}"
    lines = [told + (f": {code_span(triage.title)}" if triage.title else "")]
    lines += _maps(triage, folder)
    if not case.reproduces:
        now = f": {code_span(observed(case))}" if case.observed else ""
        lines.append(f"There: {code_span(complaint(case), 300)}")
        lines.append(f"{code_span(case.api)} itself is **fixed here**{now}.")
    if case.trigger.sentence:
        lines.append(f"Trigger: {code_span(case.trigger.sentence, 300)}")
    if case.relation:
        lines.append(f"Tried on other operations' own calls: {code_span(case.relation, 300)}")
    for title, api, told in elsewhere(triage):
        lines.append(f"{title}{f' ({code_span(api)})' if api else ''}: {code_span(told)}")
    lines += [f"Doubt: {doubt}." for doubt in case.doubts[:_FEW]]
    lines += [f"Note: {one}." for one in (everywhere(triage),) if one]
    lines += [f"Note: {INTENDED}."] if may_be_intended(triage) else []
    return ["\\\n".join(lines)]


def elsewhere(triage: Triage) -> Iterator[tuple[str, str, str]]:
    """Where else the first case was run: a title, the API where it is not the reported one, and
    what was seen."""
    found, own = triage.elsewhere, triage.case is not None and triage.case.api
    api = found.api if found.api != own else ""
    if found.ways:
        yield "Ways to run it", api, by_state(found.ways)
    if found.releases:
        yield "Releases", api, turns(found.releases)


def _maps(triage: Triage, folder: Path | None) -> list[str]:
    """Links to what the search that found the case has drawn of it, from where the page lies."""
    if folder is None:
        return []
    paths = (Path(os.path.relpath(path, folder)).as_posix() for path in triage.files[:_FEW])
    return [f"Drawn when it was found: [localisation map]({quote(path)})." for path in paths]


def _lead(first: Lead | None, shown: Shown) -> list[str]:
    """The case to show first, and what its control changes."""
    if first is None:
        return []
    code = first.code.strip("\n")
    told = f"{'Unreduced, it shows' if first.small else 'Shows'} "
    told += f"{code_span(headline(first.symptom, 200))}."
    if shown is Shown.NAMED or code.count("\n") >= _LEAD_LINES:
        named = f" in {code_span(Path(first.file).name)}" if first.file else ""
        return ["## To reproduce", f"{told} {counted(lines_of(code), 'line')}{named}."]
    parts = ["## To reproduce", fence(code), told]
    changed = first.difference() if first.control and shown is Shown.WITH_CONTROL else ""
    if changed and changed.count("\n") < _CHANGED_LINES:
        parts[-1] += f" The control ({code_span(first.why)}) runs through:"
        parts.append(fence(changed, "diff"))
    return parts


def _operations(triage: Triage, case: BugCase, bugs: list[Finding], room: int) -> list[str]:
    """The operations that have the bug, the worst and surest first, as many as there is room."""
    heading = "## Operations"
    if not bugs:
        said = none_found(triage)
        return [heading, f"{said[0].upper()}{said[1:]}."]
    operation = case.operation or case.api
    own = [one for one in bugs if (one.operation or one.api) == operation]
    others = by_operation(one for one in bugs if one not in own)
    rows = [_own(case, len(own)), *(_row(forms, case) for forms in others)]
    columns: tuple[str, ...] = ("API", "forms", "severity", "confidence", "control", "symptom")
    known = [_known(case.issues), *(_known(forms[0].issues) for forms in others)]
    if any(known):
        columns = (*columns, "perhaps known as")
        rows = [f"{row} {issue} |" for row, issue in zip(rows, known, strict=True)]
    kept = rows[: max(1, room)]
    head = f"{_cells(*columns)}\n{_cells(*('---' for _ in columns))}"
    parts = [heading, "\n".join((head, *kept))]
    if len(rows) > len(kept):
        more = counted(len(rows) - len(kept), "more operation")
        parts.append(f"... and {more}, each with a case of its own.")
    return parts


def _own(case: BugCase, others: int) -> str:
    """The row of the report's own operation, which has the bug in so many other forms as well."""
    shown = _short(case.symptom) if case.reproduces else observed(case)
    forms = others + case.reproduces
    state = "reported" if case.reproduces else "fixed here"
    worst = str(severity(case.symptom, case.api)) if forms else ""
    control = "runs through" if case.control else "none"
    shown = f"{table_cell(shown, _CELL)}{_away(case.distance)}"
    cells = (str(forms), worst, state, control, shown)
    return _cells(table_cell(case.api, 200), *cells)


def _row(forms: Sequence[Finding], case: BugCase) -> str:
    """The row of one operation, by the form of it that comes first."""
    first = forms[0]
    symptom = first.verdict.symptom
    shown = table_cell(_short(symptom), _CELL) if symptom is not None else ""
    if symptom is not None and case.reproduces and _short(symptom) == _short(case.symptom):
        shown = "the same"
    return _cells(
        table_cell(first.api, 200),
        str(len(forms)),
        str(severity(symptom, first.api)),
        f"{first.verdict.confidence:.2f}",
        "none" if first.evidence is None or first.evidence.control is None else "runs through",
        f"{shown}{_away(first.distance)}",
    )


def _away(distance: float | None) -> str:
    """How far a value is from the right one, where that is known."""
    return "" if distance is None else f", off by {distance:.2g}"


def _known(issues: Sequence[Issue]) -> str:
    """The issues that an operation may be known by, as a cell. In code: a bare link would tell
    their readers."""
    return ", ".join(table_cell(str(one), 100) for one in issues)


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _short(symptom: Symptom) -> str:
    """What fits into a table."""
    return figure(symptom) or without_folders(headline(symptom, 3 * _CELL))


def _beside(triage: Triage) -> list[str]:
    """What shows something, and is not presented as this bug; what was not looked at."""
    lines: list[str] = []
    for kind, told in _BESIDE.items():
        found = by_operation(one for one in triage.findings if one.verdict.kind is kind)
        if found:
            names = ", ".join(code_span(forms[0].api) for forms in found[:_FEW])
            more = f", ... ({len(found)} operations)" if len(found) > _FEW else ""
            lines.append(f"- {told}: {names}{more}")
    if triage.unconfirmed:
        waiting = counted(triage.unconfirmed, "more API")
        lines.append(f"- Not replayed within the budget, so neither findings nor clean: {waiting}")
    if triage.control:
        lines.append(f"- **Control**: {code_span(triage.control)}")
    return ["## Also seen", "\n".join(lines)] if lines else []


_BESIDE = {
    VerdictKind.ALIKE: "Show the symptom, and too little says that it is this bug",
    VerdictKind.DIFFERENT: "Fail otherwise",
    VerdictKind.FLAKY: "Show it in some runs only",
}
"""Verdicts that people may want to look at, in their words."""


def _environment(target: TargetSummary, case: BugCase, bugs: list[Finding]) -> str:
    """The versions, as the trackers' forms ask for them, and the labels that their rules give."""
    name = _NAMES.get(target.framework, target.framework)
    devices = ", ".join(target.devices)
    lines = [f"{name} version: {target.version}", f"Devices: {devices or 'unknown'}"]
    lines += [f"Python version: {target.python_version}"] if target.python_version else []
    lines += [f"OS: {platform.system()} {platform.machine()}"]
    lines += [f"{variable}={value}" for variable, value in target.settings]
    failing = (
        case.symptom
        if case.reproduces
        else next((one.verdict.symptom for one in bugs if one.verdict.symptom), case.symptom)
    )
    api = case.api if case.reproduces or not bugs else bugs[0].api
    labels = ", ".join(map(code_span, suggested(target.framework, api, failing)))
    told = f"\n\nLabels, by the tracker's rules: {labels}" if labels else ""
    return f"## Versions\n\n{fence(chr(10).join(lines), 'text')}{told}"


_NAMES = {"torch": "PyTorch", "tensorflow": "TensorFlow", "keras": "Keras"}
