"""What a person sees of a store: the paper's tables 1 and 2 and the families across reports.

In: figures and rows of a store, and a rich console. Out: tables that read well at 80 columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from citadel.report.text import counted, plain, shorten
from citadel.store.details import FindingRow, Listed, Novelty
from citadel.store.labels import LabelKind
from citadel.store.outcomes import Figures, Target
from citadel.store.queries import FamilyRow, Judged
from citadel.store.summary import Kinds, Yield

MOST_NAMES = 8
_ORDER = list(Novelty)


def render_kinds(console: Console, rows: Sequence[Kinds], covered: int) -> None:
    """Table 1: findings by kind. `covered` of the new ones are on the umbrella list."""
    table = Table(box=None, pad_edge=False)
    table.add_column("findings")
    names = ("total", "new", "confirmed", "rejected", "duplicate", "fixed")
    for name in names:
        table.add_column(name, justify="right")
    for row in rows:
        told = f"{row.framework} {row.kind}{', plain' if row.plain else ''}"
        table.add_row(told, *(f"{getattr(row, n):,}" for n in names))
    if len(rows) > 1:
        table.add_row("all", *(f"{sum(getattr(row, n) for row in rows):,}" for n in names))
    console.print(table if rows else "no findings, or none that was asked for")
    if covered:
        more = counted(covered, "further finding")
        console.print(f"{more} would be new, but for the umbrella list", markup=False)
    if any(row.plain for row in rows):
        _say(console, "plain exceptions may be validation, in source and sibling: --no-plain")


def render_yields(console: Console, rows: Sequence[Yield]) -> None:
    """Table 2: cases, triggering ratio and time, by build."""
    table = Table(box=None, pad_edge=False)
    table.add_column("build", overflow="fold")
    for name in ("reports", "cases", "tried", "generated", "triggering", "s/finding"):
        table.add_column(name, justify="right")
    for row in rows:
        ratio = "" if row.ratio is None else f" ({row.ratio:.1%})"
        time = row.seconds_per_finding
        table.add_row(
            plain(f"{row.framework} {row.version}"),
            f"{row.reports:,}",
            f"{row.verified:,}",
            f"{row.tried:,}",
            f"{row.generated:,}",
            f"{row.triggering:,}{ratio}",
            "-" if time is None else f"{time:.1f}",
        )
    console.print(table)
    for row in rows:
        if row.open or row.failed or row.cut:
            items = f"{counted(row.open, 'item')} open, {row.failed:,} failed"
            items += f", {row.cut:,} without all siblings (--per-report)" if row.cut else ""
            told = f"{row.framework} {row.version}: {items}"
            console.print(plain(told), markup=False)


def render_judged(console: Console, builds: Sequence[Judged]) -> None:
    """Which builds findings are called new, seen or fixed on, where the store knows several."""
    told = ", ".join(f"{one.framework} {one.version} (--build {one.key[:8]})" for one in builds)
    _say(console, plain(f"new, seen and fixed are told of {told}"))


_FORETOLD = {Target.CASE: "reports that make a case", Target.SIBLINGS: "cases with siblings"}


def render_forecast(console: Console, figures: Sequence[Figures]) -> None:
    """What reports were ordered by, and how well that was foretold of known ones.

    Nothing where too few are known to tell.
    """
    if not any(one.used or one.auc is not None for one in figures):
        return
    console.print()
    order = "by their chances" if any(one.used for one in figures) else "shorter code first"
    console.print(f"order of reports: {order}", markup=False)
    for one in figures:
        told = f"  {_FORETOLD[one.target]}: {one.positives:,} of {one.reports:,} ({one.base:.0%})"
        if one.auc is not None:
            told += f", AUC {one.auc:.2f} ± {one.spread:.2f}, average precision {one.precision:.2f}"
        _say(console, told if one.used else f"{told}: not used, {plain(one.reason)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A family as it is shown: `rows` of its `members` findings that were asked for."""

    family: FamilyRow
    rows: Sequence[FindingRow]
    members: int


def in_order(rows: Sequence[Listed], *, show_all: bool) -> list[Listed]:
    """The members of a family that are shown, the new ones first."""
    ordered = sorted(rows, key=lambda row: (_ORDER.index(row.novelty), row.api))
    return ordered if show_all else ordered[:MOST_NAMES]


def render_families(
    console: Console, sections: Sequence[Section], known: dict[str, str], *, more: int
) -> None:
    """Families with their findings; `more` tells of those left out."""
    for section in sections:
        family, members = section.family, section.members
        reports = counted(family.reports, "report")
        count = counted(family.findings, "finding")
        if members < family.findings:
            count = f"{members:,} of {count}"
        head = f"family {family.id}: {count} of {reports}: {shorten(plain(family.root), 160)}"
        console.print()
        _say(console, head, style="bold")
        for row in section.rows:
            _say(console, f"  {row.id}  {plain(row.api)}  {_remarks(row, known)}")
        if len(section.rows) < members:
            _say(console, f"  ... and {members - len(section.rows)} more (--all shows them)")
        for path in dict.fromkeys(path for row in section.rows for path in row.drawn):
            _say(console, f"  drawn when it was found: {plain(path)}")
    if more:
        console.print()
        console.print(f"{more:,} further families to look through (--limit shows more)")


def _remarks(row: FindingRow, known: dict[str, str]) -> str:
    settled = row.label in (LabelKind.REJECTED, LabelKind.DUPLICATE_OF, LabelKind.FIXED_IN)
    said = [row.novelty.value]
    new = row.novelty in (Novelty.NEW, Novelty.NEW_HERE)
    if new and (row.id in known or row.form_of is not None):
        said = []
    if row.form_of is not None:
        said.append(f"another form of {plain(row.form_of)}")
    if settled and row.novelty in (Novelty.NEW, Novelty.NEW_HERE):
        said = [f"{row.label} {plain(row.label_value or '')}".rstrip()]  # and so no more new
    elif row.label is not None:
        said = [f"{row.label} {plain(row.label_value or '')}".rstrip(), *said]
    if row.reported_in:
        said.append(f"reported in {plain(row.reported_in[0])}")
    if row.id in known:
        said.insert(0, f"known: {plain(known[row.id])}")
    return ", ".join(said)


def _say(console: Console, text: str, style: str = "") -> None:
    shown = text.encode(console.encoding, "backslashreplace").decode(console.encoding)
    console.print(Text(shown, style=style), soft_wrap=True, highlight=False)
