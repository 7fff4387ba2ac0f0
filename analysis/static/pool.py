"""Parse files in worker processes that may die.

In: jobs. Out: pairs of a job's position and what its file yielded, as they come. Workers are
fresh interpreters (no fork of a threaded parent, no second run of the caller's main module). Each
gets a batch of files at a time and answers them at once, which is cheaper than one by one. When it
dies, the files of its batch are tried again one by one, and the one at which a worker dies alone is
to blame. Ctrl-C reaches only the parent, which ends the workers on its way out.
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
from analysis.static.worker import Job, Parsed, decode, skipped

BATCH = 8
AHEAD = 2
"""Batches that a worker has at a time: one to work on, one so that it need not wait."""

FILE_SECONDS = 30
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from analysis.static.worker import serve; serve(int(sys.argv[2]), int(sys.argv[3]))"
)


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    connection: Connection
    batches: deque[list[int]] = field(default_factory=deque)
    ready: bool = False


class Pool:
    """Worker processes, alive within a `with` block; they start when they are needed.

    Args:
        workers: how many at most, at least 1.
        seconds: the longest a file may take (default: `FILE_SECONDS`).
    """

    def __init__(self, workers: int, *, seconds: int | None = None) -> None:
        self._seconds = FILE_SECONDS if seconds is None else seconds
        self._workers: list[_Worker] = []
        self._size = max(1, workers)

    def __enter__(self) -> Pool:
        return self

    def start(self, wanted: int) -> None:
        """Start workers until there are so many, or as many as may be; does not wait for them."""
        while len(self._workers) < min(wanted, self._size):
            self._workers.append(self._start())

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
        self.start(len(jobs))
        size = max(1, min(BATCH, len(jobs) // (AHEAD * self._size)))
        waiting = deque(
            list(range(at, min(at + size, len(jobs)))) for at in range(0, len(jobs), size)
        )
        left = len(jobs)
        while left:
            for worker in self._workers:
                self._feed(worker, jobs, waiting)
            for connection in wait([worker.connection for worker in self._workers]):
                worker = next(w for w in self._workers if w.connection is connection)
                for answer in self._answers(worker, waiting):
                    left -= 1
                    yield answer

    def _feed(self, worker: _Worker, jobs: Sequence[Job], waiting: deque[list[int]]) -> None:
        while worker.ready and waiting and len(worker.batches) < AHEAD:
            batch = waiting.popleft()
            worker.batches.append(batch)
            with contextlib.suppress(OSError):  # it has died, which reading from it will tell
                worker.connection.send([tuple(jobs[position]) for position in batch])

    def _answers(self, worker: _Worker, waiting: deque[list[int]]) -> list[tuple[int, Parsed]]:
        try:
            message = worker.connection.recv_bytes()
        except (EOFError, OSError):
            return self._bury(worker, waiting)
        if not worker.ready:
            worker.ready = True
            return []
        found = map(decode, message.split(b"\n"))
        return list(zip(worker.batches.popleft(), found, strict=True))

    def _bury(self, worker: _Worker, waiting: deque[list[int]]) -> list[tuple[int, Parsed]]:
        """Replace a dead worker; its batches wait again, the one that it was at in single files."""
        status = worker.process.wait()
        worker.connection.close()
        if not worker.ready:
            message = f"the processes that parse sources do not start (status {status})"
            raise CitadelError(message, "reinstall Citadel into an environment of its own")
        self._workers[self._workers.index(worker)] = self._start()
        if not worker.batches:
            return []
        batch, *later = worker.batches
        waiting.extendleft(reversed(later))
        if len(batch) > 1:
            waiting.extendleft([position] for position in reversed(batch))
            return []
        slow = status == -signal.SIGALRM
        return [(batch[0], skipped(Skip.TOO_SLOW if slow else Skip.DIED))]

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
