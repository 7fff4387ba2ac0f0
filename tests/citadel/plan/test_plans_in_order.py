"""Tensors that go in order to parameters of which nothing is known."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Obstacle

from .conftest import Book, first, written


@pytest.mark.parametrize(
    ("target", "given"),
    [
        ("y_true, y_pred, k = 5", ["arg:0", "arg:1", "k=kw:k"]),
        ("y_true, y_pred, n = 5", None),  # nothing says that the two are alike
        ("y_true, k", None),
        ("y_true, y_pred, sample, k", None),
    ],
)
def test_tensors_go_in_order_to_what_nothing_is_known_of(api, call, target, given):
    made = call("tf.in_top_k", {(1,)}, {(1, 3)}, k=1)
    signature = "targets: Tensor, predictions: Tensor, k: int"
    source = invocation(made, api("tf.in_top_k", signature), ())
    found = plans(source, api("tf.accuracy", target))
    if given is None:
        assert isinstance(found, Obstacle)
    else:
        assert written(first(found).call) == given


def test_what_a_layer_is_made_of_is_none_of_the_tensors_that_nothing_is_known_of(api, call):
    made = call("tf.in_top_k", {(1,)}, {(1, 3)}, k=1)
    signature = "targets: Tensor, predictions: Tensor, k: int"
    source = invocation(made, api("tf.in_top_k", signature), ())
    layer = api("tf.Layer", "units, k", kind=ApiKind.MODULE, call="inputs")
    found = plans(source, layer)
    given = [] if isinstance(found, Obstacle) else [written(plan.new) for plan in found]
    assert all("arg:0" not in one and "arg:1" not in one for one in given)


def test_what_can_be_filled_in_is_not_taken_from_tensors_in_order(api, call):
    made = call("tf.gather", {(3, 4)}, {(2,)}, axis=7)
    source = invocation(made, api("tf.gather", "params: Tensor, indices: Tensor, axis: int"), ())
    target = api("tf.one_hot", "indices, depth, axis = None")
    found = plans(source, target, Book({"depth": Value(kind="int", text="3")}))
    assert "3" in written(first(found).call)
    made = call("tf.f", 3, out={(3, 4)})
    source = invocation(made, api("tf.f", "k: int, *, out: Tensor? = None"), ())
    assert isinstance(plans(source, api("tf.g", "y, k")), Obstacle)


@pytest.mark.parametrize(
    ("names", "given"),
    [
        (("x1", "x2"), [["arg:0"], ["arg:1"]]),
        (("a", "b"), [["arg:0"], ["arg:1"]]),
        (("input", "other"), [["arg:0"]]),
    ],
)
def test_of_tensors_that_names_only_count_either_may_be_the_only_one(api, call, names, given):
    """The numbers that show it may be in the second one of `cdist(x1, x2)`."""
    one, other = names
    made = call("torch.cdist", {(1, 3)}, {(2, 3)})
    source = invocation(made, api("torch.cdist", f"{one}: Tensor, {other}: Tensor"), ())
    found = plans(source, api("torch.norm", "input: Tensor"))
    assert [written(plan.call) for plan in found] == given


def test_no_other_tensor_where_none_is_dropped(api, call):
    made = call("torch.f", {(1, 3)}, {(2, 3)})
    source = invocation(made, api("torch.f", "x: Tensor, y: Tensor"), ())
    (plan,) = plans(source, api("torch.g", "x: Tensor, other"))
    assert written(plan.call) == ["arg:0", "arg:1"]


def test_numbers_come_behind_the_tensors_that_they_stand_beside(api, call):
    made = call("tf.gather", _typed("int64"), 7)
    source = invocation(made, api("tf.gather", "params: Tensor, indices: Tensor"), ())
    assert written(first(plans(source, api("tf.f", "values: Tensor"))).call) == ["arg:0"]
    made = call("tf.gamma", [5], _typed("bfloat16"))
    source = invocation(made, api("tf.gamma", "shape: Tensor, alpha: Tensor"), ())
    assert written(first(plans(source, api("tf.f", "values: Tensor"))).call) == ["arg:1"]


def test_tensors_of_names_of_their_own_are_enough_for_what_is_required(api, call):
    made = call("torch.csc", _typed("int64"), _typed("int64"), _typed("float32"))
    signature = "ccol_indices: Tensor, row_indices: Tensor, values: Tensor"
    source = invocation(made, api("torch.csc", signature), ())
    target = api("torch.csr", "crow_indices: Tensor, col_indices: Tensor, values: Tensor")
    assert written(first(plans(source, target)).call) == ["arg:0", "arg:1", "arg:2"]


def _typed(dtype):
    return Value(kind="tensor", shape=(2,), dtype=dtype, layout="strided", device="cpu")


@pytest.mark.parametrize(
    ("target", "given"),
    [
        ("values: Tensor", ["arg:1"]),
        ("values: Tensor, axis: int = None", ["arg:1"]),
        ("values: Tensor, k: int", ["arg:1", "kw:k"]),  # `k` goes where it is called so
        ("a: Tensor, b: Tensor", ["arg:0", "arg:1"]),
        ("y_true: Tensor, y_pred, k: int = 5", ["arg:0", "arg:1", "k=kw:k"]),
        ("targets: Tensor", ["arg:0"]),
    ],
)
@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8"])
def test_labels_come_behind_what_is_computed_with(api, call, target, given, dtype):
    made = call("tf.in_top_k", _typed(dtype), _typed("float32"), k=1)
    signature = "targets: Tensor, predictions: Tensor, k: int"
    source = invocation(made, api("tf.in_top_k", signature), ())
    assert written(first(plans(source, api("tf.f", target))).call) == given
