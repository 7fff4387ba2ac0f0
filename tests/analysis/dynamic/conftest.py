"""Tasks inside real PyTorch builds, and pieces of that code run on their own."""

import json
import subprocess

import pytest

from analysis.target.sandbox import INSIDE


@pytest.fixture(scope="module")
def session(target):
    with target.session() as session:
        yield session


@pytest.fixture
def task(session):
    """The records of a task that must not die."""

    def run(entry, /, **arguments):
        outcome = session.task(entry, arguments, wall=120)
        assert outcome.died is None
        return outcome.records

    return run


FORKS = """
import json, os, signal, sys
sys.path.insert(0, PLACE)
import torch
for line in sys.stdin:
    if not (pid := os.fork()):
        signal.alarm(120)
        exec(json.loads(line), {})
        sys.stdout.flush()
        os._exit(0)
    print(END, os.waitpid(pid, 0)[1], flush=True)
"""
END = "-- status"


@pytest.fixture(scope="module")
def forks(target):
    """A process that has imported PyTorch and forks for each script it is given."""
    forked = FORKS.replace("PLACE", repr(str(INSIDE))).replace("END", repr(END))
    command = [target.info.python, "-B", "-c", forked]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def inside(forks):
    """What a script that uses the modules inside prints last, as JSON."""

    def run(script):
        forks.stdin.write(json.dumps(script) + "\n")
        forks.stdin.flush()
        lines = []
        while not (line := forks.stdout.readline()).startswith(END):
            assert line, "the process is gone"
            lines.append(line)
        assert line.split()[-1] == "0"
        return json.loads(lines[-1])

    return run
