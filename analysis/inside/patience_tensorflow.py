"""Ends calls that take too long: with an exception if Python runs, else with the process.

A signal does not interrupt an operator that waits in native code, so a second one, not handled,
ends the process; the host starts a new one and leaves the culprit out. May be nested.
"""

import contextlib
import signal

BLOCKED = 2
"""How many times as long a call may be idle as it may compute."""


class Late(Exception):
    """A call takes too long."""


def late(*_):
    raise Late


@contextlib.contextmanager
def patience(seconds):
    """Allow what runs inside so many seconds of computing; what is left of an outer limit stays."""
    signal.signal(signal.SIGPROF, late)
    outer = signal.setitimer(signal.ITIMER_PROF, seconds)[0]
    outside = signal.setitimer(signal.ITIMER_REAL, BLOCKED * seconds)[0]
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, outer)
        signal.setitimer(signal.ITIMER_REAL, outside)
