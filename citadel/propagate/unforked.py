"""Probe plans where nothing can be forked: process after process, each behind what ended the last.

In: what starts such a process, and how many plans there are. Out: an event per plan, those of plans
that took their process with them included.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from analysis.target.observation import Observation, Outcome

OnEvent = Callable[[dict[str, Any]], None]
_WATCHDOG = re.compile(r"^Timeout \(\d+:\d\d:\d\d", re.MULTILINE)
"""What the interpreter's own watchdog writes when it ends a process."""


class Reached:
    """Passes on the events of one process, and keeps how far it has come."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event
        self.first: int | None = None
        self.begun: int | None = None
        self.known = False
        """Whether it has told what became of the plan that it began last."""
        self.ended = False
        self.left: int | None = None

    def told(self, event: dict[str, Any]) -> None:
        """An event of the process."""
        kind, number = event.get("e"), event.get("i")
        if kind == "begun" and type(number) is int:
            self.first = number if self.first is None else self.first
            self.begun, self.known = number, False
        elif kind == "probe":
            self.known = self.known or number == self.begun
        elif kind == "left":
            self.ended = True
            self.left = number if type(number) is int else None
        self._on_event(event)


def one_by_one(
    run: Callable[[int, float, OnEvent], Observation],
    plans: int,
    on_event: OnEvent,
    deadline: float,
) -> Observation:
    """Try all plans until the deadline (`time.monotonic()`); `run` tries those from a number on in
    one process.

    What a process dies of is tried again as the first of another one: an earlier plan may have done
    the damage. What takes too long is not. A process that does not come as far as the call gets a
    second chance where an earlier one did. Returns what was seen of the last process.
    """
    start, failed = 0, False
    while True:
        reached = Reached(on_event)
        ended = run(start, deadline, reached.told)
        if reached.begun is None and not reached.ended:
            if failed or not start or time.monotonic() > deadline:
                return ended
            failed = True
            continue
        following = reached.left if reached.ended else _behind(reached, ended)
        if not reached.ended and not reached.known and following != reached.begun:
            on_event({"e": "probe", "i": reached.begun, **_death(ended)})
        if following is None or not start < following < plans or time.monotonic() > deadline:
            return ended
        start, failed = following, False


def _behind(reached: Reached, ended: Observation) -> int:
    """The plan to go on with where a process has died."""
    begun = reached.begun or 0
    again = not reached.known and begun != reached.first and _death(ended)["o"] != "timeout"
    return begun if again else begun + 1


def _death(ended: Observation) -> dict[str, Any]:
    """What became of the plan at which a process has ended, as the probe tells of one."""
    if ended.outcome is Outcome.TIMEOUT or _WATCHDOG.search(ended.stderr):
        return {"o": "timeout"}
    if ended.outcome is Outcome.SIGNAL:
        return {"o": "signal", "code": ended.code}
    return {"o": "exit", "code": ended.code}
