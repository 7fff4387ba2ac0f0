"""A confirmed suspect -> what is to be told of it: who is to blame, a known limit, or a case.

What all sources have in common that run layers of Keras, once a layer alone shows something.
"""

from __future__ import annotations

from dataclasses import dataclass

from harvest.sources.backends import Backends
from harvest.sources.handover import Handed, hand_over
from harvest.sources.known_limits import OVERFLOW, limit_of
from harvest.sources.model import HitKind
from harvest.sources.parts import narrowed
from harvest.sources.suspects import SECONDS, Confirmed, confirm, reduce


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The suspect made small, and the limit that explains it, "" if none does.

    `larger` is the same before it was made small.
    """

    small: Confirmed
    larger: Confirmed
    limit: str


def settle(backends: Backends, found: Confirmed, seconds: float = SECONDS) -> Settled:
    """Find the part that is to blame, make it small, and look among the known limits."""
    larger = narrowed(backends, found)
    small = reduce(backends, larger, seconds)
    limit = limit_of(small.suspect.kind, dict(small.suspect.config), small.judgement)
    return Settled(small=small, larger=larger, limit=limit or _overflow(backends, small))


def handed(backends: Backends, settled: Settled, measured: str) -> Handed:
    """The case, unless a limit explains it; `measured` says what was measured, for who reads it."""
    if settled.limit:
        return Handed(case=None)
    return hand_over(backends, settled.small, measured, settled.larger)


def _overflow(backends: Backends, small: Confirmed) -> str:
    """The limit of NaN that only large numbers lead to."""
    if small.given is None or small.judgement.kind is not HitKind.NON_FINITE:
        return ""
    again = confirm(backends, small.suspect, given=small.given.scaled())
    return OVERFLOW if again is None else ""
