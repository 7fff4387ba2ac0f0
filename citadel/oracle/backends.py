"""One backend of Keras against another: the same text, run on both, should show the same.

A run is then two in one observation, as for versions (`citadel.oracle.versions`): what the other
backend shows has numbers of its own, so that an oracle may compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from analysis.target.observation import Observation
from analysis.target.session import Limits, Session
from analysis.target.watch import Point, Role
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.numbers import elements
from citadel.oracle.value import Spot, ValueOracle, shows, unlike, values_of
from citadel.oracle.versions import APART, both


class Runs(Protocol):
    """What runs a case: a session, or two of them."""

    def run(
        self,
        code: str,
        *,
        traced: str | None = None,
        limits: Limits | None = None,
        seed: int = 0,
        entry: str = "case:run",
        arguments: dict[str, Any] | None = None,
    ) -> Observation:
        """One run of a case (`analysis.target.session.Session.run`)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OnBoth:
    """Runs a case on the backend under test, and what it shows on another one beside it."""

    here: Runs
    there: Runs

    def run(
        self,
        code: str,
        *,
        traced: str | None = None,
        limits: Limits | None = None,
        seed: int = 0,
        entry: str = "case:run",
        arguments: dict[str, Any] | None = None,
    ) -> Observation:
        """One run on each. How it ends, and its calls, are those of the backend under test."""
        one, other = (
            runner.run(
                code, traced=traced, limits=limits, seed=seed, entry=entry, arguments=arguments
            )
            for runner in (self.here, self.there)
        )
        return both(one, other)


def runner(session: Session, oracle: ValueOracle) -> Runs:
    """What an oracle needs its cases to be run by."""
    if not oracle.beside or session.beside is None:
        return session
    return OnBoth(here=session, there=session.beside.session)


def differences(
    points: Sequence[Point], runs: Sequence[Observation], name: str
) -> tuple[ValueOracle, ...]:
    """What is shown, differs between the backends, and is the same in each run on either.

    `runs` are of both (`OnBoth`) with seeds of their own; `name` is the other backend's.
    """
    first, *others = (values_of(seen) for seen in runs)
    numbers = [spot for spot, value in first.items() if _of_numbers(value)]
    shown = (s for s in numbers if s.point < len(points) and points[s.point].role is Role.SHOWN)
    found = [
        ValueOracle(
            kind=SymptomKind.DISAGREES,
            spots=(spot, Spot(point=spot.point + APART, occurrence=spot.occurrence)),
            beside=name,
            why=f"the {name} backend shows another value",
        )
        for spot in shown
    ]
    return tuple(
        oracle
        for oracle in found
        if shows(oracle, runs[0], first) is True
        and not any(True in unlike(oracle, first, other) for other in others)
    )


def _of_numbers(value: Value) -> bool:
    """Whether a value is of numbers: dtypes, devices and names are each backend's own."""
    return value.numbers is not None or elements(value) is not None
