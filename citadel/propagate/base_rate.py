"""How many unrelated operations show the symptom: a limitation that all of them share, perhaps.

In: what became of each API, in ranking order. Out: the share of unrelated operations that show the
symptom among those that came so far, and whether so many do in a row that it is a flood.
"""

from __future__ import annotations

from collections.abc import Callable

from citadel.model import Channels

ENOUGH = 10
"""Unrelated operations that have to come so far before their share says anything."""
FLOOD = 60
"""Unrelated operations in a row with the symptom after which only near ones are tried."""
FAR = 0.3
"""Signature similarity below which APIs that run nothing in common are unrelated."""


def unrelated(channels: Channels) -> bool:
    """Whether nothing but its arguments connects a sibling with the source."""
    return channels.family is None and not channels.context and channels.signature < FAR


class BaseRate:
    """Counts unrelated operations; `operation` says of which one an API is a form."""

    def __init__(self, operation: Callable[[str], str]) -> None:
        self._operation = operation
        self._shown: set[str] = set()
        self._clean: set[str] = set()
        self._row: set[str] = set()
        self.flooded = False

    def note(self, name: str, channels: Channels, *, shows: bool) -> None:
        """Take note of an API that shows the symptom, or goes well."""
        if not unrelated(channels):
            return
        operation = self._operation(name) or name
        (self._shown if shows else self._clean).add(operation)
        if shows:
            self._row.add(operation)
        else:
            self._row.clear()
        self.flooded = self.flooded or len(self._row) >= FLOOD

    @property
    def counts(self) -> tuple[int, int]:
        """(operations that show it, all that came so far); one that does in some form does."""
        return len(self._shown), len(self._shown | self._clean)

    @property
    def rate(self) -> float | None:
        """The share that shows it (0 to 1); None where too few came so far."""
        shown, tried = self.counts
        return shown / tried if tried >= ENOUGH else None

    def told(self) -> str | None:
        """A warning where half of them do; else None."""
        shown, tried = self.counts
        if tried < ENOUGH or 2 * shown < tried:
            return None
        ended = ": after so many in a row only near ones were tried" if self.flooded else ""
        return (
            f"{shown} of {tried} unrelated operations fail the same way{ended}; "
            "the cause may lie outside the API under suspicion"
        )
