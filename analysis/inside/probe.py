"""The probe: run a case up to its failing call, and there try other APIs on the live arguments.

Attempts run in forked grandchildren, so that nothing an API does reaches the next one: a crash, a
hang or a changed argument ends its grandchild, and another one carries on. Forking costs ten times
an attempt, so one grandchild makes many as long as nothing happens; whatever dies is tried again
alone, since an earlier attempt may have damaged the process. Threads are pinned to one: a forked
process has no thread pool. What hangs nevertheless is tried again with pools of its own, where the
framework can start such, and so is all that follows it, unless that hangs as well.
Emits an event per plan that is tried: {"e": "probe", "i": index, "o": outcome}, the outcome being
"ok", "raise", "signal", "timeout", "exit", or "budget" where the time was up. An attempt whose time
is up because it imports a package that this process has not loaded has raised an `ImportError`.
"taken" says what became of its outputs (see `planned.execute`).
"""

import json
import os
import select
import signal
import sys
import time

import case
import processes
import side
from marks import state
from planned import execute, live_values

BATCH = 64
STARVED = 10
"""Times its seconds that an attempt may take where others keep the processors from it."""
SLICE = 0.2
"""Seconds after which such an attempt is looked at again."""
USELESS = 3
"""Attempts that pools did not help, after which what hangs is not tried again."""
OWN = getattr(sys, "stdlib_module_names", frozenset())
"""Modules that take no time to import."""


def run(
    emit, code, traced, site, occurrence, plans, wanted, onward, outputs, wall, onward_wall, total
):
    """Try `plans` (see `citadel.plan.model.Adaptation.to_json`) at one execution of one call.

    `plans` are (index, group, plan); the first plan of a group (an API) that runs through, or dies
    in the `wanted` way (signal number, "timeout"), spares the group's others. An exception does
    not: most are of the same class, and another plan may bring the right one.

    `onward`: the source's failure showed only when its result was used, so each attempt carries on
    with the rest of the case, the sibling's result in the place of the source's.
    `outputs`: as how many tensors the source's result comes, 0 if it is none or nobody knows.
    `wall`: seconds per attempt, `onward_wall` where it carries on; `total`: seconds for all. An
    attempt that is ready to run and gets no processor has used up nothing.
    """
    live = side.module("live")
    live.pin()
    walls = {False: wall, True: onward_wall}
    probe = Probe(live, emit, plans, wanted, onward, outputs, walls, time.monotonic() + total)

    def hook(at, nth, function, args, kwargs):
        if probe.going is None and at == site and nth == occurrence:
            replaced = probe.all(function, args, kwargs)
            if replaced is None:
                raise case.Stop
            return replaced
        return None

    exit_code = case.run(probe.tell, code, traced, hook)
    if probe.going is not None:
        probe.arrived()
    return exit_code


class Probe:
    """The attempts at one call. `plans` are (index, group, plan), a group's plans in a row."""

    def __init__(self, live, emit, plans, wanted, onward, outputs, walls, deadline):
        self.live = live
        self.emit = emit
        self.plans = plans
        self.wanted = wanted
        self.onward = onward
        self.outputs = outputs
        self.walls = walls
        self.deadline = deadline
        self.open = []  # attempts that ran through the call, whose case has yet to go on
        self.going = None  # in a grandchild that carries on: where it reports to
        self.problem = None
        self.pools = False  # whether grandchildren start thread pools of their own
        self.useless = 0

    def tell(self, event):
        """The case's own events; those of a grandchild that carries on are not the trace's."""
        if self.going is None:
            self.emit(event)
        elif event["e"] == "exception":
            self.problem = event

    def arrived(self):
        """The end of a grandchild that carried on to the end of the case."""
        record = {"o": "ok", "at": self.going[1], "taken": self.going[2]}
        if self.problem is not None:
            record.update(self.problem, o="raise", stage="call")
        os.write(self.going[0], json.dumps(record).encode("utf-8") + b"\n")
        os._exit(0)

    def all(self, function, args, kwargs):
        """All attempts. Returns the result to carry on with, where that is what is left to do."""
        values = live_values(self.live, function, args, kwargs)
        position = 0
        alone, tried_again = False, None
        while position < len(self.plans) and not self.late(position):
            start = position
            last = self.batch(position, 1 if alone else BATCH, values)
            position = last["next"]
            alone = False
            if last["died"] is not None:
                if self.without_pools(last["died"]):
                    tried_again = position
                    continue
                if position == tried_again:
                    self.did_not_help(last["died"])
                if position > start and last["died"]["o"] not in ("timeout", "raise"):
                    alone = True  # was it this API, or damage that an earlier one did?
                    continue
                self.report(position, last["died"])
                position = self.after(position, last["died"])
        for position in self.open:
            if self.late(position):
                break
            last = self.batch(position, 1, values, onward=True)
            if self.going is None and last["died"] and self.without_pools(last["died"]):
                last = self.batch(position, 1, values, onward=True)
                self.did_not_help(last["died"] if self.going is None else None)
            if self.going is not None:
                return last
            if last["died"] is not None:
                self.report(position, last["died"], settled=True)
        return None

    def without_pools(self, died):
        """Whether an attempt may have waited for threads that its process did not have."""
        first = died["o"] == "timeout" and not self.pools and hasattr(self.live, "start_pools")
        first = first and self.useless < USELESS
        self.pools = self.pools or first
        return first

    def did_not_help(self, died):
        """Do without pools again where what hung without them hangs with them, too."""
        if died is not None and died["o"] == "timeout":
            self.pools = False
            self.useless += 1

    def late(self, position):
        """Whether the time is up, which is reported."""
        if time.monotonic() <= self.deadline:
            return False
        self.emit({"e": "probe", "i": self.plans[position][0], "o": "budget"})
        return True

    def batch(self, start, size, values, onward=False):
        """Attempts from `start` on in one grandchild, until one changes the arguments or dies."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            sys.meta_path.insert(0, Importing(writing))
            if self.pools:
                try:
                    self.live.start_pools()
                except BaseException:
                    os._exit(1)
            if onward:
                return self.carry_on(start, values, writing)
            try:
                self.attempts(start, size, values, writing)
            finally:
                os._exit(0)
        os.close(writing)
        position, died, importing, taken = start, None, None, ""
        lines = Lines(reading, pid)
        while True:
            record = lines.next(self.walls[onward])
            if record is None:
                break
            importing = record.get("importing")
            taken = taken or record.get("taken", "")
            if "at" not in record:
                continue
            position = record["at"]
            self.report(position, record, settled=onward)
            position = self.after(position, record)
        if lines.timed_out:
            os.kill(pid, signal.SIGKILL)
            died = {"o": "timeout"} if importing is None else unloaded(importing)
        status = os.waitpid(pid, 0)[1]
        os.close(reading)
        if died is None and os.WIFSIGNALED(status):
            died = {"o": "signal", "code": os.WTERMSIG(status)}
        elif died is None and position == start:
            died = {"o": "exit", "code": os.WEXITSTATUS(status)}
            self.pools = False  # they may be what has ended it
        if died is not None:
            died["taken"] = taken if onward else ""
        return {"next": position, "died": died}

    def carry_on(self, position, values, writing):
        """One attempt in a grandchild whose case goes on; returns `(result,)` if it may."""
        record, result = execute(self.live, self.plans[position][2], values, self.outputs)
        if record["o"] != "ok":
            record["at"] = position
            os.write(writing, json.dumps(record).encode("utf-8") + b"\n")
            os._exit(0)
        self.going = (writing, position, record["taken"])
        os.write(writing, json.dumps({"taken": record["taken"]}).encode("utf-8") + b"\n")
        return (result,)

    def attempts(self, start, size, values, writing):
        position = start
        before = state(self.live, values)
        while position < min(len(self.plans), start + size):
            record = execute(self.live, self.plans[position][2], values, self.outputs)[0]
            record["at"] = position
            os.write(writing, json.dumps(record).encode("utf-8") + b"\n")
            if state(self.live, values) != before:
                return
            position = self.after(position, record)

    def report(self, position, record, settled=False):
        """Tell the host, unless the attempt has yet to be carried on with."""
        if self.onward and record["o"] == "ok" and not settled:
            self.open.append(position)
            return
        self.emit(dict(record, e="probe", i=self.plans[position][0]))

    def after(self, position, record):
        """The next attempt: a settled group's other plans are left out."""
        group = self.plans[position][1]
        position += 1
        if self.settles(record):
            while position < len(self.plans) and self.plans[position][1] == group:
                position += 1
        return position

    def settles(self, record):
        how = record["o"]
        return (
            how == "ok"
            or record.get("late", False)
            or self.wanted == (record.get("code") if how == "signal" else how)
        )


class Importing:
    """Tells when a package is imported that was not loaded; first of the finders, it finds none."""

    def __init__(self, fd):
        self.fd = fd
        self.told = set()

    def find_spec(self, name, path=None, target=None):
        if path is None and name not in OWN and name not in self.told:
            self.told.add(name)
            os.write(self.fd, json.dumps({"importing": name}).encode("utf-8") + b"\n")


def unloaded(package):
    """The record of an attempt whose time was up while it imported a package."""
    message = "{} is not loaded, and takes too long to import for an attempt".format(package)
    types = ["ImportError", "Exception", "BaseException"]
    return {"o": "raise", "stage": "call", "types": types, "message": message, "late": True}


class Lines:
    """JSON lines of a pipe, with a time limit for each; `pid` is the process that writes them."""

    def __init__(self, fd, pid):
        self.fd = fd
        self.pid = pid
        self.rest = b""
        self.timed_out = False

    def next(self, wall):
        """The next record; None at the end, or when none came in time."""
        start, used = time.monotonic(), processes.spent(self.pid)
        deadline, last = start + wall, start + STARVED * wall
        while b"\n" not in self.rest:
            ready = select.select([self.fd], [], [], max(0.0, deadline - time.monotonic()))[0]
            if not ready:
                left = wall - (processes.spent(self.pid) - used)
                if left > 0 and deadline < last and processes.runs(self.pid):
                    deadline = min(last, time.monotonic() + max(left, SLICE))
                    continue
                self.timed_out = True
                return None
            chunk = os.read(self.fd, 65536)
            if not chunk:
                return None
            self.rest += chunk
        line, _, self.rest = self.rest.partition(b"\n")
        return json.loads(line.decode("utf-8"))
