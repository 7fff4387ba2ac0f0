"""Meters of modules that a report may read: what they return is made to know its unit."""

import functools
import timeit

import units
from patches import counting, keeping, rebind, wrap

TO_NUMBERS = ("mean", "median", "average", "min", "max", "amin", "amax", "sum", "percentile")
TO_NUMBERS += ("quantile", "std", "nanmedian", "nanmean")
"""Functions of NumPy that make one number of many of its kind."""


def _numpy(numpy, original):
    for name in TO_NUMBERS:
        wrap(numpy, name, keeping)


def _tracemalloc(tracemalloc, original):
    wrap(tracemalloc, "get_traced_memory", lambda function: counting(function, "B"))


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
    wrap(resource, "getrusage", lambda function: lambda who: Usage(function(who)))


def _psutil(psutil, original):
    """`Process().memory_info().rss` and its like."""

    def informed(function):
        @functools.wraps(function)
        def counted(*args, **kwargs):
            info = function(*args, **kwargs)
            return type(info)(*(units.measured(value, "B") for value in info))

        return counted

    for name in ("memory_info", "memory_full_info"):
        wrap(psutil.Process, name, informed)


def _cuda(cuda, original):
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved"):
        wrap(cuda, name, lambda function: counting(function, "B"))
    wrap(cuda, "max_memory_reserved", lambda function: counting(function, "B"))
    wrap(cuda.Event, "elapsed_time", lambda function: counting(function, "ms"))


def _benchmark(common, original):
    """A `Measurement` of torch's, which stands for its median."""
    kind = common.Measurement
    for name in ("median", "mean", "iqr"):
        found = vars(kind).get(name)
        if isinstance(found, property):
            setattr(kind, name, property(counting(found.fget, "s")))
    kind.citadel_quantity = lambda self: self.median


class Told(str):
    """A profiler's table, which stands for the time, or the memory, of all that it lists."""

    def citadel_quantity(self):
        return self.total


def _profiler(module, original):
    """`prof.key_averages().table()` and totals of PyTorch's profilers: microseconds and bytes."""
    kind = module.EventList

    def spent(events):
        # A table tells no number: its unit is ours.
        return units.measured(sum(event.self_cpu_time_total for event in events) * 1e-6, "s")

    def allocated(events):
        # What is given back counts as nothing; on a device, its memory is what counts.
        sums = [
            sum(max(getattr(event, name, 0), 0) for event in events)
            for name in (
                *("self_cpu_memory_usage", "self_device_memory_usage"),
                "self_cuda_memory_usage",  # as it was called before
            )
        ]
        return units.measured(sums[1] or sums[2] or sums[0], "B")

    def total(events, order=None):
        """By what is sorted by, else by what was asked for: memory is recorded on demand."""
        of_memory = getattr(events, "_profile_memory", False)
        if order is not None:
            of_memory = of_memory and "memory" in order
        return allocated(events) if of_memory else spent(events)

    def telling(table):
        @functools.wraps(table)
        def told(self, sort_by=None, *args, **kwargs):
            found = Told(table(self, sort_by, *args, **kwargs))
            found.total = total(self, sort_by)
            return found

        return told

    wrap(kind, "table", telling)
    kind.citadel_quantity = total
    for name, unit in (("self_cpu_time_total", "us"), ("self_cpu_memory_usage", "B")):
        for owner in (kind, module.FunctionEvent):
            found = vars(owner).get(name)
            if isinstance(found, property):
                setattr(owner, name, property(counting(found.fget, unit)))


def _timer(module, original):
    rebind(module.Timer.__init__, original, timeit.default_timer)


def _tensorflow(tensorflow, original):
    experimental = tensorflow.config.experimental
    wrap(experimental, "get_memory_info", lambda function: counting(function, "B"))
    wrap(experimental, "get_memory_usage", lambda function: counting(function, "B"))


MODULES = {
    "numpy": _numpy,
    "tracemalloc": _tracemalloc,
    "resource": _resource,
    "psutil": _psutil,
    "torch.cuda": _cuda,
    "torch.autograd.profiler_util": _profiler,
    "torch.utils.benchmark.utils.common": _benchmark,
    "torch.utils.benchmark.utils.timer": _timer,
    "tensorflow": _tensorflow,
}
"""Module -> what patches it; the second argument is the timer that defaults were bound to."""
