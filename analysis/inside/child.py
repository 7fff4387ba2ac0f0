"""What a forked child does before and around its job: limits, redirection, scratch, clean exit.

A job names an entry `module:function` of this folder. A function that returns an iterator yields
events; one that takes `emit` calls it. Either way each event is one JSON line on the event pipe.
"""

import atexit
import faulthandler
import importlib
import os
import random
import resource
import signal
import sys
import threading

# By name: a case may replace what these modules hold.
from json import JSONEncoder
from os import _exit, getpid, write

import confine
import processes
import seccomp

MEMORY_SLACK = 4
"""Address space allowed, as a multiple of the resident memory allowed."""
OF_CASES = frozenset(
    "callees case cold measure methods monotone perturb postmortem probe probe_unforked reached"
    " selected vary compiling".split()
)
"""Modules whose entries run a stranger's text, and end as the interpreter does."""
MEASURING, CPU_CLOCK = "measure:", "process_time"
"""Under a limit of CPU time, Linux tells the process's CPU time only tick by tick (4 ms)."""
EVENTS = 3
OPEN_FILES = 4096
GRAPHICS = "/dev/nvidiactl"
"""Where this is, CUDA reserves as much address space as machine and GPUs have memory."""
BLOCKING = "CUDA_LAUNCH_BLOCKING"
"""With it a kernel's failure is told by the call that has started it, not by a later one."""
NO_CORE = 1
"""As limit of a core file, 1 is what keeps a crash from starting the system's crash collector."""


def main(job, pipes, heard=None):
    """`heard` is the pipe on which a job that converses is asked; it becomes its standard input."""
    os.setsid()
    _redirect(*pipes, heard)
    # The server hides its memory; hiding the child's too would hide how much it uses.
    processes.prctl(processes.PR_SET_DUMPABLE, 1)
    processes.prctl(processes.PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    streams = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")
    sys.stdin, sys.stdout, sys.stderr = streams
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams
    timed = heard is None and not job["entry"].startswith(MEASURING) and not _reads_cpu_time(job)
    _limit(job["limits"], timed=timed)
    _leash(job["sandbox"])
    os.chdir(job["scratch"])
    faulthandler.enable(file=2, all_threads=False)
    seeded(job["arguments"].pop("seed", 0))
    module = job["entry"].partition(":")[0]
    if module in OF_CASES and not job["entry"].startswith(MEASURING) and os.path.exists(GRAPHICS):
        os.environ.setdefault(BLOCKING, "1")
    code = _run(job, module in OF_CASES, Emitter(EVENTS))
    _finish(streams[1:], exits=module in OF_CASES)
    _exit(code & 0xFF)


class Emitter:
    """Writes events; what was written survives a crash that follows."""

    def __init__(self, fd):
        self.fd = fd
        self.owner = getpid()
        self.encode = JSONEncoder().encode

    def __call__(self, event):
        if getpid() == self.owner:  # a fork of the case is not the case
            self.raw(self.encode(event).encode("utf-8") + b"\n")

    def raw(self, data):
        """Write a line that is ready."""
        try:
            while data:
                data = data[write(self.fd, data) :]
        except OSError:  # the case closed our pipe
            pass


def _redirect(stdout, stderr, events, heard):
    """The pipes as files 1, 2 and 3; nothing else of the server's stays open."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    high = [*map(os.dup, (nothing if heard is None else heard, stdout, stderr, events))]
    for wanted, source in enumerate(high):
        # Above the server's own files, so that none is overwritten before it is used.
        os.dup2(source, wanted, inheritable=wanted != EVENTS)
    os.closerange(EVENTS + 1, OPEN_FILES)


def _run(job, of_case, emit):
    module, _, function = job["entry"].partition(":")
    entry = getattr(importlib.import_module(module), function)
    if of_case:
        return entry(emit, **job["arguments"])
    try:
        for event in entry(**job["arguments"]):
            emit(event)
    except Exception:
        import traceback

        traceback.print_exc()
        return 1
    return 0


def _stream(fd, mode):
    # By lines, so that what was printed before a crash is not lost in it.
    return open(fd, mode, 1, encoding="utf-8", errors="replace", closefd=False)


def _reads_cpu_time(job):
    """Whether a case reads the clock that moves by ticks while CPU time is limited.

    A quotient of such times may then be one by zero.
    """
    return CPU_CLOCK in str(job["arguments"].get("code"))


def _limit(limits, timed):
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    cpu = int(limits["cpu"])
    wanted = (
        (resource.RLIMIT_CORE, NO_CORE, NO_CORE),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_FSIZE, limits["file"], limits["file"]),
        (resource.RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES),
        (resource.RLIMIT_AS, used + MEMORY_SLACK * limits["memory"], resource.RLIM_INFINITY),
    )
    for name, soft, hard in wanted:
        if name == resource.RLIMIT_CPU and not timed:
            continue  # the watchdog looks at wall time
        if name == resource.RLIMIT_AS and os.path.exists(GRAPHICS):
            continue  # and at the memory in use
        ceiling = resource.getrlimit(name)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft = min(soft, ceiling)
            hard = ceiling if hard == resource.RLIM_INFINITY else min(hard, ceiling)
        resource.setrlimit(name, (soft, hard))


def _leash(sandbox):
    """Outside of a process-id namespace, keep the case together and its signals to itself."""
    if sandbox != "bubblewrap" and seccomp.offered():
        unscoped = sandbox == "landlock" and confine.version() < confine.SCOPE_VERSION
        seccomp.leash(strict=unscoped)


def seeded(seed):
    """Seed the generators that exist; a framework that was not imported is left alone."""
    random.seed(seed)
    generators = (
        ("numpy", ("random", "seed")),
        ("torch", ("default_generator", "manual_seed")),
        ("tensorflow", ("random", "set_seed")),
    )
    for name, path in generators:
        target = sys.modules.get(name)
        for attribute in path:
            target = getattr(target, attribute, None)
        if target is not None:
            target(seed)


def _finish(streams, exits):
    """What the interpreter does at exit: wait for threads, run exit handlers, flush.

    The framework is not torn down; that would cost more than most cases.
    """
    for step in (threading._shutdown, atexit._run_exitfuncs) if exits else ():
        _quietly(step)
    replaced = vars(sys).get("stdout"), vars(sys).get("stderr")
    for stream in (*replaced, *streams):
        _quietly(lambda stream=stream: stream.flush())


def _quietly(step):
    try:
        step()
    except BaseException:
        pass
