"""What a source of bug cases is, and what it hands over.

A source searches a framework build for inconsistencies, crashes and NaN. What it finds is a `Hit`;
where a script can show it on one framework, the hit carries a `Case`, the same that importers make,
so that it is verified, carried over to siblings and reported like any bug report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from analysis.target.target import Interpreter
from harvest.importers.model import Case


class HitKind(StrEnum):
    """The oracle that fired, in the words of the papers."""

    CRASH = "crash"
    """The process died, or one of several executions raised and the others did not."""
    NON_FINITE = "non_finite"
    """NaN or infinity, everywhere or in some of the executions."""
    INCONSISTENCY = "inconsistency"
    """Executions that should agree do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing found. Hits of equal `key` are the same bug as far as the source can tell.

    `subject` is the API or layer that is to blame, `measures` the metrics of the paper by name
    ("D_MAD", "R"), `origin` what makes the hit again (rule, chain of mutations, seed). `limit` is
    the reason why it is no bug, from the list of known limits; then, and where no script of one
    framework shows it (`no_case` says why), there is no case.
    """

    key: str
    kind: HitKind
    subject: str
    title: str
    origin: str
    measures: tuple[tuple[str, float], ...] = ()
    case: Case | None = None
    limit: str = ""
    no_case: str = ""
    files: tuple[tuple[str, str], ...] = ()
    """What is worth a look beside it: pairs of an ending (".svg") and the text of the file."""


@dataclass(slots=True)
class Tally:
    """What a source has done so far; the source counts, whoever shows progress reads.

    `executed` counts executions of generated inputs or models, `valid` those that all executions
    accepted; `rules` and `apis` are what was covered, by name.
    """

    executed: int = 0
    valid: int = 0
    rules: set[str] = field(default_factory=set)
    apis: set[str] = field(default_factory=set)
    facts: dict[str, str] = field(default_factory=dict)
    """What else is worth a line, by its name."""


State = Mapping[str, Any]
"""What a source remembers: numbers, texts, arrays, containers, and classes of `packing`."""


class Notes(Protocol):
    """Where a source notes how far it is, so that an equal search goes on there."""

    def read(self) -> State:
        """What an equal search left; empty for the first one."""

    def write(self, state: Callable[[], State]) -> None:
        """Note a state between two pieces of work, when all hits so far have been yielded."""

    def clear(self) -> None:
        """The search has come to its end: the next one starts over."""


class NoNotes:
    """Remembers nothing."""

    def read(self) -> State:
        """Nothing."""
        return {}

    def write(self, state: Callable[[], State]) -> None:
        """Forget it."""

    def clear(self) -> None:
        """There is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a source is asked: `budget` seconds of work, start-up apart; equal seeds, equal inputs.

    `tally` is updated during the work. `progress` is called once when start-up is over, which is
    when the clock starts, and whenever the tally has changed. A source that heeds `notes` does
    nothing again that an equal search has done.

    The others are for sources that name them in their `settings`: `framework` is the one to look
    at, "" for all; `random` asks for the search without its guidance, where a paper has that as
    its ablation; `models` is a folder of saved models to look at; `mutants` is how many to make of
    each seed model before the search ends, 0 for as many as there is time for.
    """

    interpreter: Interpreter
    budget: float
    seed: int
    tally: Tally
    progress: Callable[[], None]
    framework: str = ""
    random: bool = False
    models: Path | None = None
    mutants: int = 0
    notes: Notes = field(default_factory=NoNotes)


@runtime_checkable
class CaseSource(Protocol):
    """A source; third parties register theirs by entry points.

    It may have `settings`: the names of those of a `Search` that not every source heeds.
    """

    @property
    def name(self) -> str:
        """What it is called on the command line."""

    @property
    def summary(self) -> str:
        """One line of help."""

    def generate(self, search: Search) -> Iterator[Hit]:
        """Search within the budget, yielding every hit as it comes, one per key.

        Raises:
            CitadelError: when the interpreter lacks what the source needs.
        """
