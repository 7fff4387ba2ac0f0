"""Two values that one API gives for other numbers, and that should agree all the same: a law.

`cdist(x / s, y / s) * s` is `cdist(x, y)`, as distances go; `exp` keeps no such law. Whoever keeps
it for numbers of another size, as the source does, has the bug where it does not for the report's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.target.observation import Call
from analysis.values import Value
from citadel.oracle.numbers import elements, largest
from citadel.oracle.value import ValueOracle, shows, values_of
from citadel.verify.guards import Rerun, beside, told

FACTORS = (1e-3, 1e3, 1e-6, 1e6, 1e-12, 1e12)
"""What the inputs are multiplied by, one after the other, to see whether the law holds then."""
SEVERAL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """`factor`: what all inputs are times where the source keeps it; None: it never does."""

    factor: float | None


def law(
    again: Rerun, oracle: ValueOracle, calls: Sequence[Call], own: Sequence[bool | None]
) -> Law | None:
    """What is compared, if both values are the API's and it is given other numbers for each."""
    if not (oracle.paired and all(own)):
        return None
    alike = {one.like(other) for one, other in beside(told(again, calls))}
    if alike != {False}:
        return None
    return Law(factor=next((one for one in FACTORS if keeps(again, oracle, calls, one)), None))


def keeps(again: Rerun, oracle: ValueOracle, calls: Sequence[Call], factor: float) -> bool:
    """Whether the two agree with all inputs of these calls times `factor`, and say something: of
    large numbers much is 1 or -1, of small ones 0."""
    seen = again.run("perturb:scaled", calls, factor=factor)
    found = values_of(seen)
    shown = [found[spot] for spot in oracle.spots if spot in found]
    telling = any(map(largest, shown)) and not any(map(_of_few, shown))
    return telling and shows(oracle, seen, found) is False


def _of_few(value: Value) -> bool:
    """Whether several numbers are of one or two sizes only."""
    numbers = elements(value) or ()
    return len(numbers) >= SEVERAL and len({abs(number) for number in numbers}) < SEVERAL
