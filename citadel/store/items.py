"""Work items: (report, build, stage) with a state, so that nothing is lost or done twice.

In: reports and the builds that they are run on; how items ended. Out: the item to do next within a
topic, and the figures by which topics are compared (`citadel.hunt.schedule`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from citadel.limits import ATTEMPTS
from citadel.model import Cut
from citadel.store.database import Store
from citadel.store.reports import Build
from citadel.store.texts import sound
from harvest.report.model import ClaimKind


class Stage(StrEnum):
    """What is done with a report on a build."""

    VERIFY = "verify"
    PROPAGATE = "propagate"


class State(StrEnum):
    """How far an item is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    FLAKY = "flaky"
    """Done, with something that showed in some runs only, or was too noisy to measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What a hunt allows: `retries`, and for one case `seconds`, `attempts`, `replays` (None: as
    many as are usual) and `siblings` (None: all).

    What was cut short by less than that is open again.
    """

    retries: int
    seconds: float
    attempts: int = ATTEMPTS
    replays: int | None = None
    siblings: int | None = None

    def values(self) -> dict[str, Any]:
        """The parameters of `_OPEN`."""
        return asdict(self)


_OPEN = """(state = 'queued' OR (state IN ('failed', 'flaky') AND attempts <= :retries)
 OR (state = 'done' AND cut_seconds < :seconds)
 OR (state = 'done' AND cut_attempts < :attempts)
 OR (state = 'done' AND cut_replays < coalesce(:replays, 0))
 OR (state = 'done' AND cut_siblings < coalesce(:siblings, 1e9)))"""


_LIMITS = (Cut.SECONDS, Cut.ATTEMPTS, Cut.REPLAYS, Cut.SIBLINGS)
"""The columns of what cut an item short, `cut_seconds` and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What an item is about: ids of report and build."""

    report: str
    build: str
    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of work. `topic` is what its promise is learnt by, `cost` orders within it.

    `baseline` is the interpreter with which measurements are compared, "" where there is none.
    """

    id: int
    key: Key
    topic: str
    exclusive: bool
    attempts: int = ATTEMPTS
    baseline: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """The open items of one topic: how many there are, and the figures of those that are done.

    `retried` tells that they have been done before. Times are in seconds of one worker.
    """

    stage: Stage
    topic: str
    build: str
    exclusive: bool
    retried: bool
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What the items of one stage and topic have brought so far."""

    items: int
    found: int
    seconds: float


_LOTS = f"""
SELECT stage, topic, build, exclusive, attempts > 0, count(*) FROM items
WHERE {_OPEN} AND build IN (SELECT value FROM json_each(:builds)) GROUP BY 1, 2, 3, 4, 5
"""  # noqa: S608 - a constant goes in
_IN_PLAY = f"""
SELECT id, framework, version, python, backend, devices, sandbox, apis, pairs_index FROM builds
WHERE EXISTS (SELECT 1 FROM items WHERE build = builds.id AND {_OPEN}) ORDER BY added
"""  # noqa: S608 - a constant goes in
_BEST = f"""
SELECT id, report, attempts, baseline FROM items WHERE {_OPEN} AND build = :build AND stage = :stage
AND topic = :topic AND exclusive = :exclusive AND (attempts > 0) = :retried
ORDER BY chance DESC, cost, id LIMIT 1
"""  # noqa: S608 - a constant goes in


_COMPARE = """
UPDATE items SET baseline = :baseline, state = CASE WHEN (report, build) IN
 (SELECT report, build FROM items WHERE stage = 'verify' AND topic = :measured)
 THEN 'queued' ELSE state END
WHERE baseline != :baseline AND report = :report AND build = :build
"""
_COMPARE_OPEN = f"""
UPDATE items SET baseline = :baseline
WHERE {_OPEN} AND build IN (SELECT value FROM json_each(:builds))
"""  # noqa: S608 - a constant goes in


def add(
    store: Store, key: Key, topic: str, *, cost: float, exclusive: bool, baseline: str = ""
) -> bool:
    """Queue an item unless it is known; whether it was new."""
    cursor = store.db.execute(
        "INSERT INTO items (report, build, stage, state, topic, cost, exclusive, baseline)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [key.report, key.build, key.stage, State.QUEUED, topic, cost, exclusive, baseline],
    )
    return cursor.rowcount > 0


def compare(store: Store, report: str, build: str, baseline: str) -> None:
    """Have what is measured of a report compared with another build.

    Of a report whose first claim is of time or memory, what was done without that is done again.
    """
    given = {"report": report, "build": build, "baseline": baseline}
    store.db.execute(_COMPARE, {**given, "measured": str(ClaimKind.PERFORMANCE)})


def compare_open(store: Store, allowed: Allowed, builds: Sequence[str], baseline: str) -> None:
    """Have what is measured in the open items of some builds compared with another one."""
    given = {**allowed.values(), "builds": json.dumps(builds), "baseline": baseline}
    with store.transaction() as db:
        db.execute(_COMPARE_OPEN, given)


def requeue(store: Store, ids: Iterable[int] | None = None) -> int:
    """Queue again what was running: all of it, or only the items named; returns their number.

    Whoever ran them was stopped, which is not their fault: it is no attempt.
    """
    with store.transaction() as db:
        if ids is None:
            cursor = db.execute(
                "UPDATE items SET state = ? WHERE state = ?", [State.QUEUED, State.RUNNING]
            )
            return cursor.rowcount
        rows = [(State.QUEUED, one, State.RUNNING) for one in ids]
        db.conn.executemany("UPDATE items SET state = ? WHERE id = ? AND state = ?", rows)
    return len(rows)


def lots(store: Store, allowed: Allowed, builds: Sequence[str]) -> list[Lot]:
    """What is open on some builds, by topic."""
    rows = store.db.execute(_LOTS, {**allowed.values(), "builds": json.dumps(builds)})
    return [
        Lot(
            stage=Stage(stage),
            topic=topic,
            build=build,
            exclusive=bool(exclusive),
            retried=bool(retried),
            waiting=waiting,
        )
        for stage, topic, build, exclusive, retried, waiting in rows
    ]


def builds_in_play(store: Store, allowed: Allowed) -> list[Build]:
    """The builds that have something open."""
    rows = store.db.execute(_IN_PLAY, allowed.values())
    return [
        Build(
            key=key,
            framework=framework,
            version=version,
            python=python,
            backend=backend,
            devices=tuple(json.loads(devices)),
            sandbox=sandbox,
            apis=apis,
            index=index,
        )
        for key, framework, version, python, backend, devices, sandbox, apis, index in rows
    ]


def past(store: Store) -> dict[tuple[Stage, str], Past]:
    """What has been done so far, by stage and topic."""
    rows = store.db.execute(
        "SELECT stage, topic, count(*), sum(found), sum(seconds) FROM items WHERE attempts > 0"
        " GROUP BY 1, 2"
    )
    return {
        (Stage(stage), topic): Past(items=items, found=found, seconds=seconds)
        for stage, topic, items, found, seconds in rows
    }


def take(store: Store, lot: Lot, allowed: Allowed) -> Item | None:
    """Mark the item of a lot with the best chance, of equal ones the cheapest, as running."""
    with store.transaction() as db:
        row = db.execute(
            _BEST,
            {
                **allowed.values(),
                "build": lot.build,
                "stage": lot.stage,
                "topic": lot.topic,
                "exclusive": lot.exclusive,
                "retried": lot.retried,
            },
        ).fetchone()
        if row is None:
            return None
        number, report, attempts, baseline = row
        db.execute("UPDATE items SET state = ? WHERE id = ?", [State.RUNNING, number])
    key = Key(report=report, build=lot.build, stage=lot.stage)
    return Item(
        id=number,
        key=key,
        topic=lot.topic,
        exclusive=lot.exclusive,
        attempts=attempts,
        baseline=baseline,
    )


def end(
    store: Store,
    item: Item,
    state: State,
    *,
    seconds: float,
    found: int = 0,
    reason: str = "",
    cut: Cut | None = None,
    limit: float | None = None,
) -> None:
    """Note how an item ended; what is flaky or failed is tried alone, if it is tried again.

    `cut` is the limit that it ended at, if it did, and `limit` how much of that it was allowed.
    """
    store.db.execute(
        "UPDATE items SET state = ?, attempts = attempts + 1, seconds = seconds + ?,"
        " found = max(found, ?), reason = ?, ended = ?, exclusive = max(exclusive, ?),"
        " cut_seconds = ?, cut_attempts = ?, cut_replays = ?, cut_siblings = ? WHERE id = ?",
        [
            state,
            seconds,
            found,
            sound(reason) or None,
            time.time(),
            state in (State.FLAKY, State.FAILED),
            *(limit if cut is one else None for one in _LIMITS),
            item.id,
        ],
    )


def alone(store: Store, item: Item) -> None:
    """Queue an item again to be run without others beside it: its times are what counts."""
    store.db.execute(
        "UPDATE items SET state = ?, exclusive = 1 WHERE id = ?", [State.QUEUED, item.id]
    )
