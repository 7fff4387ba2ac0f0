"""Tensors in the dtypes that a sibling takes, in a plan of their own."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Step

from .conftest import Book


def tensor(dtype):
    return Value(kind="tensor", shape=(2, 3), dtype=dtype)


def casts(source, target, *samples):
    """What the plans that cast do, and the plans in front of them."""
    found = plans(source, target, Book(*samples))
    told = [[edit for edit in plan.edits if " cast to " in edit] for plan in found]
    assert [bool(edits) for edits in told] == [plan.cast for plan in found]
    assert not found[0].cast
    return [edits for edits in told if edits]


def given(call, api, *dtypes, module="torch"):
    names = ("input", "other", "third")[: len(dtypes)]
    made = call(f"{module}.f", *map(tensor, dtypes))
    parameters = ", ".join(f"{name}: Tensor" for name in names)
    return invocation(made, api(f"{module}.f", parameters), ())


@pytest.mark.parametrize(
    ("own", "valid", "cast"),
    [
        ("int64", ["float32"], ["input cast to float32"]),
        ("float32", ["complex64"], ["input cast to complex64"]),
        ("float64", ["int32", "int64"], ["input cast to int64"]),  # as wide as it is
        ("int16", ["bfloat16", "float16", "float64", "float32"], ["input cast to float64"]),
        ("int16", ["bfloat16"], ["input cast to bfloat16"]),  # there is nothing else
        ("float64", ["complex64", "complex128"], ["input cast to complex128"]),
        ("float16", ["int64", "int32"], ["input cast to int64"]),
        ("float32", ["bool"], ["input cast to bool"]),
        ("float64", ["float32"], None),  # the same kind of numbers
        ("int64", ["float32", "uint8"], None),
        ("float32", ["quint8"], None),
        ("float32", ["resource"], None),
        ("string", ["float32"], None),
        ("bfloat16", ["float32"], None),
        ("float32", [], None),
    ],
)
def test_tensors_are_cast_to_the_kind_of_numbers_that_valid_calls_have(call, api, own, valid, cast):
    samples = [{"input": tensor(dtype)} for dtype in valid]
    found = casts(given(call, api, own), api("torch.g", "input: Tensor"), *samples)
    assert found == ([cast] if cast else [])


@pytest.mark.parametrize(
    ("own", "valid", "cast"),
    [
        # One dtype for both, and the report has two.
        (("int64", "float32"), [("int32", "int32"), ("float32", "float32")],
         ["other cast to int64"]),
        (("int64", "float32"), [("float32", "float32")], ["input cast to float32"]),
        (("float32", "int64"), [("float32", "float32"), ("float32", "int32")], None),
        (("float32", "float32"), [("float32", "int64")], ["other cast to int64"]),
    ],
)  # fmt: skip
def test_tensors_get_one_dtype_where_valid_calls_have_one(call, api, own, valid, cast):
    samples = [{"input": tensor(one), "other": tensor(two)} for one, two in valid]
    target = api("torch.g", "input: Tensor, other: Tensor")
    assert casts(given(call, api, *own), target, *samples) == ([cast] if cast else [])


def test_declared_dtypes_tell_where_valid_calls_do_not(call, api):
    source = given(call, api, "float32", module="tf")
    assert casts(source, api("tf.g", "input: Tensor{int32}")) == [["input cast to int32"]]
    assert casts(source, api("tf.g", "input: Tensor{float32}")) == []


def test_two_have_one_dtype_by_chance_where_another_is_declared(call, api):
    source = given(call, api, "float32", "int64", module="tf")
    both = {"input": tensor("int32"), "other": tensor("int32")}
    target = api("tf.g", "input: Tensor, other: Tensor")
    assert casts(source, target, both) == [["input cast to int32", "other cast to int32"]]
    declared = api("tf.g", "input: Tensor, other: Tensor{int64}")
    assert casts(source, declared, both) == [["input cast to int32"]]


def test_lists_are_tensors_for_tensorflow_alone(call, api):
    numbers = Value(kind="list", items=(Value(kind="int", text="1"),))
    for module, cast in (("tf", ["x cast to float32"]), ("torch", None)):
        source = invocation(call(f"{module}.f", numbers), api(f"{module}.f", "x: Tensor"), ())
        target = api(f"{module}.g", "x: Tensor")
        assert casts(source, target, {"x": tensor("float32")}) == ([cast] if cast else [])


def test_the_tensor_that_a_method_is_called_on_is_cast_as_well(call, api):
    target = api("torch.Tensor.g", "self: Tensor", kind=ApiKind.METHOD)
    found = plans(given(call, api, "int64"), target, Book({"self": tensor("float32")}))
    assert [plan.receiver.steps for plan in found] == [(), (Step(name="cast", text="float32"),)]


def test_what_is_cast_is_not_what_the_report_gives(call, api):
    plain, cast = plans(
        given(call, api, "int64"), api("torch.g", "input: Tensor"), Book({"input": tensor("bool")})
    )
    assert (plain.astray, cast.astray) == ((), ("arg:0",))
    assert cast.plausibility < plain.plausibility


def test_what_is_written_to_is_not_cast(call, api):
    signature = "input: Tensor, *, out: Tensor? = None"
    made = call("torch.f", tensor("float32"), out=tensor("float32"))
    source = invocation(made, api("torch.f", signature), ())
    samples = {"input": tensor("int64"), "out": tensor("int64")}
    assert casts(source, api("torch.g", signature), samples) == [["input cast to int64"]]
    target = api("torch.Tensor.g_", "self: Tensor", kind=ApiKind.METHOD)
    assert not casts(given(call, api, "float32"), target, {"self": tensor("int64")})


def test_what_is_filled_with_the_same_tensor_is_not_cast(call, api):
    target = api("torch.embed", "input: Tensor, weight: Tensor")
    samples = {"input": tensor("int64"), "weight": Value(kind="tensor", dtype="float32")}
    found = plans(given(call, api, "float32"), target, Book(samples))
    (cast,) = [plan for plan in found if plan.cast]
    steps = {slot.name: [step.name for step in slot.value.steps] for slot in cast.call}
    assert steps == {"input": ["cast"], "weight": []}


@pytest.mark.parametrize(
    ("own", "valid", "result", "back"),
    [
        ("float32", "complex64", "float32", "float32"),
        ("int8", "float32", "int8", ""),  # 200.0 would be -56
        ("int8", "complex64", "int8", ""),
        ("float32", "int64", "bool", ""),  # not of the dtype of what it is computed of
        ("float32", "int64", None, ""),
        ("float32", "float64", "float32", ""),
    ],
)
def test_a_result_is_of_the_dtype_again_that_the_reports_is_of(call, api, own, valid, result, back):
    given = {} if result is None else {"result": tensor(result)}
    made = call("torch.f", tensor(own), **given)
    source = invocation(made, api("torch.f", "input: Tensor"), ())
    found = plans(source, api("torch.g", "input: Tensor"), Book({"input": tensor(valid)}))
    after = [step for plan in found for step in plan.after]
    assert after == ([Step(name="cast", text=back)] if back else [])
    assert [plan.edits[-1] for plan in found if plan.after] == (
        [f"its result cast to {back}"] if back else []
    )
    assert not any(plan.reshapes for plan in found)
    assert all("took the first output" in p.first().as_computed().edits for p in found)
    computed = [plan.as_computed() for plan in found]
    assert not any(plan.after for plan in computed)
    assert not any("result" in edit for plan in computed for edit in plan.edits)
