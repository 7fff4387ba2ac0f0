"""Sizes that are given one by one: `torch.ones(2, 3)` is `torch.ones([2, 3])`."""

import pytest

from analysis.catalog.model import ApiKind
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Gather

SIZES = "size: int[], *, dtype: ScalarType? = None"


def given(plan):
    """The slots, a star in front of what is given one by one."""
    found = []
    for slot in plan.call:
        several = isinstance(slot.value, Gather)
        keys = [take.key for take in slot.value.items] if several else [slot.value.key]
        found.append("*" * slot.star + " ".join(keys) + "[]" * (several and not slot.star))
    return found


@pytest.mark.parametrize(
    ("target", "signature", "kind", "expected"),
    [
        ("torch.zeros", SIZES, "function", ["*arg:0 arg:1", "kw:dtype"]),
        ("torch.ops.aten.zeros", SIZES, "op", ["arg:0 arg:1[]", "kw:dtype"]),
        ("tf.zeros", "shape: int[]", "function", ["arg:0 arg:1[]"]),
        ("torch.full", "size: int[], names: str = None", "function", ["arg:0 arg:1[]"]),
        ("torch.eye", "n: int, m: int", "function", ["arg:0", "arg:1"]),
    ],
)
def test_sizes_of_a_function(api, call, target, signature, kind, expected):
    made = call("torch.ones", 2, 3, dtype="half")
    source = invocation(made, api("torch.ones", SIZES), ())
    assert given(plans(source, api(target, signature, kind=ApiKind(kind)))[0]) == expected


@pytest.mark.parametrize(
    ("target", "signature", "kind", "expected"),
    [
        ("torch.Tensor.reshape", "self: Tensor, shape: int[]", "method", ["*arg:0 arg:1"]),
        ("torch.reshape", "input: Tensor, shape: int[]", "function", ["recv", "arg:0 arg:1[]"]),
        ("torch.Tensor.swap", "self: Tensor, a: int, b: int", "method", ["arg:0", "arg:1"]),
    ],
)
def test_sizes_of_a_method(api, call, target, signature, kind, expected):
    sizes, dtype = "self: Tensor, size: int[]", "self: Tensor, dtype: ScalarType"
    view = api("torch.Tensor.view", dtype, sizes, kind=ApiKind.METHOD)
    made = call("torch.Tensor.view", 4, -1, form="method", receiver={(2, 6)})
    plan = plans(invocation(made, view, ()), api(target, signature, kind=ApiKind(kind)))[0]
    assert given(plan) == expected


def test_one_size_and_a_list_of_sizes(api, call):
    ones, zeros = api("torch.ones", SIZES), api("torch.zeros", SIZES)
    single = plans(invocation(call("torch.ones", 3), ones, ()), zeros)[0]
    listed = plans(invocation(call("torch.ones", [3, 2]), ones, ()), zeros)[0]
    assert (given(single), given(listed)) == (["*arg:0"], ["arg:0"])
