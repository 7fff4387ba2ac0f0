"""Replays generated cases on several sessions at once, while the probe is still walking."""

from __future__ import annotations

import heapq
import itertools
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from analysis.target.session import Session
from citadel.model import Finding

Job = Callable[[Session], Finding]


class Replays:
    """A pool with one thread per session; findings come back in the order in which they end."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._pool = ThreadPoolExecutor(len(sessions))
        self._free: queue.SimpleQueue[Session] = queue.SimpleQueue()
        for session in sessions:
            self._free.put(session)
        self._pending: set[Future[Finding]] = set()
        self._lock = threading.Lock()
        self._waiting: list[tuple[int, int, Job]] = []
        self._count = itertools.count()

    def submit(self, job: Job, rank: int = 0) -> None:
        """Replay as soon as a session is free and no job of a lower rank waits.

        Several probes tell what they found: a far sibling may be known before a near one.
        """
        with self._lock:
            heapq.heappush(self._waiting, (rank, next(self._count), job))
        self._pending.add(self._pool.submit(self._run))

    def waiting(self) -> int:
        """How many have not ended; may be asked in any thread."""
        return sum(not future.done() for future in tuple(self._pending))

    def finished(self) -> Iterator[Finding]:
        """What has ended since the last call; does not wait."""
        yield from self._take({future for future in self._pending if future.done()})

    def rest(self, deadline: float) -> Iterator[Finding]:
        """What is still to end, until the deadline (`time.monotonic()`)."""
        while self._pending and (left := deadline - time.monotonic()) > 0:
            yield from self._take(wait(self._pending, left, FIRST_COMPLETED).done)

    def cancel(self) -> int:
        """Drop what has not begun, wait for what has; returns how many were dropped.

        What has ended is still to be had from `finished`.
        """
        dropped = {future for future in self._pending if future.cancel()}
        self._pending -= dropped
        self._pool.shutdown(wait=True, cancel_futures=True)
        return len(dropped)

    def _take(self, done: set[Future[Finding]]) -> Iterator[Finding]:
        self._pending -= done
        for future in done:
            yield future.result()

    def _run(self) -> Finding:
        session = self._free.get()
        with self._lock:
            job = heapq.heappop(self._waiting)[2]
        try:
            return job(session)
        finally:
            self._free.put(session)
