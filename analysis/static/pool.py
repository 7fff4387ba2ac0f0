"""Parse files in worker processes that may die.

In: jobs. Out: pairs of a job's position and what its file yielded, as they come. Workers are
fresh interpreters (no fork of a threaded parent, no second run of the caller's main module). Each
gets a batch of files at a time and answers them one by one; when it dies, the file it was at is
to blame and the rest goes to a new worker. Ctrl-C reaches only the parent, which ends the workers
on its way out.
"""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from types import TracebackType

from analysis.errors import CitadelError
from analysis.static.model import Skip
from analysis.static.worker import Job, Parsed, skipped

BATCH = 8
FILE_SECONDS = 30
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from analysis.static.worker import serve; serve(int(sys.argv[2]), int(sys.argv[3]))"
)


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    connection: Connection
    batch: deque[int] = field(default_factory=deque)
    ready: bool = False


class Pool:
    """Worker processes, alive within a `with` block.

    Args:
        workers: how many, at least 1.
        seconds: the longest a file may take (default: `FILE_SECONDS`).
    """

    def __init__(self, workers: int, *, seconds: int | None = None) -> None:
        self._seconds = FILE_SECONDS if seconds is None else seconds
        self._workers: list[_Worker] = []
        self._size = max(1, workers)

    def __enter__(self) -> Pool:
        try:
            self._workers = [self._start() for _ in range(self._size)]
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Parsed]]:
        """Parse all files; yields (position of the job, what it yielded) in any order.

        Raises:
            CitadelError: when workers do not start at all.
        """
        waiting = deque(range(len(jobs)))
        left = len(jobs)
        while left:
            for worker in self._workers:
                if worker.ready:
                    self._feed(worker, jobs, waiting)
            for connection in wait([worker.connection for worker in self._workers]):
                worker = next(w for w in self._workers if w.connection is connection)
                answer = self._answer(worker, waiting)
                if answer is not None:
                    left -= 1
                    yield answer

    def _feed(self, worker: _Worker, jobs: Sequence[Job], waiting: deque[int]) -> None:
        """Keep a worker supplied: the next batch goes out before it is done with the last."""
        if len(worker.batch) > BATCH // 2 or not waiting:
            return
        batch = [waiting.popleft() for _ in range(min(BATCH, len(waiting)))]
        worker.batch.extend(batch)
        with contextlib.suppress(OSError):  # it has died, which reading from it will tell
            worker.connection.send([tuple(jobs[position]) for position in batch])

    def _answer(self, worker: _Worker, waiting: deque[int]) -> tuple[int, Parsed] | None:
        try:
            message = worker.connection.recv()
        except (EOFError, OSError):
            return self._bury(worker, waiting)
        if not worker.ready:
            worker.ready = True
            return None
        return worker.batch.popleft(), Parsed(*message)

    def _bury(self, worker: _Worker, waiting: deque[int]) -> tuple[int, Parsed] | None:
        """Replace a dead worker; what it was at is skipped, the rest of its batch waits again."""
        status = worker.process.wait()
        worker.connection.close()
        if not worker.ready:
            message = f"the processes that parse sources do not start (status {status})"
            raise CitadelError(message, "reinstall Citadel into an environment of its own")
        self._workers[self._workers.index(worker)] = self._start()
        if not worker.batch:
            return None
        blamed, *rest = worker.batch
        waiting.extendleft(reversed(rest))
        slow = status == -signal.SIGALRM
        return blamed, skipped(Skip.TOO_SLOW if slow else Skip.DIED)

    def _start(self) -> _Worker:
        ours, theirs = socket.socketpair()
        arguments = [json.dumps(sys.path), str(theirs.fileno()), str(self._seconds)]
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-c", _START, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        return _Worker(process, Connection(ours.detach()))

    def _end(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.wait()
            worker.connection.close()
        self._workers = []
