"""Functions, methods and layers for one another."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Form, Obstacle, Take

from .conftest import Book, first, written


@pytest.fixture
def linear(api, call, numbered):
    """`nn.Linear(3, 4)(x)`."""
    layer = Value(
        kind="module",
        text="torch.nn.Linear",
        keys=("weight", "bias"),
        items=(Value(kind="tensor", shape=(4, 3)), Value(kind="tensor", shape=(4,))),
    )
    source = api(
        "torch.nn.Linear",
        "in_features: int, out_features: int, bias: bool = True",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )
    built = call("torch.nn.Linear", 3, 4, form="class", result=numbered(1, value=layer))
    used = call(
        "torch.nn.Linear", {(2, 3)}, form="module", number=2, receiver=numbered(1, value=layer)
    )
    return invocation(used, source, (built, used))


def test_a_method_becomes_a_function(clamp, api):
    plan = first(plans(clamp, api("torch.clamp", "input: Tensor, min: Scalar?, max: Scalar?")))
    assert plan.form is Form.FUNCTION
    assert plan.receiver is None
    assert written(plan.call) == ["recv", "arg:0", "arg:1"]


def test_a_function_becomes_a_method(conv, api):
    target = api("torch.Tensor.mm", "self: Tensor, mat2: Tensor", kind=ApiKind.METHOD)
    plan = first(plans(conv, target))
    assert plan.form is Form.METHOD
    assert plan.receiver == Take(key="arg:0")
    assert written(plan.call) == ["arg:1"]


def test_the_receiver_of_a_reflected_operator_is_the_second_operand(api, call):
    signature = "self: Tensor, other: Tensor"
    made = call("torch.sub", {(1, 2)}, {(3, 4)})
    source = invocation(made, api("torch.sub", "input: Tensor, other: Tensor"), ())
    turned = first(plans(source, api("torch.Tensor.__rsub__", signature, kind=ApiKind.METHOD)))
    assert turned.receiver == Take(key="arg:1")
    assert written(turned.call) == ["arg:0"]
    plain = first(plans(source, api("torch.Tensor.__rshift__", signature, kind=ApiKind.METHOD)))
    assert plain.receiver == Take(key="arg:0")


def test_a_number_cannot_be_the_receiver_of_a_reflected_operator(api, call):
    made = call("torch.pow", {(1, 2)}, 2)
    source = invocation(made, api("torch.pow", "input: Tensor, exponent: Tensor | Scalar"), ())
    signature = "self: Tensor, other: Any"
    plan = first(plans(source, api("torch.Tensor.__rpow__", signature, kind=ApiKind.METHOD)))
    assert plan.receiver == Take(key="arg:0")


def test_operands_of_a_reflected_operator_keep_their_order(api, call):
    signature = "self: Tensor, other: Any"
    made = call("torch.Tensor.__rpow__", True, form="reflected", receiver={(2,)})
    source = invocation(made, api(made.name, signature, kind=ApiKind.METHOD), ())
    power = api("torch.pow", "input: Tensor, exponent: Tensor", "self: Scalar, exponent: Tensor")
    found = [(plan.receiver, written(plan.call)) for plan in plans(source, power)]
    assert (None, ["arg:0", "recv"]) in found
    reflected = first(plans(source, api("torch.Tensor.__rsub__", signature, kind=ApiKind.METHOD)))
    assert reflected.receiver == Take(key="recv")
    assert written(reflected.call) == ["arg:0"]


def test_operators_of_several_overloads_take_no_number_for_a_flag(api, call):
    overloads = (
        "self: Tensor, unbiased: bool",
        "self: Tensor, dim: int[1]?, keepdim: bool = False",
    )
    made = call("torch.std", {(2, 3)}, 0)
    source = invocation(made, api("torch.std", "input: Tensor, dim: int[1]?"), ())
    operator = first(plans(source, api("torch.ops.aten.std", *overloads, kind=ApiKind.OP)))
    assert written(operator.call) == ["arg:0", "dim=arg:1"]
    function = first(plans(source, api("torch.var", *overloads)))
    assert written(function.call) == ["arg:0", "arg:1"]


def test_a_method_needs_a_receiver(api, call):
    source = invocation(call("torch.eye", 3), api("torch.eye", "n: int"), ())
    target = api("torch.Tensor.tril", "self: Tensor, n: int = 0", kind=ApiKind.METHOD)
    assert plans(source, target) is Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT


def test_a_function_becomes_a_layer(conv, api):
    target = api(
        "torch.nn.Grouped",
        "channels: int, groups: int = 1",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )
    plan = first(plans(conv, target, Book({"channels": Value(kind="int", text="4")})))
    assert plan.form is Form.MODULE
    assert written(plan.new) == ["4", "groups=kw:groups"]
    assert written(plan.call) == ["arg:0"]


def test_a_layer_becomes_another_layer(linear, api):
    target = api(
        "torch.nn.Other",
        "in_features: int, out_features: int",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )
    plan = first(plans(linear, target))
    assert written(plan.new) == ["new:0", "new:1"]
    assert written(plan.call) == ["arg:0"]


def test_a_layer_becomes_a_function_of_its_parameters(linear, api):
    target = api(
        "torch.nn.functional.linear", "input: Tensor, weight: Tensor, bias: Tensor? = None"
    )
    plan = first(plans(linear, target))
    assert written(plan.call) == ["arg:0", "attr:weight", "attr:bias"]
    assert "dropped in_features" in plan.edits


def test_a_function_is_given_the_mode_and_the_buffers_of_a_layer(api, call, numbered):
    tensors = {name: Value(kind="tensor", shape=(4,)) for name in ("weight", "running_mean")}
    held = {**tensors, "training": Value(kind="bool", text="True")}
    layer = Value(kind="module", text="torch.nn.Norm", keys=tuple(held), items=tuple(held.values()))
    source = api("torch.nn.Norm", "size: int", kind=ApiKind.MODULE, call="input: Tensor")
    built = call("torch.nn.Norm", 4, form="class", result=numbered(1, value=layer))
    used = call(
        "torch.nn.Norm", {(2, 4)}, form="module", number=2, receiver=numbered(1, value=layer)
    )
    made = invocation(used, source, (built, used))
    norm = api(
        "torch.norm",
        "input: Tensor, running_mean: Tensor?, weight: Tensor? = None, training: bool = False",
    )
    expected = ["arg:0", "attr:running_mean", "attr:weight", "attr:training"]
    assert written(first(plans(made, norm)).call) == expected
    other = api("torch.other", "input: Tensor, ceil_mode: bool = False")
    assert written(first(plans(made, other)).call) == ["arg:0"]


def test_the_layers_parameters_are_not_handed_to_another_layer(linear, api):
    target = api(
        "torch.nn.Weighted",
        "in_features: int, out_features: int",
        kind=ApiKind.MODULE,
        call="input: Tensor, weight: Tensor? = None",
    )
    assert written(first(plans(linear, target)).call) == ["arg:0"]


def test_a_failing_construction_is_planned_for_layers_only(api, call):
    source_api = api(
        "torch.nn.Conv2d",
        "in_channels: int, groups: int = 1",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )
    source = invocation(call("torch.nn.Conv2d", 4, form="class", groups=0), source_api, ())
    layer = api(
        "torch.nn.Conv3d",
        "in_channels: int, groups: int = 1",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )
    plan = first(plans(source, layer))
    assert plan.form is Form.CONSTRUCTOR
    assert (written(plan.new), plan.call) == (["new:0", "groups=newkw:groups"], ())
    function = api("torch.group_norm", "groups: int")
    assert plans(source, function) is Obstacle.NOT_CALLABLE_LIKE_THE_SOURCE


def test_what_a_layer_names_is_not_for_the_base_class_of_another(api, call):
    """That is what the `**kwargs` of a constructor are handed on to."""
    named = "pool_size: int, strides: int = None, **kwargs"
    source = api("tf.keras.layers.Max", named, kind=ApiKind.MODULE, call="inputs: Tensor")
    built = call("tf.keras.layers.Max", 2, form="class", strides=1, dtype="half")
    other = "size: int, **kwargs"
    target = api("tf.keras.layers.Up", other, kind=ApiKind.MODULE, call="inputs: Tensor")
    plan = first(plans(invocation(built, source, ()), target))
    assert written(plan.new) == ["new:0", "dtype=newkw:dtype"]
    assert "dropped strides" in plan.edits


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("tf.keras.ops.leaky_relu", ["x=arg:0", "negative_slope=kw:alpha"]),
        ("tf.keras.ops.celu", ["x=arg:0"]),  # another operation: it may mean anything
    ],
)
def test_the_one_number_of_a_form_of_the_operation_is_that_of_another(api, call, name, given):
    source = api("tf.nn.leaky_relu", "features: Tensor, alpha = 0.2, name = None")
    made = invocation(call("tf.nn.leaky_relu", {(3,)}, alpha=0.5), source, ())
    found = first(plans(made, api(name, "x: Tensor, negative_slope = 0.2")))
    assert [f"{slot.name}={slot.value.key}" for slot in found.call] == given
