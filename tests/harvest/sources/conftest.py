"""The backends of Keras that `make keras` installs, right ones and one with bugs planted in it."""

from pathlib import Path

import pytest

from analysis.errors import CitadelError
from analysis.target.target import Interpreter
from harvest.sources.backends import Backends
from tests.harvest.sources import planted

KERAS = Path(__file__).parents[3] / ".targets/keras/bin/python"


@pytest.fixture(scope="session")
def keras_interpreter():
    try:
        return Interpreter(str(KERAS))
    except CitadelError as problem:
        pytest.skip(problem.message)


def started(interpreter, **more):
    """Open backends, ready to run; what a fixture yields from."""
    try:
        opened = Backends(interpreter, **more)
    except CitadelError as problem:
        pytest.skip(problem.message)
    with opened as backends:
        backends.start()
        yield backends


@pytest.fixture(scope="session")
def backends(keras_interpreter):
    yield from started(keras_interpreter)


@pytest.fixture(scope="session")
def planted_backends(keras_interpreter):
    """All bugs are in TensorFlow's process, and nowhere else."""
    yield from started(keras_interpreter, patches={"tensorflow": planted.ALL})
