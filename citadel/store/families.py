"""Families across reports: findings that have a mark in common are of one family.

In: a finding's marks, e.g. its crash state, or the state with an analogous function. Out: its
family. Two families that a new finding connects become one; what a family consists of does not
depend on the order in which findings came.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from citadel.store.database import Store


def family_of(store: Store, framework: str, marks: Collection[str], root: str) -> int:
    """The family of a finding with these marks, made or merged where needed.

    Raises:
        ValueError: without a mark, by which nothing could be found again.
    """
    if not marks:
        raise ValueError("a finding has at least one mark")
    db = store.db
    rows = db.execute(
        "SELECT DISTINCT family FROM marks WHERE framework = ?"
        " AND mark IN (SELECT value FROM json_each(?))",
        [framework, json.dumps(list(marks))],
    )
    known: list[int] = sorted(family for (family,) in rows)
    if known:
        family, *merged = known
        for other in merged:
            db.execute("UPDATE marks SET family = ? WHERE family = ?", [family, other])
            db.execute("UPDATE findings SET family = ? WHERE family = ?", [family, other])
            db.execute("DELETE FROM families WHERE id = ?", [other])
    else:
        cursor = db.execute(
            "INSERT INTO families (framework, root) VALUES (?, ?)", [framework, root]
        )
        family = int(cursor.lastrowid or 0)
    for mark in marks:
        db.execute(
            "INSERT INTO marks VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [framework, mark, family]
        )
    return family
