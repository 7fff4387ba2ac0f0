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
from functools import partial
from typing import Any

from analysis.catalog.records import read_catalog
from analysis.dynamic.confirm import confirmed, distinct
from analysis.dynamic.joined import Joined
from analysis.dynamic.journal import Journal
from analysis.dynamic.phases import PHASES, PRELOADS, Phase
from analysis.dynamic.run import Job, Part, run_part
from analysis.errors import CitadelError
from analysis.target.session import Session
from analysis.target.target import Target

PARTS = 2
CATALOG_SECONDS = 180.0
CATALOG = "catalog"

Progress = Callable[[str, int, int], None]
Stored = dict[str, Any]


def build(target: Target, *, journal: Journal, progress: Progress) -> Stored:
    """Walk the names beside the first samples; then the phases one after the other.

    What the journal knows is not done again.

    Raises:
        CitadelError: when the build has no API to speak of.
    """
    started = time.monotonic()
    with ExitStack() as stack, ThreadPoolExecutor(PARTS + 1) as pool, ExitStack() as hasty:
        walker, *sessions = (stack.enter_context(target.session()) for _ in range(PARTS + 1))
        # After Ctrl-C nobody waits for what the threads are doing.
        hasty.push(partial(_abort, (walker, *sessions)))
        walk = pool.submit(_walk, target, walker, journal)
        runner = _Runner(target.info.framework, pool, sessions, journal, progress)
        phases = PHASES[target.info.framework]
        eager = [runner.start(phase, {}) for phase in phases if not phase.rest]
        records = walk.result()
        walked = time.monotonic() - started
        progress(CATALOG, len(records), len(records))
        catalog = read_catalog(records)
        joined = Joined(catalog)
        for parts in eager:
            joined.add(part.result() for part in parts)
        for phase in (phase for phase in phases if phase.rest):
            names = joined.without()
            joined.add(part.result() for part in runner.start(phase, {"names": names}))
        crashes = confirmed(target.info.framework, joined.crashes(), sessions, pool, progress)
    return {
        "key": target.info.key,
        "framework": target.info.framework,
        "catalog": records,
        **joined.stored(),
        "crashes": distinct(crashes),
        "seconds": {"catalog": walked, "dynamic": time.monotonic() - started - walked},
    }


class _Runner:
    """Starts a phase in all sessions, each with its part of the entries."""

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
        self._sessions = sessions
        self._log = log
        self._tell = tell

    def start(self, phase: Phase, given: Stored) -> list[Future[Part]]:
        """One future per part; what the journal knows of the same work is not done again."""
        self._check(phase, given)
        done = [0] * len(self._sessions)

        def run(part: int) -> Part:
            def advance(reached: int, total: int) -> None:
                done[part] = reached
                self._tell(phase.label, min(sum(done), total), total)

            return run_part(
                self._sessions[part],
                Job(
                    task=phase.task,
                    given=given,
                    part=part,
                    parts=len(self._sessions),
                    preload=self._preload,
                ),
                progress=advance,
                past=self._log.past(phase.label, part),
                keep=partial(self._log.add, phase.label, part),
            )

        return [self._pool.submit(run, part) for part in range(len(self._sessions))]

    def _check(self, phase: Phase, given: Stored) -> None:
        """Entries are numbers: they mean something only for the same list of names."""
        text = json.dumps([phase.task, len(self._sessions), given], sort_keys=True)
        about = {"work": hashlib.sha256(text.encode()).hexdigest()}
        key = phase.label + " of"
        if self._log.past(key, 0)[-1:] != [about]:
            self._log.forget(phase.label)
            self._log.add(key, 0, about)


def _abort(sessions: Iterable[Session], kind: type[BaseException] | None, *_: object) -> None:
    if kind is not None:
        for session in sessions:
            session.abort()


def _walk(target: Target, session: Session, log: Journal) -> list[Stored]:
    past = log.past(CATALOG, 0)
    if past and past[-1].get("done"):
        return past[:-1]
    log.forget(CATALOG)
    outcome = session.task(f"catalog_{target.info.framework}:walk", {}, wall=CATALOG_SECONDS)
    if outcome.died or not outcome.records:
        raise CitadelError(
            f"cannot list the APIs of {target.info.framework}: {outcome.died or 'it has none'}",
            f"see: citadel doctor --python {target.info.python}",
        )
    for record in (*outcome.records, {"done": True}):
        log.add(CATALOG, 0, record)
    return list(outcome.records)
