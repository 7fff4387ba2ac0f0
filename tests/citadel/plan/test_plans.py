"""Plans: which argument goes where, what is dropped and what is in the way."""

from dataclasses import replace

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Form, Gather, Obstacle, Step, Take

from .conftest import CONV2D, Book, first, written


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


def test_what_is_required_at_one_position_outweighs_a_word_in_common(api, call):
    made = call("torch.f", embed_dim=0, num_heads=4)
    source = invocation(made, api("torch.f", "embed_dim: int, num_heads: int"), (made,))
    target = "d_model: int, nhead: int, dim_feedforward: int = 2048"
    plan = first(plans(source, api("torch.g", target)))
    assert "embed_dim -> d_model" in plan.edits


@pytest.mark.parametrize(
    ("target", "order", "given"),
    [
        ("tf.numpy.transpose", (1, 0), ["arg:0", "arg:1"]),
        ("tf.permute", (1, 0), ["arg:0"]),
        ("tf.numpy.transpose", 1, ["arg:0"]),
    ],
)
def test_lists_of_namesakes_mean_the_same_at_one_position(api, call, target, order, given):
    made = call("tf.transpose", {(2, 3)}, order)
    source = invocation(made, api("tf.transpose", "a: Tensor, perm = None"), (made,))
    plan = first(plans(source, api(target, "a: Tensor, axes = None")))
    assert written(plan.call) == given


@pytest.mark.parametrize(
    ("target", "given"),
    [
        ("x: Tensor", [["arg:0"], ["arg:1"]]),
        ("scores: Tensor", [["arg:1"]]),
        ("x: Tensor, y: Tensor", [["arg:0", "arg:1"]]),
    ],
)
def test_the_only_tensor_may_be_any_of_the_reports_unless_it_goes_by_its_name(
    api, call, target, given
):
    source = invocation(
        call("tf.in_top", {(1,)}, {(1, 3)}), api("tf.in_top", "ids: Tensor, scores: Tensor"), ()
    )
    found = plans(source, api("tf.peak", target))
    alike = [plan for plan in found if not plan.reshapes and "in front" not in str(plan.edits)]
    assert [written(plan.call) for plan in alike] == given


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


def test_what_is_written_to_is_no_input(api, call):
    source = invocation(
        call("torch.mm", {(2, 2)}, {(2, 2)}, out={(2, 2)}),
        api("torch.mm", "input: Tensor, mat2: Tensor, *, out: Tensor? = None"),
        (),
    )
    linear = api("torch.linear", "input: Tensor, weight: Tensor, bias: Tensor? = None")
    plan = first(plans(source, linear))
    assert written(plan.call) == ["arg:0", "arg:1"]
    assert "dropped out" in plan.edits
    other = api("torch.matmul", "input: Tensor, other: Tensor, *, out: Tensor? = None")
    assert written(first(plans(source, other)).call) == ["arg:0", "arg:1", "out=kw:out"]


def test_dropping_a_tensor_costs_more_than_dropping_a_number(conv, api):
    less = first(plans(conv, api("torch.a", "input: Tensor, groups: int = 1")))
    more = first(plans(conv, api("torch.b", "input: Tensor, weight: Tensor")))
    assert "dropped weight" in less.edits
    assert less.plausibility < more.plausibility


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


@pytest.mark.parametrize(
    ("name", "declared", "steps"),
    [
        ("seed", "int", (Step(name="say", text="7"),)),
        ("seed", "int[]", ()),
        ("p", "int", ()),  # a list where a number is wanted may be the very bug
    ],
)
def test_of_a_seed_of_two_numbers_one_is_kept(api, call, name, declared, steps):
    made = call("torch.f", {(2,)}, **{name: (7, 2)})
    source = invocation(made, api("torch.f", f"input: Tensor, {name}"), ())
    plan = first(plans(source, api("torch.g", f"input: Tensor, {name}: {declared} = 0")))
    assert plan.call[1].value == Take(key=f"kw:{name}", steps=steps)
    assert ("seed as 7" in plan.edits) is bool(steps)


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
        "after": [],
        "state": [],
        "symbolic": [],
        "reduce": "",
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


def test_what_is_written_to_is_none_of_the_rest_that_is_collected(api, call):
    out = Value(kind="tensor", shape=(2, 2))
    source = invocation(
        call("torch.mm", {(2, 2)}, {(2, 2)}, out=out),
        api("torch.mm", "input: Tensor, mat2: Tensor, *, out: Tensor? = None"),
        (),
    )
    chain = api("torch.chain_matmul", "*matrices")
    assert "dropped out" in first(plans(source, chain)).edits
    plan = first(plans(source, replace(chain, out=True)))
    assert written(plan.call) == ["arg:0", "arg:1", "out=kw:out"]


def test_two_tensors_go_into_one_list_before_one_of_them_is_dropped(api, call):
    source = invocation(
        call("torch.mm", {(2, 2)}, {(2, 2)}, out=Value(kind="tensor", shape=(2, 2))),
        api("torch.mm", "input: Tensor, mat2: Tensor, *, out: Tensor? = None"),
        (),
    )
    found = plans(source, api("torch.linalg.multi_dot", "tensors: Tensor[], *, out: Tensor = None"))
    both, one = (plan.call[0].value for plan in found)
    assert both == Gather(items=(Take(key="arg:0"), Take(key="arg:1")))
    assert one == Take(key="arg:0", steps=(Step(name="list"),))
    assert "input and mat2 in one list" in found[0].edits
    assert "dropped mat2" in found[1].edits
    assert all(plan.call[1].name == "out" for plan in found)


def test_a_tensor_comes_out_of_the_list_that_alone_has_it(api, call):
    shapes = call("torch.check", [({(2, 3)}, ("N", 3))])
    source = invocation(shapes, api("torch.check", "shapes, message: str = None"), ())
    target = api("torch.positive", "x: Tensor, message: str = None")
    plan = first(plans(source, target))
    taken = Take(key="arg:0", steps=(Step(name="first"), Step(name="first")))
    assert [slot.value for slot in plan.call] == [taken]


def test_tensors_of_a_list_are_given_one_by_one(api, call):
    joined = call("torch.cat", [{(2, 3)}, {(2, 3)}])
    source = invocation(joined, api("torch.cat", "tensors: Tensor[], dim: int = 0"), ())
    plan = first(plans(source, api("torch.add", "input: Tensor, other: Tensor")))
    assert [slot.value.steps for slot in plan.call] == [
        (Step(name="first"),),
        (Step(name="item", amount=1),),
    ]
    many = call("torch.cat", [{(2, 3)}] * 5)
    source = invocation(many, api("torch.cat", "tensors: Tensor[], dim: int = 0"), ())
    assert isinstance(plans(source, api("torch.add", "input: Tensor, other: Tensor")), Obstacle)


def test_nothing_is_collected_behind_a_gap(conv, api):
    target = api("torch.each", "input: Tensor, size: int = 1, *tensors: Tensor")
    assert "dropped weight" in first(plans(conv, target)).edits


@pytest.mark.parametrize("name", ["a b", "class", "1", ""])
def test_names_that_are_none_are_no_keywords(api, call, name):
    source = invocation(call("torch.f", {(2, 3)}, **{name: 1}), api("torch.f", "x: Tensor"), ())
    (plan,) = plans(source, api("torch.g", "x: Tensor, **options"))
    assert written(plan.call) == ["arg:0"]


def test_a_plan_tells_what_the_sibling_calls_the_parameters(call, api):
    source = api("torch.reshape", "input: Tensor, newshape: int[]")
    target = api("torch.formed", "input: Tensor, target_shape: int[]")
    made = call("torch.reshape", {(2, 3)}, [3, 2])
    (plan, *_) = plans(invocation(made, source, (made,)), target)
    assert plan.renamed == (("newshape", "target_shape"),)


@pytest.mark.parametrize(("signature", "loses"), [("mode: str", False), ("size: int", True)])
def test_flags_and_modes_are_no_inputs(api, call, signature, loses):
    given = {"mode": "nearest"} if "mode" in signature else {"size": 3}
    source = invocation(
        call("torch.resize", {(2,)}, **given),
        api("torch.resize", f"input: Tensor, {signature}"),
        (),
    )
    plan = first(plans(source, api("torch.other", "input: Tensor")))
    assert (plan.drops, plan.loses) == (True, loses)


@pytest.mark.parametrize(
    ("target", "signature", "unset"),
    [
        ("torch.relu6", "input: Tensor, inplace: bool = False", ()),
        ("torch.relu6", "input: Tensor", ("inplace",)),
        ("torch.xlogy", "input: Tensor, other: Scalar", ("inplace",)),
        ("torch.dropout", "input: Tensor, train: bool", ("inplace",)),
        ("torch.relu6_", "input: Tensor", ("inplace",)),
    ],
)
def test_a_flag_for_something_else_is_not_the_reports(api, call, target, signature, unset):
    made = call("torch.relu", {(2, 3)}, inplace=True)
    source = invocation(made, api("torch.relu", "input: Tensor, inplace: bool = False"), ())
    assert first(plans(source, api(target, signature))).unset == unset
    quiet = invocation(
        call("torch.relu", {(2, 3)}, inplace=False),
        api("torch.relu", "input: Tensor, inplace: bool = False"),
        (),
    )
    assert first(plans(quiet, api(target, signature))).unset == ()


def test_a_flag_is_no_number(api, call):
    made = call("tf.image.convert_image_dtype", {(2, 3)}, saturate=False)
    signature = "image: Tensor, dtype=None, saturate: bool = False"
    source = invocation(made, api("tf.image.convert_image_dtype", signature), ())
    ending = plans(source, api("keras.ops.linspace", "start: Tensor, stop, num=50"))
    assert isinstance(ending, Obstacle)
    switched = first(plans(source, api("tf.relu", "image: Tensor, flag: bool")))
    assert "kw:saturate" in [slot.value.key for slot in switched.call]
