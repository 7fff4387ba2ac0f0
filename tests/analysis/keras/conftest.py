"""Keras on each of its backends; TensorFlow's own environment has it on TensorFlow, too."""

from pathlib import Path

import pytest

from analysis.errors import CitadelError
from analysis.target.target import probe

TARGETS = Path(__file__).parents[3] / ".targets"
PLACES = {"torch": ("keras",), "jax": ("keras",), "tensorflow": ("keras", "tensorflow")}
BACKENDS = [pytest.param(name, marks=pytest.mark.keras) for name in PLACES]


def keras_on(backend):
    problem = ""
    for place in PLACES[backend]:
        try:
            python = str(TARGETS / place / "bin/python")
            return probe(python, framework="keras", backend=backend)
        except CitadelError as found:
            problem = problem or found.message
    pytest.skip(f"keras on {backend}: {problem} (make keras)")


@pytest.fixture(scope="session", params=BACKENDS)
def target(request):
    """Each backend of the Keras that `make keras` installs."""
    return keras_on(request.param)


@pytest.fixture(scope="session")
def session(target):
    with target.session() as session:
        yield session
