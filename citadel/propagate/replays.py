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

Job = Callable[[Session], Finding | None]


class Replays:
    """A pool with one thread per session; findings come back in the order in which they end.

    Jobs may submit others while they run, and give nothing themselves.
    """

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._pool = ThreadPoolExecutor(len(sessions))
        self._free: queue.SimpleQueue[Session] = queue.SimpleQueue()
        for session in sessions:
            self._free.put(session)
        self._pending: set[Future[Finding | None]] = set()
        self._lock = threading.Lock()
        self._waiting: list[tuple[tuple[int, int], int, Job]] = []
        self._count = itertools.count()
        self._closed = False

    def submit(self, job: Job, rank: int = 0, turn: int = 0) -> bool:
        """Replay as soon as a session is free and no job of an earlier turn, or of the same and a
        lower rank, waits; False after `cancel`.

        Several probes tell what they found: a far sibling may be known before a near one.
        """
        with self._lock:
            if self._closed:
                return False
            heapq.heappush(self._waiting, ((turn, rank), next(self._count), job))
            self._pending.add(self._pool.submit(self._run))
            return True

    def waiting(self) -> int:
        """How many have not ended; may be asked in any thread."""
        with self._lock:
            return sum(not future.done() for future in self._pending)

    def ahead(self) -> int:
        """How many of the first turn wait to begin."""
        with self._lock:
            return sum(not turn for (turn, _), _, _ in self._waiting)

    def finished(self) -> Iterator[Finding]:
        """What has ended since the last call; does not wait."""
        yield from self._take()

    def rest(self, deadline: float) -> Iterator[Finding]:
        """What is still to end, until the deadline (`time.monotonic()`)."""
        while (left := deadline - time.monotonic()) > 0:
            with self._lock:
                pending = tuple(self._pending)
            if not pending:
                return
            wait(pending, left, FIRST_COMPLETED)
            yield from self._take()

    def cancel(self) -> int:
        """Drop what has not begun, wait for what has; returns how many were dropped.

        What has ended is still to be had from `finished`.
        """
        with self._lock:
            self._closed = True
            dropped = {future for future in self._pending if future.cancel()}
            self._pending -= dropped
        self._pool.shutdown(wait=True, cancel_futures=True)
        return len(dropped)

    def _take(self) -> Iterator[Finding]:
        with self._lock:
            done = {future for future in self._pending if future.done()}
            self._pending -= done
        for future in done:
            found = future.result()
            if found is not None:
                yield found

    def _run(self) -> Finding | None:
        session = self._free.get()
        with self._lock:
            job = heapq.heappop(self._waiting)[2]
        try:
            return job(session)
        finally:
            self._free.put(session)
