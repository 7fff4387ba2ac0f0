"""What a triage shows besides its findings: counts, what could not be adapted, other failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from citadel.model import Cut, Finding, Triage, VerdictKind
from citadel.report.headline import headline
from citadel.report.literal import say
from citadel.report.order import by_operation, ranked, verdict_counts
from citadel.report.text import counted, plain, shorten

_MOST_DIFFERENT = 5
_MOST_NAMES = 4
_REASONS = 3


def none_found(triage: Triage) -> str:
    """What is said where no sibling was found: of a search that was cut, only that."""
    if triage.cut is None:
        return "no sibling shows this symptom"
    return f"no sibling was found among {triage.tried:,} APIs, and the search was cut short"


_OPTIONS = {
    Cut.SIBLINGS: "--siblings",
    Cut.ATTEMPTS: "--attempts",
    Cut.REPLAYS: "--replays",
    Cut.SECONDS: "--budget",
}
"""What a user sets to go further."""


def cut_told(cut: Cut | None) -> str:
    """Where the search ended early, and what to do; "" where it did not.

    >>> cut_told(Cut.REPLAYS)
    'cut short by --replays'
    """
    if cut is None:
        return ""
    if cut is Cut.INTERRUPTED:
        return "cut short by Ctrl-C"
    if cut is Cut.ONLY_REPRODUCE:
        return "not searched"
    depends = ": another run may find others" if cut is Cut.SECONDS else ""
    return f"cut short by {_OPTIONS[cut]}{depends}"


def render_rest(console: Console, triage: Triage) -> None:
    """Print how many APIs were tried, and the verdicts beside the bugs."""
    counts = verdict_counts(triage.findings)
    rest = [
        f"{kind.replace('_', ' ')} {n}" for kind, n in counts.items() if kind is not VerdictKind.BUG
    ]
    if triage.unconfirmed:
        rest.append(f"not replayed within the budget {triage.unconfirmed}")
    tried = [f"tried {triage.tried:,} APIs"] if triage.tried else []
    if triage.compared:
        tried.append(f"compared {triage.compared:,} APIs' own calls")
    told = [", ".join([*tried, cut_told(triage.cut)])] if triage.cut else tried
    if rest:
        told.append("beside the bugs: " + ", ".join(rest))
    if told:
        console.print()
        say(console, "; ".join(told))
    reasons = Counter(
        finding.verdict.reason
        for finding in triage.findings
        if finding.verdict.kind is VerdictKind.NOT_ADAPTED and finding.verdict.reason
    )
    alike = Counter(
        one[0].verdict.reason
        for one in by_operation(f for f in triage.findings if f.verdict.kind is VerdictKind.ALIKE)
    )
    for reason, count in alike.most_common(_REASONS):
        why = shorten(plain(reason or ""), 200)
        say(console, f"alike {counted(count, 'operation')}: {why}", indent=2)
    flaky = [f for f in ranked(triage.findings) if f.verdict.kind is VerdictKind.FLAKY]
    if flaky:
        runs = (f"{f.api} in {f.verdict.runs[0]} of {f.verdict.runs[1]} runs" for f in flaky)
        say(console, f"flaky: {first_names(list(runs))}", indent=2)
    for reason, count in reasons.most_common(_REASONS):
        say(console, f"not adapted {count}: {reason}", indent=2)


def render_different(console: Console, triage: Triage, *, show_all: bool) -> None:
    """Print the ways in which siblings fail otherwise, or each sibling with its way."""
    others = [f for f in ranked(triage.findings) if f.verdict.kind is VerdictKind.DIFFERENT]
    if not others:
        return
    console.print()
    say(console, "fail otherwise:")
    if show_all:
        for finding in others:
            say(console, f"{finding.api}: {_otherwise(finding)}", indent=2)
        return
    ways: dict[str, list[str]] = {}
    for finding in others:
        ways.setdefault(_otherwise(finding), []).append(finding.api)
    for how, names in list(ways.items())[:_MOST_DIFFERENT]:
        say(console, f"{how}: {first_names(names)}", indent=2)
    if len(ways) > _MOST_DIFFERENT:
        more = f"... and in {len(ways) - _MOST_DIFFERENT} more ways (--all shows them)"
        say(console, more, indent=2)


def _otherwise(finding: Finding) -> str:
    symptom = finding.verdict.symptom
    how = headline(symptom, 160) if symptom else (finding.verdict.reason or "another failure")
    return shorten(plain(how), 160)


def first_names(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    listed = ", ".join(map(plain, names[:_MOST_NAMES]))
    more = len(names) - _MOST_NAMES
    return f"{listed}, ... and {more} more" if more > 0 else listed
