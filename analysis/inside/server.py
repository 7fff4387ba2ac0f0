"""The fork server: imports the framework once, then forks one child per job.

Started by `analysis.target.session` inside the sandbox as `python -I server.py FRAMEWORK`. Jobs
come as JSON lines on standard input; events and results leave as such on standard output:

    -> {"id": 1, "entry": "case:run", "arguments": {...}, "limits": {...}}
    <- {"id": 1, "event": {...}}            any number, as they happen
    <- {"id": 1, "end": {"how": "exit", "code": 0, ...}}

This process never runs an operation of the framework: a parent whose thread pools have started
deadlocks its children. It only imports, forks, and watches: wall time, resident memory, number of
processes and output of everything below it, which it kills from outside.
"""

import ctypes
import importlib
import importlib.util
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time

TICK = 0.02
MEMORY_TICK = 0.1
KEEP = 1 << 16  # bytes of output kept at either end
MAX_EVENT = 1 << 20
MAX_EVENTS_BYTES = 1 << 26
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


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
        if self.total > MAX_EVENTS_BYTES:
            return
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()[:MAX_EVENT]
        for line in lines:
            try:
                event = json.loads(line.decode("utf-8"))
            except ValueError:
                continue
            if isinstance(event, dict):
                self.relay(event)


def processes():
    """(pid, parent, resident bytes) of every live process that this one can see."""
    page = resource.getpagesize()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % name, "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:  # gone meanwhile
            continue
        if fields[0] not in (b"Z", b"X"):
            yield int(name), int(fields[1]), int(fields[21]) * page


def below(root):
    """{pid: resident bytes} of all descendants of `root`; orphans are adopted by the server."""
    children = {}
    resident = {}
    for pid, parent, size in processes():
        children.setdefault(parent, []).append(pid)
        resident[pid] = size
    found, queue = {}, list(children.get(root, ()))
    while queue:
        pid = queue.pop()
        found[pid] = resident.get(pid, 0)
        queue.extend(children.get(pid, ()))
    return found


def proportional(pid):
    """Bytes of memory of a process in which shared pages count in proportion."""
    try:
        with open("/proc/%d/smaps_rollup" % pid) as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


class Watch:
    """One running child: its pipes, its limits and how it ended."""

    def __init__(self, pid, fds, limits, relay):
        self.pid = pid
        self.limits = limits
        self.start = time.monotonic()
        self.stdout, self.stderr, self.events = Output(), Output(), Events(relay)
        self.sinks = dict(zip(fds, (self.stdout, self.stderr, self.events)))
        self.status = None
        self.usage = None
        self.killed = None
        self.peak = 0
        self.next_look = 0.0

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
        return self.result()

    def drain(self, wait):
        """Read what is there; returns whether anything was."""
        if not self.sinks:
            time.sleep(wait)
            return False
        ready = select.select(list(self.sinks), [], [], wait)[0]
        for fd in ready:
            data = os.read(fd, 1 << 20)
            if data:
                self.sinks[fd].add(data)
            else:
                os.close(fd)
                del self.sinks[fd]
        return bool(ready)

    def reap(self):
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.status, self.usage = status, usage

    def overstepped(self):
        now = time.monotonic()
        if now - self.start > self.limits["wall"]:
            return "timeout"
        if self.stdout.total + self.stderr.total > self.limits["output"]:
            return "output"
        if now < self.next_look:
            return None
        self.next_look = now + MEMORY_TICK
        family = below(os.getpid())
        if len(family) > self.limits["processes"]:
            return "processes"
        used = sum(family.values())
        if used > self.limits["memory"] and len(family) > 1:
            used = sum(map(proportional, family))  # forks share most of what each has resident
        self.peak = max(self.peak, used)
        return "memory" if used > self.limits["memory"] else None

    def kill_all(self):
        """Kill the child and everything it left behind, however often it forks meanwhile."""
        for _ in range(200):
            family = below(os.getpid())
            if not family:
                break
            if NAMESPACE:  # every process in here but this one and init, at one stroke
                kill(-1)
            for pid in family:
                kill(pid)
            self.reap()
            time.sleep(0.001)
        self.reap()

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


NAMESPACE = False


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


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def prctl(option, value):
    try:
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def start(job, control):
    """Fork the child of one job; returns (pid, [stdout, stderr, events] reading ends)."""
    pipes = [os.pipe() for _ in range(3)]
    pid = os.fork()
    if pid == 0:
        try:
            import child

            child.main(job, [write for _, write in pipes], control)
        finally:
            os._exit(70)  # only reached when setting up the child failed
    for _, write in pipes:
        os.close(write)
    return pid, [read for read, _ in pipes]


def serve(control_in, control_out):
    """Answer jobs until the input ends."""

    def say(record):
        data = json.dumps(record).encode("utf-8") + b"\n"
        while data:
            data = data[os.write(control_out, data) :]

    say({"ready": {"pid": os.getpid(), "modules": len(sys.modules)}})
    for line in os.fdopen(os.dup(control_in), "rb"):
        job = json.loads(line.decode("utf-8"))
        number = job["id"]
        job["scratch"] = tempfile.mkdtemp(prefix="case-")
        pid, fds = start(job, (control_in, control_out))

        def relay(event, number=number):
            say({"id": number, "event": event})

        end = Watch(pid, fds, job["limits"], relay).run()
        remove(job["scratch"])
        say({"id": number, "end": end})


def remove(folder):
    """Remove what a job left behind; what cannot be removed goes with the sandbox."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        pass


def main(framework, lent):
    global NAMESPACE
    NAMESPACE = os.getpid() <= 3  # a process-id namespace of our own, as bubblewrap makes one
    control_in, control_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # whatever the framework prints while it is imported is not protocol
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
    sys.meta_path.append(Lent(lent))
    sys.dont_write_bytecode = True
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_DUMPABLE, 0)  # a hostile child must not read or write this process's memory
    if framework:
        importlib.import_module(framework)
        importlib.import_module("names_" + framework).prepare()
    lazy = ("numpy.random",) if "numpy" in sys.modules else ()
    for module in (*lazy, "child", "case", "probe"):  # loaded once here, not in every child
        importlib.import_module(module)
    serve(control_in, control_out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
