"""A case ends as the interpreter would have it: statuses, messages, exit handlers, threads."""

import subprocess
import sys

import pytest

from analysis.target.observation import Outcome
from analysis.target.sandbox import SandboxKind

SCRIPTS = [
    "print('a')",
    "import sys; sys.exit(3)",
    "import sys; sys.exit(-1)",
    "import sys; sys.exit(256)",
    "import sys; sys.exit(2 ** 80)",
    "import sys; sys.exit(True)",
    "import sys; sys.exit('why')",
    "import sys; sys.exit(3.5)",
    "import sys; sys.exit([])",
    "raise SystemExit(1, 2)",
    "import atexit; atexit.register(print, 'bye'); print('a')",
    "import atexit; atexit.register(print, 'bye'); print('a'); import sys; sys.exit(4)",
    "import atexit, os; atexit.register(os._exit, 6)",
    "import threading, time\n"
    "def late(): time.sleep(0.1); print('late')\n"
    "threading.Thread(target=late).start(); print('early')",
    "import threading, time\n"
    "def late(): time.sleep(0.2); print('late')\n"
    "threading.Thread(target=late, daemon=True).start(); print('early')",
    "import sys; print('shown'); sys.stdout = None",
    "import sys; sys.stdout.write('no newline')",
    "import os, sys\nif os.fork() == 0: sys.exit(5)\nos.wait(); print('parent')",
    "import os\nif os.fork() == 0: 1 / 0\nos.wait(); print('parent')",
]


@pytest.fixture(scope="module")
def plain_session(bare):
    with bare(SandboxKind.BUBBLEWRAP) as session:
        yield session


@pytest.mark.parametrize("script", SCRIPTS)
def test_as_the_plain_interpreter(plain_session, script, tmp_path):
    (tmp_path / "case.py").write_text(script)
    command = [sys.executable, "-I", "case.py"]
    plain = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    seen = plain_session.run(script)
    assert (seen.code, seen.stdout) == (plain.returncode, plain.stdout)
    assert seen.stderr.splitlines()[-1:] == plain.stderr.splitlines()[-1:]
    assert seen.exception is None


def test_what_was_printed_before_a_crash_is_kept(plain_session):
    seen = plain_session.run("print('here'); import os; os.abort()")
    assert (seen.outcome, seen.stdout) == (Outcome.SIGNAL, "here\n")
    assert "Fatal Python error: Aborted" in seen.stderr
