"""The fork server: imports the framework once, then forks one child per job.

Started by `analysis.target.session` inside the sandbox as `server.py FRAMEWORK SANDBOX SCRATCH`.
Jobs come as JSON lines on standard input; events and results leave as such on standard output:

    -> {"id": 1, "entry": "case:run", "arguments": {...}, "limits": {...}}
    <- {"id": 1, "event": {...}}            any number, as they happen
    <- {"id": 1, "end": {"how": "exit", "code": 0, ...}}

A job with `"converses": true` lives on and is asked questions, each with a limit of its own; a
reply is the last event that it yields to one.

    -> {"id": 1, "ask": {...}, "wall": 5.0}
    <- {"id": 1, "event": {"reply": ...}}
    -> {"id": 1, "leave": true}

This process never runs an operation of the framework: a parent whose thread pools have started
deadlocks its children. It only imports, forks, and watches: wall time, resident memory, number of
processes and output of everything below it, which it kills from outside.
"""

import atexit
import gc
import importlib
import importlib.util
import json
import os
import signal
import sys
import traceback

import processes
import side
import sweep
from watching import NAMESPACE, Control, Watch

SWEEP_SECONDS = 2.0
SHARED = "/dev/shm"
EVERYBODYS_MODULES = ("child", "case", "handed", "watch", "probe", "perturb", "selected")
"""Loaded once here, not in nearly every child: nothing that is compiled there is kept."""
NOT_LOADED = set()
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "2"}
"""Set before the framework is loaded: notices about the machine would be in every case's output."""


class Lent:
    """Finds the packages that Citadel lends (`name=folder`), after the interpreter's own."""

    def __init__(self, packages):
        self.folders = dict(package.split("=", 1) for package in packages)

    def find_spec(self, name, path=None, target=None):
        folder = self.folders.get(name)
        if folder is None:
            return None
        source = os.path.join(folder, "__init__.py")
        return importlib.util.spec_from_file_location(
            name, source, submodule_search_locations=[folder]
        )


class Server:
    """Answers jobs until the input ends."""

    def __init__(self, control, sandbox, scratch):
        self.control, self.control_out = Control(control[0]), control[1]
        self.sandbox = sandbox
        self.scratch = scratch
        # What lies in the user's /tmp and may be read is mounted into the scratch folder.
        self.mounts = {folder: sweep.mounts(folder) for folder in self.swept()}
        self.wake, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def say(self, record):
        data = json.dumps(record).encode("utf-8") + b"\n"
        while data:
            data = data[os.write(self.control_out, data) :]

    def serve(self):
        self.say({"ready": {"pid": os.getpid(), "modules": len(sys.modules)}})
        for job in self.control:
            if "entry" not in job:  # a question to a child that had ended by then
                continue
            end = self.run(job)
            if end["how"] == "abandoned":
                return
            self.say({"id": job["id"], "end": end})

    def run(self, job):
        """One job from beginning to end: {"how": ..., "code": ..., ...}."""
        # Always the same, because tracebacks show it and runs are compared.
        job["scratch"] = os.path.join(self.scratch, "case")
        os.makedirs(job["scratch"], 0o700, exist_ok=True)  # it may lead to the interpreter
        job["sandbox"] = self.sandbox
        for module in job["preload"]:
            if module not in sys.modules:
                load(module)

        def relay(event):
            self.say({"id": job["id"], "event": event})

        pid, fds, asks = start(job)
        end = Watch(pid, fds, job, relay, self.control, self.wake, asks).run()
        # A case may have written anywhere in the scratch folder, and the next one finds it empty.
        swept = [sweep.sweep(each, SWEEP_SECONDS, self.mounts[each]) for each in self.swept()]
        return dict(end, spent=not all(swept))

    def swept(self):
        """The folders that a case can write to."""
        return (self.scratch, SHARED) if self.sandbox == NAMESPACE else (self.scratch,)


def load(module):
    """Import a module here, once, so that no child has to; a build without it does without."""
    if module in NOT_LOADED:
        return
    try:
        importlib.import_module(module)
    except (Exception, SystemExit):  # children that need it say so themselves
        NOT_LOADED.add(module)


def start(job):
    """Fork the child of one job; returns (pid, [stdout, stderr, events] reading ends, asks).

    `asks` is the writing end of the input of a job that converses, else None.
    """
    pipes = [os.pipe() for _ in range(3)]
    heard, asks = os.pipe() if job.get("converses") else (None, None)
    pid = os.fork()
    if pid == 0:
        try:
            import child

            child.main(job, [write for _, write in pipes], heard)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(70)  # only reached when setting up the child failed
    for _, write in pipes:
        os.close(write)
    if asks is not None:
        os.close(heard)
        os.set_blocking(asks, False)
    return pid, [read for read, _ in pipes], asks


def main(framework, sandbox, scratch, lent):
    control = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # whatever the framework prints while it is imported is not protocol
    os.close(null)
    sys.meta_path.append(Lent(lent))
    sys.dont_write_bytecode = True
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # a case may send them; the end of input ends us
    processes.prctl(processes.PR_SET_PDEATHSIG, signal.SIGKILL)
    processes.prctl(processes.PR_SET_CHILD_SUBREAPER, 1)
    # A hostile child must not read or write this process's memory.
    processes.prctl(processes.PR_SET_DUMPABLE, 0)
    if framework:
        os.environ.update(QUIET)
        importlib.import_module(framework)
        side.use(framework)
        side.module("names").prepare()
        side.module("live")
    lazy = ("numpy.random",) if "numpy" in sys.modules else ()
    for module in (*lazy, *EVERYBODYS_MODULES):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()  # a child's collections look at what its case makes, not at the whole framework
    atexit._clear()  # the framework's handlers cost more than most cases; a case's own do run
    Server(control, sandbox, scratch).serve()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
