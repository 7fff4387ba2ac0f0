"""The performance oracle: what a report measures, and whether a sibling shows the same.

`capture` finds in a few runs which ratio a report is about, and in the others whether it is really
there; `judge` says the same of a sibling's runs, measured at the corresponding places. Both are
pure: `metering` makes the runs. The verdict is of the report's own form (slow against fast, this
much memory against that much), never of sibling against source.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.target.observation import Observation, Outcome
from analysis.target.watch import Point
from citadel.oracle import samples, versions
from citadel.oracle.comparisons import measures
from citadel.oracle.measure import AGAINST, Form, Measure
from citadel.oracle.messages import first_line
from citadel.oracle.quantities import Topic, table, topic
from citadel.oracle.samples import Decision, Interval
from citadel.oracle.wording import complaint, no_effect, stated
from harvest.report.growth import Growing
from harvest.report.model import Reading
from harvest.report.text import shorten
from harvest.report.worded import HEADER

SELECTING = 3
"""Runs by which a measure is chosen; the others, which had no say in that, decide."""
UNSEEN = 2.0
"""Ratio that a sibling must show where the source shows none, and the report states none."""
OF_SIZES = 0.75
"""Part of the source's log ratio that a sibling must show where the report divides times at two
sizes and calls them quadratic: what is proportional shows half of it."""
OF_GROWTH = 0.25
"""Part of the source's growth per step that a sibling must show: another dtype halves it."""
WAITING = 0.3
"""Part of its share of a CPU that a run uses if it does not wait."""
LEAST_WALL = 0.02
"""Seconds of wall time below which a run's waiting says nothing."""
WORDED = 1.5
"""Ratio that two sides must show which words alone call slow and fast: of 60 such comparisons of
equal code none came to more than 1.1."""
_NUMBER = re.compile(r"\d[\d_]*")
_OPTION = re.compile(r"\b(\w+)\s*=\s*[\w.]+")
_WORD = re.compile(r"\w+")
_DTYPE = re.compile(r"(?:float|int|complex|fp|bf)_?\d", re.IGNORECASE)
BUSY = 0.5
"""Share of a CPU below which the machine is to blame for what varies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformanceOracle:
    """Which ratio to look at, and how much of it a sibling must show.

    `decision` is about the source itself: BUG where this build shows what the report says.
    `logs` are the source's own samples and `ratio` their median as a ratio (for growth: bytes per
    step). `equal` is set where the complaint is that the ratio is 1. `needed` is the log ratio (or
    bytes per step) that makes a bug. `wall`, `warm`, `gpu` and `keeps` set `measure:run`.
    """

    measure: Measure
    topic: Topic
    decision: Decision
    ratio: float
    interval: Interval
    logs: tuple[float, ...]
    needed: float
    equal: bool = False
    stated: float | None = None
    wall: bool = False
    warm: bool = True
    gpu: bool = False
    keeps: bool = False
    evidence: tuple[str, ...] = ()

    @property
    def reproduces(self) -> bool:
        """Whether the source itself shows the ratio."""
        return self.decision is Decision.BUG

    @property
    def where(self) -> str:
        """Source text of what is compared."""
        return self.measure.where


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOracle:
    """Why a report yields no performance oracle."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What runs say: `hits` of `runs` show the ratio on their own; `ratio` is their median."""

    decision: Decision
    ratio: float | None
    interval: Interval | None
    runs: int
    hits: int = 0
    logs: tuple[float, ...] = ()
    reason: str = ""
    machine: str = ""
    """What is known of the GPU that they were measured on."""


def capture(
    points: Sequence[Point],
    runs: Sequence[Observation],
    reading: Reading,
    code: str,
    *,
    last: bool = True,
    baseline: str = "",
) -> PerformanceOracle | NoOracle:
    """Find what the report measures, in the runs of its own code.

    Of several comparisons the first that is clearly there is taken; where none is, the first. Its
    `reproduces` then is False, and the oracle still serves for siblings. With the name of a
    `baseline`, the runs have what was seen there beside their own (`versions.both`), and that is
    what is compared.
    """
    good = [run for run in runs if complete(run)]
    if not good:
        return stopped(runs[0], baseline)
    about = topic(reading, code)
    here, there = zip(*map(versions.split, good[:SELECTING]), strict=True)
    known = table(points, here, about, code)
    if baseline:
        found = versions.measures(points, known, table(points, there, about, code), baseline)
    else:
        found = measures(points, known, reading)
    if not found:
        units = {column.unit for column in known.values()} - {None, "clock", "clock_ns"}
        lack = "compares" if units else "measures"
        reasons = (f"the report shows nothing that it {lack}", reading.unmeasured)
        return NoOracle(reason=": ".join(filter(None, reasons)))
    if HEADER in code:
        # Words alone say so: equal code must never pass for slow, nor as fast as it should not be.
        oracles = [_of_words(one, good, last=last) for one in found if one.form is Form.RATIO]
    else:
        oracles = [_oracle(one, good, reading, about, last=last) for one in found]
    usable = [one for one in oracles if one is not None]
    if not usable:
        return NoOracle(reason="what the report compares is not the same place in each run")
    open_ones = [one for one in usable if one.decision is Decision.MORE]
    return next((one for one in usable if one.reproduces), (open_ones or usable)[0])


def _oracle(
    one: Measure, runs: Sequence[Observation], reading: Reading, about: Topic, *, last: bool
) -> PerformanceOracle | None:
    fresh = runs[SELECTING:] if len(runs) >= 2 * SELECTING - 1 else runs
    logs = tuple(log for log in map(one.sample, fresh) if log is not None)
    if len(logs) < len(fresh):
        return None
    found = samples.interval(logs)
    inherent = one.form in (Form.SCALING, Form.VERSIONS)
    said = stated(reading) if one.form is not Form.SCALING else None
    topic = Topic.MEMORY if one.unit == "B" else Topic.TIME if one.unit else about
    base = PerformanceOracle(
        measure=one,
        topic=topic,
        decision=Decision.CLEAN,
        ratio=1.0,
        interval=found,
        logs=logs,
        needed=samples.needed(found.middle, _share(one, reading)),
        stated=said,
        evidence=() if said is None else (f"the report states a ratio of {said:g}",),
    )
    if one.form is Form.GROWTH:
        return _growing(base)
    base = replace(base, ratio=math.exp(found.middle))
    counted = topic is Topic.MEMORY
    there = samples.decide(logs, math.log(samples.LEAST), counted=counted, last=last)
    if there is Decision.BUG:
        return replace(base, decision=there)
    if no_effect(reading) and not inherent and not _set_alike(one.where, reading):
        equal = samples.decide_equal(logs, counted=counted, last=last)
        if equal is not Decision.CLEAN:
            return replace(base, decision=equal, equal=True)
    needed = math.log(UNSEEN) if said is None else samples.needed(math.log(said))
    return replace(base, decision=there, needed=needed)


def _of_words(one: Measure, runs: Sequence[Observation], *, last: bool) -> PerformanceOracle | None:
    """As `_oracle`, of two sides that words alone call slow and fast."""
    fresh = runs[SELECTING:] if len(runs) >= 2 * SELECTING - 1 else runs
    logs = tuple(log for log in map(one.sample, fresh) if log is not None)
    if len(logs) < len(fresh):
        return None
    found, least = samples.interval(logs), math.log(WORDED)
    there = samples.decide(logs, least, drift=_drift(one, fresh), last=last)
    if there is Decision.BUG and found.low <= least:
        there = Decision.NOISY if last else Decision.MORE
    return PerformanceOracle(
        measure=one,
        topic=Topic.TIME,
        decision=there,
        ratio=math.exp(found.middle),
        interval=found,
        logs=logs,
        needed=max(least, samples.needed(found.middle)),
        evidence=("the report's words tell which side is slow",),
    )


def _share(one: Measure, reading: Reading) -> float:
    """Which part of the source's log ratio a sibling must show."""
    of_growth = one.form is Form.RATIO and complaint(reading) is Growing.FASTER_THAN_SIZE
    return OF_SIZES if of_growth and _of_two_sizes(one.where) else samples.HALF


def _set_alike(text: str, reading: Reading) -> bool:
    """Whether both sides of a comparison set the options that the title names, and to the same:
    then it is not their difference that is said to be none."""
    named = set(_WORD.findall(reading.report.title))
    one, _, other = text.partition(AGAINST)
    options = [
        sorted(found[0] for found in _OPTION.finditer(side) if found[1] in named)
        for side in (one, other)
    ]
    return options[0] == options[1] != []


def _of_two_sizes(text: str) -> bool:
    """Whether the two sides of a division are one expression with other numbers.

    >>> _of_two_sizes("took(400) / took(200)"), _of_two_sizes("t_float16 / t_float32")
    (True, False)
    """
    sides = {_NUMBER.sub("N", side).strip() for side in text.split("/")}
    return len(sides) == 1 and text.count("/") == 1 and not _DTYPE.search(text)


def _growing(base: PerformanceOracle) -> PerformanceOracle:
    """Growth counts in bytes per step; each run must show it."""
    found = base.interval.middle
    return replace(
        base,
        decision=Decision.BUG if min(base.logs) > 0 else Decision.CLEAN,
        ratio=found,
        needed=OF_GROWTH * found,
    )


def judge(oracle: PerformanceOracle, runs: Sequence[Observation], *, last: bool = True) -> Judged:
    """What a sibling's runs say of the oracle's ratio; `Decision.MORE` asks for more of them.

    `last`: there will be no more, so that what is open is `noisy`.
    """
    logs = tuple(log for log in map(oracle.measure.sample, runs) if log is not None)
    if len(logs) < len(runs) or not logs:
        reason = "what the report compares is not reached"
        return Judged(
            decision=Decision.UNREACHED, ratio=None, interval=None, runs=len(runs), reason=reason
        )
    found = samples.interval(logs)
    if oracle.measure.form is Form.GROWTH:
        return _of_growth(oracle, logs, found)
    counted = oracle.topic is Topic.MEMORY
    if oracle.equal:
        decision = samples.decide_equal(logs, counted=counted, last=last)
        hits = sum(abs(log) < math.log(samples.DRIFT) for log in logs)
    else:
        drift = _drift(oracle.measure, runs)
        decision = samples.decide(logs, oracle.needed, counted=counted, drift=drift, last=last)
        hits = sum(log >= oracle.needed - math.log(samples.EXACT) for log in logs)
    return Judged(
        decision=decision,
        ratio=math.exp(found.middle),
        interval=found,
        runs=len(logs),
        hits=hits,
        logs=logs,
        reason=_unsettled(runs, found) if decision is Decision.NOISY else "",
    )


def _of_growth(oracle: PerformanceOracle, logs: tuple[float, ...], found: Interval) -> Judged:
    # Where the source does not grow, nothing is needed; what stays as it is has not grown, either.
    hits = sum(log > 0 and log >= oracle.needed for log in logs)
    decision = Decision.BUG if hits == len(logs) else Decision.NOISY if hits else Decision.CLEAN
    return Judged(
        decision=decision,
        ratio=found.middle,
        interval=found,
        runs=len(logs),
        hits=hits,
        logs=logs,
        reason="memory grows in some runs only" if decision is Decision.NOISY else "",
    )


def _drift(measure: Measure, runs: Sequence[Observation]) -> float:
    sides = [measure.sides(run) for run in runs]
    if not all(sides):
        return 0.0
    return samples.control(*zip(*sides, strict=True))


def _unsettled(runs: Sequence[Observation], found: Interval) -> str:
    low, _, high = found.ratios()
    said = f"{len(runs)} runs leave it between {low:.2f} and {high:.2f}"
    shares = sorted(share for run in runs if (share := free(run)) is not None)
    if shares and shares[len(shares) // 2] < BUSY:
        said += f"; the machine is busy ({shares[len(shares) // 2]:.0%} of a CPU was to be had)"
    return said


def stopped(run: Observation, where: str = "") -> NoOracle:
    """What is said of a run that did not come to its end: how it ended."""
    raised = run.exception
    how = run.signal or run.outcome.value
    if raised is not None:
        how = f"{raised.type}: {shorten(first_line(raised.message))}"
    there = f" on {where}" if where else ""
    return NoOracle(reason=f"the code does not run through{there}: {how}")


def complete(run: Observation) -> bool:
    """Whether a run came to its end, or to an assertion that says what the report says."""
    failed = run.exception is not None and "AssertionError" in run.exception.types
    return run.outcome is Outcome.OK or (run.outcome is Outcome.EXCEPTION and failed)


def free(run: Observation) -> float | None:
    """The share of a CPU that a run got."""
    return _measured(run, "free")


def sleeps(run: Observation) -> bool:
    """Whether a run mostly waited, for something else than the CPU."""
    cpu, wall, share = (_measured(run, name) for name in ("cpu", "wall", "free"))
    if cpu is None or wall is None or share is None or wall < LEAST_WALL:
        return False
    return cpu / wall < WAITING * share


def _measured(run: Observation, name: str) -> float | None:
    for event in run.extra:
        if event.get("e") == "measured" and isinstance(event.get(name), (int, float)):
            return float(event[name])
    return None
