"""What counts as analogous: the thresholds and the rules of comparison, all settable.

The paper (section 4.5) calls functions analogous when the similarity of their arguments and of
their callees is above thresholds, which it does not name for the static half. Both are inclusive
here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from analysis.errors import CitadelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """Settings of the comparison; thresholds are Jaccard indices and count as reached when equal.

    `arguments`, `callees`: the thresholds, 0 to 1 and above 0 to 1. `least_callees`,
    `least_arguments`: functions with fewer distinct ones are not compared; but a single callee is
    evidence enough where at most `rare` functions call it (0: never). `dimensions`: `conv2d` and
    `conv3d` count as one callee. `stop_list`: checks, casts, containers and tensor metadata are no
    evidence. `complete_linkage`: every two members of a group are similar, else each is similar to
    some other.
    """

    arguments: float | Fraction = 0.5
    callees: float | Fraction = 0.8
    least_callees: int = 2
    least_arguments: int = 2
    dimensions: bool = True
    stop_list: bool = True
    rare: int = 20
    complete_linkage: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.arguments <= 1 or not 0 < self.callees <= 1:
            message = f"similarity thresholds out of range: {self.arguments}, {self.callees}"
            raise CitadelError(message, "arguments are 0 to 1, callees above 0 and up to 1")
        if self.least_callees < 1 or self.least_arguments < 0:
            message = "functions without callees cannot be compared"
            raise CitadelError(
                message, "least_callees must be 1 or more, least_arguments 0 or more"
            )


def exact(threshold: float | Fraction) -> Fraction:
    """The threshold as people wrote it: 0.8 is 4/5, not its nearest binary fraction."""
    return threshold if isinstance(threshold, Fraction) else Fraction(str(threshold))
