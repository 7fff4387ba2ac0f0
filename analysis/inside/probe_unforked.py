"""The probe where nothing can be forked: CUDA does not work in the child of a process that uses it.

As `probe`, but attempts run in the process of the case, one behind the other, on copies of the
tensors at the call. It goes on until an attempt leaves a mark on anything but its copies, or breaks
the device for all that follow; the host starts the next process behind it. A process that dies, or
is killed by the alarm that is set for each attempt, has told which one it was at.
Emits {"e": "begun", "i": index} in front of each attempt, what `probe` emits behind it, and at the
end {"e": "left", "i": index of the next one that is to be tried, None where none is left}.
"""

import contextlib
import signal
import time

import case
import side
from marks import state
from planned import execute, live_values, raised
from probe import Probe


def run(emit, code, traced, site, occurrence, plans, wanted, outputs, wall, total):
    """Try `plans` at one execution of one call; the arguments are those of `probe.run`."""
    live = side.module("live")
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
        position = 0
        while position < len(self.plans) and not self.late(position):
            record, broken = self.attempt(position, values)
            self.report(position, record)
            position = self.after(position, record)
            if broken or state(self.live, values) != before:
                break
        else:
            position = len(self.plans)
        left = self.plans[position:]
        self.emit({"e": "left", "i": left[0][0] if left else None})

    def attempt(self, position, values):
        """(What became of it, whether the device is of no more use.)"""
        self.emit({"e": "begun", "i": self.plans[position][0]})
        # An alarm that nobody handles ends the process even in the midst of a call.
        with contextlib.suppress(ValueError):  # only the main thread may say so, and it is so
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, self.walls[False])
        try:
            given = copied(self.live, values)
            record = execute(self.live, self.plans[position][2], given, self.outputs)[0]
            try:
                self.live.synchronize()
            except BaseException as problem:  # of a kernel, which says so to whoever comes next
                return record if record["o"] == "raise" else raised("call", problem), True
            return record, False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def copied(live, values):
    """The values with a copy in place of each tensor that has one; of one tensor always the same.

    Where the framework has no other tensors than those that nothing writes to, they stay.
    """
    if not hasattr(live, "copied"):
        return values
    copies = {}
    for value in values.values():
        if live.is_tensor(value) and id(value) not in copies:
            try:
                copies[id(value)] = live.copied(value)
            except Exception:  # a kind of tensor that cannot be copied
                pass
    return {key: copies.get(id(value), value) for key, value in values.items()}
