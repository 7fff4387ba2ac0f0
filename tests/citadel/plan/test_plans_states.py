"""Recurrent layers: the state of one is a tensor, of another a pair of them."""

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Step

from .conftest import Book

TENSOR = Value(kind="tensor", shape=(2, 3))
PAIR = Value(kind="tuple", items=(TENSOR, TENSOR))
LIST = Value(kind="list", items=(TENSOR, TENSOR))


@pytest.mark.parametrize(
    ("given", "known", "steps"),
    [
        (PAIR, TENSOR, (Step(name="first"),)),
        (TENSOR, PAIR, (Step(name="each", amount=2),)),
        (TENSOR, LIST, (Step(name="each", amount=2),)),
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


def test_a_list_that_is_always_a_pair_gets_the_state_twice_and_is_in_no_further_list(api, call):
    made = call("torch.f", {(5, 3)}, hx=TENSOR)
    f, g = api("torch.f", "input, hx = None"), api("torch.g", "input: Tensor, hx: Tensor[]")
    best, *_ = plans(invocation(made, f, ()), g, Book({"input": TENSOR, "hx": LIST}))
    assert best.call[1].value.steps == (Step(name="each", amount=2),)


def test_a_list_that_stands_for_a_tensor_is_no_state(api, call):
    """TensorFlow makes one tensor of a list of them: none of them is what the report is about."""
    tensors = Value(kind="list", items=(TENSOR, TENSOR))
    f, g = (api(f"tensorflow.{name}", "input: Tensor") for name in "fg")
    best, *_ = plans(invocation(call("tensorflow.f", tensors), f, ()), g, Book({"input": TENSOR}))
    assert Step(name="first") not in best.call[0].value.steps
