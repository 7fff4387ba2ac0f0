"""What a worker does with one job: verify a report, or carry its case over to siblings.

In: a `Job`. Out: an `Answer`. A worker keeps the workbenches that it used last: fork servers are
warm and the index is read once. Nothing is written here, and code of reports runs in the sandbox
only.
"""

from __future__ import annotations

import traceback
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from analysis.errors import CitadelError
from analysis.index import load_or_build
from analysis.target.target import Interpreter
from citadel.family.crash_state import top_frames
from citadel.family.kinship import Kinship
from citadel.hunt.executor import Answer, Job, Where
from citadel.model import BugKind, Triage
from citadel.selection import with_installed
from citadel.store.findings import Kin
from citadel.store.items import Stage
from citadel.triage import triage, untried, verify_on
from citadel.verified import NotVerified
from citadel.workbench import Workbench
from harvest.report.model import Reading
from harvest.report.understand import understand

KEPT = 2
"""Workbenches that stay open: each holds two processes that have imported a framework."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """An open build."""

    bench: Workbench
    kinship: Kinship
    installed: frozenset[str]


class Worker:
    """Does jobs one after the other; `progress` is told of long preparations."""

    def __init__(self) -> None:
        self._places: OrderedDict[Where, _Place] = OrderedDict()

    def __call__(self, job: Job) -> Answer:
        """Do a job; whatever goes wrong with it is in the answer."""
        try:
            place = self._place(job.where)
            reading = with_installed(understand(job.report), place.installed)
            done = _STAGES[job.stage](reading, place.bench, job)
        except CitadelError as problem:
            return _failed(job, problem.message)
        except Exception as problem:  # a bug of ours costs one item, not the night
            last = traceback.extract_tb(problem.__traceback__)[-1]
            where = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
            error = f"internal error: {type(problem).__name__}: {problem} ({where})"
            return _failed(job, error)
        case = done.case
        measured = case is not None and case.kind is BugKind.PERFORMANCE
        return Answer(
            triage=done,
            kin=_kin(done, reading, place.kinship),
            misplaced=measured and not job.exclusive,
        )

    def close(self) -> None:
        """End all fork servers."""
        while self._places:
            self._places.popitem()[1].bench.close()

    def _place(self, where: Where) -> _Place:
        if where not in self._places:
            while len(self._places) >= KEPT:
                self._places.popitem(last=False)[1].bench.close()
            interpreter = Interpreter(where.python, no_sandbox=where.no_sandbox)
            target = interpreter.target(where.framework, where.backend or None)
            index = load_or_build(target)
            self._places[where] = _Place(
                bench=Workbench(target, index, jobs=1),
                kinship=Kinship(index),
                installed=interpreter.installed,
            )
        self._places.move_to_end(where)
        return self._places[where]


def _verified(reading: Reading, bench: Workbench, job: Job) -> Triage:
    found = verify_on(reading, bench, job.options)
    if isinstance(found, NotVerified):
        return replace(untried(job.report), skipped=found.reason)
    return replace(untried(job.report), case=found.case)


def _propagated(reading: Reading, bench: Workbench, job: Job) -> Triage:
    return triage(reading, bench, job.options)


_STAGES: dict[Stage, Callable[[Reading, Workbench, Job], Triage]] = {
    Stage.VERIFY: _verified,
    Stage.PROPAGATE: _propagated,
}


def _failed(job: Job, error: str) -> Answer:
    return Answer(triage=replace(untried(job.report), error=error), kin=Kin(marks={}))


def _kin(done: Triage, reading: Reading, kinship: Kinship) -> Kin:
    return Kin(
        marks={finding.api: kinship.marks(finding.api) for finding in done.bugs},
        frames=top_frames(reading.output),
    )
