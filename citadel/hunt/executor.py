"""Where work is done: one protocol, with what goes there and what comes back.

In: jobs. Out: outcomes, in any order. An executor keeps nothing that matters: whatever it loses is
done again, and only the hunt itself writes to the store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, TypeVar

from citadel.model import Triage
from citadel.options import Options
from citadel.store.findings import Kin
from citadel.store.items import Stage
from harvest.report.model import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A framework build, as a worker finds it: interpreter, framework and backend by name.

    `baseline` is the interpreter with the build that measurements are compared with, if any.
    """

    python: str
    framework: str
    backend: str
    no_sandbox: bool = False
    baseline: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One item, with all that a worker needs to do it. `exclusive`: nothing else runs meanwhile."""

    item: int
    stage: Stage
    report: Report
    where: Where
    exclusive: bool
    options: Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a job.

    `misplaced`: it measures time or memory and has to be done again, alone.
    """

    triage: Triage
    kin: Kin
    misplaced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a job ended: with an answer, or `died` says what became of its worker.

    `lost`: the machine went away with it, which says nothing about the job.
    """

    item: int
    seconds: float
    answer: Answer | None = None
    died: str = ""
    lost: bool = False


class Busy(Protocol):
    """A worker, as far as jobs are handed out: what it does, and on which build it worked last."""

    job: Job | None
    last: Where | None


Worker = TypeVar("Worker", bound=Busy)


def chosen(workers: Sequence[Worker], job: Job, slots: int) -> Worker | None:
    """The free worker for a job, best one that has its build open; None: start another one."""
    free = [worker for worker in workers if worker.job is None]
    suited = [worker for worker in free if worker.last == job.where]
    if not suited and len(workers) < slots:
        return None
    return (suited or free)[0]


Work = Callable[[Job], Answer]
"""What a worker does; it is made once per worker, by a factory that can be pickled."""


class Executor(Protocol):
    """A context manager around workers; used by one thread.

    A job's worker may die: its outcome says so, and another worker takes the next job.
    """

    @property
    def slots(self) -> int:
        """How many jobs may be under way."""

    def __enter__(self) -> Self:
        """Ready for jobs."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End all workers at once; what they were doing is lost."""

    @property
    def running(self) -> frozenset[int]:
        """The items of jobs without an outcome."""

    def submit(self, job: Job) -> None:
        """Hand a job to a free worker; there must be one."""

    def outcomes(self, timeout: float) -> list[Outcome]:
        """What has ended, waiting for it up to `timeout` seconds."""
