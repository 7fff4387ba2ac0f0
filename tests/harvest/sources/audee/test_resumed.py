"""A search that goes on where another was killed runs what that would have run."""

import json

import pytest

from harvest.sources.audee.source import Searching
from harvest.sources.model import Search, Tally
from harvest.sources.packing import pack, unpack

pytestmark = [pytest.mark.keras, pytest.mark.slow]
STEPS = 40
"""With seed 0 these meet failures that are reported, before and after the half."""


def searching(backends, interpreter):
    search = Search(interpreter=interpreter, budget=0, seed=0, tally=Tally(), progress=lambda: None)
    return Searching(backends, search)


def steps(work, number):
    return [hit.key for _ in range(number) for hit in work.step()]


def test_the_other_half_is_the_same(keras_interpreter, planted_backends):
    whole = searching(planted_backends, keras_interpreter)
    first, second = (steps(whole, STEPS // 2) for _ in range(2))
    assert first
    assert second
    killed = searching(planted_backends, keras_interpreter)
    assert steps(killed, STEPS // 2) == first
    state = unpack(json.loads(json.dumps(pack(killed.state))))
    other = searching(planted_backends, keras_interpreter)
    other.resume(state)
    assert steps(other, STEPS // 2) == second
    assert other.state["steps"] == STEPS
    assert other.state["random"] == whole.state["random"]
