"""What takes quantised tensors alone is given those of the report's tensors."""

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Step, Take

from .conftest import Book

QUANTISED = Value(kind="tensor", shape=(4, 4), dtype="quint8", layout="quantized")
WEIGHT = Value(kind="tensor", shape=(4, 4), dtype="qint8", layout="quantized")
DENSE = Value(kind="tensor", shape=(4, 4), dtype="float32", layout="strided")


@pytest.fixture
def source(api, call):
    return invocation(call("torch.exp", {(2, 3)}), api("torch.exp", "input: Tensor"), ())


def first(source, target, *samples):
    return plans(source, target, Book(*samples))[0]


def test_a_dense_tensor_is_quantised_for_what_takes_no_others(source, api):
    plan = first(source, api("torch.qexp", "input: Tensor"), {"input": QUANTISED})
    assert plan.call[0].value == Take(key="arg:0", steps=(Step(name="quantize", text="quint8"),))
    assert "input quantised" in plan.edits


def test_what_takes_dense_tensors_too_is_given_them_as_they_are(source, api):
    plan = first(source, api("torch.sin", "input: Tensor"), {"input": QUANTISED}, {"input": DENSE})
    assert plan.call[0].value == Take(key="arg:0")


def test_what_is_filled_in_is_quantised_as_in_valid_calls(source, api):
    target = api("torch.qlinear", "input: Tensor, weight: Tensor")
    plan = first(source, target, {"input": QUANTISED, "weight": WEIGHT})
    assert plan.call[1].value == Take(key="arg:0", steps=(Step(name="quantize", text="qint8"),))


def test_what_gets_another_dimension_is_quantised_after_that(call, api):
    signature = "input: Tensor, kernel_size: int[]"
    pooled = call("torch.max_pool1d", {(2, 3, 8)}, 2)
    source = invocation(pooled, api("torch.max_pool1d", signature), ())
    target = api("torch.quantized_max_pool2d", signature)
    steps = [step.name for step in first(source, target, {"input": QUANTISED}).call[0].value.steps]
    assert len(steps) == 2
    assert steps[1] == "quantize"
