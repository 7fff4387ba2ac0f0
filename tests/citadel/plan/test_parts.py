"""Sparse tensors are taken apart for operators, and put together for functions."""

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Gather, Take

from .conftest import Book, first

SPARSE = Value(kind="tensor", text="tensorflow.SparseTensor", layout="sparse_coo", shape=(2, 3))


def whole(*keys):
    return Gather(items=tuple(Take(key=f"kw:{key}") for key in keys), made="sparse")


def test_three_parts_make_the_tensor_that_a_sibling_takes(api, call):
    parts = {"x_values": {(4,)}, "x_indices": {(4, 2)}, "x_shape": {(2,)}, "axes": {(1,)}}
    source = invocation(
        call("tf.raw_ops.Summed", **parts),
        api("tf.raw_ops.Summed", ", ".join(f"{name}: Tensor" for name in parts)),
        (),
    )
    plan = first(plans(source, api("tf.sparse.summed", "sp_input: SparseTensor, axes = None")))
    assert plan.call[0].value == whole("x_indices", "x_values", "x_shape")
    assert plan.call[1].value == Take(key="kw:axes")
    assert not plan.drops
    assert plan.to_json()["call"][0][1]["made"] == "sparse"


def test_parts_go_together_whose_names_begin_alike(api, call):
    names = [f"{stem}_{end}" for end in ("shape", "indices", "values") for stem in ("a", "b")]
    source = invocation(
        call("tf.raw_ops.Added", **{name: {(2,)} for name in names}),
        api("tf.raw_ops.Added", ", ".join(f"{name}: Tensor" for name in names)),
        (),
    )
    plan = first(plans(source, api("tf.sparse.added", "b: SparseTensor, a: SparseTensor")))
    assert [slot.value for slot in plan.call] == [
        whole("b_indices", "b_values", "b_shape"),
        whole("a_indices", "a_values", "a_shape"),
    ]


def test_valid_calls_tell_where_a_sparse_tensor_is_taken(api, call):
    source = invocation(
        call("tf.raw_ops.Soft", indices={(4, 2)}, values={(4,)}, dense_shape={(2,)}),
        api("tf.raw_ops.Soft", "indices: Tensor, values: Tensor, dense_shape: Tensor"),
        (),
    )
    plan = first(plans(source, api("tf.sparse.soft", "x"), Book({"x": SPARSE})))
    assert [slot.value for slot in plan.call] == [whole("indices", "values", "dense_shape")]


def test_two_parts_make_nothing(api, call):
    source = invocation(
        call("tf.raw_ops.Found", indices={(4, 2)}, values={(4,)}),
        api("tf.raw_ops.Found", "indices: Tensor, values: Tensor"),
        (),
    )
    plan = first(plans(source, api("tf.sparse.found", "sp_input: SparseTensor, values = None")))
    assert not any(isinstance(slot.value, Gather) for slot in plan.call)


def test_a_sparse_tensor_is_given_in_its_parts(api, call):
    source = invocation(call("tf.sparse.f", SPARSE), api("tf.sparse.f", "sp: SparseTensor"), ())
    plan = first(plans(source, api("tf.raw_ops.F", "i: Tensor, v: Tensor")))
    assert plan.call[0].value == Take(key="arg:0")
    taken = "sp_indices: Tensor, sp_values: Tensor, sp_shape: Tensor"
    plan = first(plans(source, api("tf.raw_ops.G", taken)))
    assert [slot.value.steps[0].name for slot in plan.call] == ["indices", "values", "shape"]
