"""What runs below this process, by /proc, and how to end it."""

import ctypes
import os
import resource
import signal
import time

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


def listed():
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
        if fields and fields[0] not in (b"Z", b"X"):
            yield int(name), int(fields[1]), int(fields[21]) * page


def below(root):
    """{pid: resident bytes} of all descendants of `root`; a subreaper adopts the orphans."""
    children = {}
    resident = {}
    for pid, parent, size in listed():
        children.setdefault(parent, []).append(pid)
        resident[pid] = size
    found, queue = {}, list(children.get(root, ()))
    while queue:
        pid = queue.pop()
        if pid not in found:
            found[pid] = resident.get(pid, 0)
            queue.extend(children.get(pid, ()))
    return found


def proportional(pid, resident):
    """Bytes of a process in which shared pages count in proportion, `resident` if it hides them."""
    try:
        with open("/proc/%d/smaps_rollup" % pid) as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except PermissionError:
        return resident
    except OSError:  # gone meanwhile
        pass
    return 0


def spent(pid):
    """Seconds of processor time that a process has used; 0 if nobody knows."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:  # gone meanwhile
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def runs(pid):
    """Whether a thread of a process runs, or would if it had a processor: it does not wait."""
    try:
        for thread in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/stat" % (pid, thread), "rb") as file:
                if file.read().rpartition(b")")[2].split()[0] in (b"R", b"D"):
                    return True
    except OSError:  # gone meanwhile
        pass
    return False


def kill(pid):
    """SIGKILL to one process; never to a group, nor to everything."""
    if pid > 1:
        _kill(pid)


def kill_group(leader):
    """SIGKILL to a process group at one stroke; `leader` must not have been waited for yet."""
    if leader > 1:
        _kill(-leader)


def kill_namespace():
    """SIGKILL to every other process of a process-id namespace of which this is the first."""
    if os.getpid() == 1:
        _kill(-1)


def kill_below(reap):
    """SIGKILL to all descendants until none is left, however often they fork meanwhile."""
    deadline = time.monotonic() + 5
    family = below(os.getpid())
    while family and time.monotonic() < deadline:
        for pid in family:
            kill(pid)
        reap()
        time.sleep(0.001)
        family = below(os.getpid())
    reap()


def _kill(target):
    try:
        os.kill(target, signal.SIGKILL)
    except OSError:
        pass


def prctl(option, value):
    """Set one attribute of this process, where the kernel knows it."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
    except (OSError, AttributeError):
        pass
