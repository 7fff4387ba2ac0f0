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

import units

SECONDS = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
EPOCH = ("time", "time_ns")
"""Clocks that count from 1970."""
TO_NUMBERS = ("mean", "median", "average", "min", "max", "amin", "amax", "sum", "percentile")
TO_NUMBERS += ("quantile", "std", "nanmedian", "nanmean")
"""Functions of NumPy that make one number of many of its kind."""


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
        _replace(time, name, _clock(clock.seconds, clock.epoch if name in EPOCH else 0))
        full = name + "_ns"
        _replace(time, full, _clock(clock.nanoseconds, clock.epoch if full in EPOCH else 0))
    time.sleep = clock.asleep(time.sleep)
    timeit.default_timer = time.perf_counter
    for function in (timeit.Timer.__init__, timeit.timeit, timeit.repeat):
        _rebind(function, original, timeit.default_timer)
    for name in ("fmean", "median", "mean"):
        _wrap(statistics, name, keeping)
    _wrap(math, "fsum", keeping)
    for name, patch in MODULES.items():
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


def _replace(module, name, value):
    if hasattr(module, name):
        setattr(module, name, functools.wraps(getattr(module, name))(value))


def _wrap(module, name, wrapper):
    if hasattr(module, name):
        setattr(module, name, wrapper(getattr(module, name)))


def _rebind(function, old, new):
    """Defaults are bound where a function is defined."""
    defaults = getattr(function, "__defaults__", None)
    if defaults:
        function.__defaults__ = tuple(new if value is old else value for value in defaults)


def keeping(function):
    """A function of a list of numbers, whose result is of their unit."""

    @functools.wraps(function)
    def kept(*args, **kwargs):
        unit = units.common(args[0]) if args else None
        result = function(*args, **kwargs)
        return result if unit is None else units.measured(_plain(result), unit)

    return kept


def _plain(result):
    """NumPy's scalars as numbers of Python."""
    return result.item() if getattr(result, "shape", None) == () else result


def counting(function, unit):
    """A function whose numbers (in a tuple or dict, if need be) are of this unit."""

    @functools.wraps(function)
    def counted(*args, **kwargs):
        result = function(*args, **kwargs)
        if isinstance(result, dict):
            return {key: units.measured(value, unit) for key, value in result.items()}
        if type(result) is tuple:
            return tuple(units.measured(value, unit) for value in result)
        return units.measured(result, unit)

    return counted


def _numpy(numpy, original):
    for name in TO_NUMBERS:
        _wrap(numpy, name, keeping)


def _tracemalloc(tracemalloc, original):
    _wrap(tracemalloc, "get_traced_memory", lambda function: counting(function, "B"))


class Usage:
    """What `resource.getrusage` returns, with units."""

    def __init__(self, usage):
        self._usage = usage

    def __getattr__(self, name):
        value = getattr(self._usage, name)
        unit = {"ru_maxrss": "B", "ru_utime": "clock", "ru_stime": "clock"}.get(name)
        return units.measured(value, unit)

    def __getitem__(self, index):
        return self._usage[index]


def _resource(resource, original):
    _wrap(resource, "getrusage", lambda function: lambda who: Usage(function(who)))


def _psutil(psutil, original):
    """`Process().memory_info().rss` and its like."""

    def informed(function):
        @functools.wraps(function)
        def counted(*args, **kwargs):
            info = function(*args, **kwargs)
            return type(info)(*(units.measured(value, "B") for value in info))

        return counted

    for name in ("memory_info", "memory_full_info"):
        _wrap(psutil.Process, name, informed)


def _cuda(cuda, original):
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved"):
        _wrap(cuda, name, lambda function: counting(function, "B"))
    _wrap(cuda, "max_memory_reserved", lambda function: counting(function, "B"))
    _wrap(cuda.Event, "elapsed_time", lambda function: counting(function, "s"))


def _benchmark(common, original):
    """A `Measurement` of torch's, which stands for its median."""
    kind = common.Measurement
    for name in ("median", "mean", "iqr"):
        found = vars(kind).get(name)
        if isinstance(found, property):
            setattr(kind, name, property(counting(found.fget, "s")))
    kind.citadel_quantity = lambda self: self.median


def _timer(module, original):
    _rebind(module.Timer.__init__, original, timeit.default_timer)


def _tensorflow(tensorflow, original):
    experimental = tensorflow.config.experimental
    _wrap(experimental, "get_memory_info", lambda function: counting(function, "B"))
    _wrap(experimental, "get_memory_usage", lambda function: counting(function, "B"))


MODULES = {
    "numpy": _numpy,
    "tracemalloc": _tracemalloc,
    "resource": _resource,
    "psutil": _psutil,
    "torch.cuda": _cuda,
    "torch.utils.benchmark.utils.common": _benchmark,
    "torch.utils.benchmark.utils.timer": _timer,
    "tensorflow": _tensorflow,
}
"""Module -> what patches it; the second argument is the timer that defaults were bound to."""
