"""When hunts ran, with how many workers, and how many items they ended."""

from __future__ import annotations

import time

from citadel.store.database import Store


def begin(store: Store, jobs: int) -> int:
    """Note that a hunt begins; its number."""
    with store.transaction() as db:
        cursor = db.execute("INSERT INTO hunts (started, jobs) VALUES (?, ?)", [time.time(), jobs])
    return int(cursor.lastrowid or 0)


def finish(store: Store, number: int, items: int) -> None:
    """Note that it ended; one that was killed has no end."""
    with store.transaction() as db:
        db.execute(
            "UPDATE hunts SET ended = ?, items = ? WHERE id = ?", [time.time(), items, number]
        )
