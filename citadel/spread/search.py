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
from analysis.dynamic.model import Sample
from analysis.index import ApiIndex
from analysis.target.session import Session
from citadel.model import Symptom, SymptomKind
from citadel.spread.fact import FRAMEWORKS
from citadel.spread.relation import Relation
from citadel.spread.samples import described, unsigned
from harvest.sources.eagle.drive import Plan, run_plan
from harvest.sources.eagle.finding import CRASH, DIFFERS, STATUS, Finding

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

    def add(self, other: Tally) -> None:
        """Count what another search has tried, too."""
        self.apis += other.apis
        self.lacking += other.lacking
        self.pairs += other.pairs
        self.valid |= other.valid
        self.cut = self.cut or other.cut


def spread(
    relation: Relation,
    index: ApiIndex,
    apis: Sequence[Api],
    sessions: Sequence[Session],
    seconds: float,
    tally: Tally,
    wanted: Symptom | None = None,
    reported: Sample | None = None,
) -> Iterator[Finding]:
    """Bring the trigger into the calls of these APIs; yields what goes wrong, as it is found: if
    `wanted`, what is of the relation's kind, and where that is to raise may be the same exception
    (of what one way takes: that of the other way). `reported` is a further call of each."""
    known = [(api.name, described(index, api, reported)) for api in apis]
    more = unsigned if relation.asked else lambda one: one
    calls = [[name, more(found)] for name, found in known if found]
    tally.apis += len(calls)
    tally.lacking += len(known) - len(calls)
    if not calls:
        return
    search = _Search(
        framework=index.framework, relation=relation, seconds=seconds, tally=tally, wanted=wanted
    )
    given, sessions = search.given(), sessions[: len(calls)]
    threads = [
        threading.Thread(
            target=search.work,
            args=(session, {**given, "apis": calls[number :: len(sessions)]}),
            daemon=True,
        )
        for number, session in enumerate(sessions)
    ]
    for one in threads:
        one.start()
    try:
        yield from search.findings(len(threads))
    except KeyboardInterrupt:
        for session in sessions:
            session.abort()
        raise
    finally:
        for one in threads:
            one.join()  # whoever has seen enough may need the sessions next


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """One search; its threads put what they find into the queue, and None at their end."""

    framework: str
    relation: Relation
    seconds: float
    tally: Tally
    wanted: Symptom | None
    queue: SimpleQueue[Finding | BaseException | None] = field(default_factory=SimpleQueue)

    def given(self) -> dict[str, Any]:
        """What the processes are asked, for all APIs alike."""
        relation, root = self.relation, FRAMEWORKS[self.framework]
        return {
            "infections": [one.given.record(root, one.roles) for one in relation.infections],
            "ways": [one.record(root) for one in relation.ways],
            "sampled": relation.sampled,
            # Another input may have another result.
            "ended": relation.sampled and not relation.preserves,
            # What is asked of a result may be too much to ask of other APIs.
            "milder": bool(relation.asked),
            "apart": relation.apart,
            # How a call is made as a whole may do: what has no place for the trigger goes without.
            "loose": relation.kind is SymptomKind.RAISES and not relation.sampled,
            "wanted": None if self.wanted is None else _counted(relation, self.wanted),
        }

    def work(self, session: Session, given: dict[str, Any]) -> None:
        """Run it in one process after the other: what dies is found, and the next one goes on."""
        compiles = self.relation.compiles
        plan = Plan(
            name="spread compiled" if compiles else "spread",
            until=1.0,
            grace=COMPILER_GRACE if compiles else GRACE,
            given={"names": given},
            once=True,
            preload=(f"searching_{self.framework}",),
        )
        ended: list[str] = []

        def take(record: dict[str, Any]) -> None:
            ended.extend([record["done"]] if "done" in record else [])
            self._take(record)

        try:
            for found in run_plan(session, plan, self.seconds, SEED, take):
                self.queue.put(found)
        except BaseException as problem:
            self.queue.put(problem)
            return
        self.tally.cut = self.tally.cut or "all" not in ended
        self.queue.put(None)

    def _take(self, record: dict[str, Any]) -> None:
        if "finding" in record:
            self.queue.put(Finding.from_json(record["finding"]))
        elif "tally" in record:
            self.tally.pairs += sum(sum(one.values()) for one in record["tally"].values())
            covered = (api for _, key, api in record["covered"] if not key.startswith(CONTROL))
            self.tally.valid.update(covered)

    def findings(self, threads: int) -> Iterator[Finding]:
        """What the threads find, until all have ended."""
        while threads:
            found = self.queue.get()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                threads -= 1
            elif not found.variant.startswith(CONTROL):
                yield found


def _counted(relation: Relation, wanted: Symptom) -> dict[str, Any]:
    """What of a failure counts: its state, of an exception its type and message."""
    states = {
        SymptomKind.RAISES: [STATUS],
        SymptomKind.ACCEPTS: [STATUS],
        SymptomKind.FALSE: [STATUS],
        SymptomKind.DISAGREES: [DIFFERS],
        None: [STATUS, DIFFERS],
    }
    kind = wanted.kind if relation.fails and not relation.asked else relation.kind
    raises = wanted.kind is SymptomKind.RAISES and not relation.harmless
    return {
        "states": states.get(kind, [CRASH]),
        "type": (wanted.exception or "").rpartition(".")[2] if raises else "",
        "message": (wanted.message or "") if raises else "",
    }
