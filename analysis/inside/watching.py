"""Watches one forked child from outside: its output, its limits, how it ended.

In: the child's pipes and the job's limits. Out: events, relayed as they come, and a record of the
end. What a child started is killed with it.
"""

import json
import os
import select
import time

import processes
import sweep

TICK = 0.02
MEMORY_TICK = 0.1
KEEP = 1 << 16  # bytes of output kept at either end
MAX_EVENT = 1 << 20
MAX_EVENTS_BYTES = 1 << 26
MAX_DIGITS = 300
SCRATCH_TICK = 0.5
NAMESPACE = "bubblewrap"
"""The sandbox in which the server is the first of a process-id namespace, and all else ours."""


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
