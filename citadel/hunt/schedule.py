"""What comes next: the open items with the highest promise, findings per second of a worker.

In: what is open and what earlier items of the store brought. Out: the lot to take an item from. A
topic that nobody has tried counts as its prior says, and as its own figures say once it has some.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from citadel.model import SymptomKind
from citadel.store.items import Lot, Past, Stage
from harvest.report.model import ClaimKind

UNKNOWN = "unknown"
"""The topic of reports that claim nothing."""
AGAIN = 0.01
"""What a further attempt promises, beside a first one: it comes when nothing else is open."""

_STATUS = (SymptomKind.RAISES, SymptomKind.CRASHES, SymptomKind.HANGS)
_VALUES = (
    SymptomKind.NON_FINITE,
    SymptomKind.DISAGREES,
    SymptomKind.FALSE,
    SymptomKind.ACCEPTS,
)
_MEASURED = (SymptomKind.SLOW, SymptomKind.MEMORY)

LEADS: Mapping[str, tuple[SymptomKind, ...]] = {
    ClaimKind.RAISES: (SymptomKind.RAISES,),
    ClaimKind.CRASHES: (SymptomKind.CRASHES,),
    ClaimKind.HANGS: (SymptomKind.HANGS,),
    ClaimKind.VALUE: _VALUES,
    ClaimKind.PERFORMANCE: _MEASURED,
    UNKNOWN: (*_STATUS, *_VALUES),
}
"""What reports with a claim turn out to show."""

VERIFYING = Past(items=4, found=2, seconds=12.0)
PROPAGATING: Mapping[str, Past] = {
    **dict.fromkeys(_STATUS, Past(items=1, found=3, seconds=20.0)),
    SymptomKind.HANGS: Past(items=1, found=1, seconds=60.0),
    **dict.fromkeys(_VALUES, Past(items=1, found=2, seconds=60.0)),
    **dict.fromkeys(_MEASURED, Past(items=1, found=1, seconds=120.0)),
}
"""What is assumed before anything was tried; it weighs as much as that many items do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What an item is expected to bring, and to take."""

    found: float
    seconds: float

    @property
    def promise(self) -> float:
        """Findings per second."""
        return self.found / self.seconds


class Schedule:
    """Promises by the figures of one store; `learn` adds to them as items end."""

    def __init__(self, past: Mapping[tuple[Stage, str], Past]) -> None:
        self._past = dict(past)

    def learn(self, stage: Stage, topic: str, *, found: int, seconds: float) -> None:
        """Count an item that ended."""
        before = self._past.get((stage, topic), Past(items=0, found=0, seconds=0.0))
        self._past[stage, topic] = Past(
            items=before.items + 1,
            found=before.found + found,
            seconds=before.seconds + seconds,
        )

    def best(self, lots: Iterable[Lot]) -> Lot | None:
        """The lot with the highest promise; of equal ones, always the same."""
        return max(lots, key=self._order, default=None)

    def _order(self, lot: Lot) -> tuple[float, str, str, str]:
        promise = self.outlook(lot.stage, lot.topic).promise * (AGAIN if lot.retried else 1.0)
        return (promise, lot.stage, lot.topic, lot.build)

    def outlook(self, stage: Stage, topic: str) -> Outlook:
        """What one item of a topic brings; that of a verification includes what follows it."""
        if stage is Stage.PROPAGATE:
            return self._following((topic,))
        own = _sum(VERIFYING, self._past.get((stage, topic)))
        share, seconds = own.found / own.items, own.seconds / own.items
        following = self._following(LEADS.get(topic, LEADS[UNKNOWN]))
        return Outlook(found=share * following.found, seconds=seconds + share * following.seconds)

    def seconds(self, lots: Iterable[Lot]) -> float:
        """How long one worker will take for what is open and for what follows from it."""
        return sum(self.outlook(lot.stage, lot.topic).seconds * lot.waiting for lot in lots)

    def _following(self, topics: tuple[str, ...]) -> Outlook:
        known = [
            _sum(PROPAGATING.get(topic, VERIFYING), self._past.get((Stage.PROPAGATE, topic)))
            for topic in topics
        ]
        items = sum(one.items for one in known)
        return Outlook(
            found=sum(one.found for one in known) / items,
            seconds=sum(one.seconds for one in known) / items,
        )


def _sum(prior: Past, own: Past | None) -> Past:
    if own is None:
        return prior
    return Past(
        items=prior.items + own.items,
        found=prior.found + own.found,
        seconds=prior.seconds + own.seconds,
    )
