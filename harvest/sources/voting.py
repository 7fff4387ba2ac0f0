"""Who of several executions is wrong: the one that two others, which agree, disagree with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """`odd` are voted out by `majority`; where nobody has one, both are empty."""

    odd: tuple[str, ...] = ()
    majority: tuple[str, ...] = ()

    @property
    def unanimous(self) -> bool:
        """Whether all agree."""
        return bool(self.majority) and not self.odd


def vote(found: Mapping[str, _T], agree: Callable[[_T, _T], bool]) -> Vote:
    """The majority of three or more; a tie, or two that differ, is unknown.

    Agreement within a tolerance is not transitive: a majority agrees with one of its members.
    """
    names = tuple(found)
    camps = (
        tuple(other for other in names if other == name or agree(found[name], found[other]))
        for name in names
    )
    best = max(camps, key=len, default=())
    if 2 * len(best) <= len(names):
        return Vote()
    return Vote(majority=best, odd=tuple(name for name in names if name not in best))
