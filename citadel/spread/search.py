"""Run a relation over all APIs of a build: which of them go wrong when they meet the trigger?

In: a relation, APIs in the order that they are to be tried, and sessions. Out: a `Met` per API that
does, as it is found. The processes of all sessions share the APIs by turns.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from analysis.catalog.model import Api
from analysis.index import ApiIndex
from analysis.target.session import Session
from citadel.spread.facts import FRAMEWORKS
from citadel.spread.relation import Relation
from citadel.spread.samples import described
from harvest.sources.eagle.drive import Plan, run_plan
from harvest.sources.eagle.finding import Finding

SEED = 1
GRACE, COMPILER_GRACE = 15.0, 90.0
"""Seconds in which the last pair must end."""
SEARCHED = ("torch", "tensorflow")
"""Frameworks in whose processes calls can be compared."""
CONTROL = "without"
"""The variant of a pair that is made without the trigger."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was tried: APIs with a call, pairs, and those whose two ways agree without the trigger
    and could be compared with it. `valid` has the APIs of these."""

    apis: int = 0
    lacking: int = 0
    """APIs of which no call is known that can be made again."""
    pairs: int = 0
    valid: set[str] = field(default_factory=set)
    cut: bool = False


def spread(
    relation: Relation,
    index: ApiIndex,
    apis: Sequence[Api],
    sessions: Sequence[Session],
    seconds: float,
    tally: Tally,
) -> Iterator[Finding]:
    """Bring the trigger into the calls of these APIs; yields what goes wrong, as it is found."""
    root = FRAMEWORKS[index.framework]
    given = {
        "infections": [one.given.record(root, one.roles) for one in relation.infections],
        "ways": [one.record(root) for one in relation.ways],
        "sampled": relation.sampled,
    }
    known = [(api.name, described(index, api)) for api in apis]
    calls = [[name, found] for name, found in known if found]
    tally.apis, tally.lacking = len(calls), len(known) - len(calls)
    queue: SimpleQueue[Finding | BaseException | None] = SimpleQueue()

    def take(record: dict[str, Any]) -> None:
        if "finding" in record:
            queue.put(Finding.from_json(record["finding"]))
        elif "tally" in record:
            for states in record["tally"].values():
                tally.pairs += sum(states.values())
            tally.valid |= {api for _, variant, api in record["covered"] if variant != CONTROL}

    def work(number: int, session: Session) -> None:
        try:
            plan = Plan(
                name="spread compiled" if relation.compiles else "spread",
                until=1.0,
                grace=COMPILER_GRACE if relation.compiles else GRACE,
                given={"names": {**given, "apis": calls[number :: len(sessions)]}},
                once=True,
            )
            done = Done()
            for found in run_plan(session, plan, seconds, SEED, done.watch(take)):
                queue.put(found)
            tally.cut = tally.cut or not done.all
        except BaseException as problem:
            queue.put(problem)
        else:
            queue.put(None)

    threads = [
        threading.Thread(target=work, args=(number, session), daemon=True)
        for number, session in enumerate(sessions)
    ]
    for one in threads:
        one.start()
    left = len(threads)
    try:
        while left:
            found = queue.get()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                left -= 1
            elif found.variant != CONTROL:
                yield found
    except KeyboardInterrupt:
        for session in sessions:
            session.abort()
        raise
    for one in threads:
        one.join()


@dataclass(slots=True)
class Done:
    """Whether a plan came to its end."""

    all: bool = False

    def watch(self, take: Any) -> Any:
        """Hand records on, and see the last one."""

        def watched(record: dict[str, Any]) -> None:
            self.all = self.all or record.get("done") == "all"
            take(record)

        return watched
