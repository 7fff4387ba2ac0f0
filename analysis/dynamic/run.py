"""Run the framework's own samples and examples; survive the ones that crash or hang.

A crash costs the sample that caused it: the part is started again at the entry it had reached,
without that sample.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from analysis.target.session import Session

SAMPLES = "samples_torch:profile"
EXAMPLES = "examples_torch:profile"
PART_SECONDS = 600.0
MOST_RESTARTS = 40

Record = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Part:
    """What one part of the samples yielded, in the shape in which the cache keeps it."""

    operators: dict[str, set[str]] = field(default_factory=dict)
    samples: dict[str, list[Record]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    whole: bool = True
    """Whether the samples were run to the end; if not, another try may do better."""

    def add(self, record: Record) -> None:
        """Take one record; several entries may tell about one API."""
        if "unavailable" in record:
            self.failures["samples unavailable: " + record["unavailable"]] += 1
        elif "f" in record:
            self.failures[record["f"]] += 1
        elif "o" in record:
            self.operators.setdefault(record["n"], set()).update(record["o"])
            self.samples.setdefault(record["n"], []).extend(record["x"])


@dataclass(slots=True)
class _Position:
    """How far a part has come: its entry, the call in flight, and the calls to leave out."""

    entry: int = 0
    of: int = 0
    at: str | None = None
    skip: list[str] = field(default_factory=list)

    def follow(self, record: Record) -> None:
        if "entry" in record:
            self.entry, self.of, self.at = record["entry"], record["of"], None
        elif "at" in record:
            self.at = record["at"]
        elif "n" in record:
            self.at = None


def run_part(
    session: Session,
    task: str,
    given: Record,
    *,
    part: int,
    parts: int,
    progress: Callable[[int, int], None],
) -> Part:
    """Run every `parts`-th entry of a task's samples, from number `part` on.

    `progress` is told how many entries are behind, and how many there are in all parts.
    """
    result, position = Part(), _Position()
    for _ in range(MOST_RESTARTS):
        arguments: Record = {
            **given,
            "part": part,
            "parts": parts,
            "first": position.entry,
            "skip": position.skip,
        }
        position.at = None
        outcome = session.task(task, arguments, wall=PART_SECONDS)
        for record in outcome.records:
            position.follow(record)
            result.add(record)
        progress(position.entry // parts + bool(outcome.records), position.of)
        if outcome.died is None:
            return result
        result.failures[reason(outcome.died)] += 1
        if position.at is not None:
            position.skip.append(position.at)
        elif outcome.records:
            position.entry += parts  # it died outside of any call: making the samples
        else:
            break
    result.whole = False
    return result


def reason(died: str) -> str:
    """How a death is counted: the alarm inside the child means that a call did not return.

    >>> reason("signal SIGALRM"), reason("signal SIGSEGV"), reason("exception MemoryError: ...")
    ('hang', 'crash SIGSEGV', 'exception MemoryError')
    """
    if died in ("signal SIGALRM", "timeout"):
        return "hang"
    if died.startswith("signal "):
        return "crash " + died.removeprefix("signal ")
    return re.split(r"[:(]", died)[0].strip()
