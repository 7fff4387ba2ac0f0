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
from analysis.target.frameworks import FRAMEWORKS
from analysis.target.target import Interpreter
from citadel.family.kinship import Kinship
from citadel.hunt.executor import Answer, Job, Where
from citadel.model import BugKind, Triage
from citadel.oracle.frames import top_frames
from citadel.selection import compared_with, with_installed
from citadel.store.findings import Kin
from citadel.store.items import Stage
from citadel.triage import triage, untried, verify_on
from citadel.verify.verified import NotVerified
from citadel.workbench import Workbench, baseline_of
from harvest.report.correction import BadCorrection
from harvest.report.model import Reading
from harvest.report.understand import understand

KEPT = 2
"""Workbenches that stay open: each holds two processes that have imported a framework."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """An open build."""

    bench: Workbench
    kinship: Kinship


class Worker:
    """Does jobs one after the other."""

    def __init__(self) -> None:
        self._places: OrderedDict[tuple[Where, str], _Place] = OrderedDict()
        self._interpreters: dict[tuple[str, bool], Interpreter] = {}

    def __call__(self, job: Job) -> Answer:
        """Do a job; whatever goes wrong with it is in the answer."""
        try:
            interpreter = self._interpreter(job.where)
            reading = with_installed(understand(job.report), interpreter.installed)
            place = self._place(job.where, _beside(reading, job.where, interpreter))
            done = _STAGES[job.stage](reading, place.bench, job)
        except BadCorrection as problem:
            reason = f"{problem.message}: {problem.hint}"
            return Answer(triage=replace(untried(job.report), skipped=reason), kin=Kin(marks={}))
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

    def _interpreter(self, where: Where) -> Interpreter:
        key = (where.python, where.no_sandbox)
        if key not in self._interpreters:
            self._interpreters[key] = Interpreter(where.python, no_sandbox=where.no_sandbox)
        return self._interpreters[key]

    def _baseline(self, where: Where) -> Interpreter | None:
        return self._interpreter(replace(where, python=where.baseline)) if where.baseline else None

    def _place(self, where: Where, beside: str) -> _Place:
        """An open build, with another backend `beside` it where a report compares the two."""
        key = (where, beside)
        if key not in self._places:
            while len(self._places) >= KEPT:
                self._places.popitem(last=False)[1].bench.close()
            interpreter = self._interpreter(where)
            target = interpreter.target(where.framework, where.backend or None)
            other = interpreter.target(where.framework, beside) if beside else None
            index = load_or_build(target)
            baseline = baseline_of(target, self._baseline(where))
            bench = Workbench(target, index, jobs=1, baseline=baseline, beside=other)
            self._places[key] = _Place(bench=bench, kinship=Kinship(index))
        self._places.move_to_end(key)
        return self._places[key]


def _beside(reading: Reading, where: Where, interpreter: Interpreter) -> str:
    framework = FRAMEWORKS[where.framework]
    return compared_with(reading, framework, where.backend, interpreter.installed)


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
