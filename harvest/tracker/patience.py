"""Asks again where that helps: rate limits are waited out, passing trouble is met with patience.

In: a request as a function that raises `Passing`. Out: its answer, or the error that made us give
up. Whoever watches is told what is waited for, and how long still, second by second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from analysis.errors import CitadelError

Answer = TypeVar("Answer")
ATTEMPTS = 8
"""Failures in a row after which a tracker counts as out of order."""
LONGEST = 60.0
"""Seconds between two attempts at most; limits say themselves how long they take."""


class Passing(Exception):
    """A failure that may be over later.

    `seconds` is how long the tracker asks to wait (None: it does not say); `limit` that the reason
    is a rate limit, which always ends; `smaller` that a smaller request may be answered.
    """

    def __init__(
        self,
        reason: str,
        *,
        seconds: float | None = None,
        limit: bool = False,
        smaller: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds
        self.limit = limit
        self.smaller = smaller


def _silent(_reason: str, _done: float, _total: float) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How to wait. `tell(reason, seconds waited, seconds in all)` is called while waiting.

    `longest_limit` is how long a rate limit is waited for at most: a night's harvest has time, a
    person who asks for one issue has not. `instead` is what to do where nothing helps.
    """

    tell: Callable[[str, float, float], None] = _silent
    sleep: Callable[[float], None] = field(default=time.sleep)
    longest_limit: float | None = None
    instead: str = "try again later: what was harvested by now is kept"

    def ask(
        self, request: Callable[[], Answer], failed: Callable[[Passing], None] | None = None
    ) -> Answer:
        """Return the answer of `request`; `failed` may change what the next attempt asks for.

        Raises:
            CitadelError: when the tracker stays out of order, or a limit would take too long.
        """
        failures = 0
        while True:
            try:
                return request()
            except Passing as trouble:
                failures = 0 if trouble.limit else failures + 1
                if failures >= ATTEMPTS:
                    raise CitadelError(
                        f"the tracker does not answer: {trouble.reason}",
                        self.instead,
                    ) from trouble
                if failed is not None:
                    failed(trouble)
                self.wait(trouble, failures)

    def wait(self, trouble: Passing, failures: int) -> None:
        """Wait as long as the trouble asks for, or twice as long as after the failure before.

        Raises:
            CitadelError: when a limit ends later than there is time to wait.
        """
        total = trouble.seconds
        if total is None:
            total = LONGEST if trouble.limit else min(LONGEST, 2.0 ** (failures - 1))
        if trouble.limit and self.longest_limit is not None and total > self.longest_limit:
            raise CitadelError(
                f"{trouble.reason}; it ends in {total / 60:.0f} minutes",
                "set GITHUB_TOKEN, or log in with `gh auth login`: then there is more of it",
            ) from trouble
        done = 0.0
        while done < total:
            self.tell(trouble.reason, done, total)
            step = min(1.0, total - done)
            self.sleep(step)
            done += step
        self.tell(trouble.reason, total, total)
