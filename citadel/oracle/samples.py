"""What repeated measurements of one ratio say: interval, effect, control, and when to stop.

Pure functions of numbers. A sample is the logarithm of a ratio seen in one run, so that twice as
slow and twice as fast lie equally far from 0. CPU times vary by a few per cent between runs and
their errors are skewed and dependent, so medians and resampling are used instead of means and
tests that assume independence; significance alone never makes an alarm, an effect is wanted, too
(Kalibera and Jones, "Rigorous benchmarking in reasonable time", 2013; pyperf's guidelines).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

RESAMPLES = 2000
LEVEL = 0.99
STAGES = (5, 10, 20, 40)
"""Runs after which it is looked whether they suffice."""
BOUNDS = {5: 1.35, 10: 1.25, 20: 1.15, 40: 1.15}
"""Ratio that the interval's lower end must exceed after so many runs. The 99th percentile of equal
code's median ratio was 1.33, 1.16, 1.08 and below at load 15 to 20 on two cores."""
FAR = 4.0
"""Ratio beyond which two runs suffice. The 99th percentile of equal code's single pairs was 1.87,
at load 15 to 20 on two cores."""
HALF = 0.5
"""Share of the source's log ratio that a sibling must show."""
LEAST = 1.15
"""Ratio from which on something counts as slower at all."""
DRIFT = 1.10
"""Ratio of one side to itself, between neighbouring runs, from which on runs do not compare."""
WIDE = 1.3
"""Ratio of an interval's ends from which on it tells nothing."""
EXACT = 1.01
"""Counts of bytes are the same within this ratio."""


class Decision(StrEnum):
    """What the samples so far say."""

    BUG = "bug"
    CLEAN = "clean"
    MORE = "more"
    NOISY = "noisy"
    UNREACHED = "unreached"
    """The runs do not get to what is compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Bootstrap interval of a median of log ratios, and the median itself."""

    low: float
    middle: float
    high: float

    @property
    def width(self) -> float:
        """How far the ends are apart, as the logarithm of their ratio."""
        return self.high - self.low

    def ratios(self) -> tuple[float, float, float]:
        """(low, middle, high) as ratios, for people."""
        return math.exp(self.low), math.exp(self.middle), math.exp(self.high)


def interval(samples: Sequence[float], *, seed: int = 0, level: float = LEVEL) -> Interval:
    """Median of the samples (at least one) with its percentile bootstrap interval.

    Of `RESAMPLES` resamples with replacement the medians are taken; their (1 - level) / 2 and
    (1 + level) / 2 quantiles are the interval's ends (Efron, "Bootstrap methods", 1979).
    """
    values = np.asarray(samples, dtype=float)
    drawn = np.random.default_rng(seed).integers(len(values), size=(RESAMPLES, len(values)))
    medians = np.median(values[drawn], axis=1)
    low, high = np.quantile(medians, [(1 - level) / 2, (1 + level) / 2])
    return Interval(low=float(low), middle=float(np.median(values)), high=float(high))


def control(*sides: Sequence[float]) -> float:
    """The A/A control: how far each side is from itself, in neighbouring runs.

    The largest |median of log(x[2i + 1] / x[2i])| of the sides; 0 where nothing can be said.
    """
    drifts = [0.0]
    for side in sides:
        pairs = [math.log(b / a) for a, b in zip(side[::2], side[1::2], strict=False)]
        drifts.append(abs(float(np.median(pairs))) if pairs else 0.0)
    return max(drifts)


def exact(samples: Sequence[float]) -> bool:
    """Whether several samples are one number: deterministic counts."""
    return len(samples) > 1 and max(samples) - min(samples) <= math.log(EXACT)


def needed(source: float, share: float = HALF) -> float:
    """The log ratio that a sibling must show: a share of the source's, and `LEAST` at least.

    Half of a log ratio is its square root: of a report's 9x a sibling must show 3x.
    """
    return max(math.log(LEAST), source * share)


def decide(
    samples: Sequence[float],
    wanted: float,
    *,
    counted: bool = False,
    drift: float = 0.0,
    last: bool = False,
) -> Decision:
    """Whether a log ratio of at least `wanted` is there, after `len(samples)` runs.

    A bug needs the interval's lower end above the bound of this stage (above `drift` as well, where
    the control shows one) and the median at `wanted`; clean is what the interval's upper end
    excludes. Two runs decide where they are `FAR` away from equal, or from what is wanted.
    `counted`: the samples are of numbers that need not vary; `last`: no more runs will follow.
    """
    if counted and exact(samples):
        enough = samples[0] >= wanted - math.log(EXACT)
        return Decision.BUG if enough else Decision.CLEAN
    if len(samples) < STAGES[0]:
        return _clear(samples, wanted) or (Decision.NOISY if last else Decision.MORE)
    found = interval(samples)
    stage = max(stage for stage in STAGES if stage <= len(samples))
    bound = math.log(BOUNDS[stage]) + (drift if drift > math.log(DRIFT) else 0.0)
    if found.low > bound and found.middle >= wanted:
        return Decision.BUG
    if found.high < wanted:
        return Decision.CLEAN
    if not last:
        return Decision.MORE
    if found.width > math.log(WIDE) or found.middle >= wanted:
        return Decision.NOISY
    return Decision.CLEAN


def _clear(samples: Sequence[float], wanted: float) -> Decision | None:
    """What a few runs say already, being far from where the decision is."""
    if len(samples) < 2:
        return None
    if min(samples) > math.log(FAR) and min(samples) >= wanted:
        return Decision.BUG
    return Decision.CLEAN if max(samples) < wanted - math.log(FAR) else None


def decide_equal(
    samples: Sequence[float], *, counted: bool = False, last: bool = False
) -> Decision:
    """Whether the ratio is 1: a report's complaint that something makes no difference.

    A bug needs the whole interval within `DRIFT` of 1; clean is what lies beyond `LEAST` in either
    direction, or is exactly something else.
    """
    if counted and exact(samples):
        return Decision.BUG if abs(samples[0]) <= math.log(EXACT) else Decision.CLEAN
    if len(samples) < STAGES[0]:
        return Decision.NOISY if last else Decision.MORE
    found, near = interval(samples), math.log(DRIFT)
    if -near < found.low and found.high < near:
        return Decision.BUG
    if abs(found.middle) > math.log(LEAST) and not found.low <= 0 <= found.high:
        return Decision.CLEAN
    if not last:
        return Decision.MORE
    return Decision.NOISY


def slope(values: Sequence[float]) -> float:
    """Growth per step of a series: Theil and Sen's median of the slopes of all pairs.

    The first third is warming up. 0 unless four steps of five go up: what only jumps is no leak.
    """
    kept = np.asarray(values[len(values) // 3 :], dtype=float)
    steps = np.diff(kept)
    if len(steps) < 3 or np.mean(steps > 0) < 0.8:
        return 0.0
    first, second = np.triu_indices(len(kept), 1)
    return float(np.median((kept[second] - kept[first]) / (second - first)))
