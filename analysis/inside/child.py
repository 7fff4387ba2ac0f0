"""What a forked child does before and around its job: limits, redirection, scratch, clean exit.

A job names an entry `module:function` of this folder. A function that returns an iterator yields
events; one that takes `emit` calls it. Either way each event is one JSON line on the event pipe.
"""

import faulthandler
import importlib
import json
import os
import random
import resource
import sys

MEMORY_SLACK = 4
"""Address space allowed, as a multiple of the resident memory allowed."""


def main(job, pipes, control):
    stdout, stderr, events = pipes
    os.setsid()
    null = os.open(os.devnull, os.O_RDONLY)
    for source, wanted in ((null, 0), (stdout, 1), (stderr, 2)):
        os.dup2(source, wanted)
    for fd in (*control, stdout, stderr):
        os.close(fd)
    os.closerange(events + 1, 256)
    sys.stdin, sys.stdout, sys.stderr = _stream(0, "r"), _stream(1, "w"), _stream(2, "w")
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    _limit(job["limits"])
    os.chdir(job["scratch"])
    faulthandler.enable(file=2, all_threads=False)
    _seed(job["arguments"].pop("seed", 0))
    code = _run(job, Emitter(events))
    _flush()
    os._exit(code)


class Emitter:
    """Writes events; what was written survives a crash that follows."""

    def __init__(self, fd):
        self.fd = fd

    def __call__(self, event):
        data = json.dumps(event).encode("utf-8") + b"\n"
        try:
            while data:
                data = data[os.write(self.fd, data) :]
        except OSError:  # the case closed our pipe
            pass


def _run(job, emit):
    module, _, function = job["entry"].partition(":")
    entry = getattr(importlib.import_module(module), function)
    if module in ("case", "probe"):
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
    return open(fd, mode, encoding="utf-8", errors="replace", closefd=False)


def _limit(limits):
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    cpu = int(limits["cpu"])
    wanted = (
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_FSIZE, limits["file"], limits["file"]),
        (resource.RLIMIT_AS, used + MEMORY_SLACK * limits["memory"], resource.RLIM_INFINITY),
    )
    for name, soft, hard in wanted:
        ceiling = resource.getrlimit(name)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft = min(soft, ceiling)
            hard = ceiling if hard == resource.RLIM_INFINITY else min(hard, ceiling)
        resource.setrlimit(name, (soft, hard))


def _seed(seed):
    """Seed the generators that exist; a framework that was not imported is left alone."""
    random.seed(seed)
    generators = (("numpy", ("random", "seed")), ("torch", ("default_generator", "manual_seed")))
    for name, path in generators:
        target = sys.modules.get(name)
        for attribute in path:
            target = getattr(target, attribute, None)
        if target is not None:
            target(seed)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
