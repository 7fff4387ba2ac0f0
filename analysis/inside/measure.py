"""Run one case to measure it: with clocks that count its own CPU time, and nothing else going on.

The text is run twice, silently the first time: pools, caches and lazy imports are no part of what a
report measures. `traced` is the text with the watcher in it (`instrument.watched(...).text`). The
last event is {"e": "measured", "cpu": s, "wall": s, "free": share of a CPU that was to be had}.
"""

import ctypes
import gc
import os
import sys
import time

import case
import child
import clocks
import contents
import side
import units

CPU, WALL = time.process_time_ns, time.monotonic_ns
"""As they are before the report's clocks are made to count something else."""
SPIN = 2_000_000
"""Nanoseconds of CPU time that are spent to see how much of it is to be had."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
LARGEST = 32 << 20
"""Bytes of one allocation from which on glibc takes it from the system whatever it is told."""
LOUD, MOST = 256, 2000
"""Evaluations of one expression, and of all, that are told of."""


class Watcher:
    """Callable `(point, value)` that returns the value; `points` are those to tell of, or None.

    As `watch.Watcher`, with units, and outside of the time that is measured.
    """

    def __init__(self, emit, clock, points):
        self.emit = emit
        self.points = None if points is None else frozenset(points)
        self.seen = {}
        self.told = 0
        self.tell = clock.outside(self.tell)

    def __call__(self, point, value):
        if self.points is None or point in self.points:
            occurrence = self.seen[point] = self.seen.get(point, 0) + 1
            if occurrence <= LOUD and self.told < MOST:
                self.told += 1
                self.tell(point, occurrence, value)
        return value

    def tell(self, point, occurrence, value):
        self.emit({"e": "watch", "k": point, "o": occurrence, "v": recorded(value)})


def recorded(value, depth=3):
    """As `contents.recorded`; numbers with a unit say so, those in lists and tuples as well."""
    if type(value) in (list, tuple) and len(value) <= LOUD and depth:
        items = [recorded(item, depth - 1) for item in value]
        return {"k": type(value).__name__, "items": items}
    return units.record(value) or contents.recorded(value)


class Silence:
    """Stands in for the emitter."""

    def __call__(self, event):
        pass

    def raw(self, data):
        pass


def run(
    emit, code, traced=None, warm=True, wall=False, gpu=False, points=None, again=0, keeps=False
):
    """Execute the case as `case.run` does; returns the exit code for the process.

    `wall`: count wall time; `gpu`: wait for the GPU before each reading of a clock; `points`: the
    numbers of the points to tell of, None for all; `again`: the seed of the second run; `keeps`:
    what is freed stays with the process.
    """
    if keeps:
        keep_freed()
    gc.freeze()  # collections look only at what the case makes, not at the whole framework
    live = side.module("live")
    if live is not None:
        live.pin()
    clock = clocks.Clock(wall, live.synchronize if gpu else None)
    clocks.install(clock, code)
    if warm:
        _quietly(lambda: case.run(Silence(), code, traced, watcher=_pass))
        child.seeded(again)
    gc.collect()
    forget_peak()
    free, started = spin(), usage()
    result = case.run(emit, code, traced, watcher=Watcher(emit, clock, points))
    cpu, wall_time = (after - before for before, after in zip(started, usage()))
    free = min(free, spin())
    emit({"e": "measured", "cpu": cpu, "wall": wall_time, "free": free})
    return result


def keep_freed():
    """Have glibc give nothing back to the system that is freed, and take nothing from it that is
    smaller than it allows: whether each tensor's pages are new depends on what lies above them."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return  # another C library
    mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
    mallopt(M_MMAP_THRESHOLD, LARGEST)


def _pass(point, value):
    return value


def _quietly(step):
    """Do it with nothing printed, whatever prints it."""
    kept = [os.dup(1), os.dup(2)]
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        for fd in (1, 2):
            os.dup2(null, fd)
        step()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        for fd, old in zip((1, 2), kept):
            os.dup2(old, fd)
            os.close(old)
        os.close(null)


def usage():
    """(CPU seconds, wall seconds) so far."""
    return CPU() / 1e9, WALL() / 1e9


def forget_peak():
    """Count the largest resident memory (`VmHWM`, `ru_maxrss`) anew from what it is now, so that
    warming up does not hide it."""
    try:
        with open("/proc/self/clear_refs", "w") as told:
            told.write("5")
    except OSError:
        pass  # where nothing may be written to, a run without warming up tells


def spin():
    """The share of a CPU that this process gets: 1 on an idle machine."""
    wall, cpu = WALL(), CPU()
    while CPU() - cpu < SPIN:
        pass
    return round((CPU() - cpu) / max(1, WALL() - wall), 3)
