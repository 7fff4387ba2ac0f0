"""The report on one family, ready to paste into a GitHub issue.

In: the build under test and one triage. Out: Markdown with the affected APIs, one minimal script
that shows all of them, the versions and how the siblings were found. Whatever comes from the report
or the framework stands in inline code or fences, where it can neither break the page's structure
nor mention, reference or embed anything.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from pathlib import Path
from urllib.parse import quote

from citadel.model import (
    STATUS_KINDS,
    BugCase,
    Finding,
    Symptom,
    SymptomKind,
    TargetSummary,
    Triage,
    VerdictKind,
)
from citadel.report.besides import none_found
from citadel.report.guarded import guards_passed
from citadel.report.headline import complaint, figure, headline, is_measured, observed
from citadel.report.order import (
    INTENDED,
    by_operation,
    describe_channels,
    everywhere,
    may_be_intended,
    operations_told,
    ranked,
    verdict_counts,
)
from citadel.report.script import family_script, printing_script
from citadel.report.strip import strips
from citadel.report.text import code_span, counted, details, fence, table_cell

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

# GitHub refuses bodies beyond 65,536 characters.
_ROW_LIMIT = 50
_CELL, _FEW = 120, 5
_TOP = 12
"""Siblings that are shown unfolded: what fits on a screen."""
_SCRIPT_LINES = 60
"""Lines of a script up to which it is shown unfolded."""
_HEAD = (
    "| API | verdict | confidence | runs | control | symptom |",
    "| --- | --- | --- | --- | --- | --- |",
)
_SCRIPT_LIMIT = 30_000


def family_markdown(target: TargetSummary, triage: Triage, folder: Path | None = None) -> str:
    """Return the family report of one triage as Markdown; `folder` is where it is to lie."""
    case = triage.case
    if case is None:
        reason = triage.error or triage.skipped or "nothing was run"
        return f"# No case for {code_span(triage.input)}\n\n{code_span(reason)}\n"
    bugs = [finding for finding in ranked(triage.findings) if _is_bug(finding)]
    parts = [
        _title(case, bugs),
        _symptom(triage, case, folder),
        _table(case, bugs, triage),
        _alike(triage),
        _measured(case, bugs),
        guards_passed(ranked(triage.findings)),
        *_script(target, case, bugs),
        _versions(target),
        _method(triage, case, bugs),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _is_bug(finding: Finding) -> bool:
    return finding.verdict.kind is VerdictKind.BUG


def _title(case: BugCase, bugs: list[Finding]) -> str:
    """Name the API that fails on this build: the source, or the first sibling where it is fixed."""
    failing = [case.api] if case.reproduces else []
    failing += [finding.api for finding in bugs]
    if not failing:
        return f"# {code_span(case.api)} is fixed here, and no sibling fails"
    rest = len(failing) - 1
    siblings = f" and {rest} sibling API{'s' if rest > 1 else ''}" if rest else ""
    verb = VERBS.get(case.symptom.kind, WRONG)[0 if rest else 1]
    return f"# {code_span(failing[0])}{siblings} {verb}: {code_span(_cause(case, bugs), 100)}"


def _cause(case: BugCase, bugs: list[Finding]) -> str:
    symptom = case.symptom
    if is_measured(symptom) and not case.reproduces:  # its own ratio is nothing to complain about
        symptom = bugs[0].verdict.symptom or symptom
    words = symptom.message or headline(symptom, 100)
    if symptom.kind is SymptomKind.CRASHES and symptom.signal:
        return symptom.signal
    return words


def _symptom(triage: Triage, case: BugCase, folder: Path | None) -> str:
    lines = ["## Symptom", "", code_span(complaint(case), 600)]
    numbered = triage.number is not None
    # Where a file lies on the reporter's disk is nobody's business.
    number = f"{triage.repository or ''}#{triage.number}"
    source = number if numbered else Path(triage.input).name
    lines += ["", f"First reported for {code_span(case.api)} in {code_span(source)}"]
    if triage.title:
        lines[-1] += f": {code_span(triage.title)}"
    lines += [line for one in _maps(triage, folder) for line in ("", one)]
    if not case.reproduces:
        now = f": {code_span(observed(case))}" if case.observed else ""
        lines += ["", f"{code_span(case.api)} itself is **fixed here**{now}."]
    if spread := everywhere(triage):
        lines += ["", f"Note: {spread}."]
    if may_be_intended(triage):
        lines += ["", f"Note: {INTENDED}."]
    if case.trigger.sentence:
        lines += ["", f"Trigger: {code_span(case.trigger.sentence, 300)}"]
    if case.relation:
        lines += ["", f"Brought into other APIs' own calls: {code_span(case.relation, 300)}"]
    lines += [line for doubt in case.doubts for line in ("", f"Doubt: {doubt}.")]
    return "\n".join(lines)


def _maps(triage: Triage, folder: Path | None) -> list[str]:
    """Links to what the search that found the case has drawn of it, from where the page lies."""
    if folder is None:
        return []
    paths = (Path(os.path.relpath(path, folder)).as_posix() for path in triage.files)
    return [f"Drawn when it was found: [localisation map]({quote(path)})." for path in paths]


def _table(case: BugCase, bugs: list[Finding], triage: Triage) -> str:
    """The source and the best-ranked siblings; the other ones are folded."""
    if not bugs:
        said = none_found(triage)
        return f"## Affected APIs\n\n{said[0].upper()}{said[1:]}."
    state = "reported" if case.reproduces else "fixed here"
    shown = _short(case.symptom) if case.reproduces else observed(case)
    rows = [_row(case.api, state, "", case.runs, case.trigger.sentence, shown)]
    for finding in bugs[:_ROW_LIMIT]:
        verdict = finding.verdict
        symptom = _short(verdict.symptom or case.symptom)
        # A column of equal messages hides the one that differs.
        said = "the same" if case.reproduces and symptom == shown else symptom
        sure = f"{verdict.confidence:.2f}"
        rows.append(
            _row(finding.api, str(verdict.kind), sure, verdict.runs, _control(finding), said)
        )
    forms = operations_told(case, bugs)
    told = [f"{counted(len(bugs), 'sibling')}, {forms}."] if forms else []
    parts = ["## Affected APIs", *told, "\n".join((*_HEAD, *rows[: _TOP + 1]))]
    if rows[_TOP + 1 :]:
        rest = "\n".join((*_HEAD, *rows[_TOP + 1 :]))
        parts.append(details(f"{len(rows) - _TOP - 1} more siblings", rest))
    if len(bugs) > _ROW_LIMIT:
        parts.append(f"... and {len(bugs) - _ROW_LIMIT} more, each with a case of its own.")
    return "\n\n".join(parts)


def _short(symptom: Symptom) -> str:
    """What fits into a table; what is measured is said above it."""
    return figure(symptom) or headline(symptom, _CELL)


def _control(finding: Finding) -> str:
    """The change with which a sibling goes well."""
    control = None if finding.evidence is None else finding.evidence.control
    return "" if control is None else control.sentence


def _row(
    api: str, verdict: str, sure: str, runs: tuple[int, int], control: str, symptom: str
) -> str:
    told = table_cell(control, _CELL) if control else ""
    shown = table_cell(symptom, _CELL)
    cells = (table_cell(api, 300), verdict, sure, f"{runs[0]} of {runs[1]}", told, shown)
    return f"| {' | '.join(cells)} |"


def _alike(triage: Triage) -> str:
    """What shows the symptom and is not presented as the same bug, by reason; folded."""
    found = [one for one in triage.findings if one.verdict.kind is VerdictKind.ALIKE]
    if not found:
        return ""
    reasons: dict[str, list[str]] = {}
    for forms in by_operation(found):
        reasons.setdefault(forms[0].verdict.reason or "", []).append(forms[0].api)
    rows = ["| operations | why not | for example |", "| --- | --- | --- |"]
    for why, names in reasons.items():
        few = ", ".join(table_cell(name, 300) for name in names[:_FEW])
        rows.append(f"| {len(names)} | {table_cell(why, 300)} | {few} |")
    count = counted(len(by_operation(found)), "more operation")
    return details(f"{count} show the symptom, and are not presented as this bug", "\n".join(rows))


def _measured(case: BugCase, bugs: list[Finding]) -> str:
    """The samples of the source and of each finding on one axis; nothing where none were taken."""
    rows = [(f"{case.api} (reported)", case.samples)]
    rows += [(finding.api, finding.verdict.samples) for finding in bugs[:_ROW_LIMIT]]
    drawn = strips(rows)
    if not drawn:
        return ""
    legend = (
        "Median, and one mark per run (`.` one, `:` two, `*` three, `#` more). There are as many "
        "runs as it took to tell."
    )
    drawing = fence(drawn, "text")
    if len(rows) > _TOP + 1:
        drawing = details(f"{len(rows)} APIs on one axis", drawing)
    return f"## Measured\n\n{legend}\n\n{drawing}"


def _script(target: TargetSummary, case: BugCase, bugs: list[Finding]) -> list[str]:
    """Return the script and, where it had to be cut short, the names that it leaves out."""
    pairs = [(case.api, case.code)]
    pairs += [(finding.api, finding.code) for finding in bugs if finding.code]
    printed = case.symptom.kind not in STATUS_KINDS
    write = (
        printing_script
        if printed
        else partial(family_script, isolated=case.symptom.kind is not SymptomKind.RAISES)
    )
    kept = len(pairs)
    script = write(pairs)
    while len(script) > _SCRIPT_LIMIT and kept > 1:
        kept = min(kept - 1, max(1, kept * _SCRIPT_LIMIT // len(script)))
        script = write(pairs[:kept])
    what = "what the code of each API prints" if printed else "one line per API"
    chosen = " ".join(f"{name}={value}" for name, value in target.settings)
    under = f" with {code_span(chosen)}" if chosen else ""
    parts = ["## To reproduce", f"Save as a file and run it{under}; it prints {what}."]
    lines = script.count("\n")
    fenced = fence(script)
    parts.append(details(f"{lines} lines", fenced) if lines > _SCRIPT_LINES else fenced)
    left = [api for api, _ in pairs[kept:]]
    if left:
        names = ", ".join(code_span(api) for api in left[:_ROW_LIMIT])
        more = "" if len(left) <= _ROW_LIMIT else ", ..."
        parts.append(f"Left out for length ({len(left)}): {names}{more}")
    return parts


def _versions(target: TargetSummary) -> str:
    devices = ", ".join(code_span(device) for device in target.devices)
    return "\n".join(
        [
            "## Versions",
            "",
            f"- {code_span(target.framework)} {code_span(target.version)}",
            f"- devices: {devices or 'unknown'}",
            f"- sandbox: {code_span(target.sandbox)}",
        ]
    )


def _method(triage: Triage, case: BugCase, bugs: list[Finding]) -> str:
    hits, runs = case.runs
    # Values and measurements show in replays alone.
    at_once = case.symptom.kind in (SymptomKind.RAISES, SymptomKind.CRASHES, SymptomKind.HANGS)
    lines = [
        "## How this was found",
        "",
        f"The reported code showed the symptom in {hits} of {runs} runs. Citadel tried the same "
        f"call on {triage.tried} other APIs of the build, the most similar first, and replayed the "
        f"rewritten code of those that {'showed the symptom' if at_once else 'took it'}.",
    ]
    if triage.unconfirmed:
        lines += [
            "",
            f"**Cut short**: {triage.unconfirmed} more "
            f"{'showed it' if at_once else 'took the call'} when tried, but were not replayed "
            "within the budget.",
        ]
    counts = verdict_counts(triage.findings)
    if counts:
        tally = ", ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in counts.items())
        lines += ["", f"Verdicts on the best-ranked ones and all that showed it: {tally}."]
    reasons = Counter(
        finding.verdict.reason
        for finding in triage.findings
        if finding.verdict.kind is VerdictKind.NOT_ADAPTED and finding.verdict.reason
    )
    lines += [f"- not adapted, {code_span(why)}: {count}" for why, count in reasons.most_common(5)]
    if bugs:
        lines += ["", _reasons(bugs)]
    if triage.control:
        lines += ["", f"**Control**: {code_span(triage.control)}"]
    return "\n".join(lines)


def _reasons(bugs: list[Finding]) -> str:
    """Why each sibling was tried and how its code was made; a long list is folded."""
    lines: list[str] = []
    for finding in bugs[:_ROW_LIMIT]:
        edits = "; ".join(finding.edits) or "none"
        channels = code_span(describe_channels(finding.channels))
        lines.append(f"- {code_span(finding.api)}: {channels}; edits: {code_span(edits)}")
    what = "Why these siblings were tried, and what was changed"
    listed = "\n".join(lines)
    return details(what, listed) if len(lines) > _TOP else f"{what}:\n\n{listed}"
