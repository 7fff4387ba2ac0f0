"""A layer in place of a function has for its own what the function was given."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Fill, Obstacle, Step, Take

from .conftest import CONV2D, Book, first, written

CONSTRUCTION = (
    "in_channels: int, out_channels: int, kernel_size: int[2], stride: int[2] = 1,"
    " groups: int = 1, bias: bool = True, dtype = None"
)


def tensor(*shape):
    return Value(kind="tensor", shape=shape, dtype="float32")


def number(value):
    return Value(kind="int", text=str(value))


def sample(shape, weight, **numbers):
    found = {name: number(value) for name, value in numbers.items()}
    return {
        "input": tensor(*shape),
        ".weight": tensor(*weight),
        ".bias": tensor(weight[0]),
        **found,
    }


@pytest.mark.parametrize(
    ("form", "kind", "planned"),
    [
        ("class", ApiKind.CLASS, True),
        ("class", ApiKind.MODULE, True),
        ("function", ApiKind.FUNCTION, False),
    ],
)
def test_what_is_made_of_nothing_stands_in_for_what_is_made_of_nothing(
    api, call, form, kind, planned
):
    made = call("tf.keras.optimizers.Adamax", form=form, result=None)
    own = api("tf.keras.optimizers.Adamax", "learning_rate: float = 0.001", kind=kind)
    source = invocation(made, own, ())
    other = api("tf.keras.optimizers.Adafactor", "learning_rate: float = 0.001", kind=kind)
    assert isinstance(plans(source, api("tf.cos", "x: Tensor")), Obstacle)
    found = plans(source, other)
    assert isinstance(found, Obstacle) is not planned
    if planned:
        assert found[0].edits == ("renamed to tf.keras.optimizers.Adafactor",)


CONVS = Book(
    sample((1, 3, 9, 9), (4, 3, 2, 2), in_channels=3, out_channels=4, kernel_size=2),
    sample((1, 4, 6, 6), (6, 4, 3, 3), in_channels=4, out_channels=6, kernel_size=3),
)


@pytest.fixture
def layer(api):
    return api("torch.nn.Conv2d", CONSTRUCTION, kind=ApiKind.MODULE, call="input: Tensor")


def planned(api, call, layer, *given, samples=CONVS, **named):
    source = invocation(call("torch.conv2d", *given, **named), api("torch.conv2d", CONV2D), ())
    return plans(source, layer, samples)


def test_a_layer_is_constructed_with_the_sizes_of_its_weights(api, call, layer):
    plan = first(planned(api, call, layer, {(1, 2, 8, 8)}, {(5, 2, 3, 3)}, {(5,)}))
    assert written(plan.new) == ["2", "5", "3"]
    assert [(slot.name, slot.value) for slot in plan.state] == [
        ("weight", Take(key="arg:1")),
        ("bias", Take(key="arg:2")),
    ]
    assert plan.edits == ("renamed to torch.nn.Conv2d", "weight, bias as its own")
    assert not plan.filled
    assert not plan.drops


def test_sizes_that_differ_are_a_window(api, call, layer):
    plan = first(planned(api, call, layer, {(1, 2, 8, 8)}, {(5, 2, 3, 1)}, {(5,)}))
    assert written(plan.new) == ["2", "5", "(3, 1)"]


def test_what_the_report_does_not_give_is_left_out_of_the_layer(api, call, layer):
    plan = first(planned(api, call, layer, {(1, 2, 8, 8)}, {(5, 2, 3, 3)}))
    assert written(plan.new)[-1] == "bias=False"
    assert [slot.name for slot in plan.state] == ["weight"]


def test_sizes_that_do_not_fit_each_other_are_those_of_the_weights(api, call, layer):
    """The layer can be made then, and its call is refused as the report's is."""
    plan = first(planned(api, call, layer, {(1, 2, 8, 8)}, {(5, 3, 3, 3)}, {(5,)}))
    assert written(plan.new)[0] == "3"


def test_weights_of_groups_have_fewer_channels(api, call, layer):
    made = planned(api, call, layer, {(1, 4, 8, 8)}, {(6, 2, 3, 3)}, {(6,)}, groups=2)
    assert written(first(made).new) == ["4", "6", "3", "groups=kw:groups"]


def test_other_dtypes_are_told(api, call, layer):
    double = Value(kind="tensor", shape=(5, 2, 3, 3), dtype="float64")
    plan = first(planned(api, call, layer, {(1, 2, 8, 8)}, double))
    assert "dtype=torch.float64" in written(plan.new)


def test_weights_gain_dimensions_as_the_input_does(api, call):
    target = api(
        "torch.nn.Conv3d", CONSTRUCTION.replace("[2]", "[3]"), kind=ApiKind.MODULE,
        call="input: Tensor",
    )  # fmt: skip
    known = Book(
        sample((1, 3, 9, 8, 7), (4, 3, 2, 2, 2), in_channels=3, out_channels=4, kernel_size=2)
    )
    plan = first(planned(api, call, target, {(1, 2, 8, 8)}, {(5, 2, 3, 3)}, {(5,)}, samples=known))
    assert written(plan.new) == ["2", "5", "(3, 3, 1)"]
    assert plan.state[0].value == Take(key="arg:1", steps=(Step(name="lift", amount=1),))
    assert plan.state[1].value == Take(key="arg:2")


def test_keras_has_windows_in_front_and_flags_of_other_names(api, call):
    target = api(
        "tf.keras.layers.Conv2D",
        "filters: int, kernel_size: int[2], strides = 1, use_bias: bool = True",
        kind=ApiKind.MODULE, call="inputs",
    )  # fmt: skip
    known = Book({
        "inputs": tensor(4, 28, 28, 128),
        "filters": number(32),
        "kernel_size": number(3),
        ".kernel": tensor(3, 3, 128, 32),
        ".bias": tensor(32),
    })  # fmt: skip
    function = api("tf.nn.conv2d", "input: Tensor, kernel: Tensor, strides")
    source = invocation(call("tf.nn.conv2d", {(1, 5, 5, 2)}, {(3, 2, 2, 4)}, 2), function, ())
    plan = first(plans(source, target, known))
    assert written(plan.new) == ["4", "(3, 2)", "arg:2", "use_bias=False"]
    assert [(slot.name, slot.value) for slot in plan.state] == [("kernel", Take(key="arg:1"))]


def test_a_layer_that_has_more_of_its_own_is_made_anew(api, call):
    target = api("torch.nn.Scaled", "num: int", kind=ApiKind.MODULE, call="input: Tensor")
    known = Book({"input": tensor(2, 3), ".weight": tensor(3), ".offset": tensor(3)})
    function = api("torch.scaled", "input: Tensor, weight: Tensor")
    source = invocation(call("torch.scaled", {(2, 4)}, {(4,)}), function, ())
    assert all(not plan.state for plan in plans(source, target, known))


def test_names_that_are_no_identifiers_are_nothing_to_have(api, call, layer):
    hostile = {f".{name}": tensor(5) for name in ("a'); import os", "x.y", "", "lambda")}
    known = Book(*({**one, **hostile} for one in CONVS.samples))
    plan = first(planned(api, call, layer, {(1, 2, 8, 8)}, {(5, 2, 3, 3)}, {(5,)}, samples=known))
    assert [slot.name for slot in plan.state] == ["weight", "bias"]


def test_a_mode_is_that_of_the_layer(api, call):
    target = api("torch.nn.Dropout", "p: float = 0.5", kind=ApiKind.MODULE, call="input: Tensor")
    function = api("torch.dropout", "input: Tensor, p: float, training: bool")
    source = invocation(call("torch.dropout", {(2, 4)}, 0.2, False), function, ())
    (plan,) = plans(source, target, Book())
    assert [(slot.name, slot.value) for slot in plan.state] == [("training", Take(key="arg:2"))]


@pytest.mark.parametrize(("default", "evaluates"), [("False", True), ("True", False)])
def test_a_function_that_does_not_train_is_a_layer_that_does_not(api, call, default, evaluates):
    target = api("torch.nn.RReLU", "lower: float = 0.1", kind=ApiKind.MODULE, call="input: Tensor")
    function = api("torch.rrelu", f"input: Tensor, training: bool = {default}")
    made = plans(invocation(call("torch.rrelu", {(2, 4)}), function, ()), target, Book())
    modes = [[slot.value for slot in plan.state] for plan in made]
    assert modes == ([[Fill(text="False", implied=True)]] if evaluates else [[]])


def test_a_parameter_of_the_construction_may_be_what_the_layer_has(api, call):
    """`Embedding(4, 3, _weight=w)` would be told other sizes than those of `w`."""
    target = api(
        "torch.nn.Embedding", "num: int, dim: int, _weight: Tensor? = None", kind=ApiKind.MODULE,
        call="input: Tensor",
    )  # fmt: skip
    known = Book({
        "input": Value(kind="tensor", shape=(2, 4), dtype="int64"),
        "num": number(4),
        "dim": number(3),
        ".weight": tensor(4, 3),
    })  # fmt: skip
    indices = Value(kind="tensor", shape=(1, 3), dtype="int64")
    made = call("torch.embedding", indices, {(10, 5)})
    source = invocation(made, api("torch.embedding", "input: Tensor, weight: Tensor"), ())
    plan = first(plans(source, target, known))
    assert [slot.value for slot in plan.new[:2]] == [Fill(text="10"), Fill(text="5")]


@pytest.mark.parametrize(
    ("framework", "dtype", "construction", "built"),
    [
        ("tf", "float16", "axis: int = -1, dtype = None", ["tf.float16"]),
        ("tf", "float64", "axis: int = -1, **kwargs", ["tf.float64"]),
        ("keras", "bfloat16", "axis: int = -1, **kwargs", ["'bfloat16'"]),
        ("tf", "float16", "axis: int = -1", []),  # it can be told nothing
        ("tf", "float32", "axis: int = -1, dtype = None", []),
        ("tf", "int32", "axis: int = -1, dtype = None", []),
        ("torch", "float64", "axis: int = -1, dtype = None", []),
    ],
)
def test_a_layer_of_keras_computes_in_the_precision_of_the_report(
    api, call, framework, dtype, construction, built
):
    """It would cast the tensor to its own one, where the function that it stands for does not."""
    softmax = api(f"{framework}.softmax", "x: Tensor, axis: int = -1")
    given = Value(kind="tensor", shape=(2, 3), dtype=dtype)
    source = invocation(call(f"{framework}.softmax", given), softmax, ())
    target = api(f"{framework}.layers.Softmax", construction, kind=ApiKind.MODULE, call="x: Tensor")
    plan = first(plans(source, target))
    takes = [Take(key="arg:0", steps=(Step(name="dtype", text=text),)) for text in built]
    assert [slot.value for slot in plan.new] == takes
    assert written(plan.call) == ["arg:0"]
    assert plan.edits == (f"renamed to {framework}.layers.Softmax",)
    assert plan.renamed == ()
