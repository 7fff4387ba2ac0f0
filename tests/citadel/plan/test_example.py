"""A class is also tried as its own examples make it."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.example import EDIT
from citadel.plan.invocation import invocation

from .conftest import Book, written

PROBS = Value(kind="tensor", shape=(1,), dtype="float32", layout="strided", content="[0.3]")
COUNT = Value(kind="int", text="5")


@pytest.fixture
def source(api, call):
    student = api("torch.StudentT", "df: Tensor", kind=ApiKind.CLASS)
    return invocation(call("torch.StudentT", {(1,)}, form="class"), student, ())


def of_example(source, target, *samples):
    return [plan for plan in plans(source, target, Book(*samples)) if EDIT in plan.edits]


def test_a_class_is_made_of_what_a_valid_call_has(source, api):
    target = api(
        "torch.Binomial", "total_count: int = 1, probs: Tensor? = None, validate: bool? = None",
        kind=ApiKind.CLASS,
    )  # fmt: skip
    (plan,) = of_example(source, target, {"total_count": COUNT, "probs": PROBS})
    assert written(plan.call) == ["5", "torch.tensor([0.3], dtype=torch.float32)"]
    assert plan.plausibility < 0.2
    assert plan.idle
    (plan,) = of_example(source, target, {"probs": PROBS})
    assert written(plan.call) == ["probs=torch.tensor([0.3], dtype=torch.float32)"]


def test_what_cannot_be_written_down_makes_none(source, api):
    target = api("torch.Bernoulli", "probs: Tensor", kind=ApiKind.CLASS)
    unknown = Value(kind="tensor", shape=(9,), dtype="float32", layout="strided")
    assert not of_example(source, target, {"probs": unknown})
    assert not of_example(source, target, {})


def test_functions_are_given_what_the_report_has(source, api):
    assert not of_example(source, api("torch.sin", "input: Tensor"), {"input": PROBS})
