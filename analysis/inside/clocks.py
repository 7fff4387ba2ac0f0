"""The clocks and meters that a report reads, made to count what is the report's own.

On a busy machine wall time says how busy it is. In a run that measures, all clocks of Python count
the CPU time of this process instead (with `wall`, they count on), without what Citadel spends in
it; a report that sleeps has slept as long as it asked to. What they return knows its unit
(`units`). Modules are patched before the report's code is executed, so that `from time import
perf_counter` gets these clocks, too.
"""

import functools
import importlib
import importlib.util
import math
import re
import statistics
import sys
import time
import timeit

import meters
import units
from patches import keeping, rebind, replace, wrap

SECONDS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
EPOCH = ("time", "time_ns")
"""Clocks that count from 1970."""


class Clock:
    """Nanoseconds that the report's own code took: of CPU time, or of wall time.

    `wait` is called before each reading: a GPU works on when a call has returned.
    """

    def __init__(self, wall=False, wait=None):
        self.read = time.perf_counter_ns if wall else time.process_time_ns
        self.wait = wait
        self.wall = wall
        self.lost = 0
        self.epoch = time.time_ns() - self.read()

    def now(self):
        if self.wait is not None:
            self.wait()
        return self.read() - self.lost

    def seconds(self, epoch=0):
        return units.measured((self.now() + epoch) / 1e9, "clock")

    def nanoseconds(self, epoch=0):
        return units.measured(self.now() + epoch, "clock_ns")

    def outside(self, function):
        """The function, with the clock standing still while it runs.

        What a GPU has still to do is the report's own: it is waited for before.
        """

        @functools.wraps(function)
        def stopped(*args, **kwargs):
            if self.wait is not None:
                self.wait()
            started = self.read()
            try:
                return function(*args, **kwargs)
            finally:
                self.lost += self.read() - started

        return stopped

    def asleep(self, sleep):
        """`time.sleep`, which takes no CPU time."""

        @functools.wraps(sleep)
        def slept(seconds):
            sleep(seconds)
            self.lost -= 0 if self.wall else int(seconds * 1e9)

        return slept


def install(clock, code):
    """Patch the clocks, and the meters of the modules that are there or that the text names."""
    original = timeit.default_timer
    for name in SECONDS:
        replace(time, name, _clock(clock.seconds, clock.epoch if name in EPOCH else 0))
        full = name + "_ns"
        replace(time, full, _clock(clock.nanoseconds, clock.epoch if full in EPOCH else 0))
    time.sleep = clock.asleep(time.sleep)
    timeit.default_timer = time.perf_counter
    for function in (timeit.Timer.__init__, timeit.timeit, timeit.repeat):
        rebind(function, original, timeit.default_timer)
    for name in ("fmean", "median", "mean"):
        wrap(statistics, name, keeping)
    wrap(math, "fsum", keeping)
    for name, patch in meters.MODULES.items():
        module = _module(name, code)
        if module is not None:
            patch(module, original)


def _module(name, code):
    """A module that is there already, or is about to be imported by the report."""
    if name not in sys.modules:
        words = name.split(".")
        word = "benchmark" if "benchmark" in words else words[-1]
        if not (re.search(r"\b%s\b" % word, code) and importlib.util.find_spec(words[0])):
            return None
    try:
        return importlib.import_module(name)
    except Exception:  # a build without it, or one that is broken
        return None


def _clock(read, epoch):
    return lambda: read(epoch)
