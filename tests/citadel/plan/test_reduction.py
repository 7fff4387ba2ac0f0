"""Losses of each example where the report's loss is one number."""

import pytest

from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Step

LOSS = "x: Tensor, y: Tensor, reduction: str = 'mean'"


@pytest.mark.parametrize(
    ("given", "result", "signature", "step"),
    [
        ({}, (), "x: Tensor, y: Tensor", "mean"),
        ({"reduction": "sum"}, (), "x: Tensor, y: Tensor", "sum"),
        ({"reduction": "batchmean"}, (), "x: Tensor, y: Tensor", ""),
        ({"reduction": "none"}, (), "x: Tensor, y: Tensor", ""),
        ({}, (2,), "x: Tensor, y: Tensor", ""),
        ({}, (), LOSS, ""),
    ],
)
def test_what_reduces_is_reduced(api, call, given, result, signature, step):
    made = call("tf.loss", {(2,)}, {(2,)}, result={result}, **given)
    source = invocation(made, api("tf.loss", LOSS), ())
    plan = plans(source, api("tf.f", signature))[0]
    assert plan.reduce == step
    assert not plan.after
    if step:
        averaged = plan.reduced()
        assert averaged.after == (Step(name=step),)
        assert averaged.edits[-1] == f"took the {step} of its result"
        assert averaged.reduced() is averaged
        assert plan.shaped(averaged) == averaged


def test_what_does_not_reduce_itself_is_left_alone(api, call):
    made = call("tf.sum", {(2,)}, result={()})
    plan = plans(invocation(made, api("tf.sum", "x: Tensor"), ()), api("tf.exp", "x: Tensor"))[0]
    assert not plan.reduce


def test_what_names_no_reduction_is_reduced_as_one_is_needed(api, call):
    made = call("tf.sum", {(2,)}, result={()})
    plan = plans(invocation(made, api("tf.sum", "x: Tensor"), ()), api("tf.exp", "x: Tensor"))[0]
    largest = plan.reduced("max")
    assert largest.after == (Step(name="max"),)
    assert largest.edits[-1] == "took the max of its result"
    assert largest.reduced("sum") is largest
    assert not largest.reshapes
