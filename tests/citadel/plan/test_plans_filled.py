"""What a sibling requires beyond the failing call: from samples, types and other arguments."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import NOTHING, Fill, Obstacle, Step, Take

from .conftest import CONV2D, Book, first, written


def test_required_tensors_are_filled_with_the_sources_own(conv, api):
    plan = first(
        plans(conv, api("torch.c", CONV2D.replace("bias: Tensor? = None", "mask: Tensor")))
    )
    assert plan.call[2].value == Take(key="arg:0")
    assert plan.invented == ("mask",)
    assert "filled mask" in plan.edits


def test_no_tensor_is_given_twice_while_another_one_is_dropped(api, call):
    source = invocation(
        call("torch.pow", {(2, 3)}, {(1, 3)}), api("torch.pow", "x: Tensor, y: Tensor"), ()
    )
    (plan,) = plans(source, api("torch.raised", "x: Tensor, other"))
    assert [slot.value for slot in plan.call] == [Take(key="arg:0"), Take(key="arg:1")]
    assert plan.edits == ("renamed to torch.raised",)
    assert plan.invented == ()


def test_what_is_written_to_is_nothing_to_work_on(api, call):
    made = call("torch.amax", {(3, 3)}, dim=0, out={(3,)})
    source = invocation(made, api("torch.amax", "input: Tensor, dim: int"), ())
    for plan in plans(source, api("torch.mul", "input: Tensor, other: Tensor")):
        assert "dropped out" in plan.edits
        assert Take(key="kw:out") not in [slot.value for slot in plan.call]


def test_required_numbers_are_filled_from_samples_then_by_type(clamp, api):
    target = api("torch.renorm", "input: Tensor, p: Scalar, dim: int, maxnorm: Scalar, eps: float")
    sample = {"eps": Value(kind="float", text="0.125")}
    plan = first(plans(clamp, target, Book({}, sample)))
    assert written(plan.call)[-1] == "0.125"
    bare = first(plans(clamp, target, Book()))
    assert written(bare.call)[-1] == "1"


def test_a_receiver_has_the_dtype_of_the_arrays_that_the_report_gives(call, api):
    rows = Value(kind="list", items=(Value(kind="array", shape=(4,), dtype="float32"),) * 2)
    source = invocation(call("torch.tensor", rows), api("torch.tensor", "data"), ())
    target = api("torch.Tensor.new_tensor", "self: Tensor, data", kind=ApiKind.METHOD)
    known = Book({"self": Value(kind="tensor", shape=(2,), dtype="int8", content="[1, 1]")})
    plan = first(plans(source, target, known))
    assert plan.receiver == Fill(text="torch.tensor([1, 1], dtype=torch.float32)", tensor=True)


def test_a_default_of_the_reports_own_api_is_not_made_up(call, api):
    made = call("tf.cumprod", {(4,)})
    source = invocation(made, api("tf.cumprod", "x, axis=0, reverse=False, name=None"), ())
    target = api("tf.raw_ops.Cumprod", "x: Tensor, axis: Tensor, reverse: bool, name: str")
    sample = {"axis": Value(kind="int", text="1"), "name": Value(kind="str", text="'c'")}
    plan = first(plans(source, target, Book(sample)))
    assert [slot.value for slot in plan.call[1:]] == [
        Fill(text="0", implied=True),
        Fill(text="False", implied=True),
        Fill(text="'c'"),
    ]
    assert plan.edits == ("renamed to tf.raw_ops.Cumprod", "filled name")


def test_what_a_schema_lets_be_nothing_is_not_made_up(call, api):
    """Of `output_size` and `scale_factors` PyTorch wants one alone."""
    source = invocation(
        call("torch.resize", {(1, 1, 2)}, scale_factor=1.5),
        api("torch.resize", "input, size=None, scale_factor=None"),
        (),
    )
    target = api("torch.up", "input: Tensor, output_size: int[]?, scale_factors: float[]?")
    sample = {"output_size": Value(kind="list", items=(Value(kind="int", text="4"),))}
    plan = first(plans(source, target, Book(sample)))
    assert plan.call[1].value == NOTHING
    assert plan.call[2].value == Take(key="kw:scale_factor", steps=(Step(name="list"),))
    assert not plan.filled


def test_without_a_tensor_to_take_after_it_is_that_of_a_valid_call(api, call):
    source = invocation(
        call("torch.full", (2, -3), 1.5), api("torch.full", "size: int[], fill_value: Scalar"), ()
    )
    target = api(
        "torch.Tensor.new_full",
        "self: Tensor, size: int[], fill_value: Scalar",
        kind=ApiKind.METHOD,
    )
    shapes = ((0,), (2, 3), (1,))
    known = [{"self": Value(kind="tensor", shape=one, dtype="float32")} for one in shapes]
    (plan,) = plans(source, target, Book(*known))
    assert plan.receiver == Fill(text="torch.ones([1], dtype=torch.float32)", tensor=True)
    assert written(plan.call) == ["arg:0", "arg:1"]
    assert plans(source, target, Book()) is Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT


def test_what_cannot_be_filled_is_an_obstacle(conv, api):
    target = api("torch.hooked", "input: Tensor, hook: Callable")
    assert plans(conv, target) is Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT


def test_samples_without_text_fill_nothing(conv, api):
    target = api("torch.hooked", "input: Tensor, hook: Callable")
    sample = {"hook": Value(kind="function", text="torch.abs")}
    assert plans(conv, target, Book(sample)) is Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT


def test_tensors_are_made_like_those_of_valid_calls_or_are_the_sources_own(clamp, api):
    target = api("torch.gather", "input: Tensor, index: Tensor")
    sample = {
        "input": Value(kind="tensor", shape=(4, 5), dtype="float32"),
        "index": Value(kind="tensor", shape=(4, 5), dtype="int64"),
    }
    made, own, zeros = plans(clamp, target, Book(sample))
    assert made.call[1].value == Fill(text="torch.zeros([2, 3], dtype=torch.int64)", tensor=True)
    assert own.call[1].value == Take(key="recv")
    assert zeros.call[1].value == Take(key="recv", steps=(Step(name="zeros"),))
    assert made.plausibility > own.plausibility > zeros.plausibility


def test_what_valid_calls_give_as_numbers_is_no_tensor_of_the_source(clamp, api):
    target = api("torch.overlap", "input: Tensor, length: Tensor")
    numbers = Book({"length": Value(kind="int", text="8")})
    (plan,) = plans(clamp, target, numbers)
    assert written(plan.call)[-1] == "8"
    mixed = {"length": Value(kind="tensor", shape=(), dtype="int64")}
    told = {plan.call[-1].value for plan in plans(clamp, target, Book(mixed))}
    assert Take(key="recv") in told


def test_a_number_becomes_a_tensor_where_only_those_are_taken(api, call):
    source = invocation(
        call("torch.fill", {(2, 3)}, 5.0), api("torch.fill", "input: Tensor, value: Scalar"), ()
    )
    plan = first(plans(source, api("torch.put", "input: Tensor, values: Tensor")))
    assert plan.call[1].value == Take(key="arg:1", steps=(Step(name="tensor"),))
    assert "values as a tensor" in plan.edits
    vectors = Book({"values": Value(kind="tensor", shape=(4,), dtype="float32")})
    whole = first(plans(source, api("torch.put", "input: Tensor, values: Tensor"), vectors))
    steps = (Step(name="list"), Step(name="tensor"))
    assert whole.call[1].value == Take(key="arg:1", steps=steps)
    halves = Book({"values": Value(kind="tensor", shape=(), dtype="float16")})
    half = first(plans(source, api("torch.put", "input: Tensor, values: Tensor"), halves))
    steps = (Step(name="tensor", text="float16"),)
    assert half.call[1].value == Take(key="arg:1", steps=steps)
    other = first(plans(source, api("torch.put", "input: Tensor, values: Scalar | Tensor")))
    assert other.call[1].value == Take(key="arg:1")


def test_of_flags_that_are_required_there_are_as_many_as_declared(conv, api):
    plan = first(plans(conv, api("torch.backward", "input: Tensor, output_mask: bool[3]")))
    assert plan.call[-1].value == Fill(text="[True, True, True]")


@pytest.mark.parametrize(
    ("dtype", "declared", "made"),
    [
        ("int64", "int", "int"),
        ("float64", "float", "float"),
        ("int64", "Tensor", None),
        ("int64", "int | Tensor", None),
    ],
)
def test_a_tensor_of_no_dimensions_becomes_a_number_where_no_tensor_is_taken(
    api, call, dtype, declared, made
):
    of_two = api("tf.f", "data: Tensor, count: Tensor")
    count = Value(kind="tensor", shape=(), dtype=dtype)
    source = invocation(call("tf.f", {(2, 3)}, count), of_two, ())
    plan = first(plans(source, api("tf.g", f"data: Tensor, count: {declared} = 1")))
    steps = (Step(name="number", text=made),) if made else ()
    assert plan.call[1].value == Take(key="arg:1", steps=steps)
    assert ("count as a number" in plan.edits) == bool(made)


def test_numbers_that_are_sizes_of_the_input_are_its_sizes(api, call):
    source = invocation(call("torch.exp", {(2, 3)}), api("torch.exp", "input: Tensor"), ())
    target = api(
        "torch.nn.Linear", "in_features: int, out_features: int", kind=ApiKind.MODULE,
        call="input: Tensor",
    )  # fmt: skip
    sample = {
        "input": Value(kind="tensor", shape=(7, 5), dtype="float32"),
        "in_features": Value(kind="int", text="5"),
        "out_features": Value(kind="int", text="8"),
    }
    assert written(first(plans(source, target, Book(sample))).new) == ["3", "8"]


def test_a_window_with_ends_is_no_list_of_a_list(api, call):
    source = invocation(
        call("tf.pool", {(1, 8, 8, 2)}, ksize=2), api("tf.pool", "input: Tensor, ksize: int"), ()
    )
    window = Value(
        kind="list", items=tuple(Value(kind="int", text=str(size)) for size in (1, 3, 3, 1))
    )
    target = api("tf.raw_ops.Pool", "input: Tensor, ksize: list(int)")
    (plan,) = plans(source, target, Book({"ksize": window}))
    assert plan.call[1].value == Take(key="kw:ksize", steps=(Step(name="ends", amount=2),))


def spelled(api, call, word, *known, how="how: str"):
    source = invocation(
        call("torch.f", {(2, 3)}, how=word), api("torch.f", "x: Tensor, how: str"), ()
    )
    samples = [{"how": Value(kind="str", text=repr(one))} for one in known]
    plan = first(plans(source, api("torch.other", f"x: Tensor, {how}"), Book(*samples)))
    return plan.call[1].value.steps


def test_words_are_spelled_as_in_valid_calls(api, call):
    assert spelled(api, call, "same", "SAME", "VALID") == (Step(name="say", text="'SAME'"),)
    assert spelled(api, call, "SAME", "valid") == (Step(name="say", text="'same'"),)
    assert spelled(api, call, "same", "SAME", "valid") == ()
    assert spelled(api, call, "same") == ()


def test_words_are_spelled_as_the_default_is(api, call):
    lower = (Step(name="say", text="'same'"),)
    assert spelled(api, call, "SAME", how="how: str = 'valid'") == lower
    assert spelled(api, call, "SAME", "VALID", how="how: str = 'valid'") == ()
    assert spelled(api, call, "SAME", how="how: str = ''") == ()


def test_other_texts_stay_as_they_are(api, call):
    assert spelled(api, call, "Ij,jK->IK", "ij,jk->ik") == ()
    assert spelled(api, call, "a\nb", "AB") == ()


def test_sizes_of_a_window_come_from_valid_calls_those_of_a_tensor_from_the_tensor(api, call):
    source = invocation(call("torch.f", {(1, 2, 9, 9)}), api("torch.f", "input: Tensor"), ())
    sizes = Value(kind="list", items=(Value(kind="int", text="5"), Value(kind="int", text="7")))
    sample = {"input": Value(kind="tensor", shape=(1, 2, 8, 8)), "output_size": sizes}
    target = api("torch.pool", "input: Tensor, output_size: int[]")
    assert written(first(plans(source, target, Book(sample))).call)[1] == "[5, 7]"
    assert written(first(plans(source, target, Book())).call)[1] == "[1, 2, 9, 9]"


def test_valid_calls_tell_what_takes_tensors_where_nothing_is_declared(api, call):
    source = invocation(call("tf.std", {(2, 3)}), api("tf.std", "input_tensor: Tensor"), ())
    undeclared = api("tf.deviation", "a, axis=None")
    assert plans(source, undeclared, Book()) is Obstacle.NOTHING_IN_COMMON
    sample = {"a": Value(kind="tensor", shape=(4,), dtype="float32")}
    assert written(first(plans(source, undeclared, Book(sample))).call) == ["arg:0"]
    loss = api("tf.loss", "y_true, y_pred")
    arrays = {name: Value(kind="array", text="data") for name in ("y_true", "y_pred")}
    assert written(first(plans(source, loss, Book(arrays))).call) == ["arg:0", "arg:0"]


def test_numbers_are_still_given_to_what_is_undeclared(api, call):
    source = invocation(
        call("tf.f", {(2, 3)}, 4), api("tf.f", "input_tensor: Tensor, other: float"), ()
    )
    sample = {name: Value(kind="tensor", shape=(4,), dtype="float32") for name in ("a", "b")}
    plan = first(plans(source, api("tf.g", "a, b"), Book(sample)))
    assert written(plan.call) == ["arg:0", "arg:1"]


def test_a_call_that_is_given_no_tensor_is_idle(api, call):
    given = call("torch.f", {(2, 3)}, {(1, 3)}, 2)
    source = invocation(given, api("torch.f", "x: Tensor, y: Tensor, dim: int"), ())
    assert first(plans(source, api("torch.g", "dim: int"))).idle
    assert not first(plans(source, api("torch.h", "x: Tensor, dim: int"))).idle


def test_one_of_the_words_that_an_operator_takes_is_filled(clamp, api):
    target = api("tf.raw_ops.Windowed", "input: Tensor, padding: string{EDGE}")
    assert "'EDGE'" in written(first(plans(clamp, target)).call)


def test_no_number_goes_to_a_list_of_types(api, call):
    source = invocation(call("tf.f", {(2, 3)}, 0.5), api("tf.f", "x: Tensor, rate: float"), ())
    target = api("tf.raw_ops.Mapped", "x: Tensor, output_types: type[]")
    assert plans(source, target) is Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT


def test_what_takes_any_name_suits_worse_than_what_knows_one(api, call):
    made = call("tf.f", {(2, 3)}, scale={(2, 3)}, rate=0.5)
    source = invocation(made, api("tf.f", "x: Tensor, scale: Tensor, rate: float"), ())
    knows = first(plans(source, api("tf.g", "x: Tensor, scale: Tensor")))
    takes = first(plans(source, api("tf.h", "x: Tensor, **options")))
    assert written(takes.call) == ["arg:0", "scale=kw:scale", "rate=kw:rate"]
    assert takes.plausibility < knows.plausibility


def test_modes_of_other_valid_calls_are_tried_where_they_are_all_that_is_filled(clamp, api, call):
    exp = invocation(call("torch.exp", {(2, 3)}), api("torch.exp", "input: Tensor"), ())
    target = api("torch.reduced", "input: Tensor, reduce: str")
    modes = [{"reduce": Value(kind="str", text=repr(mode))} for mode in ("prod", "sum", "prod")]
    found = plans(exp, target, Book(*modes))
    assert [written(plan.call)[-1] for plan in found] == ["'prod'", "'sum'"]
    sizes = [{"steps": Value(kind="int", text=text)} for text in ("64", "128")]
    (only,) = plans(exp, api("torch.stepped", "input: Tensor, steps: int"), Book(*sizes))
    assert written(only.call)[-1] == "64"
    assert len(plans(clamp, target, Book(*modes))) == 1  # what it drops may matter more
    sampler = api("torch.sampler", "input: Tensor, mode: int, number: int")
    assert written(first(plans(exp, sampler, Book())).call)[1:] == ["0", "1"]


def test_an_optional_mode_is_set_where_the_reports_api_is_called_after_it(api, call):
    parameters = "input: Tensor, other: Tensor"
    made = call("torch.floor_divide", {(2, 3)}, {(2, 3)})
    source = invocation(made, api("torch.floor_divide", parameters), ())
    modes = [{"rounding": Value(kind="str", text=repr(mode))} for mode in ("trunc", "floor")]
    target = api("torch.div", f"{parameters}, *, rounding: str? = None")
    named, plain, other = plans(source, target, Book(*modes))
    assert written(named.call) == ["arg:0", "arg:1", "rounding='floor'"]
    assert written(plain.call) == ["arg:0", "arg:1"]
    assert written(other.call) == ["arg:0", "arg:1", "rounding='trunc'"]  # as valid calls are
    assert other.edits[-1] == "set rounding to 'trunc'"
    layer = api("torch.nn.Quotient", "rounding: str? = None", kind=ApiKind.MODULE, call=parameters)
    built = first(plans(source, layer, Book(*modes)))
    assert (written(built.new), written(built.call)) == (["rounding='floor'"], ["arg:0", "arg:1"])


def test_a_list_that_was_the_last_sizes_of_a_tensor_is_those_of_the_reports(api, call):
    made = call("torch.f", {(8, 6, 4)})
    source = invocation(made, api("torch.f", "input: Tensor"), ())
    samples = [
        {"input": Value(kind="tensor", shape=(1, *sizes)), "last": listed(*sizes)}
        for sizes in ((2, 3), (3,), (5, 5))
    ]
    target = api("torch.norm", "input: Tensor, last: int[]")
    assert written(first(plans(source, target, Book(*samples))).call) == ["arg:0", "[6, 4]"]
    other = [*samples, {"input": Value(kind="tensor", shape=(2, 2, 2)), "last": listed(7, 2)}]
    assert written(first(plans(source, target, Book(*other))).call) == ["arg:0", "[2, 3]"]


def listed(*sizes):
    return Value(kind="list", items=tuple(Value(kind="int", text=str(size)) for size in sizes))


def test_dimensions_in_front_are_as_many_as_all_valid_calls_have(api, call):
    made = call("torch.f", {(2, 3, 4)})
    source = invocation(made, api("torch.f", "input: Tensor"), ())
    target = api("torch.g", "input: Tensor")

    def steps(*ranks):
        samples = [{"input": Value(kind="tensor", shape=(5,) * rank)} for rank in ranks]
        told = [plan.call[0].value.steps for plan in plans(source, target, Book(*samples))]
        return [step for found in told for step in found]

    assert steps(2, 2) == [Step(name="behead", amount=1)]
    assert steps(4, 5) == [Step(name="lead", amount=1)]
    assert steps(1, 2) == steps(2) == steps(0, 0) == steps(3, 2) == []


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("input: Tensor, other: Tensor", [["arg:0", "arg:1"], ["arg:0", "arg:0"]]),
        ("input: Tensor, weights: Tensor? = None", [["arg:0", "arg:1"], ["arg:0"]]),
        ("input: Tensor, bins: Tensor", [["arg:0", "arg:1"]]),  # the very parameter
        ("input: Tensor, other: Tensor | Number", [["arg:0", "arg:1"]]),
    ],
)
def test_a_number_in_the_place_of_a_tensor_may_be_none_elsewhere(api, call, declared, expected):
    """`histogram(x, 5)` takes a tensor or a number for its bins; `lstsq(x, 5)` has none."""
    made = call("torch.histogram", {(8,)}, 5)
    source = invocation(made, api("torch.histogram", "input: Tensor, bins: Tensor | int"), ())
    found = plans(source, api("torch.g", declared))
    plain = [plan for plan in found if "other all zeros" not in plan.edits]
    assert [written(plan.call) for plan in plain] == expected


@pytest.mark.parametrize(
    ("type_", "value", "filled"),
    [
        (
            "Tensor",
            Value(kind="tensor", shape=(2,), dtype="int32", content="[1, 2]"),
            "tf.constant([1, 1, 1, 2], dtype=tf.int32)",
        ),
        (
            "int[]",
            Value(kind="list", items=tuple(Value(kind="int", text=text) for text in "12")),
            "[1, 1, 1, 2]",
        ),
    ],
)
def test_what_valid_calls_give_for_each_dimension_is_as_long_as_the_reports_tensor(
    api, call, type_, value, filled
):
    made = call("tf.image.grayscale_to_rgb", {(1, 4, 4, 1)})
    source = invocation(made, api("tf.image.grayscale_to_rgb", "images: Tensor"), ())
    target = api("tf.tile", f"input: Tensor, multiples: {type_}")
    samples = Book({"input": Value(kind="tensor", shape=(2, 3), dtype="int32"), "multiples": value})
    assert filled in written(first(plans(source, target, samples)).call)
