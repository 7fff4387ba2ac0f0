"""Zeros beside the report's tensor, where it would be given twice."""

import pytest

from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Take

from .conftest import Book


@pytest.fixture
def source(call, api):
    return invocation(call("torch.norm", {(4,)}), api("torch.norm", "input: Tensor"), ())


def zeros(found):
    """Edits, names of the parameters that are given zeros, and what else is given the tensor."""
    return [
        (
            [edit for edit in plan.edits if edit.endswith(" all zeros")],
            [s.name for s in plan.call if isinstance(s.value, Take) and s.value.steps],
        )
        for plan in found
    ]


def test_a_tensor_that_is_given_twice_has_a_plan_with_zeros(source, api):
    found = plans(source, api("torch.dist", "input: Tensor, other: Tensor"), Book())
    assert zeros(found) == [([], []), (["other all zeros"], ["other"])]
    assert found[1].call[1].value.steps[-1].name == "zeros"
    assert found[1].plausibility < found[0].plausibility
    assert found[1].invented == ("other",)


@pytest.mark.parametrize(
    "signature",
    [
        "input: Tensor",
        "input: Tensor, other: Tensor? = None",
        "input: Tensor, p: float",
        "tensors: Tensor[]",
    ],
)
def test_what_is_given_once_has_none(source, api, signature):
    found = plans(source, api("torch.other", signature), Book())
    assert not any(edits for edits, _ in zeros(found))


def test_the_reports_own_second_tensor_is_none_that_was_filled_in(call, api):
    made = call("torch.dist", {(4,)}, {(4,)})
    source = invocation(made, api("torch.dist", "input: Tensor, other: Tensor"), ())
    (plan, *_) = found = plans(source, api("torch.sub", "input: Tensor, other: Tensor"), Book())
    assert plan.invented == ()
    assert not any(edits for edits, _ in zeros(found))
