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


@pytest.fixture
def inside(target):
    """What a script that uses the modules inside prints last, as JSON."""

    def run(script):
        given = f"import sys; sys.path.insert(0, {str(INSIDE)!r})\n" + script
        done = subprocess.run(
            [target.info.python, "-B", "-c", given], capture_output=True, check=True, timeout=120
        )
        return json.loads(done.stdout.splitlines()[-1])

    return run
