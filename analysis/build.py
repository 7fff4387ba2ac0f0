"""Build what an index holds: walk the names, run the samples, in several sessions at once.

Out: the JSON-serialisable shape that the cache keeps and `analysis.index.read_index` reads. Names
of operators and functions are numbers in one list there.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Any

from analysis.catalog.model import Catalog
from analysis.catalog.records import read_catalog
from analysis.dynamic.confirm import confirmed
from analysis.dynamic.donors import Donors
from analysis.dynamic.joined import Joined
from analysis.dynamic.journal import Journal
from analysis.dynamic.phases import PHASES, PRELOADS, Phase
from analysis.dynamic.run import Job, Part, run_part
from analysis.errors import CitadelError
from analysis.target.session import Session
from analysis.target.target import Target

PARTS = 2
SMALLEST = 16
"""Entries of the smallest part of a phase: to fork for fewer costs more than an idle core."""
CATALOG_SECONDS = 180.0
CATALOG = "catalog"

Progress = Callable[[str, int, int], None]
Stored = dict[str, Any]
Names = list[list[str]]
"""Of each API its name and its aliases."""
Calls = dict[str, list[Stored]]
"""Per API, calls of others as its own: a described value per parameter."""


def build(target: Target, *, journal: Journal, progress: Progress) -> Stored:
    """Walk the names beside the first samples; then the phases one after the other.

    What the journal knows is not done again.

    Raises:
        CitadelError: when the build has no API to speak of.
    """
    started = time.monotonic()
    phases = PHASES[target.info.framework]
    with ExitStack() as stack, ThreadPoolExecutor(PARTS + 1) as pool, ExitStack() as hasty:
        sessions = [stack.enter_context(target.session()) for _ in range(PARTS + 1)]
        # After Ctrl-C nobody waits for what the threads are doing.
        hasty.push(partial(_abort, tuple(sessions)))
        walker = sessions.pop()
        eager_phases = [phase for phase in phases if not phase.rest]
        if not eager_phases:  # nobody else needs the sessions now
            walker = sessions[0]
        walk = pool.submit(_walk, target, walker, journal)
        runner = _Runner(target.info.framework, pool, sessions, journal, progress)
        eager = [runner.start(phase) for phase in eager_phases]
        ready = [pool.submit(other.start) for other in sessions if not eager and other != walker]
        records = walk.result()
        for start in ready:
            start.result()
        walked = time.monotonic() - started
        progress(CATALOG, len(records), len(records))
        catalog = read_catalog(records)
        joined = Joined(catalog)
        for parts in eager:
            joined.add(part.result() for part in parts)
        for phase in (phase for phase in phases if phase.rest):
            calls = _borrowed(phase, catalog, joined)
            names = [one for one in joined.without() if not phase.borrows or one[0] in calls]
            joined.add(part.result() for part in runner.start(phase, names, calls))
        crashes = confirmed(
            target.info.framework, joined.crashes(), sessions, pool, progress, runner.known
        )
    return {
        "key": target.info.key,
        "framework": target.info.framework,
        "catalog": records,
        **joined.stored(),
        "crashes": crashes,
        "seconds": {"catalog": walked, "dynamic": time.monotonic() - started - walked},
    }


def _borrowed(phase: Phase, catalog: Catalog, joined: Joined) -> Calls:
    """What each API without a result may take over from others."""
    if not phase.borrows:
        return {}
    donors = Donors(catalog, joined.calls())
    found = {names[0]: donors.of(names[0]) for names in joined.without()}
    return {name: calls for name, calls in found.items() if calls}


class _Runner:
    """Runs the parts of a phase, each in the session that is free first."""

    def __init__(
        self,
        framework: str,
        pool: ThreadPoolExecutor,
        sessions: list[Session],
        log: Journal,
        tell: Progress,
    ) -> None:
        self._preload = PRELOADS.get(framework, ())
        self._pool = pool
        self._log = log
        self._tell = tell
        self._parts = len(sessions)
        self.known: Stored = {}
        self._free: SimpleQueue[Session] = SimpleQueue()
        for session in sessions:
            self._free.put(session)

    def start(
        self, phase: Phase, names: Names | None = None, calls: Calls | None = None
    ) -> list[Future[Part]]:
        """One future per part; what the journal knows of the same work is not done again.

        Where there are `names`, these are parted; without, the task itself knows its entries.
        """
        jobs = self._jobs(phase, names, calls or {})
        self._check(phase, names)
        done = [0] * len(jobs)
        waiting = iter(range(len(jobs)))

        def run() -> Part:
            # First the session: a thread that has a part and waits for one may wait to the end.
            session = self._free.get()
            part = next(waiting)

            def advance(reached: int, total: int) -> None:
                done[part] = reached
                of = total if names is None else len(names)
                self._tell(phase.label, min(sum(done), of), of)

            try:
                return run_part(
                    session,
                    jobs[part],
                    progress=advance,
                    past=self._log.past(phase.label, part),
                    keep=partial(self._log.add, phase.label, part),
                )
            finally:
                self._free.put(session)

        return [self._pool.submit(run) for _ in jobs]

    def _jobs(self, phase: Phase, names: Names | None, calls: Calls) -> list[Job]:
        job = Job(
            task=phase.task,
            preload=self._preload,
            blocks_once=phase.blocks_once,
            known=self.known if phase.learns else None,
        )
        if names is None:
            return [replace(job, part=part, parts=self._parts) for part in range(self._parts)]
        shares = [names[start:end] for start, end in shared(len(names), self._parts)]
        lent = [{one[0]: calls[one[0]] for one in share if one[0] in calls} for share in shares]
        return [
            replace(job, given={"names": share, **({"calls": some} if some else {})})
            for share, some in zip(shares, lent, strict=True)
        ]

    def _check(self, phase: Phase, names: Names | None) -> None:
        """Entries are numbers: they mean something only for the same list of names."""
        text = json.dumps([phase.task, self._parts, SMALLEST, names], sort_keys=True)
        about = {"work": hashlib.sha256(text.encode()).hexdigest()}
        key = phase.label + " of"
        if self._log.past(key, 0)[-1:] != [about]:
            self._log.forget(phase.label)
            self._log.add(key, 0, about)


def shared(count: int, parts: int) -> list[tuple[int, int]]:
    """Ranges of entries, ever smaller ones, so that all are done at about the same time.

    >>> shared(100, 2)
    [(0, 25), (25, 43), (43, 59), (59, 75), (75, 91), (91, 100)]
    """
    found, start = [], 0
    while start < count:
        end = min(start + max((count - start) // (2 * parts), SMALLEST), count)
        found.append((start, end))
        start = end
    return found


def _abort(sessions: Iterable[Session], kind: type[BaseException] | None, *_: object) -> None:
    if kind is not None:
        for session in sessions:
            session.abort()


def _walk(target: Target, session: Session, log: Journal) -> list[Stored]:
    past = log.past(CATALOG, 0)
    if past and past[-1].get("done"):
        return past[:-1]
    log.forget(CATALOG)
    records = walked(target, session)
    for record in (*records, {"done": True}):
        log.add(CATALOG, 0, record)
    return records


def walked(target: Target, session: Session) -> list[Stored]:
    """The records of the public names of a build, which takes some seconds.

    Raises:
        CitadelError: when it has none.
    """
    outcome = session.task(f"catalog_{target.info.framework}:walk", {}, wall=CATALOG_SECONDS)
    if outcome.died or not outcome.records:
        raise CitadelError(
            f"cannot list the APIs of {target.info.framework}: {outcome.died or 'it has none'}",
            f"see: citadel doctor --python {target.info.python}",
        )
    return list(outcome.records)
