"""Replays generated cases on several sessions at once, while the probe is still walking."""

from __future__ import annotations

import heapq
import itertools
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

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
        # Counted as they come and go: others ask after every attempt.
        self._unfinished = 0
        self._first_turns = 0
        self._ended: queue.SimpleQueue[Future[Finding | None]] = queue.SimpleQueue()
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
            future = self._pool.submit(self._run)
            self._pending.add(future)
            future.add_done_callback(self._ended.put)
            self._unfinished += 1
            self._first_turns += not turn
            return True

    def waiting(self) -> int:
        """How many have not ended; may be asked in any thread."""
        with self._lock:
            return self._unfinished

    def ahead(self) -> int:
        """How many of the first turn wait to begin."""
        with self._lock:
            return self._first_turns

    def finished(self) -> Iterator[Finding]:
        """What has ended since the last call; does not wait."""
        yield from self._take()

    def rest(self, deadline: float) -> Iterator[Finding]:
        """What is still to end, until the deadline (`time.monotonic()`)."""
        while (left := deadline - time.monotonic()) > 0:
            with self._lock:
                if not self._pending:
                    return
            yield from self._take(left)

    def cancel(self) -> int:
        """Drop what has not begun, wait for what has; returns how many were dropped.

        What has ended is still to be had from `finished`.
        """
        with self._lock:
            self._closed = True
            dropped = {future for future in self._pending if future.cancel()}
            self._pending -= dropped
            self._unfinished -= len(dropped)
        self._pool.shutdown(wait=True, cancel_futures=True)
        return len(dropped)

    def _take(self, patience: float = 0.0) -> Iterator[Finding]:
        """What has ended; for the first of it, wait so many seconds."""
        while True:
            try:
                future = self._ended.get(block=patience > 0, timeout=patience or None)
            except queue.Empty:
                return
            patience = 0.0
            with self._lock:
                if future not in self._pending:
                    continue  # it was dropped
                self._pending.remove(future)
            found = future.result()
            if found is not None:
                yield found

    def _run(self) -> Finding | None:
        session = self._free.get()
        with self._lock:
            (turn, _), _, job = heapq.heappop(self._waiting)
            self._first_turns -= not turn
        try:
            return job(session)
        finally:
            self._free.put(session)
            with self._lock:
                self._unfinished -= 1
