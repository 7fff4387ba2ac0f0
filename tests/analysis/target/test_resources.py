"""Limits on what a case may use, and that nothing it starts outlives it."""

import time
import uuid
from pathlib import Path

import pytest

from analysis.target import sandbox
from analysis.target.observation import Outcome
from analysis.target.sandbox import SandboxKind
from analysis.target.session import Limits

SMALL = Limits(wall=8, memory=300 << 20, output=1 << 20, processes=20)


def left(marker, wait=2.0):
    """Processes with a marker on their command line, after giving them time to be gone."""
    deadline = time.monotonic() + wait
    while found := _marked(marker):
        if time.monotonic() > deadline:
            return found
        time.sleep(0.01)
    return []


def _marked(marker):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


@pytest.fixture
def marker():
    """A text for command lines, to recognise the processes of one test by."""
    return f"/citadel-{uuid.uuid4().hex}"


MEMORY = {
    "one_process": "x = []\nwhile True: x.append(b'x' * (16 << 20))",
    "by_forks": """
import os, time
for _ in range(8):
    if os.fork() == 0:
        x = os.urandom(1 << 20) * 100
        time.sleep(60)
time.sleep(60)
""",
    "hidden": """
import ctypes, os, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
for _ in range(8):
    if os.fork() == 0:
        x = os.urandom(1 << 20) * 100
        time.sleep(60)
time.sleep(60)
""",
}


@pytest.mark.parametrize("name", MEMORY)
def test_memory(bare_session, name):
    seen = bare_session.run(MEMORY[name], limits=SMALL)
    assert seen.outcome is Outcome.MEMORY
    assert bare_session.run("pass").outcome is Outcome.OK


def test_forks_that_share_their_memory_are_fine(bare_session):
    seen = bare_session.run(
        """
import os, time
x = os.urandom(1 << 20) * 100
children = [os.fork() or (time.sleep(0.5), os._exit(0)) for _ in range(5)]
for _ in children: os.wait()
""",
        limits=SMALL,
    )
    assert seen.outcome is Outcome.OK


@pytest.mark.parametrize("stream", [1, 2])
def test_output(bare_session, stream):
    seen = bare_session.run(f"import os\nwhile True: os.write({stream}, b'y' * 9999)", limits=SMALL)
    assert seen.outcome is Outcome.OUTPUT
    assert len(seen.stdout) + len(seen.stderr) < 1 << 18


def test_output_keeps_both_ends(bare_session):
    seen = bare_session.run("print('first', 'x' * 500_000, 'last')", limits=SMALL)
    assert seen.outcome is Outcome.OK
    assert seen.stdout.startswith("first ")
    assert seen.stdout.endswith(" last\n")
    assert "bytes left out" in seen.stdout


def test_event_flood(bare_session):
    seen = bare_session.run(
        "import os\nwhile True: os.write(3, b'{\"e\": 1}' + b' ' * 60000 + b'\\n')", limits=SMALL
    )
    assert seen.outcome is Outcome.OUTPUT


def test_garbage_output_is_text(bare_session):
    seen = bare_session.run("import os; os.write(1, bytes(range(256))); print('\\ud800')")
    assert seen.outcome is Outcome.OK
    assert seen.stdout.encode().endswith(b"?\n")


BOMBS = {
    "doubling": "import os\nwhile True: os.fork()",
    "wide": "import os, time\nwhile True:\n  if os.fork() == 0: time.sleep(60)",
    "own_sessions": """
import os
while True:
    if os.fork() == 0: os.setsid()
""",
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("kind", [SandboxKind.BUBBLEWRAP, SandboxKind.LANDLOCK], ids=str)
def test_fork_bombs(bare, kind, name):
    with bare(kind) as session:
        seen = session.run(BOMBS[name], limits=SMALL)
        assert seen.outcome is Outcome.PROCESSES
        assert seen.wall < 5
        assert session.run("pass").outcome is Outcome.OK


DAEMONS = {
    "child": "start()",
    "double_fork": "if os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0: start()\n  os._exit(0)",
    "deaf": "for n in (1, 2, 3, 13, 15): signal.signal(n, signal.SIG_IGN)\nstart()",
    "stopped": "os.kill(start(), signal.SIGSTOP)",
    "crash": "start(); os.abort()",
    "hang": "start(); signal.pause()",
    "closed_files": "start(); os.closerange(0, 4096); time.sleep(60)",
    "chain": """
def chain():
    for _ in range(100_000):
        os.setsid()
        if os.fork(): os._exit(0)
    start()
if os.fork() == 0: chain()
time.sleep(0.2)
""",
}
START = """
import os, signal, time
def start():
    pid = os.fork()
    if pid == 0:
        os.execv("/bin/sh", ["sh", "-c", "while :; do sleep 1000; done", {marker!r}])
    return pid
"""


@pytest.mark.parametrize("name", DAEMONS)
def test_what_a_case_starts_dies_with_it(bare_session, marker, name):
    code = START.format(marker=marker) + DAEMONS[name]
    bare_session.run(code, limits=Limits(wall=1))
    assert not left(marker)
    assert bare_session.run("pass").outcome is Outcome.OK


def test_what_a_case_starts_dies_with_the_server(bare, marker):
    with bare(SandboxKind.LANDLOCK) as session:
        code = START.format(marker=marker) + "start(); os.kill(os.getppid(), 9); time.sleep(60)"
        assert session.run(code, limits=Limits(wall=3)).outcome is Outcome.LOST
        assert not left(marker)
        assert session.run("pass").outcome is Outcome.OK


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_full_scratch(bare, monkeypatch, folder):
    monkeypatch.setattr(sandbox, "SCRATCH_BYTES", 8 << 20)
    monkeypatch.setattr(sandbox, "SHARED_BYTES", 8 << 20)
    with bare(SandboxKind.BUBBLEWRAP) as session:
        seen = session.run(f"""
for number in range(20): open("{folder}/%d" % number, "wb").write(bytes(1 << 20))
""")
        assert seen.exception.type == "OSError"
        assert "No space left" in seen.exception.message
        assert session.run("open('x', 'wb').write(bytes(1 << 20))").outcome is Outcome.OK


@pytest.mark.parametrize("content", ["bytes(1 << 20)", "b''"])
def test_full_folder(bare, content):
    with bare(SandboxKind.LANDLOCK) as session:
        seen = session.run(
            f"number = 0\nwhile True:\n  number += 1\n  open(str(number), 'wb').write({content})",
            limits=Limits(wall=20, scratch=1 << 20),
        )
        assert seen.outcome is Outcome.OUTPUT
        assert session.run("pass").outcome is Outcome.OK


def test_cpu_time_does_not_tick_where_a_case_reads_it(bare_session):
    """Under a limit of CPU time it does, and a short quotient is one by zero."""
    code = (
        "import time\n"
        "seen = set()\n"
        "for _ in range(2000):\n"
        "    seen.add(time.process_time())\n"
        "print(len(seen) > 100)\n"
    )
    assert bare_session.run(code, limits=SMALL).stdout == "True\n"
