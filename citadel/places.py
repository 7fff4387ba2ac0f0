"""Where a case was run beside the build that it is of, and what it said there.

A place is a way to run it on that build (eager, compiled by one compiler), a backend, or another
release.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise


class State(StrEnum):
    """What a case says of a place."""

    BAD = "bad"
    """It fails as recorded, and its control does not."""
    GOOD = "good"
    OTHERWISE = "fails otherwise"
    LACKS = "has no such API"
    UNSURE = "control fails, too"
    """Or runs that measure do not agree."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place by name ("inductor", "2.9.1"), what the case says of it, and what was seen, in one
    line for people."""

    name: str
    state: State
    seen: str

    def to_json(self) -> dict[str, str]:
        """For the JSON document."""
        return {"name": self.name, "state": str(self.state), "seen": self.seen}


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """What became of a case of `api` in other ways to run it, and in other releases, in order."""

    api: str = ""
    ways: tuple[Place, ...] = ()
    releases: tuple[Place, ...] = ()


NOWHERE = Elsewhere()


def by_state(places: Sequence[Place]) -> str:
    """Which places say what: "bad in eager, aot_eager; good in inductor"."""
    found: dict[State, list[str]] = {}
    for one in places:
        found.setdefault(one.state, []).append(one.name)
    return "; ".join(f"{state} in {', '.join(names)}" for state, names in found.items())


def release_order(version: str) -> tuple[tuple[int, ...], bool]:
    """Versions in their order: 1.13.1 before 2.9, and what comes before a release before it.

    >>> release_order("2.13.0rc1") < release_order("2.13.0+cpu")
    True
    >>> release_order("2.9.1") < release_order("2.13.0.dev1")
    True
    """
    release = re.match(r"[\d.]*\d", version)
    numbers = release[0] if release else "0"
    return tuple(map(int, numbers.split("."))), re.search(r"\d(rc|a|b|\.dev)", version) is None


def turns(releases: Sequence[Place]) -> str:
    """Between which releases it became wrong, or right; of releases in their order."""
    told = [one for one in releases if one.state in (State.BAD, State.GOOD)]
    if not told:
        return "no build says whether the bug is there"
    found = [
        f"first {new.state}: {new.name} ({old.state} in {old.name})"
        for old, new in pairwise(told)
        if new.state is not old.state
    ]
    return "; ".join(found) or by_state(told)
