"""What a case can see and touch: its scratch folder, and nothing of the user's."""

import os
import socket
from pathlib import Path

import pytest

from analysis.target.observation import Outcome
from analysis.target.sandbox import INSIDE

ATTEMPT = """
def attempt(action):
    try:
        return "did " + str(action())
    except OSError as problem:
        return "refused"
"""


def attempted(session, action):
    seen = session.run(f"{ATTEMPT}\nimport os, socket, ctypes\nprint(attempt(lambda: {action}))")
    assert seen.outcome is Outcome.OK, seen
    return seen.stdout.strip()


def test_the_environment_holds_no_secrets(session):
    seen = session.run("""
import glob, os
found = "".join(os.environ.values()) + "".join(os.environ)
read = 0
for path in glob.glob("/proc/*/environ"):
    try:
        found += open(path, errors="replace").read()
        read += 1
    except OSError:
        pass
print(read, "TOKEN" in found or "SECRET" in found)
""")
    read, leaked = seen.stdout.split()
    assert int(read) >= 1
    assert leaked == "False"


@pytest.mark.parametrize("path", ["/etc/shadow", "/etc/hosts", __file__])
def test_files_of_the_host_cannot_be_read(session, path):
    assert attempted(session, f"open({path!r}).read()") == "refused"


def test_home_shows_no_more_than_the_way_to_the_interpreter(session):
    home = Path.home()
    shown = attempted(session, f"'/'.join(os.listdir({str(home)!r}))")
    readable = [Path(path) for path in session.server.sandbox.readable]
    ways = {path.relative_to(home).parts[0] for path in readable if path.is_relative_to(home)}
    assert shown == "refused" or set(shown.removeprefix("did ").split("/")) <= ways


def test_a_secret_file_cannot_be_read(session, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    assert attempted(session, f"open({str(secret)!r}).read()") == "refused"
    assert attempted(session, f"os.listdir({str(tmp_path)!r})") == "refused"


@pytest.mark.parametrize("folder", ["/", "/usr", "/etc", "/dev", "/proc", "/var/tmp", str(INSIDE)])
def test_nothing_is_written_outside_of_scratch(session, folder):
    path = str(Path(folder, "written-by-a-case"))
    assert attempted(session, f"open({path!r}, 'w').close()") == "refused"
    assert not Path(path).exists()


def test_the_frameworks_files_are_read_only(session):
    assert attempted(session, "open(__import__('torch').__file__, 'a')") == "refused"
    assert attempted(session, "os.unlink(__import__('torch').__file__)") == "refused"
    assert attempted(session, "os.truncate(__import__('torch').__file__, 0)") == "refused"


def test_no_attribute_of_a_readable_file_changes(session):
    file = INSIDE / "server.py"
    before = file.stat()
    attempted(session, f"os.chmod({str(file)!r}, 0o777)")
    attempted(session, f"os.utime({str(file)!r}, (1, 1))")
    assert (file.stat().st_mode, file.stat().st_mtime) == (before.st_mode, before.st_mtime)


def test_no_connection_to_the_host(session, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        assert attempted(session, f"socket.create_connection({address!r}, 2)") == "refused"
    with socket.socket(socket.AF_UNIX) as server:
        path = str(tmp_path / "s")
        server.bind(path)
        server.listen()
        assert attempted(session, f"socket.socket(1).connect({path!r})") == "refused"
    assert attempted(session, "socket.create_connection(('192.0.2.1', 80), 2)") == "refused"


def test_other_processes_are_out_of_reach(session):
    own = os.getpid()
    assert attempted(session, f"os.kill({own}, 0)") == "refused"
    assert attempted(session, "open(f'/proc/{os.getppid()}/mem', 'rb')") == "refused"
    for fd in range(12):
        assert attempted(session, f"open(f'/proc/{{os.getppid()}}/fd/{fd}')") == "refused"
    ptrace = "ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)"
    assert attempted(session, ptrace) == "did -1"


@pytest.mark.parametrize(
    "call",
    [
        "unshare(0x10000000)",
        "unshare(0x00020000)",
        "mount(b'none', b'/tmp', b'tmpfs', 0, None)",
        "setuid(0) or ctypes.CDLL(None).setns(0, 0)",
        "syscall(321, 0, 0, 0)",
        "syscall(425, 1, 0)",
        "syscall(298, 0, 0, 0, 0, 0)",
    ],
)
def test_kernel_interfaces_are_closed(landlock_session, call):
    assert attempted(landlock_session, f"ctypes.CDLL(None).{call}") == "did -1"


def test_only_its_own_files_are_open(session):
    seen = session.run("""
import os
files = [int(fd) for fd in os.listdir("/proc/self/fd")]
print(sorted(files)[:-1], len(files))  # the last one is the listing's own
""")
    assert seen.stdout == "[0, 1, 2, 3] 5\n"


def test_scratch_is_home(session):
    seen = session.run("""
import os, tempfile
for folder in (os.path.expanduser("~"), tempfile.gettempdir(), "."):
    open(os.path.join(folder, "file"), "w").close()
print("ok")
""")
    assert seen.stdout == "ok\n"


def test_torch_works(any_session):
    seen = any_session.run("""
import torch
a = torch.randn(200, 200)
print(torch.allclose(a @ torch.linalg.inv(a), torch.eye(200), atol=1e-2), torch.get_num_threads())
layer = torch.nn.Conv2d(1, 2, 3); layer(torch.randn(1, 1, 8, 8)).sum().backward()
torch.save(layer.state_dict(), "layer.pt"); print(len(torch.load("layer.pt")))
""")
    assert seen.outcome is Outcome.OK, seen
    assert seen.stdout.split()[0] == "True"
    assert seen.stdout.split()[-1] == "2"
