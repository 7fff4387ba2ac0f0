"""The report's tensors in one, for siblings that go along an axis."""

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Gather, Take

from .conftest import Book


def tensor(*shape, dtype="float32", layout="strided"):
    return Value(kind="tensor", shape=shape, dtype=dtype, layout=layout)


@pytest.fixture
def given(call, api):
    def made(*tensors):
        names = ("input", "other", "third", "fourth")[: len(tensors)]
        signature = ", ".join(f"{name}: Tensor" for name in names)
        return invocation(call("torch.logaddexp", *tensors), api("torch.logaddexp", signature), ())

    return made


def stacks(source, target):
    """The arguments of the plans that stack, by name; those of the list as their keys."""
    return [
        {
            slot.name: [item.key for item in slot.value.items]
            if isinstance(slot.value, Gather)
            else getattr(slot.value, "text", "")
            for slot in plan.call
        }
        for plan in plans(source, target, Book())
        if any(isinstance(slot.value, Gather) and slot.value.made for slot in plan.call)
    ]


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("input: Tensor, dim: int", {"input": ["arg:0", "arg:1"], "dim": "0"}),
        ("input: Tensor, axis: int? = None", {"input": ["arg:0", "arg:1"], "axis": "0"}),
        ("input: Tensor, dim: int[], keepdim: bool = False",
         {"input": ["arg:0", "arg:1"], "dim": "0"}),
        ("input: Tensor", None),
        ("input: Tensor, other: Tensor, dim: int = 0", None),
    ],
)  # fmt: skip
def test_what_goes_along_an_axis_takes_them_in_one(given, api, signature, expected):
    source = given(tensor(4), tensor(4))
    assert stacks(source, api("torch.along", signature)) == ([expected] if expected else [])


@pytest.mark.parametrize(
    "tensors",
    [
        [tensor(4)],
        [tensor(4), tensor(5)],
        [tensor(4), tensor(4, dtype="int64")],
        [tensor(4, layout="sparse_coo")] * 2,
        [tensor(4)] * 4,
    ],
)
def test_what_is_not_alike_is_not_stacked(given, api, tensors):
    assert not stacks(given(*tensors), api("torch.along", "input: Tensor, dim: int"))


def test_nothing_is_lost_then(given, api):
    found = plans(given(tensor(4), tensor(4)), api("torch.along", "input: Tensor, dim: int"))
    dropping = [plan for plan in found if isinstance(plan.call[0].value, Take)]
    (stacked,) = [plan for plan in found if plan not in dropping]
    assert [plan.stacks for plan in (*dropping, stacked)] == [False] * len(dropping) + [True]
    assert all(plan.drops and plan.loses and plan.astray for plan in dropping)
    assert not any((stacked.drops, stacked.loses, stacked.astray, stacked.invented))
    assert stacked.edits == ("renamed to torch.along", "input and other stacked")


def test_what_is_written_to_is_none_of_them(given, api, call):
    signature = "input: Tensor, other: Tensor, *, out: Tensor? = None"
    made = call("torch.logaddexp", tensor(4), tensor(4), out=tensor(4))
    source = invocation(made, api("torch.logaddexp", signature), ())
    (found,) = stacks(source, api("torch.along", "input: Tensor, dim: int, *, out: Tensor? = None"))
    assert found["input"] == ["arg:0", "arg:1"]
    assert "out" in found


def test_the_reports_own_axis_and_what_is_dropped_stay_what_they_are(call, api):
    made = call("torch.f", tensor(4), tensor(4), dim=1, keepdim=True)
    source = invocation(
        made, api("torch.f", "input: Tensor, other: Tensor, dim: int, keepdim: bool"), ()
    )
    assert not stacks(source, api("torch.along", "input: Tensor, dim: int"))
    made = call("torch.lerp", tensor(4), tensor(4), 0.5)
    source = invocation(made, api("torch.lerp", "input: Tensor, other: Tensor, weight: float"), ())
    found = plans(source, api("torch.along", "input: Tensor, dim: int[]? = None"), Book())
    (stacked,) = [plan for plan in found if plan.stacks]
    assert stacked.loses
    assert "dropped weight" in stacked.edits
