"""One comparison that a report makes: places to look at in each run, and a sample made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from analysis.target.observation import Observation
from citadel.oracle import samples
from citadel.oracle.quantities import Place, numbers

SERIES = 6
"""Evaluations of one expression from which on they are a series rather than variants."""
AGAINST = " against "
"""Between the two sides of a pair."""
MOST_RATIO = 1e100
"""Ratios from which on nothing was measured; their powers would be no numbers."""
LEAST_BYTES = 64.0
"""What an allocator hands out at least: what takes nothing counts as that much, so that it can be
compared with what takes something."""


class Form(StrEnum):
    """How a report compares."""

    RATIO = "ratio"
    ORDER = "order"
    PAIR = "pair"
    SCALING = "scaling"
    VERSIONS = "versions"
    GROWTH = "growth"


IN_ONE_RUN = (Form.RATIO, Form.ORDER, Form.PAIR)
"""Forms that compare two sides of one run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Where the two sides of a comparison are, and how a sample is made of them.

    `upper` over `lower` is the ratio; without `lower`, `upper` is one itself (`scale` undoes
    percentages, `excess` is set where 0 rather than 1 means equal). `where` is the source text.
    For growth, `upper.point` is the series and a sample its slope (see `samples.slope`).
    """

    form: Form
    where: str
    unit: str | None
    upper: Place
    lower: Place | None = None
    scale: float = 1.0
    excess: bool = False
    stated: bool = False
    """Whether the report's words, rather than its numbers, tell which side is the wasteful one."""

    @property
    def points(self) -> tuple[int, ...]:
        """The numbers of the points that a run has to tell of."""
        places = (self.upper,) if self.lower is None else (self.upper, self.lower)
        return tuple(sorted({place.point for place in places}))

    def turned(self) -> Measure:
        """The other side over this one."""
        if self.lower is None:
            return replace(self, scale=-self.scale)
        where = self.where
        if self.form is Form.PAIR:
            where = AGAINST.join(reversed(where.split(AGAINST)))
        return replace(self, where=where, upper=self.lower, lower=self.upper, scale=1 / self.scale)

    def sample(self, observation: Observation) -> float | None:
        """The log ratio that a run shows (growth: its slope), None where it does not get there."""
        found = numbers(observation)
        if self.form is Form.GROWTH:
            series = [known[0] for place, known in sorted(found.items()) if self._of(place)]
            return samples.slope(series) if len(series) >= SERIES else None
        upper = found.get(self.upper)
        lower = (1.0, None) if self.lower is None else found.get(self.lower)
        if upper is None or lower is None:
            return None
        return self.log(upper[0], lower[0])

    def _of(self, place: Place) -> bool:
        return place.point == self.upper.point

    def log(self, upper: float, lower: float) -> float | None:
        """The log ratio of two numbers at the places, None where there is none."""
        if self.unit == "B" and self.lower is not None and 0 in (upper, lower):
            if upper == lower:
                return 0.0
            if max(upper, lower) < LEAST_BYTES:  # no bytes, perhaps, but GiB
                return None
            upper, lower = upper or LEAST_BYTES, lower or LEAST_BYTES
        if lower == 0:
            return None
        ratio = upper / lower * abs(self.scale) + self.excess
        if not 0 < ratio < MOST_RATIO:
            return None
        return math.copysign(1.0, self.scale) * math.log(ratio)

    def sides(self, observation: Observation) -> tuple[float, ...]:
        """What is compared, as it was in one run; nothing where the ratio alone is known."""
        found = numbers(observation)
        if self.lower is None or not {self.upper, self.lower} <= set(found):
            return ()
        sides = found[self.upper][0], found[self.lower][0]
        return sides if min(sides) > 0 else ()
