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
import importlib
import importlib.util
import json
import os
import select
import signal
import sys
import time
import traceback

import processes
import side
import sweep

TICK = 0.02
MEMORY_TICK = 0.1
KEEP = 1 << 16  # bytes of output kept at either end
MAX_EVENT = 1 << 20
MAX_EVENTS_BYTES = 1 << 26
MAX_DIGITS = 300
SCRATCH_TICK = 0.5
SWEEP_SECONDS = 2.0
NAMESPACE = "bubblewrap"
"""The sandbox in which this process is the first of a process-id namespace, and all else ours."""
SHARED = "/dev/shm"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "2"}
"""Set before the framework is loaded: notices about the machine would be in every case's output."""


class Output:
    """Head and tail of a stream of any length."""

    def __init__(self):
        self.head = b""
        self.tail = b""
        self.total = 0

    def add(self, data):
        self.total += len(data)
        room = KEEP - len(self.head)
        self.head += data[:room]
        if len(data) > room:
            self.tail = (self.tail + data[max(room, 0) :])[-KEEP:]

    def text(self):
        kept = len(self.head) + len(self.tail)
        gap = b"\n[... %d bytes left out ...]\n" % (self.total - kept) if kept < self.total else b""
        return (self.head + gap + self.tail).decode("utf-8", "replace")


class Events:
    """Splits the event pipe into lines and relays those that are small and valid JSON."""

    def __init__(self, relay):
        self.relay = relay
        self.rest = b""
        self.total = 0

    def add(self, data):
        self.total += len(data)
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()[:MAX_EVENT]
        for line in lines:
            try:
                event = json.loads(line.decode("utf-8"), parse_int=number)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                self.relay(event)


def number(digits):
    """Huge numbers take long to read, and nobody sends any but to find that out."""
    if len(digits) > MAX_DIGITS:
        raise ValueError("huge number")
    return int(digits)


class Control:
    """The lines of the job pipe, whoever reads them; `fd` is closed at the other end in the end."""

    def __init__(self, fd):
        self.fd = fd
        self.begun = []
        self.lines = []

    def fill(self):
        """Read what is there, or wait for it; returns whether the pipe is still open."""
        data = os.read(self.fd, 1 << 20)
        *ended, rest = data.split(b"\n")
        for line in ended:
            self.lines.append(b"".join(self.begun) + line)
            self.begun = []
        self.begun.append(rest)
        return bool(data)

    def take(self):
        """The next line that has come; None where there is none."""
        return json.loads(self.lines.pop(0).decode("utf-8")) if self.lines else None

    def __iter__(self):
        while True:
            while not self.lines:
                if not self.fill():
                    return
            yield self.take()


class Watch:
    """One running child: its pipes, its limits and how it ended.

    `control` is the job pipe: when its other end is closed, nobody waits for the result any more.
    `wake` has something to read when a process has ended. `asks` is where the questions to a child
    that converses are written to, None for all others.
    """

    def __init__(self, pid, fds, job, relay, control, wake, asks=None):
        self.pid = pid
        self.id = job["id"]
        self.limits = job["limits"]
        self.sandbox = job["sandbox"]
        self.scratch = job["scratch"]
        self.start = time.monotonic()
        self.deadline = self.start + self.limits["wall"]
        self.relay = relay
        self.stdout, self.stderr, self.events = Output(), Output(), Events(self.heard)
        self.sinks = dict(zip(fds, (self.stdout, self.stderr, self.events)))
        self.poller = select.poll()
        for fd in (*fds, wake):
            self.poller.register(fd, select.POLLIN)
        self.control, self.wake = control, wake
        self.asks, self.unsent = asks, b""
        # Hang-ups only, where nothing is to be read before the end.
        self.poller.register(control.fd, 0 if asks is None else select.POLLIN)
        self.status = None
        self.usage = None
        self.killed = None
        self.peak = 0
        self.next_look = 0.0
        self.next_measure = self.start + SCRATCH_TICK

    def run(self):
        while self.status is None:
            self.drain(TICK)
            self.reap()
            if self.status is None and self.killed is None:
                self.killed = self.overstepped()
            if self.killed is not None or self.status is not None:
                self.kill_all()
        deadline = time.monotonic() + 0.5
        while self.sinks and time.monotonic() < deadline and self.drain(0):
            pass
        for fd in list(self.sinks):
            os.close(fd)
        if self.asks is not None:
            os.close(self.asks)
        return self.result()

    def drain(self, wait):
        """Read what is there; returns whether anything was."""
        found = False
        for fd, mask in self.poller.poll(int(wait * 1000)):
            if fd == self.control.fd:
                if not mask & select.POLLIN or not self.control.fill():
                    self.killed = self.killed or "abandoned"
                    self.poller.unregister(fd)
                self.asked()
                continue
            if fd == self.asks:
                self.send()
                continue
            data = os.read(fd, 1 << 20)
            if fd == self.wake:
                continue
            found = True
            if data:
                self.sinks[fd].add(data)
            else:
                self.poller.unregister(fd)
                os.close(fd)
                del self.sinks[fd]
        return found

    def heard(self, event):
        if self.asks is not None and "reply" in event:
            self.deadline = None  # until the next question
        self.relay(event)

    def asked(self):
        """Pass on the questions that have come."""
        while self.asks is not None and self.control.lines:
            record = self.control.take()
            if record.get("id") != self.id:
                continue
            if "leave" in record:
                self.killed = self.killed or "left"
                continue
            now = time.monotonic()
            self.deadline = now + record["wall"]
            self.stdout.total = self.stderr.total = self.events.total = 0
            self.unsent += json.dumps(record["ask"]).encode("utf-8") + b"\n"
            self.poller.register(self.asks, select.POLLOUT)

    def send(self):
        """Write as much as the child's pipe takes: this process must not wait for it."""
        try:
            self.unsent = self.unsent[os.write(self.asks, self.unsent) :]
        except BlockingIOError:
            return
        except OSError:  # it does not listen any more
            self.unsent = b""
        if not self.unsent:
            self.poller.unregister(self.asks)

    def reap(self):
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is None:
                    return
                if ended.si_pid == self.pid:
                    processes.kill_group(self.pid)  # while the number is still taken
                _, status, usage = os.wait4(ended.si_pid, 0)
            except ChildProcessError:
                return
            if ended.si_pid == self.pid:
                self.status, self.usage = status, usage

    def overstepped(self):
        now = time.monotonic()
        if self.deadline is not None and now > self.deadline:
            return "timeout"
        if self.stdout.total + self.stderr.total > self.limits["output"]:
            return "output"
        if self.events.total > MAX_EVENTS_BYTES:
            return "output"
        if now < self.next_look:
            return None
        self.next_look = now + MEMORY_TICK
        family = processes.below(os.getpid())
        if len(family) > self.limits["processes"]:
            return "processes"
        used = sum(family.values())
        if used > self.limits["memory"] and len(family) > 1:
            # Forks share most of what each has resident.
            used = sum(processes.proportional(pid, size) for pid, size in family.items())
        self.peak = max(self.peak, used)
        if used > self.limits["memory"]:
            return "memory"
        return self.overfilled(now)

    def overfilled(self, now):
        """Where the scratch folder is no file system of its own, its size is measured."""
        if self.sandbox == NAMESPACE or now < self.next_measure:
            return None
        used = sweep.measure(self.scratch, self.limits["scratch"])
        self.next_measure = time.monotonic() + SCRATCH_TICK + 5 * (time.monotonic() - now)
        return "output" if used > self.limits["scratch"] else None

    def kill_all(self):
        """Kill the child and everything it left behind."""
        if self.sandbox == NAMESPACE:
            processes.kill_namespace()
        if self.status is None:
            processes.kill_group(self.pid)
        processes.kill_below(self.reap)

    def result(self):
        signaled = os.WIFSIGNALED(self.status)
        return {
            "how": self.killed or ("signal" if signaled else "exit"),
            "code": os.WTERMSIG(self.status) if signaled else os.WEXITSTATUS(self.status),
            "stdout": self.stdout.text(),
            "stderr": self.stderr.text(),
            "wall": time.monotonic() - self.start,
            "cpu": self.usage.ru_utime + self.usage.ru_stime,
            "peak": max(self.peak, self.usage.ru_maxrss * 1024),
        }


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
    try:
        importlib.import_module(module)
    except ImportError:
        sys.modules.setdefault(module, None)


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
    for module in (*lazy, "child", "case", "probe"):  # loaded once here, not in every child
        importlib.import_module(module)
    atexit._clear()  # the framework's handlers cost more than most cases; a case's own do run
    Server(control, sandbox, scratch).serve()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
