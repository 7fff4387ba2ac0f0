"""The executor of one machine: persistent processes of our own interpreter, one job each at a time.

In: a factory of what a worker does. A worker that dies, or takes far too long, is replaced and its
job's outcome says what happened. All end with the hunt, however that ends: the kernel kills them
when their parent is gone.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import TracebackType
from typing import Self

from analysis.target.observation import signal_name
from citadel.hunt.executor import Answer, Job, Outcome, Where, Work, chosen

MOST_SECONDS = 3600.0
"""A job takes no longer, whatever its own limits come to."""
_PR_SET_PDEATHSIG = 1


class LocalPool:
    """See `Executor`; workers start with their first job."""

    def __init__(
        self, factory: Callable[[], Work], jobs: int, *, most_seconds: float = MOST_SECONDS
    ) -> None:
        self.slots = jobs
        self._factory = factory
        self._most_seconds = most_seconds
        self._workers: list[_Process] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.kill()
        self._workers.clear()

    @property
    def running(self) -> frozenset[int]:
        """The items of jobs without an outcome."""
        return frozenset(w.job.item for w in self._workers if w.job is not None)

    def submit(self, job: Job) -> None:
        """Hand a job to a free worker, best to one that has its build open."""
        worker = chosen(self._workers, job, self.slots)
        if worker is None:
            worker = _Process(self._factory)
            self._workers.append(worker)
        worker.give(job)

    def outcomes(self, timeout: float) -> list[Outcome]:
        """What has ended, waiting for it up to `timeout` seconds."""
        busy = {w.connection: w for w in self._workers if w.job is not None}
        if not busy:
            return []
        ready = wait(list(busy), timeout)
        heard = [busy[one].heard() for one in ready if isinstance(one, Connection)]
        ended = [outcome for outcome in heard if outcome is not None]
        late = [
            worker.overdue()
            for worker in busy.values()
            if worker.job is not None and time.monotonic() - worker.since > self._most_seconds
        ]
        self._workers = [worker for worker in self._workers if worker.alive]
        return [*ended, *late]


class _Process:
    """One worker: its process, our end of the pipe, a folder for its temporary files."""

    def __init__(self, factory: Callable[[], Work]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.folder = tempfile.mkdtemp(prefix="citadel-hunt-")
        self.process: SpawnProcess = context.Process(
            target=_serve, args=(theirs, factory, self.folder, os.getpid())
        )
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.last: Where | None = None
        self.since = 0.0
        self.alive = True

    def give(self, job: Job) -> None:
        """Send a job; that the worker is gone shows when its outcome is asked for."""
        self.job, self.last, self.since = job, job.where, time.monotonic()
        with contextlib.suppress(OSError):
            self.connection.send(job)

    def heard(self) -> Outcome | None:
        """The outcome of the job that ended, or of the worker; None where the job has begun."""
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            return self._died(_how(self.process.exitcode))
        if answer is None:
            self.since = time.monotonic()  # starting the worker is no part of it
            return None
        return self._outcome(answer=answer)

    def overdue(self) -> Outcome:
        """End a worker whose job takes far too long."""
        return self._died("took too long")

    def kill(self) -> None:
        """End the process and what it started, and remove its files."""
        self.alive = False
        self.process.kill()
        self.process.join()
        self.connection.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _died(self, how: str) -> Outcome:
        self.kill()
        return self._outcome(died=how)

    def _outcome(self, answer: Answer | None = None, died: str = "") -> Outcome:
        assert self.job is not None  # noqa: S101 - only busy workers are asked
        item, self.job = self.job.item, None
        return Outcome(item=item, seconds=time.monotonic() - self.since, answer=answer, died=died)


def _how(code: int | None) -> str:
    if code is not None and code < 0:
        return f"its worker was killed by {signal_name(-code)}"
    return f"its worker ended with status {code}"


def _serve(connection: Connection, factory: Callable[[], Work], folder: str, parent: int) -> None:
    """The worker process: answer jobs until the pipe ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        return
    # Ctrl-C is for the hunt, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tempfile.tempdir = folder
    work = factory()
    with contextlib.suppress(EOFError, OSError):
        while True:
            job = connection.recv()
            connection.send(None)
            connection.send(work(job))
