"""Run the framework's own samples and examples; survive the ones that crash or hang.

A crash costs the sample that caused it: the part is started again at the entry it had reached,
without that sample. Everything learnt goes through a journal, so that a build that was killed goes
on where it was.

Records that the tasks yield: `{"entry": number, "of": all}` before an entry, `{"at": key}` before a
call, with "call", from which a task in `phases.ATTEMPTS` can make the same call, where there is
one; `{"n": name, "s": ...}` or `{"n": name, "f": why}` of an API; `{"known": [what, text]}` is
handed to the processes that follow, and None of what a call that killed its process "seeks".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from analysis.target.session import Session

PART_SECONDS = 900.0
MOST_RESTARTS = 200
MOST_AT_ONE_ENTRY = 12
"""Deaths at one entry after which the rest of it is given up."""
HANG = "hang"

Record = dict[str, Any]
Sets = dict[str, set[str]]


@dataclass(slots=True, kw_only=True)
class Part:
    """What one part of a phase yielded, under the names that the framework's side used."""

    sets: dict[str, Sets] = field(default_factory=dict)
    providers: dict[str, str] = field(default_factory=dict)
    samples: dict[str, dict[str, Record]] = field(default_factory=dict)
    """Per API, distinct samples by their text."""
    problems: dict[str, str] = field(default_factory=dict)
    """Per API that no sample reached, why."""
    deaths: dict[str, str] = field(default_factory=dict)
    """Per sample that killed its process, how."""
    calls: dict[str, str] = field(default_factory=dict)
    """Per such sample, how to make its call again, where that was told."""
    bodies: dict[str, set[frozenset[str]]] = field(default_factory=dict)
    """Per operator, what it was seen to call itself in one call, in different calls."""
    unavailable: set[str] = field(default_factory=set)
    whole: bool = True
    """Whether the samples were run to the end; if not, another try may do better."""

    def add(self, record: Record) -> None:
        """Take one record; several entries may tell about one API."""
        if "unavailable" in record:
            self.unavailable.add(record["unavailable"])
        elif "e" in record:
            for caller, bodies in record["e"].items():
                self.bodies.setdefault(caller, set()).update(map(frozenset, bodies))
        elif "f" in record:
            self.problems[record["n"]] = record["f"]
        elif "s" in record:
            self._succeed(record)

    def die(self, at: Record, how: str) -> None:
        """Take a death: the record that stood before the call, and how it ended."""
        self.deaths[at["at"]] = how
        if "call" in at:
            self.calls[at["at"]] = at["call"]

    def _succeed(self, record: Record) -> None:
        sets = self.sets.setdefault(record["n"], {})
        for kind, names in record["s"].items():
            sets.setdefault(kind, set()).update(names)
        self.providers.setdefault(record["n"], record["v"])
        kept = self.samples.setdefault(record["n"], {})
        for sample in record["x"]:
            kept.setdefault(json.dumps(sample, sort_keys=True), sample)


@dataclass(slots=True)
class _Position:
    """How far a part has come: its entry, the call in flight, and the calls to leave out."""

    job: Job
    entry: int = 0
    of: int = 0
    at: Record | None = None
    started: bool = False
    done: bool = False
    deaths: int = 0
    skip: list[str] = field(default_factory=list)

    def follow(self, record: Record) -> None:
        if "entry" in record:
            if record["entry"] != self.entry:
                self.deaths = 0
            self.entry, self.of, self.at = record["entry"], record["of"], None
            self.started = True
        elif "at" in record:
            self.at = record
        elif "n" in record:
            self.at = None
        elif "done" in record:
            self.done = True
        elif "died" in record:
            self._die(reason(record["died"]))

    def _die(self, how: str) -> None:
        self.deaths += 1
        # What has no "call" stands for several, which are now told one by one.
        blocks = how == HANG and self.job.blocks_once and "call" in (self.at or ())
        hopeless = blocks or self.deaths >= MOST_AT_ONE_ENTRY
        if self.at is not None and not hopeless:
            self.skip.append(self.at["at"])
        else:
            self.entry += self.job.parts  # outside of any call, or hopeless
            self.deaths = 0
        self.at = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Every `parts`-th entry of a phase's samples, from number `part` on.

    `known` is what the processes of a phase learn for each other, None where they do not;
    `blocks_once` as in `phases.Phase`.
    """

    task: str
    given: Record = field(default_factory=dict)
    part: int = 0
    parts: int = 1
    preload: tuple[str, ...] = ()
    blocks_once: bool = False
    known: Record | None = None

    def arguments(self, first: int, skip: list[str]) -> Record:
        """What the task is given to go on at an entry."""
        place = {"part": self.part, "parts": self.parts, "first": first, "skip": skip}
        # A copy: other parts add to it meanwhile.
        learnt = {} if self.known is None else {"known": dict(self.known)}
        return {**self.given, **place, **learnt}

    def learn(self, what: str, text: str | None) -> None:
        """Hand something to the processes that follow."""
        if self.known is not None:
            self.known[what] = text


def run_part(
    session: Session,
    job: Job,
    *,
    progress: Callable[[int, int], None],
    past: Iterable[Record] = (),
    keep: Callable[[Record], None] = lambda _: None,
) -> Part:
    """Run one part, after what the journal has of it; `keep` is given each new record.

    `progress` is told how many entries are behind, and how many there are in all parts.
    """
    result, position = Part(), _Position(job)

    def take(record: Record) -> None:
        if position.at is not None and record.get("died", "").startswith("signal "):
            # A server that was lost or a part that ran out of time accuses nobody.
            result.die(position.at, reason(record["died"]))
            if "seeks" in position.at:
                job.learn(position.at["seeks"], None)
        elif "known" in record:
            job.learn(*record["known"])
        position.follow(record)
        result.add(record)

    def fresh(record: Record) -> None:
        keep(record)
        take(record)
        if "entry" in record:
            progress(position.entry // job.parts, position.of)

    for record in past:
        take(record)
    for _ in range(MOST_RESTARTS):
        if position.done:
            progress(-(-position.of // job.parts), position.of)
            return result
        arguments = job.arguments(position.entry, position.skip)
        position.at, position.started = None, False
        outcome = session.task(
            job.task, arguments, wall=PART_SECONDS, on_event=fresh, preload=job.preload
        )
        if outcome.died is None:
            fresh({"done": True})
        elif position.started:
            fresh({"died": outcome.died})
        else:
            result.problems[job.task] = reason(outcome.died)
            break
    result.whole = position.done
    return result


def reason(died: str) -> str:
    """How a death is counted: the alarm inside the child means that a call did not return.

    >>> reason("signal SIGALRM"), reason("signal SIGSEGV"), reason("exception MemoryError: ...")
    ('hang', 'crash SIGSEGV', 'exception MemoryError')
    """
    if died in ("signal SIGALRM", "signal SIGPROF"):
        return HANG
    if died.startswith("signal "):
        return "crash " + died.removeprefix("signal ")
    return re.split(r"[:(]", died)[0].strip()
