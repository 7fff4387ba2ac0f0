"""Which values belong to one evaluation of a check: its outcome and what it compares.

In: the points of a case and the values of a run, in the order of evaluation. Out: `Evaluation`s.
A check in a function is evaluated as often as that is called, and one that raises has no outcome,
so that outcomes and operands do not correspond by number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analysis.target.watch import Point
from citadel.oracle.value import Spot, Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One evaluation of a check; `caught` if it raised, and the case went on."""

    check: Spot | None
    operands: tuple[Spot, ...]
    caught: bool


def evaluations(
    point: Point, points: Sequence[Point], values: Values, *, asserts: bool
) -> Iterator[Evaluation]:
    """The evaluations of a check, also of those that raised instead.

    `asserts` says whether an assertion ended the run: then the last one that has no outcome did.
    """
    inner = [one.number for one in points if one.parent == point.number]
    have: dict[int, Spot] = {}
    done = 0
    for spot in values:
        if spot.point in inner:
            if spot.point in have and len(have) == len(inner):
                yield Evaluation(check=None, operands=_in_order(have), caught=True)
                have = {}
            have[spot.point] = spot
        elif spot.point == point.number:
            done = spot.occurrence
            yield Evaluation(check=spot, operands=_in_order(have), caught=False)
            have = {}
    if inner and len(have) == len(inner):
        last = Spot(point=point.number, occurrence=done + 1)
        caught = not asserts
        yield Evaluation(check=last, operands=_in_order(have), caught=caught)


def _in_order(spots: Mapping[int, Spot]) -> tuple[Spot, ...]:
    return tuple(spots[point] for point in sorted(spots))
