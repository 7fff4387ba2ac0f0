"""Run one plan inside the interpreter under test; survive what crashes and hangs in it.

A crash costs the pair that caused it: its key is known, since it stood before the pair, and the
plan goes on behind it. The pair is then described by a fresh process that does not run it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from analysis.dynamic.run import reason
from analysis.target.session import Session
from harvest.sources.eagle.finding import Finding

MOST_DEATHS = 60
START_SECONDS = 240.0
"""What a plan may take before its first pair: imports, samples."""
CUT = "signal SIGALRM"
"""How a process ends that takes too long by its own clock."""
Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked of `eagle_run:search`: a plan of the framework's module, and its share.

    `until` is the part of the whole budget that it may use up to, `grace` the seconds in which its
    last pair must end, `least` those that its start and a first pair take; `given` goes to the
    task. Where `once`, an API that has killed its process is done. `preload` are modules that the
    session imports once for all plans.
    """

    name: str
    until: float
    grace: float
    least: float = 0.0
    given: Record = field(default_factory=dict)
    once: bool = False
    preload: tuple[str, ...] = ()


@dataclass(slots=True)
class Progress:
    """Where a plan is."""

    place: tuple[int, int] = (0, 0)
    at: Record | None = None
    started: float | None = None
    begun: bool = False
    spent: float = 0.0
    done: bool = False
    told: list[tuple[str, str, str]] = field(default_factory=list)
    skip: list[str] = field(default_factory=list)

    @property
    def state(self) -> Record:
        """What is remembered between two entries: where it is, what was told, what is left out."""
        return {
            "place": self.place,
            "done": self.done,
            "told": list(self.told),
            "skip": list(self.skip),
        }


def run_plan(
    session: Session,
    plan: Plan,
    seconds: float,
    seed: int,
    tell: Callable[[Record], None],
    *,
    warm: bool = False,
    before: Record | None = None,
) -> Iterator[Finding]:
    """Yield the findings of crashes at once; all other records, findings too, go to `tell`.

    `seconds` of work are allowed; `{"worked": seconds}` is told of each process. The start-up of
    the first one comes on top unless the clock runs already (`warm`); later ones are of the time.
    `{"state": state}` is told between entries: as `before` it lets another search go on there.
    """
    state = Progress(**(before or {}))

    def take(record: Record) -> None:
        if _follow(state, record):
            tell({"state": state.state})
        tell(record)

    for _ in range(MOST_DEATHS):
        left = seconds - state.spent
        if state.done or left <= 0:
            return
        state.started, state.at = time.monotonic() if warm else None, None
        state.begun = False
        arguments = {
            **plan.given,
            **{"plan": plan.name, "draw": seed, "seconds": left, "place": state.place},
            **{"skip": state.skip, "told": state.told, "warm": warm},
        }
        wall = START_SECONDS + left + plan.grace
        outcome = session.task(
            "eagle_run:search", arguments, wall=wall, on_event=take, preload=plan.preload
        )
        if state.started is not None:
            worked = time.monotonic() - state.started
            state.spent += worked
            tell({"worked": worked})
        if not state.begun:
            return  # it cannot even begin; another try would not either
        warm = True
        if outcome.died is None or (outcome.died == CUT and state.spent >= seconds):
            return  # what was cut off by the end of the time is no hang
        if state.at is None:
            state.place = (state.place[0], state.place[1] + 1)  # outside of any pair
            continue
        state.skip.append(state.at["at"])
        if outcome.died.startswith("signal "):
            found = _described(session, plan, seed, state, reason(outcome.died))
            if found is not None:
                if plan.once:
                    state.told.append((found.rule, found.api, ""))
                yield found


def _follow(state: Progress, record: Record) -> bool:
    """Keep up with a record; whether it says that an entry has ended or all have."""
    if "total" in record:
        state.begun = True
        if state.started is None:
            state.started = time.monotonic()
    elif "entry" in record:
        state.place, state.at = (record["round"], record["entry"]), None
        return True
    elif "at" in record:
        state.at = record
    elif "finding" in record:
        found = record["finding"]
        state.told.append((found["rule"], found["api"], "limit" if found["limit"] else ""))
    elif "done" in record:
        state.done = record["done"] == "all"
        return state.done
    return False


def _described(
    session: Session, plan: Plan, seed: int, state: Progress, how: str
) -> Finding | None:
    """The finding of the pair that ended its process."""
    assert state.at is not None  # noqa: S101 - the caller looked
    arguments = {
        **plan.given,
        **{"plan": plan.name, "draw": seed, "place": state.place, "key": state.at["at"]},
    }
    outcome = session.task("eagle_run:describe", arguments, wall=START_SECONDS)
    found = next((one["finding"] for one in outcome.records if "finding" in one), None)
    return None if found is None else Finding.from_json(found, how)
