"""How the failing call is planned with another API."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Fill, Form, Gather, Obstacle, Step, Take

CONV2D = "input: Tensor, weight: Tensor, bias: Tensor? = None, stride: int[2] = 1, groups: int = 1"


class Book:
    """Samples by parameter name, as `SampleBook` gives them."""

    def __init__(self, *samples):
        self.samples = samples

    def of(self, _api):
        return self.samples


@pytest.fixture
def conv(api, call):
    """`conv2d(x, w, groups=0)`."""
    made = call("torch.conv2d", {(1, 4, 8, 8)}, {(4, 4, 3, 3)}, groups=0)
    return invocation(made, api("torch.conv2d", CONV2D), ())


@pytest.fixture
def clamp(api, call):
    """`x.clamp(1, 0)`."""
    source = api(
        "torch.Tensor.clamp", "self: Tensor, min: Scalar?, max: Scalar?", kind=ApiKind.METHOD
    )
    made = call("torch.Tensor.clamp", 1, 0, form="method", receiver={(2, 3)})
    return invocation(made, source, ())


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


def written(slots):
    return [
        (f"{slot.name}=" if slot.keyword else "")
        + (slot.value.text if isinstance(slot.value, Fill) else slot.value.key)
        for slot in slots
    ]


def first(found):
    assert not isinstance(found, Obstacle), found
    return found[0]


def test_the_same_parameters(conv, api):
    plan = first(plans(conv, api("torch.conv_transpose2d", CONV2D)))
    assert written(plan.call) == ["arg:0", "arg:1", "groups=kw:groups"]
    assert plan.edits == ("renamed to torch.conv_transpose2d",)
    assert plan.form is Form.FUNCTION
    assert plan.receiver is None
    assert plan.plausibility >= 0.95
    assert not plan.invented


def test_the_identity(conv, api):
    plan = first(plans(conv, conv.api))
    assert written(plan.call) == ["arg:0", "arg:1", "groups=kw:groups"]
    assert plan.edits == ()
    assert plan.plausibility == 1.0


def test_parameters_are_renamed(api, call):
    source = invocation(
        call("torch.sum", {(2, 3)}, dim=5),
        api("torch.sum", "input: Tensor, dim: int, keepdim: bool = False"),
        (),
    )
    plan = first(plans(source, api("torch.special.logsumexp", "x: Tensor, axis: int = 0")))
    assert written(plan.call) == ["arg:0", "axis=kw:dim"]
    assert "dim -> axis" in plan.edits


def test_what_the_sibling_does_not_take_is_dropped(conv, api):
    plan = first(plans(conv, api("torch.matmul", "input: Tensor, other: Tensor")))
    assert written(plan.call) == ["arg:0", "arg:1"]
    assert "dropped groups" in plan.edits
    assert plan.plausibility < first(plans(conv, conv.api)).plausibility


def test_dropping_a_tensor_costs_more_than_dropping_a_number(conv, api):
    less = first(plans(conv, api("torch.a", "input: Tensor, groups: int = 1")))
    more = first(plans(conv, api("torch.b", "input: Tensor, weight: Tensor")))
    assert "dropped weight" in less.edits
    assert less.plausibility < more.plausibility


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


def test_required_numbers_are_filled_from_samples_then_by_type(clamp, api):
    target = api("torch.renorm", "input: Tensor, p: Scalar, dim: int, maxnorm: Scalar, eps: float")
    sample = {"eps": Value(kind="float", text="0.125")}
    plan = first(plans(clamp, target, Book({}, sample)))
    assert written(plan.call)[-1] == "0.125"
    bare = first(plans(clamp, target, Book()))
    assert written(bare.call)[-1] == "1"


def test_what_cannot_be_filled_is_an_obstacle(conv, api):
    target = api("torch.hooked", "input: Tensor, hook: Callable")
    assert plans(conv, target) is Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT


def test_samples_without_text_fill_nothing(conv, api):
    target = api("torch.hooked", "input: Tensor, hook: Callable")
    sample = {"hook": Value(kind="function", text="torch.abs")}
    assert plans(conv, target, Book(sample)) is Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT


def test_required_keyword_only_parameters_are_given_by_name(conv, api):
    target = api("torch.d", "input: Tensor, weight: Tensor, *, driver: float, groups: int = 1")
    plan = first(plans(conv, target, Book({"driver": Value(kind="float", text="2.5")})))
    assert written(plan.call) == ["arg:0", "arg:1", "driver=2.5", "groups=kw:groups"]


def test_what_follows_a_gap_is_given_by_name(api, call):
    source = invocation(
        call("torch.e", {(2,)}, 3, True), api("torch.e", "input: Tensor, k: int, largest: bool"), ()
    )
    target = api("torch.f", "input: Tensor, dim: str = 'x', k: int = 1, largest: bool = True")
    assert written(first(plans(source, target)).call) == ["arg:0", "k=arg:1", "largest=arg:2"]


def test_operators_schemas_self_is_written_input(api, call):
    source = invocation(call("torch.g", x={(2,)}), api("torch.g", "x: Tensor"), ())
    plan = first(plans(source, api("torch.abs", "self: Tensor")))
    assert plan.call[0].name == "input"


def test_dimensions_are_lifted(conv, api):
    plan = first(plans(conv, api("torch.conv3d", CONV2D)))
    lift = (Step(name="lift", amount=1),)
    assert [slot.value for slot in plan.call[:2]] == [
        Take(key="arg:0", steps=lift),
        Take(key="arg:1", steps=lift),
    ]
    assert "dimensions 2d -> 3d" in plan.edits


def test_dimensions_are_lowered(conv, api):
    plan = first(plans(conv, api("torch.conv1d", CONV2D)))
    assert plan.call[0].value == Take(key="arg:0", steps=(Step(name="lower", amount=1),))


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


@pytest.mark.parametrize(
    ("signatures", "obstacle"),
    [
        ((), Obstacle.NO_SIGNATURE),
        (("text: str",), Obstacle.NOTHING_IN_COMMON),
        (("",), Obstacle.NOTHING_IN_COMMON),
    ],
)
def test_obstacles(conv, api, signatures, obstacle):
    assert plans(conv, api("torch.odd", *signatures)) is obstacle


def test_overloads_come_in_order_of_plausibility(conv, api):
    target = api("torch.h", "input: Tensor", CONV2D, "input: Tensor, weight: Tensor")
    found = plans(conv, target)
    assert len(found) == 3
    assert [len(plan.call) for plan in found] == [3, 2, 1]
    assert [p.plausibility for p in found] == sorted((p.plausibility for p in found), reverse=True)


def test_equal_plans_are_one(conv, api):
    found = plans(conv, api("torch.h", CONV2D, CONV2D, "input: Tensor, weight: Tensor"))
    assert len(found) == 2


def test_a_value_that_fits_nothing_goes_to_the_parameter_of_its_name(api, call):
    """The wrong type is the very bug: `eps="high"`."""
    source = invocation(
        call("torch.norm", {(2,)}, eps="high"), api("torch.norm", "input: Tensor, eps: float"), ()
    )
    plan = first(plans(source, api("torch.other", "input: Tensor, eps: float = 1")))
    assert written(plan.call) == ["arg:0", "eps=kw:eps"]


def test_a_value_that_fitted_the_source_is_not_forced_on_a_sibling(api, call):
    source = invocation(
        call("torch.pad", {(2,)}, value="same"), api("torch.pad", "input: Tensor, value: str"), ()
    )
    plan = first(plans(source, api("torch.other", "input: Tensor, value: float = 1")))
    assert written(plan.call) == ["arg:0"]


def test_a_plan_is_plain_json(conv, api):
    plan = first(plans(conv, api("torch.conv3d", CONV2D)))
    assert plan.to_json() == {
        "target": "torch.conv3d",
        "form": "function",
        "receiver": None,
        "new": [],
        "call": [
            [None, {"key": "arg:0", "steps": [["lift", 1]]}],
            [None, {"key": "arg:1", "steps": [["lift", 1]]}],
            ["groups", {"key": "kw:groups", "steps": []}],
        ],
    }


def test_what_is_left_goes_to_what_collects_the_rest(conv, api):
    target = api("torch.each", "input: Tensor, *tensors: Tensor, **options")
    plan = first(plans(conv, target))
    assert written(plan.call) == ["arg:0", "arg:1", "groups=kw:groups"]
    assert plan.edits == ("renamed to torch.each",)


def test_a_list_of_tensors_is_spread(api, call):
    source = invocation(
        call("torch.cat", [{(2, 3)}, {(2, 3)}]), api("torch.cat", "tensors: Tensor[]"), ()
    )
    (slot,) = first(plans(source, api("torch.each", "*tensors: Tensor"))).call
    assert (slot.star, slot.value) == (True, Take(key="arg:0"))


def test_tensors_in_a_row_become_a_list(api, call):
    source = invocation(
        call("torch.each", {(2, 3)}, {(2, 3)}), api("torch.each", "*tensors: Tensor"), ()
    )
    (slot,) = first(plans(source, api("torch.cat", "tensors: Tensor[], dim: int = 0"))).call
    assert slot.value == Gather(items=(Take(key="arg:0"), Take(key="arg:1")))


def test_nothing_is_collected_behind_a_gap(conv, api):
    target = api("torch.each", "input: Tensor, size: int = 1, *tensors: Tensor")
    assert "dropped weight" in first(plans(conv, target)).edits


def test_tensors_are_made_like_those_of_valid_calls_or_are_the_sources_own(clamp, api):
    target = api("torch.gather", "input: Tensor, index: Tensor")
    sample = {
        "input": Value(kind="tensor", shape=(4, 5), dtype="float32"),
        "index": Value(kind="tensor", shape=(4, 5), dtype="int64"),
    }
    made, own = plans(clamp, target, Book(sample))
    assert made.call[1].value == Fill(text="torch.zeros([2, 3], dtype=torch.int64)", tensor=True)
    assert own.call[1].value == Take(key="recv")
    assert made.plausibility > own.plausibility


def test_a_number_becomes_a_tensor_where_only_those_are_taken(api, call):
    source = invocation(
        call("torch.fill", {(2, 3)}, 5.0), api("torch.fill", "input: Tensor, value: Scalar"), ()
    )
    plan = first(plans(source, api("torch.put", "input: Tensor, values: Tensor")))
    assert plan.call[1].value == Take(key="arg:1", steps=(Step(name="tensor"),))
    assert "values as a tensor" in plan.edits
    other = first(plans(source, api("torch.put", "input: Tensor, values: Scalar | Tensor")))
    assert other.call[1].value == Take(key="arg:1")


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


def spelled(api, call, word, *known):
    source = invocation(
        call("torch.f", {(2, 3)}, how=word), api("torch.f", "x: Tensor, how: str"), ()
    )
    samples = [{"how": Value(kind="str", text=repr(one))} for one in known]
    (plan,) = plans(source, api("torch.other", "x: Tensor, how: str"), Book(*samples))
    return plan.call[1].value.steps


def test_words_are_spelled_as_in_valid_calls(api, call):
    assert spelled(api, call, "same", "SAME", "VALID") == (Step(name="say", text="'SAME'"),)
    assert spelled(api, call, "SAME", "valid") == (Step(name="say", text="'same'"),)
    assert spelled(api, call, "same", "SAME", "valid") == ()
    assert spelled(api, call, "same") == ()


def test_other_texts_stay_as_they_are(api, call):
    assert spelled(api, call, "Ij,jK->IK", "ij,jk->ik") == ()
    assert spelled(api, call, "a\nb", "AB") == ()


@pytest.mark.parametrize("name", ["a b", "class", "1", ""])
def test_names_that_are_none_are_no_keywords(api, call, name):
    source = invocation(call("torch.f", {(2, 3)}, **{name: 1}), api("torch.f", "x: Tensor"), ())
    (plan,) = plans(source, api("torch.g", "x: Tensor, **options"))
    assert written(plan.call) == ["arg:0"]


def test_sizes_of_a_window_come_from_valid_calls_those_of_a_tensor_from_the_tensor(api, call):
    source = invocation(call("torch.f", {(1, 2, 9, 9)}), api("torch.f", "input: Tensor"), ())
    sizes = Value(kind="list", items=(Value(kind="int", text="5"), Value(kind="int", text="7")))
    sample = {"input": Value(kind="tensor", shape=(1, 2, 8, 8)), "output_size": sizes}
    target = api("torch.pool", "input: Tensor, output_size: int[]")
    assert written(first(plans(source, target, Book(sample))).call)[1] == "[5, 7]"
    assert written(first(plans(source, target, Book())).call)[1] == "[1, 2, 9, 9]"


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


def test_a_plan_tells_what_the_sibling_calls_the_parameters(call, api):
    source = api("torch.reshape", "input: Tensor, newshape: int[]")
    target = api("torch.formed", "input: Tensor, target_shape: int[]")
    made = call("torch.reshape", {(2, 3)}, [3, 2])
    (plan, *_) = plans(invocation(made, source, (made,)), target)
    assert plan.renamed == (("newshape", "target_shape"),)
