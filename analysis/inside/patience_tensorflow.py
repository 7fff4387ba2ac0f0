"""Ends calls that take too long: with an exception if Python runs, else with the process.

A signal does not interrupt an operator that waits in native code, so a second one, not handled,
ends the process; the host starts a new one and leaves the culprit out. May be nested: what runs
inside has no more time than what is left outside.
"""

import contextlib
import signal

BLOCKED = 3
"""How many times as long a call may take as it may compute: it may block, or others may keep the
processors from it."""
SOON = 0.001


class Late(Exception):
    """A call takes too long."""


def late(*_):
    raise Late


@contextlib.contextmanager
def patience(seconds):
    """Allow what runs inside so many seconds of computing."""
    signal.signal(signal.SIGPROF, late)
    limits = {signal.ITIMER_PROF: seconds, signal.ITIMER_REAL: BLOCKED * seconds}
    outside = {timer: lowered(timer, limit) for timer, limit in limits.items()}
    try:
        yield
    finally:
        for timer, (outer, limit) in outside.items():
            spent = limit - signal.setitimer(timer, 0)[0]
            if outer:
                signal.setitimer(timer, max(outer - spent, SOON))


@contextlib.contextmanager
def paused():
    """What runs inside does not count for the limits outside, and has none yet."""
    left = {
        timer: signal.setitimer(timer, 0)[0] for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL)
    }
    try:
        yield
    finally:
        for timer, seconds in left.items():
            signal.setitimer(timer, seconds)


def lowered(timer, seconds):
    """Set a timer that goes off no later than it would have; returns (seconds before, now)."""
    before = signal.getitimer(timer)[0]
    limit = min(before, seconds) if before else seconds
    signal.setitimer(timer, limit)
    return before, limit
