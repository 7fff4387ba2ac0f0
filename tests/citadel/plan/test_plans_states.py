"""Recurrent layers: the state of one is a tensor, of another a pair of them."""

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Step

from .conftest import Book

TENSOR = Value(kind="tensor", shape=(2, 3))
PAIR = Value(kind="tuple", items=(TENSOR, TENSOR))


@pytest.mark.parametrize(
    ("given", "known", "steps"),
    [
        (PAIR, TENSOR, (Step(name="first"),)),
        (TENSOR, PAIR, (Step(name="each", amount=2),)),
        (TENSOR, TENSOR, ()),
        (PAIR, PAIR, ()),
    ],
)
def test_a_state_becomes_what_valid_calls_of_the_sibling_have(api, call, given, known, steps):
    made = call("torch.f", {(5, 3)}, hx=given)
    f, g = api("torch.f", "input, hx = None"), api("torch.g", "input, hx = None")
    sample = {"input": TENSOR, "hx": known}
    best, *_ = plans(invocation(made, f, ()), g, Book(sample))
    assert best.call[1].value.steps == steps
