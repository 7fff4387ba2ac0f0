"""Confine this process by Landlock and seccomp, then become another program.

    confine.py --check                              exit 0 if the kernel offers both
    confine.py SCRATCH READABLE... -- PROGRAM ARGS...

The program may read and execute what lies beneath READABLE, write beneath SCRATCH only, open no
socket, and signal nobody outside. It can still see that other files and processes exist.
"""

import ctypes
import glob
import os
import stat
import struct
import sys

import seccomp

CREATE, ADD_RULE, RESTRICT = 444, 445, 446  # the same numbers on all architectures
PATH_BENEATH = 1
ASK_VERSION = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_SOCK, MAKE_BLOCK = 1 << 6, 1 << 9, 1 << 11
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
FIRST_VERSION = (1 << 13) - 1
ADDED = {2: 1 << 13, 3: TRUNCATE, 5: IOCTL_DEV}
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
READ = EXECUTE | READ_FILE | READ_DIR
SPECIAL = MAKE_CHAR | MAKE_SOCK | MAKE_BLOCK

NETWORK_VERSION, NETWORK = 4, 0b11  # binding and connecting TCP
SCOPE_VERSION, SCOPE = 6, 0b11  # abstract sockets and signals of others

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
GRAPHICS = "/dev/nvidia*"
KERNEL = ("/proc", "/sys/devices/system")

PR_CAPBSET_DROP = 24
PR_CAP_AMBIENT, CLEAR_ALL = 47, 4
CAPABILITY_VERSION = 0x20080522

libc = ctypes.CDLL(None, use_errno=True)


def version():
    """The version of Landlock that the kernel offers, 0 for none."""
    found = libc.syscall(CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(ASK_VERSION))
    return max(found, 0)


def handled(offered):
    """The access rights to files that this version knows."""
    return FIRST_VERSION | sum(bit for since, bit in ADDED.items() if since <= offered)


def attributes(offered):
    """`struct landlock_ruleset_attr` as this version knows it."""
    fields = [handled(offered)]
    if offered >= NETWORK_VERSION:
        fields.append(NETWORK)
    if offered >= SCOPE_VERSION:
        fields.append(SCOPE)
    return struct.pack("%dQ" % len(fields), *fields)


def rules(scratch, readable):
    """(path, rights) of what the program may use."""
    yield scratch, ~(SPECIAL | IOCTL_DEV)
    for path in (*readable, *KERNEL):
        yield path, READ
    for path in DEVICES:
        yield path, READ_FILE | WRITE_FILE | TRUNCATE
    for path in glob.glob(GRAPHICS):
        yield path, READ_FILE | READ_DIR | WRITE_FILE | IOCTL_DEV


def landlock(scratch, readable, offered):
    """Restrict this process; `offered` is the kernel's version."""
    attr = attributes(offered)
    ruleset = libc.syscall(CREATE, attr, ctypes.c_size_t(len(attr)), ctypes.c_uint32(0))
    check(ruleset, "landlock_create_ruleset")
    for path, rights in rules(scratch, readable):
        allow(ruleset, path, rights & handled(offered))
    check(libc.prctl(seccomp.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    check(libc.syscall(RESTRICT, ruleset, ctypes.c_uint32(0)), "landlock_restrict_self")
    os.close(ruleset)


def allow(ruleset, path, rights):
    """Permit what lies beneath a path; one that is not there is left out."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not stat.S_ISDIR(os.fstat(fd).st_mode):
        rights &= OF_FILES
    rule = struct.pack("=Qi", rights, fd)
    check(libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, ctypes.c_uint32(0)), path)
    os.close(fd)


def drop_capabilities():
    """An administrator's process becomes one without privileges; for others there is nothing."""
    for number in range(64):
        libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, CLEAR_ALL, 0, 0, 0)
    header = struct.pack("Ii", CAPABILITY_VERSION, 0)
    check(libc.capset(header, b"\0" * 24), "capset")


def check(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), what)


def main(arguments):
    """Returns an exit status; does not return when the program is started."""
    offered = version()
    if not offered or not seccomp.offered():
        return 1
    if arguments == ["--check"]:
        return 0
    split = arguments.index("--")
    scratch, readable, program = arguments[0], arguments[1:split], arguments[split + 1 :]
    try:
        landlock(scratch, readable, offered)
        drop_capabilities()
        seccomp.refuse_dangerous(offered)
        os.execv(program[0], program)
    except OSError as problem:
        sys.stderr.write("cannot confine {}: {}\n".format(program[0], problem))
    return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
