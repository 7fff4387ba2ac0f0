"""What was read of a report, for people and as JSON, before anything of it has run.

In: a `Reading` and the blocks of the report. Out: lines for the terminal, or a record of plain
values. Everything in it is the report's own text, and is shown as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from citadel.model import BugKind
from citadel.report.literal import cell, say
from citadel.report.text import plain
from citadel.verify.recorded import bug_kind
from harvest.report.markdown import Block
from harvest.report.model import Claim, Reading, Snippet
from harvest.report.text import shorten
from harvest.report.unsure import names_in_code, unsure

_LONGEST = 200


def render_reading(console: Console, reading: Reading, blocks: Sequence[Block]) -> None:
    """Print what was read: a line per fact, then the code that runs first, with its lines."""
    console.print()
    report = reading.report
    say(console, f"{report.source}: {report.title}", style="bold")
    facts = Table.grid(padding=(0, 2))
    for label, text in _facts(reading, blocks):
        facts.add_row(cell(console, label), cell(console, shorten(plain(text), _LONGEST)))
    for doubt in unsure(reading):
        facts.add_row(Text("unsure", "yellow"), cell(console, doubt))
    console.print(facts)
    if reading.candidates:
        first = reading.candidates[0]
        console.print()
        say(console, f"runs first ({first.origin}):")
        for number, line in enumerate(first.code.rstrip("\n").split("\n"), 1):
            console.print(Text(f"{number:>5}  ") + cell(console, line), soft_wrap=True)


def reading_record(reading: Reading, blocks: Sequence[Block]) -> dict[str, Any]:
    """The same as plain values for JSON."""
    report = reading.report
    return {
        "input": report.source,
        "title": report.title,
        "skipped": reading.skipped,
        "kind": _kind(reading),
        "blocks": [
            {"number": one.number, "language": one.language, "text": one.text} for one in blocks
        ],
        "code": [_code(one) for one in reading.candidates],
        "claims": [asdict(one) for one in reading.claims],
        "refusal": reading.refusal,
        "expectations": [asdict(one) for one in reading.expectations],
        "names": [asdict(one) for one in reading.mentions],
        "unsure": list(unsure(reading)),
    }


def _code(snippet: Snippet) -> dict[str, Any]:
    return {
        "origin": snippet.origin,
        "repairs": list(snippet.repairs),
        "needs": [{"what": str(what), "detail": detail} for what, detail in snippet.needs],
        "missing": list(snippet.missing),
        "guess": snippet.guess,
        "code": snippet.code,
    }


def _kind(reading: Reading) -> str | None:
    """What kind of bug the words tell of, if they tell."""
    if reading.claims:
        return str(bug_kind(reading.claims, None))
    return str(BugKind.VALUE) if reading.expectations or reading.refusal else None


def _facts(reading: Reading, blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    """Labels and what was read, in the order of the report's own stages."""
    for block in blocks:
        yield f"block {block.number}", _used(block, reading.candidates)
    if reading.skipped is not None:
        yield "skipped", reading.skipped
    yield "kind", _kind(reading) or "not told"
    for claim in reading.claims:
        yield "says", _said(claim)
    if reading.refusal is not None:
        yield "wants", f"an error where there is none: {reading.refusal}"
    for one in reading.expectations:
        yield ("right" if one.right else "wrong"), f"{one.literal} ({one.sentence})"
    for name in names_in_code(reading):
        places = [f"{name.title} in the title"] * bool(name.title)
        places += [f"{name.body} in the text"] * bool(name.body)
        yield "names", f"{name.name} ({', '.join(places)})"


def _used(block: Block, snippets: Sequence[Snippet]) -> str:
    """What a block is taken for: code, with what was changed to make it run, or output."""
    beginning = block.text.strip().split("\n")[0]
    for place, snippet in enumerate(snippets, 1):
        if block.number not in snippet.blocks:
            continue
        changes = [f"repaired: {', '.join(snippet.repairs)}"] if snippet.repairs else []
        changes += [f"needs {what} {detail}".rstrip() for what, detail in snippet.needs]
        changes += [f"lacks {', '.join(snippet.missing)}"] if snippet.missing else []
        told = "".join(f"; {change}" for change in changes)
        return f"code, tried as number {place} ({snippet.origin}){told}"
    return f"not run: {beginning}"


def _said(claim: Claim) -> str:
    """What went wrong, and where it stands."""
    what = claim.exception or claim.signal or ""
    message = f": {claim.message}" if claim.message else ""
    return f"{claim.kind} {what}{message}".strip() + f" ({claim.source}: {claim.text})"
