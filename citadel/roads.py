"""Both ways to carry a bug over: the report's call through siblings, its trigger into their own.

In: a verified case. Out: the bugs as they are found, then all findings, one per API.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from citadel.model import BugCase, Cut, Finding, Road, VerdictKind
from citadel.options import Options
from citadel.propagate.propagation import Propagation
from citadel.spread.derive import compiles
from citadel.spread.road import SecondRoad
from citadel.verify.verified import Verified
from citadel.workbench import Workbench

SHARE = 0.5
"""The part of the time that the second road has where it goes first."""


class Roads:
    """Goes the roads that were asked for; `end` (`time.monotonic()`) is a cap."""

    def __init__(self, verified: Verified, bench: Workbench, options: Options, end: float) -> None:
        self.first = Propagation(verified, bench, options)
        self.second: SecondRoad | None = None
        contrast = verified.contrast
        self._told = self.first if contrast is None else Propagation(contrast, bench, options)
        """The case as the second road asks for it."""
        self._verified, self._bench, self._options = verified, bench, options
        self._end = end

    def bugs(self, on_progress: Callable[[str, int, int], None] | None) -> Iterator[Finding]:
        """What shows the bug, as it is found."""
        road = self._options.road
        if self._verified.contradiction is not None:
            road = Road.TRIGGER  # that a sibling refuses the report's call, too, says nothing
        # Where a compiler runs, time is short, and the second road has its controls in passing.
        before = road is Road.BOTH and compiles(self._told.verified, self._told.trigger)
        if before:
            self.second = self._second(SHARE * (self._end - time.monotonic()))
            yield from self.second.findings()
        if road is not Road.TRIGGER:
            names = set() if self.second is None else self.second.found
            found = self.first.findings(on_progress)
            bugs = (one for one in found if one.verdict.kind is VerdictKind.BUG)
            yield from (one for one in bugs if one.api not in names)
        if road is not Road.CALL and not before:
            self.second = self._second(self._end - time.monotonic())
            yield from self.second.findings()

    def _second(self, seconds: float) -> SecondRoad:
        """What tries the APIs that the first road has not found."""
        return SecondRoad(
            verified=self._told.verified,
            trigger=self._told.trigger,
            use=self._told.use,
            bench=self._bench,
            options=self._options,
            seconds=seconds,
            known={one.api for one in self.first.done() if one.verdict.kind is VerdictKind.BUG},
        )

    def done(self) -> list[Finding]:
        """All findings; of an API that the second road has found, its."""
        found = () if self.second is None else self.second.done()
        names = {one.api for one in found}
        return [*(one for one in self.first.done() if one.api not in names), *found]

    def told(self, case: BugCase) -> BugCase:
        """The case with what has become known of it."""
        if self.second is None:
            return replace(case, trigger=self.first.trigger)
        relation = str(self.second.relation or "")
        return replace(case, trigger=self.second.trigger, relation=relation)

    @property
    def cut(self) -> Cut | None:
        """The limit that kept one of the roads from its end."""
        late = self.second is not None and self.second.tally.cut
        return self.first.cut or (Cut.SECONDS if late else None)

    @property
    def compared(self) -> int:
        """APIs whose own calls met the trigger, and could be compared."""
        return 0 if self.second is None else len(self.second.tally.valid)
