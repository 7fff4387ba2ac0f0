"""Run a program, and let nothing that it started outlive it.

    keep.py SCRATCH PROGRAM ARGS...

Used where there is no process-id namespace to do it. This process adopts the orphans below it; when
the program ends, or when whoever holds the other end of standard input goes away, everything below
is killed and the scratch folder emptied.
"""

import os
import select
import signal
import sys

import processes
import sweep

SWEEP_SECONDS = 8.0


class Keeper:
    """The program's process, and how it ended."""

    def __init__(self, command):
        self.wake, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        self.asked = False
        self.status = None
        self.pid = os.fork()
        if self.pid == 0:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            try:
                os.execv(command[0], command)
            except OSError as problem:
                os.write(2, "{}: {}\n".format(command[0], problem.strerror).encode())
            finally:
                os._exit(127)

    def wait(self):
        """Until the program has ended or nobody is listening any more."""
        poller = select.poll()
        poller.register(0, 0)  # only hang-ups: the input itself is the program's
        poller.register(self.wake, select.POLLIN)
        while self.status is None and not self.asked:
            for fd, _ in poller.poll():
                if fd == 0:
                    return
                signals = os.read(self.wake, 4096)
                self.asked = any(number != signal.SIGCHLD for number in signals)
            self.reap()

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.status = status


def main(scratch, command):
    """Returns the exit status for this process."""
    processes.prctl(processes.PR_SET_CHILD_SUBREAPER, 1)
    keeper = Keeper(command)
    keeper.wait()
    processes.kill_below(keeper.reap)
    sweep.sweep(scratch, SWEEP_SECONDS)
    if keeper.status is None or os.WIFSIGNALED(keeper.status):
        return 1
    return os.WEXITSTATUS(keeper.status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
