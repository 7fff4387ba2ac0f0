"""Try again, each alone in a fresh process, the made-up calls that killed the process of many.

In: records `{"api", "names", "sample": key, "how"}` of such calls, with "text" where the task that
made them told how to make them again. Out: per API and way one with "alone", whether the call does
it alone too, and "call", its arguments; both None where it could not be tried. Memory that one call
has corrupted may kill a later, innocent one.
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

_NUMBERED = re.compile(r"#synthesis(?P<number>\d+)$")
_SEVERAL = re.compile(r"#\d+-\d+$")
"""Calls that were then made again one by one: what died at that has a record of its own."""


def confirmed(
    framework: str,
    crashes: Sequence[Record],
    sessions: Sequence[Session],
    pool: ThreadPoolExecutor,
    progress: Callable[[str, int, int], None],
    known: Record | None = None,
) -> list[Record]:
    """One record per API and way: one that crashed alone, else one that was not tried alone.

    `known` is what the phases have learnt (`phases.Phase.learns`).
    """
    task, preload = ATTEMPTS[framework], PRELOADS.get(framework, ())
    free: SimpleQueue[Session] = SimpleQueue()
    for session in sessions:
        free.put(session)

    def attempt(crash: Record) -> Record:
        given = _given(crash, known or {})
        if given is None:
            several = _SEVERAL.search(crash["sample"]) is not None
            return {**crash, "alone": False if several else None, "call": None}
        session = free.get()
        try:
            outcome = session.task(task, given, wall=SECONDS, preload=preload)
        finally:
            free.put(session)
        call = next((record["call"] for record in outcome.records if "call" in record), None)
        died = "" if outcome.died is None else reason(outcome.died)
        alone = None if call is None else died.partition(" ")[0] == crash["how"].partition(" ")[0]
        return {**crash, "alone": alone, "call": call}

    def attempts(alike: list[Record]) -> Record:
        """Try calls of one API that died in one way, until one of them does it alone."""
        tried: list[Record] = []
        for crash in alike:
            tried.append(attempt(crash))
            if tried[-1]["alone"]:
                break
        return min(tried, key=lambda crash: (True, None, False).index(crash["alone"]))

    groups: dict[tuple[str, str], list[Record]] = {}
    for crash in crashes:
        groups.setdefault((crash["api"], crash["how"]), []).append(crash)
    found: list[Record] = []
    for crash in pool.map(attempts, (groups[key] for key in sorted(groups))):
        found.append(crash)
        progress("crashes", len(found), len(groups))
    return found


def _given(crash: Record, known: Record) -> Record | None:
    """What the task that makes one call is given; None where nobody knows how to make it."""
    if "text" in crash:
        return {"name": crash["names"], "text": crash["text"], "known": known}
    key = _NUMBERED.search(crash["sample"])
    return None if key is None else {"name": crash["names"], "number": int(key["number"])}
