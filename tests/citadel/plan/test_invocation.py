"""The arguments of a failing call, bound to the names of the source's parameters."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.invocation import best_signature, invocation

CONV = "input: Tensor, weight: Tensor, bias: Tensor? = None, stride: int[2] = 1, groups: int = 1"


def pairs(values):
    return [(value.key, value.name) for value in values]


def test_positions_and_keywords_are_named(api, call):
    source = api("torch.conv2d", CONV)
    found = invocation(call("torch.conv2d", {(1, 4, 8, 8)}, {(4, 4, 3, 3)}, groups=0), source, ())
    assert pairs(found.values) == [("arg:0", "input"), ("arg:1", "weight"), ("kw:groups", "groups")]
    assert [value.type for value in found.values] == ["Tensor", "Tensor", "int"]
    assert found.main is found.values[0]
    assert found.constructor is None
    assert not found.constructing


def test_the_receiver_of_a_method_is_its_first_parameter(api, call):
    source = api("torch.Tensor.clamp", "self: Tensor, min: Scalar? = None", kind=ApiKind.METHOD)
    found = invocation(call("torch.Tensor.clamp", 3, form="method", receiver={(2, 3)}), source, ())
    assert pairs(found.values) == [("recv", "self"), ("arg:0", "min")]


def test_input_is_what_python_calls_self(api, call):
    source = api("torch.abs", "self: Tensor")
    found = invocation(call("torch.abs", input={(2,)}), source, ())
    assert [(v.key, v.name, v.type) for v in found.values] == [("kw:input", "input", "Tensor")]


@pytest.mark.parametrize(
    ("name", "image", "declared"),
    [
        ("tf.image.adjust", [[1.0, 2.0], [3, 4]], "Tensor"),
        ("tf.image.adjust", [[[1.0]], [[2.0]]], "Tensor"),
        ("tf.image.adjust", [1.0, 2.0], None),  # may be sizes
        ("tf.image.adjust", [["a"]], None),
        ("torch.adjust", [[1.0, 2.0]], None),  # takes no list for a tensor
    ],
)
def test_rows_of_numbers_are_a_tensor_to_tensorflow(api, call, name, image, declared):
    found = invocation(call(name, image), api(name, "image"), ())
    assert [value.type for value in found.values] == [declared]


def test_more_arguments_than_parameters_are_kept(api, call):
    found = invocation(call("torch.abs", {(2,)}, 5), api("torch.abs", "input: Tensor"), ())
    assert pairs(found.values) == [("arg:0", "input"), ("arg:1", "#1")]


def test_a_collecting_parameter_takes_the_rest(api, call):
    source = api("torch.block_diag", "*tensors: Tensor")
    found = invocation(call("torch.block_diag", {(2,)}, {(3,)}), source, ())
    assert pairs(found.values) == [("arg:0", "tensors"), ("arg:1", "tensors")]


def test_without_a_signature_values_are_numbered(api, call):
    found = invocation(call("torch.mystery", {(2,)}, dim=1), api("torch.mystery"), ())
    assert pairs(found.values) == [("arg:0", "#0"), ("kw:dim", "dim")]
    assert {value.type for value in found.values} == {None}


LAYER = Value(
    kind="module",
    text="torch.nn.Conv2d",
    keys=("weight", "bias"),
    items=(Value(kind="tensor", shape=(4, 4, 3, 3)), Value(kind="tensor", shape=(4,))),
)


@pytest.fixture
def layer(api):
    return api(
        "torch.nn.Conv2d",
        "in_channels: int, out_channels: int, kernel_size: int[2], groups: int = 1",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )


def test_the_call_of_a_layer_goes_with_its_construction(layer, call, numbered):
    built = call(
        "torch.nn.Conv2d",
        4,
        4,
        3,
        form="class",
        number=1,
        groups=2,
        result=numbered(7, value=LAYER),
    )
    other = call("torch.nn.Conv2d", 1, 1, 1, form="class", number=2, result=numbered(8))
    failing = call(
        "torch.nn.Conv2d",
        {(1, 4, 8, 8)},
        form="module",
        number=3,
        receiver=numbered(7, value=LAYER),
    )
    found = invocation(failing, layer, (built, other, failing))
    assert found.constructor is built
    assert pairs(found.values) == [
        ("new:0", "in_channels"),
        ("new:1", "out_channels"),
        ("new:2", "kernel_size"),
        ("newkw:groups", "groups"),
        ("arg:0", "input"),
    ]
    assert pairs(found.attributes) == [("attr:weight", "weight"), ("attr:bias", "bias")]
    assert found.main.key == "arg:0"
    assert not found.constructing


def test_a_layer_whose_construction_was_not_traced_has_its_call_only(layer, call, numbered):
    failing = call("torch.nn.Conv2d", {(1,)}, form="module", receiver=numbered(7))
    found = invocation(failing, layer, (failing,))
    assert found.constructor is None
    assert pairs(found.values) == [("arg:0", "input")]


def test_a_failing_construction_is_an_invocation_of_its_own(layer, call):
    failing = call("torch.nn.Conv2d", 4, 4, 3, form="class", groups=0)
    found = invocation(failing, layer, (failing,))
    assert found.constructing
    assert found.constructor is failing
    assert pairs(found.values)[-1] == ("newkw:groups", "groups")
    assert found.main is None


@pytest.mark.parametrize(
    ("arguments", "keywords", "chosen"),
    [
        (({(2,)}, 1), {}, 0),
        (({(2,)}, {(3,)}), {}, 1),
        (({(2,)},), {"other": {(3,)}}, 1),
        (({(2,)},), {}, 2),
        (({(2,)}, 1, True), {}, 0),
        (({(2,)}, "no"), {"keepdim": True}, 0),
    ],
)
def test_the_overload_that_takes_the_arguments_best(api, call, arguments, keywords, chosen):
    signatures = api(
        "torch.max",
        "input: Tensor, dim: int, keepdim: bool = False",
        "input: Tensor, other: Tensor",
        "input: Tensor",
    ).signatures
    made = call("torch.max", *arguments, **keywords)
    best = best_signature(signatures, made.arguments, dict(made.keywords))
    assert signatures.index(best) == chosen


def test_no_overload_of_none():
    assert best_signature((), (), {}) is None
