"""Replays generated cases on several sessions at once, while the probe is still walking."""

from __future__ import annotations

import queue
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

    def submit(self, job: Job) -> None:
        """Replay as soon as a session is free."""
        self._pending.add(self._pool.submit(self._run, job))

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

    def _run(self, job: Job) -> Finding:
        session = self._free.get()
        try:
            return job(session)
        finally:
            self._free.put(session)
