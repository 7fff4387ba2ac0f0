"""A pool with one thread per session, whose work is handed out and gathered step by step."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from time import monotonic
from typing import TypeVar

from analysis.target.session import Session

T = TypeVar("T")
TICK = 0.2
"""Seconds after which Ctrl-C is noticed."""


class Pool:
    """Runs jobs, each with a session of its own, in the order in which they were submitted."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._threads = ThreadPoolExecutor(max(1, len(sessions)))
        self._free: queue.SimpleQueue[Session] = queue.SimpleQueue()
        for session in sessions:
            self._free.put(session)

    def submit(self, job: Callable[[Session], T]) -> Future[T]:
        """Run a job as soon as a session is free."""
        return self._threads.submit(self._run, job)

    def close(self) -> None:
        """Drop what has not begun; wait for what has, since others need the sessions."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Callable[[Session], T]) -> T:
        session = self._free.get()
        try:
            return job(session)
        finally:
            self._free.put(session)


def as_they_end(futures: Sequence[Future[T]], deadline: float) -> Iterator[Future[T]]:
    """The futures, each once it has ended.

    From the deadline (`time.monotonic()`) on those that have not begun are cancelled, and left out.
    """
    left = set(futures)
    while left:
        if monotonic() >= deadline:
            left -= {one for one in left if one.cancel()}
        ended, left = wait(left, timeout=TICK, return_when=FIRST_COMPLETED)
        yield from (one for one in futures if one in ended)
