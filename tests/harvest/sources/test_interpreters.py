"""What cross-backend testing needs of an interpreter, without starting one."""

import pytest

from analysis.errors import CitadelError
from harvest.sources.backends import Backends


class Interpreter:
    """What `Backends` asks of one before it starts anything."""

    python = "/some/python"

    def __init__(self, *installed):
        self.installed = frozenset(installed)
        self.frameworks = tuple(name for name in ("torch", "keras") if name in installed)


def test_keras_is_needed():
    with pytest.raises(CitadelError, match="has no keras"):
        Backends(Interpreter("torch"))


def test_two_backends_are_needed():
    with pytest.raises(CitadelError, match="fewer than two backends"):
        Backends(Interpreter("torch", "keras"))


@pytest.mark.parametrize(
    ("installed", "names", "quick"),
    [
        (("torch", "tensorflow", "jax"), ("tensorflow", "jax", "torch"), ("tensorflow", "torch")),
        (("torch", "jax"), ("jax", "torch"), ("jax", "torch")),
        (("torch", "tensorflow"), ("tensorflow", "torch"), ("tensorflow", "torch")),
    ],
)
def test_backends_that_compile_wait_if_two_others_do_without(installed, names, quick):
    backends = Backends(Interpreter("keras", *installed))
    assert (backends.names, backends.quick) == (names, quick)
