"""Makes the runs that the performance oracle judges: fresh forks, as many as it takes.

Each run is a process of its own with one thread per pool, in which the text is run once before it
is measured (`analysis/inside/measure.py`). A ratio is of two things measured in one process, so
runs of source and sibling need not take turns. After 5, 10, 20 and 40 runs it is looked whether the
samples suffice, as long as there is time.

What runs on a GPU is timed by the wall clock, after waiting for the device, while NVML watches that
nobody else uses it and that it does not lower its clocks.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from analysis.target.gpu import Meter, NoGpu, Use, exclusive, meter
from analysis.target.instrument import Watched
from analysis.target.observation import Observation
from analysis.target.session import Limits, Session
from citadel.oracle import performance, samples, versions
from citadel.oracle.measure import Form
from citadel.oracle.performance import SELECTING, Judged, NoOracle, PerformanceOracle
from citadel.oracle.quantities import Topic, topic
from citadel.oracle.samples import STAGES, Decision
from citadel.oracle.wording import about_versions
from harvest.report.model import Reading

SECONDS = 20.0
"""Time for the runs of one case."""
LONG = 1.0
"""Seconds of one run from which on it is tried whether it can do without one that warms up."""
SAME = 0.1
"""Part of a log ratio that warming up may change at most if it is to be left out."""
LOOKS = (2, *STAGES)
"""Two runs suffice where they count something that does not vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A text to measure, with the watcher in it."""

    code: str
    watched: Watched


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How `measure:run` runs a case; `points` are those to tell of, None for all."""

    warm: bool = True
    wall: bool = False
    gpu: bool = False
    keeps: bool = False
    """Freed memory stays with the process, but for blocks of 32 MiB and more: giving it back takes
    a time that depends on chance."""
    against: bool = False
    """Each run on the baseline, too."""
    points: tuple[int, ...] | None = None


def establish(
    case: Case,
    reading: Reading,
    session: Session,
    *,
    gpu: bool = False,
    limits: Limits | None = None,
    seconds: float = SECONDS,
) -> PerformanceOracle | NoOracle:
    """Find out what a report measures, and whether it is there on this build.

    `gpu`: whether it is a GPU that does the work.
    """
    with _watched(gpu=gpu) as use:
        found = _established(_Runner(case, session, limits or Limits(), seconds), reading, gpu=gpu)
    if use is None or isinstance(found, NoOracle):
        return found
    if use.invalid is not None:
        return NoOracle(reason=f"cannot be measured now: {use.invalid}")
    return replace(found, evidence=(*found.evidence, use.summary))


def _established(runner: _Runner, reading: Reading, *, gpu: bool) -> PerformanceOracle | NoOracle:
    memory = topic(reading, runner.case.code) is Topic.MEMORY
    settings = _settings(runner, Settings(wall=gpu, gpu=gpu, keeps=not memory))
    if isinstance(settings, NoOracle):
        return settings
    compared = runner.session.baseline is not None
    against: PerformanceOracle | NoOracle | None = None
    if compared and about_versions(reading):
        against = _against(runner, settings, reading)
        if isinstance(against, PerformanceOracle) and against.reproduces:
            return against
    found = _captured(runner, settings, reading)
    there = isinstance(found, PerformanceOracle) and found.reproduces
    if compared and isinstance(found, NoOracle):
        return against or _against(runner, settings, reading)
    if memory and settings.warm and not there:
        # A high-water mark has been reached by the first of two runs.
        cold = _captured(runner, replace(settings, warm=False), reading)
        if isinstance(cold, PerformanceOracle) and cold.reproduces:
            return _with(cold, replace(settings, warm=False))
    if isinstance(found, NoOracle):
        return found
    settings = _without_warming(runner, settings, found) if there else settings
    return _with(found, settings)


def _with(found: PerformanceOracle, settings: Settings) -> PerformanceOracle:
    return replace(
        found, warm=settings.warm, wall=settings.wall, gpu=settings.gpu, keeps=settings.keeps
    )


def _against(runner: _Runner, settings: Settings, reading: Reading) -> PerformanceOracle | NoOracle:
    """Compare what the code shows with what it shows on the other build."""
    settings = replace(settings, against=True)
    found = _captured(runner, settings, reading)
    return found if isinstance(found, NoOracle) else _with(found, settings)


def _without_warming(runner: _Runner, settings: Settings, found: PerformanceOracle) -> Settings:
    """Settings that halve the time of long runs, where warming up makes no difference to them."""
    if not settings.warm or runner.pace < LONG or found.topic is not Topic.TIME:
        return settings
    cold = replace(settings, warm=False)
    log, usual = found.measure.sample(runner.run(cold)), found.interval.middle
    if log is None or abs(log - usual) > max(math.log(samples.DRIFT), SAME * abs(usual)):
        return settings
    return cold


@contextlib.contextmanager
def _watched(*, gpu: bool) -> Iterator[Use | None]:
    """Watch the GPU, if there is one in it and NVML tells of it."""
    found = meter() if gpu else NoGpu(reason="")
    if isinstance(found, Meter):
        with found.watched() as use:
            yield use
    else:
        yield None


@contextlib.contextmanager
def alone(*, gpu: bool) -> Iterator[None]:
    """Run something on the GPU that is not measured, while nothing else is, either."""
    found = meter() if gpu else NoGpu(reason="")
    with exclusive(found.gpu) if isinstance(found, Meter) else contextlib.nullcontext():
        yield


def judge(
    oracle: PerformanceOracle,
    case: Case,
    session: Session,
    *,
    limits: Limits | None = None,
    seconds: float = SECONDS,
) -> Judged:
    """Measure a sibling's case at the places of the oracle."""
    with _watched(gpu=oracle.gpu) as use:
        told = _judged(oracle, _Runner(case, session, limits or Limits(), seconds))
    if use is None:
        return told
    if use.invalid is not None:
        return replace(told, decision=Decision.NOISY, reason=use.invalid)
    return replace(told, machine=use.summary)


def _judged(oracle: PerformanceOracle, runner: _Runner) -> Judged:
    settings = Settings(
        warm=oracle.warm,
        wall=oracle.wall,
        gpu=oracle.gpu,
        keeps=oracle.keeps,
        against=oracle.measure.form is Form.VERSIONS,
        points=oracle.measure.points,
    )
    runs: list[Observation] = []
    for last in runner.looks(settings, runs):
        judged = performance.judge(oracle, runs, last=last)
        if judged.decision is not Decision.MORE:
            return judged
    return performance.judge(oracle, runs, last=True)


def _settings(runner: _Runner, settings: Settings) -> Settings | NoOracle:
    """Which settings a case takes: some cannot run twice, some wait rather than work."""
    first = runner.run(settings)
    if not performance.complete(first):
        settings = replace(settings, warm=False)
        first = runner.run(settings)
    if not performance.complete(first):
        return performance.stopped(first)
    if not settings.wall and performance.sleeps(first) and performance.sleeps(runner.run(settings)):
        return replace(settings, wall=True)
    return settings


def _captured(
    runner: _Runner, settings: Settings, reading: Reading
) -> PerformanceOracle | NoOracle:
    runs: list[Observation] = []
    found: PerformanceOracle | NoOracle = NoOracle(reason="there was no time to measure")
    points, code = runner.case.watched.points, runner.case.code
    other = runner.session.baseline
    name = other.name if other is not None and settings.against else ""
    # Of one run nothing can be said: the report's own case has two, however long they take.
    for last in runner.looks(settings, runs, before=SELECTING, least=LOOKS[0]):
        found = performance.capture(points, runs, reading, code, last=last, baseline=name)
        if isinstance(found, NoOracle) or found.decision is not Decision.MORE:
            break
    return found


class _Runner:
    """Runs one case until its time is spent."""

    def __init__(self, case: Case, session: Session, limits: Limits, seconds: float) -> None:
        self.case = case
        self.session = session
        self.limits = limits
        self.seconds = seconds
        self.started = time.monotonic()
        self.count = 0

    def looks(
        self, settings: Settings, runs: list[Observation], *, before: int = 0, least: int = 1
    ) -> Iterator[bool]:
        """Fill `runs` from stage to stage; yields whether this was the last one there is time for.

        `before`: runs that the stages do not count; `least`: those that are made in any case.
        """
        for stage in LOOKS:
            wanted = stage if stage == LOOKS[0] else stage + before
            while len(runs) < wanted and (len(runs) < least or self.affords(1)):
                runs.append(self.run(settings))
                if not performance.complete(runs[-1]):
                    yield True
                    return
            last = stage == LOOKS[-1] or len(runs) < wanted or not self.affords(len(runs))
            yield last
            if last:
                return

    def affords(self, more: int) -> bool:
        """Whether there is time for so many more runs."""
        spent = time.monotonic() - self.started
        return spent + more * self.pace < self.seconds

    @property
    def pace(self) -> float:
        """Seconds per run so far."""
        return (time.monotonic() - self.started) / max(1, self.count)

    def run(self, settings: Settings) -> Observation:
        """One run in a fork of its own; with a baseline, one on each build."""
        self.count += 1
        here = self._run(self.session, settings)
        other = self.session.baseline
        if other is None or not settings.against or not performance.complete(here):
            return here
        there = self._run(other.session, settings)
        return versions.both(here, there) if performance.complete(there) else there

    def _run(self, session: Session, settings: Settings) -> Observation:
        points = None if settings.points is None else versions.on_one(settings.points)
        given = {
            "warm": settings.warm,
            "wall": settings.wall,
            "gpu": settings.gpu,
            "keeps": settings.keeps,
            "points": points,
        }
        return session.run(
            self.case.code,
            traced=self.case.watched.text,
            limits=self.limits,
            entry="measure:run",
            arguments=given,
        )
