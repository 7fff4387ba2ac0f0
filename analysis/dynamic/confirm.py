"""Try again, each alone in a fresh process, the made-up calls that killed the process of many.

In: records `{"api", "names", "sample": key, "how"}` of such calls. Out: the same with "alone",
whether the call does it alone too, and "call", its arguments; both None where it could not be
tried. Memory that one call has corrupted may kill a later, innocent one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from analysis.dynamic.phases import ATTEMPTS, PRELOADS
from analysis.dynamic.run import reason
from analysis.target.session import Session

SECONDS = 15.0
Record = dict[str, Any]

_SYNTHESIZED = re.compile(r"#synthesis(?P<number>\d+)$")


def confirmed(
    framework: str,
    crashes: Sequence[Record],
    sessions: Sequence[Session],
    pool: ThreadPoolExecutor,
    progress: Callable[[str, int, int], None],
) -> list[Record]:
    """The records with what came of each call alone, in their order."""
    task, preload = ATTEMPTS.get(framework), PRELOADS.get(framework, ())
    free: SimpleQueue[Session] = SimpleQueue()
    for session in sessions:
        free.put(session)

    def attempt(crash: Record) -> Record:
        key = _SYNTHESIZED.search(crash["sample"])
        if key is None or task is None:
            return {**crash, "alone": None, "call": None}
        session = free.get()
        try:
            given = {"name": crash["names"], "number": int(key["number"])}
            outcome = session.task(task, given, wall=SECONDS, preload=preload)
        finally:
            free.put(session)
        call = next((record["call"] for record in outcome.records if "call" in record), None)
        died = "" if outcome.died is None else reason(outcome.died)
        alone = None if call is None else died.partition(" ")[0] == crash["how"].partition(" ")[0]
        return {**crash, "alone": alone, "call": call}

    found: list[Record] = []
    for crash in pool.map(attempt, crashes):
        found.append(crash)
        progress("crashes", len(found), len(crashes))
    return found


def distinct(crashes: Sequence[Record]) -> list[Record]:
    """One record per API and way: one that crashed alone, else one that was not tried alone."""
    order = (True, None, False)
    found: dict[tuple[str, str], Record] = {}
    for crash in sorted(crashes, key=lambda crash: order.index(crash["alone"])):
        found.setdefault((crash["api"], crash["how"]), crash)
    return [found[key] for key in sorted(found)]
