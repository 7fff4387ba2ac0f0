"""Dimension differences: what the names state, and what becomes of the values."""

import pytest

from analysis.catalog.model import Api, ApiKind
from analysis.target.observation import Argument, Call
from analysis.values import Value
from citadel.plan.dimensions import dimension_change, spatial
from citadel.plan.invocation import Invocation
from citadel.plan.lifting import Lift, lifted, shape_after, window_lifted
from citadel.plan.model import SourceValue, Step

UP = Lift(before=2, after=3)
DOWN = Lift(before=2, after=1)


def tensor(*shape):
    return Value(kind="tensor", shape=shape, dtype="float32", layout="strided")


def ints(*numbers):
    return Value(kind="tuple", items=tuple(Value(kind="int", text=str(n)) for n in numbers))


def pairs(*numbers):
    return Value(kind="tuple", items=tuple(ints(*pair) for pair in numbers))


def named(value, name="input"):
    return SourceValue(key="arg:0", name=name, value=value)


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [
        ("torch.nn.functional.conv2d", 2),
        ("torch.nn.MaxPool3d", 3),
        ("torch.nn.LazyConvTranspose1d", 1),
        ("torch.nn.functional.max_pool2d_with_indices", 2),
        ("torch.ops.aten.slow_conv3d", 3),
        ("torch.atleast_1d", 1),
        ("tf.keras.layers.Conv3DTranspose", 3),
        ("tf.raw_ops.MaxPool3DGradGrad", 3),
        ("torch.nn.Linear", None),
        ("torch.conv2d.weird", None),
        ("torch.nn.functional.gelu", None),
        ("torch.fake1data", None),
    ],
)
def test_spatial_dimensions_are_read_off_the_name(name, dimensions):
    assert spatial(name) == dimensions


@pytest.mark.parametrize(
    ("value", "lift", "steps"),
    [
        (tensor(1, 4, 8, 8), UP, [("lift", 1)]),
        (tensor(4, 8, 8), UP, [("lift", 1)]),
        (tensor(1, 4, 8, 8), DOWN, [("lower", 1)]),
        (tensor(1, 4, 8, 8, 8), Lift(before=3, after=1), [("lower", 2)]),
        (tensor(4, 8), UP, []),
        (tensor(4), UP, []),
        (tensor(), UP, []),
        (ints(3, 3), UP, [("resize", 3)]),
        (ints(3, 3), DOWN, [("resize", 1)]),
        (ints(1, 1, 1, 1), UP, [("resize", 6)]),
        (ints(1, 1, 1), UP, []),
        (Value(kind="int", text="3"), UP, []),
        (Value(kind="list", length=2), UP, []),
        (tensor(1, 4, 8, 8), Lift(), []),
        (tensor(1, 4, 8, 8), Lift(before=2, after=2), []),
    ],
)
def test_what_becomes_of_a_value(value, lift, steps):
    assert lifted(named(value), lift) == tuple(Step(name=n, amount=a) for n, a in steps)


def test_coordinates_per_dimension_are_narrowed_where_asked():
    offsets = named(tensor(5, 2), "offsets")
    assert lifted(offsets, Lift(before=2, after=3, narrow=True)) == (Step(name="narrow", amount=3),)
    assert lifted(offsets, UP) == ()


def named_api(name):
    return Api(name=name, kind=ApiKind.FUNCTION)


def source(name, *values, result=None):
    call = Call(
        number=1,
        site=0,
        occurrence=1,
        depth=0,
        name=name,
        form="function",
        receiver=None,
        arguments=(),
        keywords=(),
        result=None if result is None else Argument(value=result),
    )
    api = named_api(name)
    return Invocation(
        api=api, call=call, constructor=None, values=tuple(named(value) for value in values)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("torch.conv2d", "torch.conv2d"),
        ("torch.conv2d", "torch.conv_transpose2d"),
        ("torch.conv2d", "torch.matmul"),
        ("torch.matmul", "torch.conv2d"),
    ],
)
def test_without_a_difference_in_the_names_nothing_changes(one, other):
    assert list(dimension_change(source(one, tensor(1, 4, 8, 8)), named_api(other))) == [Lift()]


def test_a_difference_in_the_names_is_a_lift():
    changes = list(
        dimension_change(source("torch.conv2d", tensor(1, 4, 8, 8)), named_api("torch.conv3d"))
    )
    assert [(c.amount, c.narrow, c.repeat) for c in changes] == [
        (1, False, False),
        (1, False, True),
    ]
    assert changes[0].edits == ("dimensions 2d -> 3d",)
    assert changes[1].edits == ("dimensions 2d -> 3d, of equal sizes",)
    assert Lift().edits == ()


def test_coordinates_are_tried_narrowed_first():
    call = source("torch.nn.functional.fractional_max_pool2d", tensor(1, 4, 8, 8), tensor(4, 2))
    changes = list(dimension_change(call, named_api("torch.nn.functional.fractional_max_pool3d")))
    assert [change.narrow for change in changes] == [True, False, True]
    assert [change.guess for change in changes] == [False, True, True]
    assert [change.repeat for change in changes] == [False, False, True]


@pytest.mark.parametrize(
    ("sizes", "target"),
    [
        ((1, 4, 8, 1), "torch.conv3d"),  # a dimension of size 1 is what is added anyway
        ((1, 4, 8, 8), "torch.conv1d"),
        ((1, 1, 4096, 4096), "torch.conv3d"),  # of 2**36 elements
        ((2,), "torch.conv3d"),
        ((0, 3, 1 << 20, 1 << 20), "torch.conv3d"),
    ],
)
def test_dimensions_are_not_repeated_where_that_helps_nobody(sizes, target):
    changes = dimension_change(source("torch.conv2d", tensor(*sizes)), named_api(target))
    assert not any(change.repeat for change in changes)


def test_a_repeated_dimension_is_as_long_as_the_last_one():
    lift = Lift(before=1, after=3, repeat=True)
    steps = lifted(named(tensor(1, 2, 5)), lift)
    assert steps == (Step(name="repeat", amount=2),)
    assert shape_after((1, 2, 5), steps) == (1, 2, 5, 5, 5)
    assert shape_after((5, 2), [Step(name="repeat", amount=1, behind=1)]) == (5, 5, 2)


@pytest.mark.parametrize(
    ("after", "last", "steps"),
    [
        (3, True, (Step(name="resize", amount=3, behind=1),)),
        (1, True, (Step(name="resize", amount=1, behind=1),)),
        (3, False, (Step(name="resize", amount=5),)),
        (1, False, (Step(name="resize", amount=3),)),
    ],
)
def test_windows_of_tensorflow_have_ends(after, last, steps):
    window = ints(1, 2, 2, 1) if last else ints(1, 1, 2, 2)
    lift = Lift(before=2, after=after, channels_last=last, as_tensorflow=True)
    assert lifted(SourceValue(key="kw:strides", name="strides", value=window), lift) == steps


def test_filters_of_tensorflow_have_their_channels_last_whatever_the_layout():
    value = SourceValue(key="arg:1", name="filters", value=tensor(3, 3, 2, 1))
    for last in (True, False):
        lift = Lift(before=2, after=3, channels_last=last, as_tensorflow=True)
        assert lifted(value, lift) == (Step(name="lead", amount=1),)


def unit(before, after, **more):
    return Lift(before=before, after=after, unit=True, **more)


@pytest.mark.parametrize(
    ("name", "value", "lift", "steps"),
    [
        ("stride", ints(3, 2), unit(2, 3), [("extend", 1, "1")]),
        ("padding", ints(3, 2), unit(2, 3), [("extend", 1, "0")]),
        ("output_padding", ints(3), unit(1, 3), [("extend", 2, "0")]),
        ("pad", ints(1, 2), unit(1, 2), [("extend", 2, 2, "0")]),
        ("cropping", pairs((1, 1), (2, 2)), unit(2, 3), [("extend", 1, "(0, 0)")]),
        ("input", tensor(1, 4, 8), unit(1, 3), [("lift", 2)]),
        ("input", tensor(1, 8, 4), unit(1, 2, channels_last=True), [("lift", 1, 1)]),
    ],
)
def test_windows_are_1_long_along_what_is_added(name, value, lift, steps):
    taken = lifted(SourceValue(key="arg:0", name=name, value=value), lift)
    assert [tuple(step.to_json()) for step in taken] == steps


def test_windows_and_filters_of_tensorflow_are_1_long_next_to_the_channels():
    lift = unit(2, 3, channels_last=True, as_tensorflow=True)
    window = SourceValue(key="kw:strides", name="strides", value=ints(1, 2, 2, 1))
    assert lifted(window, lift) == (Step(name="extend", amount=1, behind=1, text="1"),)
    filters = SourceValue(key="arg:1", name="filters", value=tensor(3, 3, 2, 1))
    assert lifted(filters, lift) == (Step(name="lift", amount=1, behind=2),)
    assert lift.result == (Step(name="lower", amount=1, behind=1),)


@pytest.mark.parametrize(
    ("name", "declared", "steps"),
    [
        ("kernel_size", "int[3]", [("each", 2), ("extend", 1, "1")]),
        ("padding", "Union[int, tuple[int, int, int]]", [("each", 2), ("extend", 1, "0")]),
        (
            "padding",
            "Union[int, tuple[int, int, int, int, int, int]]",
            [("each", 4), ("extend", 2, 4, "0")],
        ),
    ],
)
def test_one_number_for_all_dimensions_is_one_for_each(name, declared, steps):
    value = SourceValue(key="arg:1", name=name, value=Value(kind="int", text="3"))
    taken = window_lifted(value, unit(2, 3), declared)
    assert [tuple(step.to_json()) for step in taken] == steps
    assert window_lifted(value, Lift(before=2, after=3), declared) == ()


@pytest.mark.parametrize(
    ("result", "target", "offered"),
    [
        (tensor(1, 4, 6, 6), "torch.conv3d", True),
        (tensor(1, 4), "torch.conv3d", False),  # a global pooling, say
        (None, "torch.conv3d", False),
        (Value(kind="tensor", shape=(1, 4, 6, 6), layout="mkldnn"), "torch.conv3d", False),
        (tensor(1, 4, 6, 6), "torch.conv1d", False),
    ],
)
def test_results_of_the_same_rank_can_lose_what_was_added(result, target, offered):
    found = dimension_change(
        source("torch.conv2d", tensor(1, 4, 8, 8), result=result), named_api(target)
    )
    assert any(lift.unit for lift in found) is offered


@pytest.mark.parametrize(
    ("name", "target", "ranks", "expected"),
    [
        ("tf.raw_ops.MaxPool", "tf.raw_ops.MaxPool3D", (), {(2, 3)}),
        ("tf.raw_ops.MaxPool3D", "tf.raw_ops.MaxPool", (4,), {(3, 2)}),
        ("tf.raw_ops.MaxPool3D", "tf.raw_ops.MaxPool", (), set()),  # nobody knows
        ("tf.nn.max_pool2d", "tf.nn.max_pool", (4, 5), set()),
        ("tf.nn.max_pool1d", "tf.nn.max_pool", (5, 4), {(1, 2)}),
        ("tf.raw_ops.MaxPool", "tf.raw_ops.Conv3D", (), set()),
        ("tf.raw_ops.MaxPool", "tf.raw_ops.AvgPool", (4,), set()),
    ],
)
def test_what_a_name_does_not_state_is_known_from_ranks(name, target, ranks, expected):
    rank = (spatial(name) or 2) + 2
    known = [{"sizes": tensor(4), "input": tensor(*[2] * n)} for n in ranks]
    call = source(name, tensor(*[2] * rank))
    first, *lifts = dimension_change(call, named_api(target), known)
    assert first == Lift()
    assert {(lift.before, lift.after) for lift in lifts} == expected


def test_what_has_no_spatial_dimensions_gets_all_of_them():
    flat = source("torch.nn.BatchNorm1d", tensor(8, 4))
    changes = list(dimension_change(flat, named_api("torch.nn.BatchNorm2d")))
    assert [change.amount for change in changes][:2] == [1, 2]
    whole = source("torch.nn.BatchNorm1d", tensor(8, 4, 5))
    changes = list(dimension_change(whole, named_api("torch.nn.BatchNorm2d")))
    assert {change.amount for change in changes} == {1}


@pytest.mark.parametrize(
    ("value", "name", "first"),
    [
        (ints(0, -1), "padding", True),
        (ints(-1, 0), "padding", False),
        (ints(1, 0), "stride", True),
        (ints(1, 0), "padding", False),
        (ints(1, 2**40), "dilation", True),
        (ints(2, 2), "dilation", False),
        (ints(3, -1, 5), "dilation", False),
    ],
)
def test_what_is_odd_stays_when_dimensions_are_dropped(value, name, first):
    given = SourceValue(key="kw:a", name=name, value=value)
    source = Invocation(
        api=Api(name="torch.f2d", kind=ApiKind.FUNCTION),
        call=Call(
            number=1, site=0, occurrence=1, depth=0, name="torch.f2d", form="function",
            receiver=None, arguments=(), keywords=(("a", Argument(value=value)),),
        ),
        constructor=None,
        values=(named(tensor(1, 2, 4, 5)), given),
    )  # fmt: skip
    lift, *_ = dimension_change(source, Api(name="torch.f1d", kind=ApiKind.FUNCTION))
    assert lift.tail is first
    if first:
        assert lifted(given, lift) == (Step(name="last", amount=1),)
        assert lifted(named(tensor(1, 2, 4, 5)), lift) == (Step(name="lower", amount=1, behind=1),)


@pytest.mark.parametrize(
    ("lift", "step"),
    [
        (UP, Step(name="extend", amount=2, behind=4, text="0")),
        (DOWN, Step(name="last", amount=2)),
        (Lift(before=2, after=1, tail=True), Step(name="resize", amount=2)),
    ],
)
def test_paddings_of_pytorch_have_the_last_dimension_in_front(lift, step):
    given = SourceValue(key="arg:1", name="padding", value=ints(1, 1, 9, 1))
    assert lifted(given, lift) == (step,)
