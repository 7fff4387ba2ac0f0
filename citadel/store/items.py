"""Work items: (report, build, stage) with a state, so that nothing is lost or done twice.

In: reports and the builds that they are run on; how items ended. Out: the item to do next within a
topic, and the figures by which topics are compared (`citadel.hunt.schedule`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citadel.store.database import Store
from citadel.store.reports import Build
from citadel.store.texts import sound


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


OPEN = (State.QUEUED, State.FAILED, State.FLAKY)
"""States of what may be taken up; all but the first only while attempts are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What an item is about: ids of report and build."""

    report: str
    build: str
    stage: Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One piece of work. `topic` is what its promise is learnt by, `cost` orders within it."""

    id: int
    key: Key
    topic: str
    exclusive: bool
    attempts: int


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


def add(store: Store, key: Key, topic: str, *, cost: float, exclusive: bool) -> bool:
    """Queue an item unless it is known; whether it was new."""
    cursor = store.db.execute(
        "INSERT INTO items (report, build, stage, state, topic, cost, exclusive)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [key.report, key.build, key.stage, State.QUEUED, topic, cost, exclusive],
    )
    return cursor.rowcount > 0


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


def lots(store: Store, retries: int, builds: Sequence[str]) -> list[Lot]:
    """What is open on some builds, by topic."""
    rows = store.db.execute(
        "SELECT stage, topic, build, exclusive, attempts > 0, count(*) FROM items"
        " WHERE (state = ? OR (state IN (?, ?) AND attempts <= ?))"
        " AND build IN (SELECT value FROM json_each(?)) GROUP BY 1, 2, 3, 4, 5",
        [*OPEN, retries, json.dumps(builds)],
    )
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


def builds_in_play(store: Store, retries: int) -> list[Build]:
    """The builds that have something open."""
    rows = store.db.execute(
        "SELECT id, framework, version, python, backend, devices, sandbox, apis, pairs_index"
        " FROM builds WHERE EXISTS (SELECT 1 FROM items WHERE build = builds.id"
        " AND (state = ? OR (state IN (?, ?) AND attempts <= ?))) ORDER BY added",
        [*OPEN, retries],
    )
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


def take(store: Store, lot: Lot, retries: int) -> Item | None:
    """Mark the item of a lot with the best chance, of equal ones the cheapest, as running."""
    with store.transaction() as db:
        row = db.execute(
            "SELECT id, report, attempts FROM items"
            " WHERE (state = ? OR (state IN (?, ?) AND attempts <= ?)) AND build = ?"
            " AND stage = ? AND topic = ? AND exclusive = ? AND (attempts > 0) = ?"
            " ORDER BY chance DESC, cost, id LIMIT 1",
            [*OPEN, retries, lot.build, lot.stage, lot.topic, lot.exclusive, lot.retried],
        ).fetchone()
        if row is None:
            return None
        number, report, attempts = row
        db.execute("UPDATE items SET state = ? WHERE id = ?", [State.RUNNING, number])
    key = Key(report=report, build=lot.build, stage=lot.stage)
    return Item(id=number, key=key, topic=lot.topic, exclusive=lot.exclusive, attempts=attempts)


def end(
    store: Store, item: Item, state: State, *, seconds: float, found: int = 0, reason: str = ""
) -> None:
    """Note how an item ended; what is flaky or failed is tried alone, if it is tried again."""
    store.db.execute(
        "UPDATE items SET state = ?, attempts = attempts + 1, seconds = seconds + ?,"
        " found = max(found, ?),"
        " reason = ?, ended = ?, exclusive = max(exclusive, ?) WHERE id = ?",
        [
            state,
            seconds,
            found,
            sound(reason) or None,
            time.time(),
            state in (State.FLAKY, State.FAILED),
            item.id,
        ],
    )


def alone(store: Store, item: Item) -> None:
    """Queue an item again to be run without others beside it: its times are what counts."""
    store.db.execute(
        "UPDATE items SET state = ?, exclusive = 1 WHERE id = ?", [State.QUEUED, item.id]
    )
