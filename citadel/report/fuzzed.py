"""How a search of `citadel fuzz` came out: on a terminal, and as JSON.

In: what was asked and what the search found. Out: lines, by which limits hits are explained, and a
table of the first others, cases first; or the document of `--json`, which has all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from analysis.target.target import Interpreter
from citadel.report.text import plain
from harvest.sources.found import described, files_of
from harvest.sources.model import Hit, HitKind, Tally
from harvest.tracker.names import files_path, hits_path, queue_path

SCHEMA = 1
SHOWN = 15
"""Hits that are named on a terminal; the record has all."""
NUMBER = re.compile(r"-?\b\d[\d.]*(?:e[+-]?\d+)?\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzRequest:
    """What `citadel fuzz` was asked to do; `budget` is in seconds."""

    source: str
    budget: float
    seed: int
    out: Path | None
    json: str | None
    framework: str = ""
    random: bool = False
    models: Path | None = None
    mutants: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fuzzed:
    """How a search came out: its hits, those no earlier search had, cases in the harvest now.

    `numbers` are those of the cases in the harvest, by the keys of their hits.
    """

    harvest: Path
    hits: tuple[Hit, ...]
    numbers: Mapping[str, int]
    new: int
    cases: int
    tally: Tally
    seconds: float
    resumed: bool = False
    """Whether it went on where an equal search had stopped."""

    @property
    def per_second(self) -> float:
        """Executions per second of search."""
        return self.tally.executed / self.seconds if self.seconds else 0.0


def render_fuzzed(console: Console, done: Fuzzed, python: str) -> None:
    """Show what ran, what was found, what became of it, and what to do next."""
    tally, hits = done.tally, done.hits

    def say(text: str) -> None:
        console.print(plain(text), markup=False)

    if done.resumed:
        say("goes on where an equal search stopped; another --out or --seed starts anew")
    say(
        f"{tally.executed:,} executed in {done.seconds:.0f} s ({done.per_second:.1f}/s),"
        f" {tally.valid:,} of them valid;"
        f" {_count(len(tally.rules), 'rule') + ', ' if tally.rules else ''}"
        f"{_count(len(tally.apis), 'API')} covered"
    )
    for name, fact in tally.facts.items():
        say(f"{name}: {fact}")
    kinds = Counter(hit.kind for hit in hits)
    told = ", ".join(f"{kinds[kind]} {kind.value}" for kind in HitKind if kinds[kind])
    say(f"{_count(len(hits), 'hit')}{': ' + told if told else ''}; {done.new} new")
    limits = sum(bool(hit.limit) for hit in hits)
    cases = sum(hit.case is not None for hit in hits)
    say(
        f"explained by known limits: {limits}; became cases: {cases};"
        f" neither: {len(hits) - limits - cases}"
    )
    for reason, number in _limits(hits):
        say(f"known limit of {number:,}: {reason}")
    named = [hit for hit in hits if hit.case is not None or not hit.limit]
    if named:
        console.print(_rows(done, named))
    if len(named) > SHOWN:
        say(f"and {len(named) - SHOWN} more")
    drawn = sum(len(hit.files) for hit in hits)
    if drawn:
        say(f"{_count(drawn, 'localisation map')} in {files_path(done.harvest)}")
    if hits:
        say(f"all hits with their measures and reasons in {hits_path(done.harvest)}")
    if done.cases:
        say(f"{_count(done.cases, 'case')} in {done.harvest}; next:")
        say(f"  citadel triage {done.harvest} --python {python}")
        say(f"  citadel triage {done.harvest}#1 --python {python}   # one of them, by its number")


def _limits(hits: Iterable[Hit]) -> list[tuple[str, int]]:
    """Why hits are no bugs, the most frequent reason first; numbers in it make no other reason."""
    found = Counter(NUMBER.sub("...", hit.limit) for hit in hits if hit.limit)
    return found.most_common()


def _rows(done: Fuzzed, hits: Iterable[Hit]) -> Table:
    """The first hits, cases before the others."""
    rows = Table(box=None, pad_edge=False, show_edge=False)
    for head in ("hit", "API", "what", "came to"):
        rows.add_column(head, overflow="fold")
    ordered = sorted(hits, key=lambda hit: hit.case is None)
    for hit in ordered[:SHOWN]:
        number = _case(hit, done.numbers)
        came = hit.no_case if number is None else f"case {number}"
        cells = (hit.kind.value, hit.subject, hit.title.removeprefix(hit.subject).lstrip(), came)
        rows.add_row(*(Text(plain(cell)) for cell in cells))
    return rows


def _case(hit: Hit, numbers: Mapping[str, int]) -> int | None:
    """The number of a hit's case in the harvest, where it has one."""
    return numbers.get(hit.key) if hit.case is not None else None


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def document(request: FuzzRequest, done: Fuzzed, interpreter: Interpreter) -> dict[str, Any]:
    """The result as JSON, with the hits of this search; the record has those of all."""
    kinds = Counter(hit.kind for hit in done.hits)
    return {
        "schema": SCHEMA,
        "source": request.source,
        "seed": request.seed,
        "framework": request.framework or None,
        "random": request.random,
        "mutants": request.mutants,
        "models": None if request.models is None else str(request.models),
        "budget": request.budget,
        "seconds": round(done.seconds, 3),
        "resumed": done.resumed,
        "target": {
            "python": interpreter.python,
            "frameworks": list(interpreter.frameworks),
            "versions": interpreter.versions,
        },
        "harvest": str(done.harvest),
        "queue": str(queue_path(done.harvest)),
        "record": str(hits_path(done.harvest)),
        "executed": done.tally.executed,
        "valid": done.tally.valid,
        "per_second": round(done.per_second, 3),
        "rules": sorted(done.tally.rules),
        "apis": sorted(done.tally.apis),
        "facts": dict(done.tally.facts),
        "counts": {
            "hits": len(done.hits),
            "new": done.new,
            "limits": sum(bool(hit.limit) for hit in done.hits),
            "cases": sum(hit.case is not None for hit in done.hits),
            "harvest": done.cases,
            **{kind.value: kinds[kind] for kind in HitKind},
        },
        "hits": [_told(hit, done) for hit in done.hits],
    }


def _told(hit: Hit, done: Fuzzed) -> dict[str, Any]:
    files = [str(path) for path in files_of(hit, done.harvest)]
    return {**described(hit), "case": _case(hit, done.numbers), "files": files}
