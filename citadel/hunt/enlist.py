"""From inputs to work items: each report is read once and queued on the builds it is about.

In: reports, and links to them. Out: rows, committed in batches, so that a kill in the middle costs
little and an equal report is never queued twice. What cannot be queued is counted and kept with its
reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from citadel.hunt import words
from citadel.hunt.builds import Builds, Site
from citadel.hunt.schedule import UNKNOWN
from citadel.selection import Unavailable
from citadel.store import items, outcomes, reports
from citadel.store.database import Store
from citadel.store.items import Key, Stage
from harvest.report.model import BadInput, ClaimKind, Reading, Report
from harvest.report.understand import understand
from harvest.tracker.queue import Linked

BATCH = 100
NEAR = "says almost the same as another report"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enlisted:
    """How inputs came out: reports, items that are new, and reasons against the others.

    `unread` of the reports could not even be read; those that are linked to others do not count.
    """

    reports: int
    queued: int
    unread: int
    refused: Counter[str]


def enlist(
    store: Store,
    found: Iterable[Report | BadInput | Linked],
    builds: Builds,
    progress: Callable[[int], None] = lambda _done: None,
    *,
    baseline: str = "",
) -> Enlisted:
    """Queue the verification of all reports, to be compared with a `baseline` if there is one.

    Raises:
        CitadelError: when a build does not work or the store cannot be written.
    """
    seen = queued = unread = 0
    refused: Counter[str] = Counter()
    links: list[Linked] = []
    for batch in _batches(found):
        links += [item for item in batch if isinstance(item, Linked)]
        # What opens a build takes long: not within a transaction.
        prepared = [_prepared(item, builds) for item in batch if not isinstance(item, Linked)]
        with store.transaction():
            for item, reading, sites in prepared:
                seen += 1
                unread += isinstance(item, BadInput)
                if isinstance(sites, str) or reading is None:
                    why = str(sites)
                    refused[f"{item.source}: {why}" if isinstance(item, BadInput) else why] += 1
                    reports.add_refusal(store, item.source, str(sites))
                    continue
                queued += _queue(store, reading, sites, baseline)
        progress(seen)
    refused[NEAR] += _link(store, links)
    return Enlisted(reports=seen, queued=queued, unread=unread, refused=+refused)


def _link(store: Store, links: Sequence[Linked]) -> int:
    """Keep which reports stand for others, but for what another input has named for itself."""
    known = reports.sources(store) if links else frozenset()
    found = [link for link in links if link.source not in known]
    with store.transaction():
        for link in found:
            reports.add_refusal(store, link.source, f"says almost the same as {link.stand_in}")
    return len(found)


def _batches(
    found: Iterable[Report | BadInput | Linked],
) -> Iterator[list[Report | BadInput | Linked]]:
    iterator = iter(found)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _prepared(
    item: Report | BadInput, builds: Builds
) -> tuple[Report | BadInput, Reading | None, list[Site] | str]:
    """A report with its reading and builds, or the reason why it cannot be run."""
    if isinstance(item, BadInput):
        return item, None, item.error
    try:
        reading = understand(item)
    except Exception as problem:  # a bug of ours costs one report, not the others
        return item, None, f"internal error: {type(problem).__name__}: {problem}"
    if reading.skipped is not None:
        return item, None, reading.skipped
    sites = builds.of(reading)
    if isinstance(sites, Unavailable):
        return item, None, sites.reason
    return item, reading, sites


def _queue(store: Store, reading: Reading, sites: Iterable[Site], baseline: str) -> int:
    report = reports.add_report(store, reading.report, reading.candidates)
    reports.drop_refusal(store, reading.report.source)
    outcomes.keep_traits(store, report, words.traits(reading))
    topic = str(reading.claims[0].kind) if reading.claims else UNKNOWN
    # Of two reports the shorter one is verified first: it runs, and reads, faster.
    cost = float(sum(len(snippet.code) for snippet in reading.candidates))
    queued = 0
    for site in sites:
        reports.add_build(store, site.build)
        queued += items.add(
            store,
            Key(report=report, build=site.build.key, stage=Stage.VERIFY),
            topic,
            cost=cost,
            exclusive=topic == ClaimKind.PERFORMANCE,
            baseline=baseline,
        )
        if baseline:
            items.compare(store, report, site.build.key, baseline)
    return queued
