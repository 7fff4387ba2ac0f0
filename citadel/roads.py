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
from citadel.spread.derive import compares_two_ways
from citadel.spread.road import SecondRoad
from citadel.spread.search import SEARCHED
from citadel.verify.verified import Verified
from citadel.workbench import Workbench


class Roads:
    """Goes the roads that were asked for; `end` (`time.monotonic()`) is a cap."""

    def __init__(self, verified: Verified, bench: Workbench, options: Options, end: float) -> None:
        both = compares_two_ways(verified)
        self._verified, self._bench, self._options = verified, bench, options
        self.first = Propagation(verified, bench, self._of_first(), two_ways=both)
        self.second: SecondRoad | None = None
        contrast = verified.contrast
        self._told = self.first if contrast is None else Propagation(contrast, bench, options)
        """The case as the second road asks for it."""
        self._end = end

    def _of_first(self) -> Options:
        """What the first road may take: half of the time, if there is a second one."""
        options = self._options
        if options.road is not Road.BOTH or self._bench.index.framework not in SEARCHED:
            return options
        return replace(options, walk=replace(options.walk, seconds=options.walk.seconds / 2))

    def bugs(self, on_progress: Callable[[str, int, int], None] | None) -> Iterator[Finding]:
        """What shows the bug, as it is found."""
        road = self._options.road
        if self._verified.contradiction is not None:
            road = Road.TRIGGER  # that a sibling refuses the report's call, too, says nothing
        if road is not Road.TRIGGER:
            found = self.first.findings(on_progress)
            yield from (one for one in found if one.verdict.kind is VerdictKind.BUG)
        if road is not Road.CALL:
            self.second = self._second()
            yield from self.second.findings()

    def _second(self) -> SecondRoad:
        """What tries the APIs that the first road has not found."""
        return SecondRoad(
            verified=self._told.verified,
            trigger=self._told.trigger,
            use=self._told.use,
            bench=self._bench,
            options=self._options,
            seconds=self._end - time.monotonic(),
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
