"""What a person sees in the terminal: one block per report, a summary table after several.

In: triages and a rich console. Out: text that reads well at 80 columns, in a pipe and without
colour. Lines of strangers' text are printed as literal, printable text: neither rich's markup nor
terminal escapes in them have any effect.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from citadel.model import Finding, TargetSummary, Triage, Verdict, VerdictKind
from citadel.report.headline import (
    complaint,
    figure,
    headline,
    is_measured,
    observed,
    shown_by,
)
from citadel.report.order import (
    INTENDED,
    describe_channels,
    may_be_intended,
    ranked,
    verdict_counts,
)
from citadel.report.text import plain, shorten

_WIDE = 130
_MOST_BUGS = 20
_MOST_DIFFERENT = 5
_MOST_NAMES = 4
_REASONS = 3


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
    _say(console, f"{target.framework} {target.version} on {devices}, sandbox: {target.sandbox}")


def render_triage(console: Console, triage: Triage, *, show_all: bool = False) -> None:
    """Print one report's block."""
    console.print()
    _say(console, _headline(triage), style="bold")
    if triage.error is not None:
        _say(console, f"error: {triage.error}", style="red")
    elif triage.skipped is not None:
        _say(console, f"skipped: {triage.skipped}", style="yellow")
    elif triage.case is not None:
        _render_case(console, triage)
        _render_bugs(console, triage, show_all=show_all)
        _render_rest(console, triage)
        _render_different(console, triage, show_all=show_all)
        _render_close(console, triage)


def render_summary(console: Console, triages: Sequence[Triage]) -> None:
    """Print one row per report, those with an error and the skipped ones included."""
    table = _table("report", "API", "kind", "now", "bugs", "tried", "seconds")
    for triage in triages:
        table.add_row(*(_cell(console, text) for text in _summary_row(triage)))
    console.print()
    console.print(table)


def _headline(triage: Triage) -> str:
    place = triage.repository or ""
    name = f"{place}#{triage.number}" if triage.number is not None else triage.input
    return f"{name}: {triage.title}" if triage.title else name


def _render_case(console: Console, triage: Triage) -> None:
    case = triage.case
    if case is None:
        return
    hits, runs = case.runs
    _say(console, f"API: {case.api}")
    _say(console, f"kind: {case.kind}")
    _say(console, f"symptom: {complaint(case)}")
    if case.reproduces:
        why = ", as many as it took to tell" if is_measured(case.symptom) else ""
        _say(console, f"reproduces: {hits} of {runs} runs{why}")
    else:
        _say(console, f"fixed here: now {observed(case) or 'no failure'}")
    if case.needs:
        _say(console, f"needs: {', '.join(case.needs)}")


def _render_bugs(console: Console, triage: Triage, *, show_all: bool) -> None:
    bugs = ranked(triage.bugs)
    console.print()
    if not bugs:
        _say(console, "no sibling shows this symptom")
        return
    _say(
        console, f"{len(bugs)} sibling{'s' if len(bugs) > 1 else ''} with the same symptom", "bold"
    )
    folder = _common_folder(bugs)
    shown = bugs if show_all else bugs[:_MOST_BUGS]
    if console.width >= _WIDE:
        _print_wide(console, shown, folder)
    else:
        _print_narrow(console, shown, folder)
    if len(shown) < len(bugs):
        _say(console, f"  ... and {len(bugs) - len(shown)} more (see JSON/Markdown)")
    if folder is not None:
        # Unwrapped, so that the path can be copied.
        console.print(_cell(console, f"cases in {folder}"), soft_wrap=True)


def _print_wide(console: Console, bugs: Sequence[Finding], folder: Path | None) -> None:
    table = _table("API", "verdict", "channels", "edits", "file")
    for finding in bugs:
        row = (
            finding.api,
            _verdict(finding.verdict),
            describe_channels(finding.channels),
            "; ".join(finding.edits),
            _file(finding, folder),
        )
        table.add_row(*(_cell(console, text) for text in row))
    console.print(table)


def _print_narrow(console: Console, bugs: Sequence[Finding], folder: Path | None) -> None:
    """Print two or three lines per finding: five columns do not fit into 80 characters."""
    for finding in bugs:
        head = f"  {plain(finding.api)}"
        verdict = _verdict(finding.verdict)
        # Where name and verdict do not fit on one line the name is still shown whole.
        apart = "\n    " if len(head) + len(verdict) + 2 > console.width else "  "
        gap = apart if "\n" in apart else apart + " " * max(0, 44 - len(head))
        line = _cell(console, head)
        line.append_text(Text(gap))
        line.append_text(_cell(console, verdict))
        console.print(line, overflow="fold", highlight=False)
        _say(console, describe_channels(finding.channels), indent=4)
        if finding.edits:
            _say(console, "; ".join(finding.edits), indent=4)
        file = _file(finding, folder)
        if file and file != f"{finding.api}.py":
            console.print(_cell(console, f"    {file}"), soft_wrap=True)


def _render_rest(console: Console, triage: Triage) -> None:
    counts = verdict_counts(triage.findings)
    rest = [
        f"{kind.replace('_', ' ')} {n}" for kind, n in counts.items() if kind is not VerdictKind.BUG
    ]
    if triage.tried:
        rest.insert(0, f"tried {triage.tried}")
    if triage.unconfirmed:
        rest.append(f"not replayed for lack of time {triage.unconfirmed} (see --budget)")
    if rest:
        console.print()
        _say(console, "others: " + ", ".join(rest))
    reasons = Counter(
        finding.verdict.reason
        for finding in triage.findings
        if finding.verdict.kind is VerdictKind.NOT_ADAPTED and finding.verdict.reason
    )
    for reason, count in reasons.most_common(_REASONS):
        _say(console, f"not adapted {count}: {reason}", indent=2)


def _render_different(console: Console, triage: Triage, *, show_all: bool) -> None:
    others = [f for f in ranked(triage.findings) if f.verdict.kind is VerdictKind.DIFFERENT]
    if not others:
        return
    console.print()
    _say(console, "fail otherwise:")
    shown = others if show_all else others[:_MOST_DIFFERENT]
    for finding in shown:
        symptom = finding.verdict.symptom
        how = headline(symptom, 160) if symptom else (finding.verdict.reason or "another failure")
        _say(console, f"{finding.api}: {shorten(plain(how), 160)}", indent=2)
    if len(shown) < len(others):
        _say(console, f"... and {len(others) - len(shown)} more (--all shows them)", indent=2)


def _render_close(console: Console, triage: Triage) -> None:
    console.print()
    for family in triage.families:
        names = [plain(api) for api in family.apis]
        listed = ", ".join(names[:_MOST_NAMES])
        more = f", ... and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        symptom = shown_by(triage, family.apis[0])
        measured = symptom is not None and is_measured(symptom)
        root = headline(symptom, 80) if symptom and measured else shorten(plain(family.root), 80)
        _say(console, f"family ({len(names)}) {root}: {listed}{more}")
    if triage.control:
        _say(console, f"control: {triage.control}", style="yellow")
    if triage.bugs and may_be_intended(triage):
        _say(console, INTENDED)
    seconds = triage.seconds
    first = seconds.first_finding
    shown = "" if first is None else f", first finding after {first:.1f}"
    _say(console, f"seconds: verify {seconds.verify:.1f}, siblings {seconds.siblings:.1f}{shown}")


def _summary_row(triage: Triage) -> tuple[str, ...]:
    name = f"#{triage.number}" if triage.number is not None else Path(triage.input).name
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


def _file(finding: Finding, folder: Path | None) -> str:
    if finding.file is None:
        return ""
    return finding.file if folder is None else os.path.relpath(finding.file, folder)


def _common_folder(bugs: Sequence[Finding]) -> Path | None:
    folders = {Path(finding.file).parent for finding in bugs if finding.file}
    return folders.pop() if len(folders) == 1 else None


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _cell(console: Console, text: str) -> Text:
    """Make literal text of what may hold markup, escapes or characters the console cannot show."""
    indent = " " * (len(text) - len(text.lstrip(" ")))
    shown = plain(text).encode(console.encoding, "backslashreplace").decode(console.encoding)
    return Text(indent + shown)


def _say(console: Console, text: str, style: str = "", indent: int = 0) -> None:
    """Print one paragraph, wrapped between words and, where a word is too long, inside it."""
    body = _cell(console, text)
    body.stylize(style)
    for line in body.wrap(console, max(console.width - indent, 20), overflow="fold"):
        line.rstrip()
        console.print(Text(" " * indent) + line, soft_wrap=True, highlight=False)
