"""The filters for system calls and the rule sets of Landlock, for kernels of all versions."""

import importlib
import struct
import sys

import pytest

from analysis.target.sandbox import INSIDE

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


@pytest.fixture
def inside(monkeypatch):
    """Imports a module of the interpreter under test into this one."""
    monkeypatch.syspath_prepend(str(INSIDE))

    def load(name):
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    yield load
    for name in ("seccomp", "confine"):
        sys.modules.pop(name, None)


@pytest.fixture(params=["x86_64", "aarch64"])
def filters(request, inside, monkeypatch):
    """(module, simulate): programs are not installed, but interpreted here."""
    seccomp = inside("seccomp")
    monkeypatch.setattr(seccomp.platform, "machine", lambda: request.param)
    made = []

    def install(program):
        program.add(program.RETURN, ALLOW)
        made.append(program)

    monkeypatch.setattr(seccomp.Program, "install", install)
    column, architecture = seccomp.ARCHITECTURES[request.param]

    def answer(name, *arguments, architecture=architecture):
        number = seccomp.NUMBERS[name][column] if isinstance(name, str) else name
        return None if number is None else _run(made[-1].code, number, architecture, arguments)

    return seccomp, answer


def _run(code, number, architecture, arguments):
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(a & (1 << 64) - 1 for a in padded))
    at, register = 0, 0
    while True:
        operation, yes, no, value = struct.unpack("HBBI", code[at])
        at += 1
        if operation == 0x20:
            register = struct.unpack_from("=I", data, value)[0]
        elif operation == 0x54:
            register &= value
        elif operation == 0x15:
            at += yes if register == value else no
        else:
            assert operation == 0x06
            return value


def test_dangerous_calls_are_refused(filters):
    seccomp, answer = filters
    seccomp.refuse_dangerous(7)
    for name in (*seccomp.REFUSED, *seccomp.SHARED):
        assert answer(name) in (ERRNO | 1, None)
    assert answer("socket", 2) == answer("socket", 1) == ERRNO | 13
    assert answer("clone3") == ERRNO | 38
    for name in seccomp.ATTRIBUTES:
        assert answer(name) in (ERRNO, None)


def test_ordinary_calls_are_allowed(filters):
    seccomp, answer = filters
    seccomp.refuse_dangerous(7)
    assert answer(0) == answer(1) == answer(9999) == ALLOW
    assert answer("clone", 0x3D0F00) == ALLOW  # a thread
    assert answer("clone", 17) == ALLOW  # a process
    assert answer("ioctl", 1, 0x5401) == ALLOW
    assert answer("truncate") == answer("openat", 0, 0, 0o1000) == ALLOW


@pytest.mark.parametrize("bit", [17, 25, 26, 27, 28, 29, 30])
def test_new_namespaces_are_refused(filters, bit):
    seccomp, answer = filters
    seccomp.refuse_dangerous(7)
    assert answer("clone", 17 | 1 << bit) == ERRNO | 1


def test_other_architectures_are_killed(filters):
    seccomp, answer = filters
    seccomp.refuse_dangerous(7)
    assert answer(0, architecture=0x40000003) == KILL
    if seccomp.Program().column == 0:
        assert answer(seccomp.X32 | 1) == KILL


def test_early_landlock_needs_help_with_truncation(filters):
    seccomp, answer = filters
    seccomp.refuse_dangerous(2)
    assert answer("truncate") == ERRNO | 13
    assert answer("openat", 0, 0, 0o1000) == ERRNO | 13
    assert answer("openat", 0, 0, 0o1101) == ALLOW  # opened for writing, which Landlock watches


def test_the_leash(filters, monkeypatch):
    seccomp, answer = filters
    monkeypatch.setattr(seccomp.os, "getpid", lambda: 77)
    seccomp.leash(strict=False)
    assert answer("setsid") == answer("setpgid") == ERRNO
    assert answer("kill", -1, 9) == ERRNO | 1
    assert answer("kill", 5, 9) == ALLOW
    seccomp.leash(strict=True)
    for pid, wanted in ((77, ALLOW), (0, ALLOW), (5, ERRNO | 1), (-1, ERRNO | 1), (-77, ERRNO | 1)):
        assert answer("kill", pid, 9) == wanted
        assert answer("tgkill", pid, pid, 6) == wanted
    assert answer("fcntl", 3, 8, 5) == answer("pidfd_send_signal", 3, 9) == ERRNO | 1
    assert answer("fcntl", 3, 3, 0) == ALLOW


def test_rule_sets_know_no_more_than_the_kernel(inside):
    confine = inside("confine")
    bits = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 9: 16}
    assert {v: confine.handled(v).bit_length() for v in bits} == bits
    assert {v: len(confine.attributes(v)) for v in (1, 3, 4, 5, 6, 9)} == {
        1: 8,
        3: 8,
        4: 16,
        5: 16,
        6: 24,
        9: 24,
    }


@pytest.mark.parametrize("version", range(1, 8))
def test_only_scratch_and_harmless_devices_are_writable(inside, version):
    confine = inside("confine")
    write = confine.WRITE_FILE | confine.FIRST_VERSION & ~confine.READ
    writable = {
        path
        for path, rights in confine.rules("/scratch", ["/usr"])
        if rights & confine.handled(version) & write
    }
    assert writable - {"/scratch", *confine.DEVICES} <= set(confine.glob.glob(confine.GRAPHICS))


def test_a_machine_without_landlock_says_so(inside, monkeypatch):
    confine = inside("confine")
    monkeypatch.setattr(confine, "version", lambda: 0)
    assert confine.main(["--check"]) == 1
