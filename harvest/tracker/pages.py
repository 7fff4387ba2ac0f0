"""What a source of issues yields: pages of entries, and where to go on behind each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Version = tuple[str, int]
"""(repository, number) of an issue; which version of it is told by its time of update."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which issues: updated at or after `since` (a date), with any of `labels`, in a state."""

    repository: str
    since: str | None = None
    labels: tuple[str, ...] = ()
    state: str = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One issue as a line of JSON, or one thing that could not be read (`issue` is None)."""

    issue: Version | None
    updated_at: str
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some entries. `position` is where to go on behind them, as the source understands it.

    `total` estimates how many issues there are in all. `withheld` counts those that the tracker
    would not show; `points` is what the page cost of the user's hourly limit.
    """

    entries: tuple[Entry, ...]
    position: str | None
    total: int | None = None
    withheld: int = 0
    points: int = 0


class Source(Protocol):
    """Where issues come from."""

    @property
    def identity(self) -> str:
        """What is asked for, as text: a harvest goes on only with the same question."""

    def pages(self, position: str | None, seen: Mapping[Version, str]) -> Iterator[Page]:
        """Yield the pages behind `position` (None: from the start).

        `seen` has the time of update of each issue that is kept already; it grows with each page.
        """


def to_line(content: Mapping[str, Any]) -> str:
    """One line of JSON; what UTF-8 cannot hold is escaped."""
    return json.dumps(content, ensure_ascii=True, separators=(",", ":"))
