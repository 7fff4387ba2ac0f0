"""What a person sees in the terminal: one block per report, a summary table after several.

In: triages and a rich console. Out: text that reads well at 80 columns, in a pipe and without
colour. Lines of strangers' text are printed as literal, printable text: neither rich's markup nor
terminal escapes in them have any effect.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from citadel.model import Cut, Finding, TargetSummary, Triage, Verdict
from citadel.report.besides import first_names, none_found, render_different, render_rest
from citadel.report.headline import (
    complaint,
    figure,
    headline,
    is_measured,
    observed,
    shown_by,
)
from citadel.report.literal import cell, say, table
from citadel.report.markdown import elsewhere
from citadel.report.order import (
    INTENDED,
    by_operation,
    describe_channels,
    everywhere,
    may_be_intended,
    operations_told,
    ranked,
)
from citadel.report.text import counted, plain, shorten, source_name
from harvest.tracker.issue import Issue

_WIDE = 130
_MOST_BUGS = 20


def render(
    console: Console, target: TargetSummary, triages: Sequence[Triage], *, show_all: bool = False
) -> None:
    """Print all triages and, after more than one, a table with a row per report."""
    render_target(console, target)
    for triage in triages:
        render_triage(console, triage, show_all=show_all)
    if len(triages) > 1:
        render_summary(console, triages)


def render_target(console: Console, target: TargetSummary) -> None:
    """Print one line on the build under test."""
    devices = ", ".join(target.devices)
    say(console, f"{target.framework} {target.version} on {devices}, sandbox: {target.sandbox}")


def render_triage(console: Console, triage: Triage, *, show_all: bool = False) -> None:
    """Print one report's block."""
    console.print()
    say(console, _headline(triage), style="bold")
    if triage.error is not None:
        say(console, f"error: {triage.error}", style="red")
    elif triage.skipped is not None:
        say(console, f"skipped: {triage.skipped}", style="yellow")
    elif triage.case is not None:
        _render_case(console, triage)
        if triage.cut is not Cut.ONLY_REPRODUCE:
            _render_bugs(console, triage, show_all=show_all)
            render_rest(console, triage)
            render_different(console, triage, show_all=show_all)
            _render_close(console, triage)
    for question in triage.unsure:
        say(console, f"unsure: {question}", style="yellow")


def render_summary(console: Console, triages: Sequence[Triage]) -> None:
    """Print one row per report, those with an error and the skipped ones included."""
    rows = table("report", "API", "kind", "now", "bugs", "tried", "seconds")
    for triage in triages:
        rows.add_row(*(cell(console, text) for text in _summary_row(triage)))
    console.print()
    console.print(rows)


def _headline(triage: Triage) -> str:
    place = triage.repository or ""
    name = f"{place}#{triage.number}" if triage.number is not None else source_name(triage.input)
    return f"{name}: {triage.title}" if triage.title else name


def _render_case(console: Console, triage: Triage) -> None:
    case = triage.case
    if case is None:
        return
    hits, runs = case.runs
    say(console, f"API: {case.api}")
    say(console, f"kind: {case.kind}")
    say(console, f"symptom: {complaint(case)}")
    if case.reproduces:
        why = ", as many as it took to tell" if is_measured(case.symptom) else ""
        say(console, f"reproduces: {hits} of {runs} runs{why}")
    else:
        say(console, f"fixed here: now {observed(case) or 'no failure'}")
    if case.trigger.sentence:
        say(console, f"trigger: {case.trigger.sentence}")
    for title, api, told in elsewhere(triage):
        say(console, f"{title.lower()}{f' ({api})' if api else ''}: {told}")
    if case.issues:
        say(console, _known(case.issues))
    if case.relation:
        say(console, f"brought into other APIs' own calls: {case.relation}")
    for doubt in case.doubts:
        say(console, f"doubt: {doubt}", style="yellow")
    if case.needs:
        say(console, f"needs: {', '.join(case.needs)}")


def _known(issues: Sequence[Issue]) -> str:
    return f"perhaps known as {', '.join(map(str, issues))}"


def _render_bugs(console: Console, triage: Triage, *, show_all: bool) -> None:
    bugs = ranked(triage.bugs)
    console.print()
    if not bugs:
        say(console, none_found(triage))
        return
    forms = operations_told(triage.case, bugs) if triage.case is not None else ""
    count = f"{counted(len(bugs), 'sibling')} with the same symptom"
    say(console, f"{count}{', ' * bool(forms)}{forms}", "bold")
    folder = _common_folder(bugs)
    groups = [[bug] for bug in bugs] if show_all else by_operation(bugs)
    shown = groups if show_all else groups[:_MOST_BUGS]
    if console.width >= _WIDE:
        _print_wide(console, shown, folder)
    else:
        _print_narrow(console, shown, folder)
    if left := sum(map(len, groups[len(shown) :])):
        say(console, f"  ... and {left} more (--all shows them)")
    elif len(groups) < len(bugs):
        say(console, "  (--all shows how each of them was called)")
    if folder is not None:
        # Unwrapped, so that the path can be copied.
        console.print(cell(console, f"cases and family.md in {folder}"), soft_wrap=True)


def _print_wide(
    console: Console, operations: Sequence[Sequence[Finding]], folder: Path | None
) -> None:
    """Print a row per operation, and the names of its other forms below it."""
    files = [_file(finding, folder) for finding, *_ in operations]
    rows = table("API", "verdict", "channels", "edits", *(["file"] if any(files) else []))
    for (finding, *others), file in zip(operations, files, strict=True):
        row = (
            finding.api,
            _verdict(finding.verdict),
            describe_channels(finding.channels),
            _edits(finding),
            *([file] if any(files) else []),
        )
        rows.add_row(*(cell(console, text) for text in row))
        if finding.issues:
            rows.add_row(cell(console, f"  {_known(finding.issues)}"))
        for other in others:
            rows.add_row(cell(console, f"  {other.api}"), cell(console, _verdict(other.verdict)))
    console.print(rows)


def _print_narrow(
    console: Console, operations: Sequence[Sequence[Finding]], folder: Path | None
) -> None:
    """Print a few lines per operation: five columns do not fit into 80 characters."""
    for finding, *others in operations:
        head = f"  {plain(finding.api)}"
        verdict = _verdict(finding.verdict)
        # Where name and verdict do not fit on one line the name is still shown whole.
        apart = "\n    " if len(head) + len(verdict) + 2 > console.width else "  "
        gap = apart if "\n" in apart else apart + " " * max(0, 44 - len(head))
        line = cell(console, head)
        line.append_text(Text(gap))
        line.append_text(cell(console, verdict))
        console.print(line, overflow="fold", highlight=False)
        say(console, describe_channels(finding.channels), indent=4)
        if edits := _edits(finding):
            say(console, edits, indent=4)
        if file := _file(finding, folder):
            console.print(cell(console, f"    {file}"), soft_wrap=True)
        if finding.issues:
            say(console, _known(finding.issues), indent=4)
        if others:
            names = ", ".join(plain(other.api) for other in others)
            say(console, f"also {names}", indent=4)


def _render_close(console: Console, triage: Triage) -> None:
    console.print()
    # A single family is the list above.
    for family in triage.families if len(triage.families) > 1 else ():
        symptom = shown_by(triage, family.apis[0])
        measured = symptom is not None and is_measured(symptom)
        root = headline(symptom, 80) if symptom and measured else shorten(plain(family.root), 80)
        say(console, f"family ({len(family.apis)}) {root}: {first_names(family.apis)}")
    if triage.control:
        say(console, f"control: {triage.control}", style="yellow")
    if spread := everywhere(triage):
        say(console, spread)
    if triage.bugs and may_be_intended(triage):
        say(console, INTENDED)
    seconds = triage.seconds
    first = seconds.first_finding
    shown = "" if first is None else f", first finding after {first:.1f}"
    say(console, f"seconds: verify {seconds.verify:.1f}, siblings {seconds.siblings:.1f}{shown}")


def _summary_row(triage: Triage) -> tuple[str, ...]:
    name = (
        f"#{triage.number}" if triage.number is not None else Path(source_name(triage.input)).name
    )
    case = triage.case
    if case is None:
        kind = "skipped" if triage.error is None else "error"
        reason = triage.skipped or triage.error or ""
        return (name, shorten(plain(reason), 120), kind, "", "", "", "")
    seconds = triage.seconds.verify + triage.seconds.siblings
    now = "reproduces" if case.reproduces else "fixed here"
    bugs = str(len(triage.bugs))
    return (name, case.api, str(case.kind), now, bugs, str(triage.tried), f"{seconds:.1f}")


def _verdict(verdict: Verdict) -> str:
    shown = figure(verdict.symptom) if verdict.symptom is not None else ""
    return f"{verdict.kind} {verdict.runs[0]}/{verdict.runs[1]}{', ' * bool(shown)}{shown}"


def _edits(finding: Finding) -> str:
    """What was changed besides the name."""
    return "; ".join(edit for edit in finding.edits if edit != f"renamed to {finding.api}")


def _file(finding: Finding, folder: Path | None) -> str:
    """The file of a case, "" where it is called after the API, in the folder that is told."""
    if finding.file is None:
        return ""
    name = finding.file if folder is None else os.path.relpath(finding.file, folder)
    return "" if name == f"{finding.api}.py" else name


def _common_folder(bugs: Sequence[Finding]) -> Path | None:
    folders = {Path(finding.file).parent for finding in bugs if finding.file}
    return folders.pop() if len(folders) == 1 else None
