"""The probe where nothing can be forked: CUDA does not work in the child of a process that uses it.

As `probe`, but attempts run in the process of the case, one behind the other. It goes on until an
attempt leaves a mark on the values of the call, or breaks the device for all that follow; the host
starts the next process behind it. Calls that are made to write get copies of the tensors that they
may have. A process that dies, or is ended by the watchdog, has told which attempt it was at.
Emits {"e": "begun", "i": index} in front of each attempt, what `probe` emits behind it, and at the
end {"e": "left", "i": index of the next one that is to be tried, None where none is left}.
"""

import faulthandler
import time

import case
import side
from marks import state
from planned import execute, live_values, raised
from probe import Probe

STDERR = 2


def run(emit, code, traced, site, occurrence, plans, wanted, outputs, wall, total):
    """Try `plans` at one execution of one call; the arguments are those of `probe.run`."""
    live = side.module("live")
    live.pin()
    walls = {False: wall, True: wall}
    deadline = time.monotonic() + total
    probe = Unforked(live, emit, plans, wanted, False, outputs, walls, deadline)

    def hook(at, nth, function, args, kwargs):
        if at == site and nth == occurrence:
            probe.all(function, args, kwargs)
            raise case.Stop

    return case.run(emit, code, traced, hook)


class Unforked(Probe):
    """The attempts at one call, in this process."""

    def all(self, function, args, kwargs):
        values = live_values(self.live, function, args, kwargs)
        before = state(self.live, values)
        self.waits = self.failed() is None
        position, marked = 0, False
        while position < len(self.plans) and not marked and not self.late(position):
            self.emit({"e": "begun", "i": self.plans[position][0]})
            # A thread of its own, so that nothing that the case does to signals matters.
            faulthandler.dump_traceback_later(self.walls[False], exit=True, file=STDERR)
            record, marked = self.attempt(position, values)
            self.report(position, record)
            marked = marked or state(self.live, values) != before
            faulthandler.cancel_dump_traceback_later()
            position = self.after(position, record)
        left = self.plans[position:] if marked else ()
        self.emit({"e": "left", "i": left[0][0] if left else None})

    def attempt(self, position, values):
        """(What became of it, whether the device is of no more use.)"""
        plan = self.plans[position][2]
        given = copied(self.live, values) if writes(plan) else values
        record = execute(self.live, plan, given, self.outputs)[0]
        problem = self.failed() if self.waits else None
        if problem is not None and record["o"] != "raise":
            record = raised("call", problem)
        return record, problem is not None

    def failed(self):
        """What a kernel has failed with, which is told to whoever waits for the device."""
        try:
            self.live.synchronize()
        except BaseException as problem:
            return problem
        return None


def writes(plan):
    """Whether a call is made to write to what it is given: `add_`, `out=`."""
    name = plan["target"].rpartition(".")[2]
    out = any(name == "out" for name, _ in plan["call"])
    return out or (name.endswith("_") and not name.endswith("__"))


def copied(live, values):
    """The values with copies in place of the tensors that have such; of one always the same."""
    if not hasattr(live, "copies"):
        return values
    try:
        copies = live.copies([value for value in values.values() if live.is_tensor(value)])
    except Exception:  # kinds of tensors that do not tell what they are
        return values
    return {key: copies.get(id(value), value) for key, value in values.items()}
