"""Probe plans where nothing can be forked: process after process, each behind what ended the last.

In: what starts such a process, and how many plans there are. Out: an event per plan, those of plans
that took their process with them included.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

from analysis.target.observation import Observation, Outcome

OnEvent = Callable[[dict[str, Any]], None]


class Reached:
    """Passes on the events of one process, and keeps how far it has come."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event
        self.begun: int | None = None
        self.left: int | None = None
        self.ended = False

    def told(self, event: dict[str, Any]) -> None:
        """An event of the process."""
        kind, number = event.get("e"), event.get("i")
        if kind == "begun" and type(number) is int:
            self.begun = number
        elif kind == "left":
            self.ended = True
            self.left = number if type(number) is int else None
        self._on_event(event)


def one_by_one(
    run: Callable[[int, float, OnEvent], Observation],
    plans: int,
    on_event: OnEvent,
    seconds: float,
) -> Observation:
    """Try all plans; `run` tries those from a number on in one process, in so many seconds.

    What a process dies of is tried again as the first of another one: an earlier plan may have done
    the damage. What takes too long is not. Returns what was seen of the last process.
    """
    deadline = time.monotonic() + seconds
    start = 0
    while True:
        reached = Reached(on_event)
        ended = run(start, max(1.0, deadline - time.monotonic()), reached.told)
        following = _following(start, reached, ended)
        if following is None:
            return ended
        if not reached.ended and following != reached.begun:
            on_event({"e": "probe", "i": reached.begun, **_death(ended)})
        if not start < following < plans or time.monotonic() > deadline:
            return ended
        start = following


def _following(start: int, reached: Reached, ended: Observation) -> int | None:
    """The plan to go on with; None behind the last one, or where the process has not come as far
    as the call."""
    if reached.ended:
        return reached.left
    if reached.begun is None:
        return None
    alone = reached.begun == start or _death(ended)["o"] == "timeout"
    return reached.begun + 1 if alone else reached.begun


def _death(ended: Observation) -> dict[str, Any]:
    """What became of the plan at which a process has ended, as the probe tells of one."""
    if ended.outcome is Outcome.TIMEOUT or ended.signal == signal.SIGALRM.name:
        return {"o": "timeout"}
    if ended.outcome is Outcome.SIGNAL:
        return {"o": "signal", "code": ended.code}
    return {"o": "exit", "code": ended.code}
