"""What an attempt changed: odd arguments, too, are compared before and after."""

import importlib
from collections import namedtuple
from types import SimpleNamespace

import pytest

from analysis.target.sandbox import INSIDE

Packed = namedtuple("Packed", "data")


class Mutable:
    """A tensor as the marks of one see it."""

    def __init__(self):
        self.version = 0


class Live:
    """What `live_torch` tells of tensors."""

    def is_tensor(self, value):
        return isinstance(value, Mutable)

    def mark(self, tensor):
        return tensor.version


class NoText(int):
    def __str__(self):
        raise ValueError("no text")

    __repr__ = __eq__ = __hash__ = __str__


class NoKey:
    def __str__(self):
        raise ValueError("no text")


class NoAttributes:
    def __getattribute__(self, name):
        raise SystemExit(f"no {name}")


@pytest.fixture
def state(monkeypatch):
    monkeypatch.syspath_prepend(str(INSIDE))
    inside = importlib.import_module("probe")
    return lambda *values: inside.state(Live(), dict(enumerate(values)))


@pytest.fixture
def probing(monkeypatch):
    monkeypatch.syspath_prepend(str(INSIDE))
    live = SimpleNamespace(start_pools=None)
    return importlib.import_module("probe").Probe(live, print, [], None, False, 1, 1.0, 0.0)


HANGS = {"o": "timeout"}


def test_pools_that_help_are_kept(probing):
    assert probing.without_pools(HANGS)
    probing.did_not_help(None)
    assert probing.pools
    assert not probing.without_pools(HANGS)


def test_pools_that_do_not_help_are_done_without(probing):
    """What hangs on a busy machine need not wait for threads: pools take time to start as well."""
    for _ in range(3):
        assert probing.without_pools(HANGS)
        probing.did_not_help(HANGS)
        assert not probing.pools
    assert not probing.without_pools(HANGS)


def loop():
    found = [NoAttributes()]
    found.append(found)
    return found


@pytest.mark.parametrize(
    "make",
    [
        lambda: 10**5000,
        lambda: [NoText(3)],
        lambda: {NoKey(): 1},
        NoAttributes,
        loop,
        lambda: [float("nan")],
    ],
    ids=["big", "number", "key", "attributes", "loop", "nan"],
)
def test_odd_arguments_can_be_compared(state, make):
    odd, tensor = make(), Mutable()
    before = state(odd, [[odd]], tensor)
    assert state(odd, [[odd]], tensor) == before
    tensor.version += 1
    assert state(odd, [[odd]], tensor) != before


def test_numbers_are_compared_whatever_their_class(state):
    assert state([NoText(3)]) != state([NoText(4)])
    assert state([float("nan")]) != state([1.0])
    assert state([True]) != state([1])
    assert state([[1], []]) != state([[], [1]])


@pytest.mark.parametrize(
    "held",
    [
        lambda tensor: SimpleNamespace(layers={"0": SimpleNamespace(weights={"w": tensor})}),
        lambda tensor: SimpleNamespace(groups=[{"params": [tensor]}]),
        lambda tensor: Packed(data=tensor),
        lambda tensor: {"x": tensor},
    ],
    ids=["layers", "groups", "named", "dictionary"],
)
def test_what_lies_inside_is_seen(state, held):
    tensor = Mutable()
    values = held(tensor)
    before = state(values)
    tensor.version += 1
    assert state(values) != before


@pytest.mark.parametrize(
    "make",
    [
        lambda: (number for number in range(3)),
        lambda: iter([1, 2, 3]),
        lambda: map(abs, iter([1, 2, 3])),
        lambda: zip(iter([1, 2]), iter([3, 4]), strict=True),
        lambda: enumerate(iter((1, 2))),
        lambda: iter({"a": 1, "b": 2}.items()),
    ],
    ids=["generator", "list", "map", "zip", "enumerate", "items"],
)
def test_an_iterator_that_has_gone_on_is_another(state, make):
    """`net.parameters()` is empty for the next optimiser that is tried on it."""
    iterator = make()
    before = state([iterator])
    assert state([iterator]) == before
    next(iterator)
    assert state([iterator]) != before
    list(iterator)
    assert state([iterator]) != before
