"""What a person sees of an index and of one API's siblings.

In: an index, its pairs, rows of siblings and a rich console. Out: tables that read well at 80
columns, in a pipe and without colour.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from analysis.catalog.model import Api
from analysis.forms import Forms
from analysis.index import ApiIndex
from citadel.match.pairs import Matched
from citadel.report.text import plain, shorten
from citadel.siblings import Sibling

MOST_REASONS = 8
MOST_CRASHES = 10
MOST_SHARED = 4
WIDE = ((100, "differs in"), (120, "both run"))
"""Columns from which on there is room for further ones."""
PIPE = 180
"""Columns where nobody looks: other programs read the output."""


def render_index(
    console: Console, index: ApiIndex, matched: Matched, names: tuple[int, int]
) -> None:
    """Print what an index holds and how it was got; `names` are (APIs, pairs) by public names."""
    counts = index.counts
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")

    def row(title: str, text: str) -> None:
        table.add_row(title, Text(text))  # no markup: names come from the framework

    row(
        "catalog",
        f"{counts['names']:,} names of {counts['objects']:,} objects, "
        f"{counts['signatures']:,} with signatures",
    )
    row("profiled", f"{counts['profiled']:,} objects: {_figures(index.coverage)}")
    row("samples", f"of {counts['sampled']:,} objects")
    row(
        "sources", f"{counts['functions']:,} functions, {counts['groups']:,} groups: {_read(index)}"
    )
    row("analogues", f"{len(index.groups):,} groups of {_members(index)} that APIs run")
    row(
        "pairs",
        f"{len(matched.pairs):,} of {len(matched.apis):,} objects "
        f"({names[1]:,} of {names[0]:,} names): {_figures(matched.by_channel)}",
    )
    row("no result", _figures(index.failures, MOST_REASONS) or "-")
    crashes = _crashes(index)
    for name, how in crashes[:MOST_CRASHES]:
        row("candidate", f"{plain(name)}: {how}")
    if len(crashes) > MOST_CRASHES:
        row("", f"... and {len(crashes) - MOST_CRASHES} more (--json has all)")
    seconds = {**index.seconds, "match": matched.seconds}
    row("seconds", ", ".join(f"{name} {spent:.1f}" for name, spent in seconds.items()))
    console.print(table)


def render_siblings(
    console: Console, source: Api, reached: Forms, rows: Sequence[Sibling], chosen: str
) -> None:
    """Print the forms of an API; then its siblings, best first, with what speaks for each.

    `chosen` says which siblings these are.
    """
    others = [name for name in reached.names if name != source.name]
    heading = f"{source.name} ({source.kind}{', takes out=' if source.out else ''})"
    console.print(plain(heading), markup=False)
    if others:
        console.print(f"other forms: {', '.join(others)}", markup=False)
    console.print(chosen, markup=False)
    if not rows:
        return
    console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("API", no_wrap=True)
    for column in ("score", "context", "signature", "docs", "call"):
        table.add_column(column, justify="right", no_wrap=True)
    more = [title for width, title in WIDE if console.width >= width]
    for title in more:
        table.add_column(title, overflow="fold")
    for row in rows:
        channels = row.candidate.channels
        further = (channels.family or "-", ", ".join(row.shared[:MOST_SHARED]) or "-")
        table.add_row(
            row.candidate.api.name,
            f"{row.candidate.score:.2f}",
            "-" if channels.context is None else f"{float(channels.context):.2f}",
            f"{channels.signature:.2f}",
            f"{channels.documentation:.2f}",
            _call(row),
            *further[: len(more)],
        )
    console.print(table)
    equal = [(row.candidate.api.name, row.candidate.channels.matched) for row in rows]
    if any(kind for _, kind in equal):
        told = ", ".join(f"{name} ({kind})" for name, kind in equal if kind)
        console.print(f"equal by --matches: {told}", markup=False)
    for obstacle in sorted({row.obstacle for row in rows if row.obstacle is not None}):
        names = [row.candidate.api.name for row in rows if row.obstacle is obstacle]
        reason = obstacle.replace("_", " ")
        console.print(f"call no ({reason}): {', '.join(names)}", markup=False)


def render_stacks(console: Console, title: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Print the call stacks of one API as trees, one per part."""
    above: list[Tree] = []
    trees: dict[str, Tree] = {}
    for record in records:
        part, depth = str(record["part"]), int(record["depth"])
        if part not in trees:
            trees[part] = Tree(f"{plain(title)}: {part}")
            above = []
        del above[depth:]
        parent = above[-1] if above else trees[part]
        above += [parent.add(_frame(record))] * (depth + 1 - len(above))
    for tree in trees.values():
        console.print(tree)


def render_groups(console: Console, groups: Sequence[Sequence[str]]) -> None:
    """Print groups of analogous functions or operators, one a line."""
    if not groups:
        console.print("no group of analogous functions matches; --source DIR reads C++ too")
    for group in groups:
        console.print(", ".join(map(plain, group)), markup=False, soft_wrap=True)


def _frame(record: Mapping[str, Any]) -> str:
    where = record.get("file") or record.get("shapes")
    line = f"{record['name']}  ({record['kind']}{', ' + where if where else ''})"
    return shorten(plain(line), 200).replace("[", "\\[")


def _call(row: Sibling) -> str:
    """How well it takes an ordinary call of the source."""
    if row.obstacle is not None:
        return "no"
    return "-" if row.takes is None else f"{row.takes:.2f}"


def _read(index: ApiIndex) -> str:
    """Which sources were read."""
    if index.source is None:
        return "the package's own Python (--source DIR reads a checkout)"
    return plain(str(index.source.root))


def _crashes(index: ApiIndex) -> list[tuple[str, str]]:
    """APIs whose samples crash or hang, and how; what happens only after other calls is no news."""
    found: dict[str, Counter[str]] = {}
    for crash in index.crashes:
        if crash.alone is not False:
            alone = "" if crash.alone else " (not tried alone)"
            found.setdefault(crash.api, Counter())[crash.how + alone] += 1
    return [
        (api, ", ".join(f"{how} x{n}" if n > 1 else how for how, n in ways.items()))
        for api, ways in sorted(found.items())
    ]


def _members(index: ApiIndex) -> str:
    return f"{sum(map(len, index.groups)):,}"


def _figures(figures: Mapping[str, int], most: int | None = None) -> str:
    """`name figure` pairs, the largest first."""
    ordered = sorted(figures.items(), key=lambda item: (-item[1], item[0]))
    text = ", ".join(f"{plain(name)} {figure:,}" for name, figure in ordered[:most])
    rest = sum(figure for _, figure in ordered[most:]) if most is not None else 0
    return f"{text}, others {rest:,}" if rest else text


def wide_console() -> Console:
    """A console for tables: as wide as a terminal, or as wide as they need in a pipe."""
    terminal = sys.stdout.isatty()
    return Console(highlight=False, soft_wrap=not terminal, width=None if terminal else PIPE)
