"""Methods are called on objects of their class."""

import pytest

from analysis.values import Value
from citadel.plan.model import SourceValue, Step
from citadel.plan.receivers import as_receiver

EAGER = Value(kind="tensor", text="tensorflow.python.framework.ops.EagerTensor", layout="strided")
VARIABLE = Value(kind="tensor", text="tensorflow.python.ops.ResourceVariable", layout="strided")
ARRAY = Value(kind="tensor", text="numpy.ndarray", layout="strided")
SPARSE = Value(kind="tensor", text="tensorflow.SparseTensor", layout="sparse_coo")
DATASET = Value(kind="other", text="tensorflow.python.data.ops.dataset_ops.Dataset")
NUMBERS = Value(kind="list", items=(Value(kind="int", text="1"),))
TORCH = Value(kind="tensor", text="torch.Tensor", layout="strided")

TENSOR, MADE_VARIABLE = (Step(name="tensor"),), (Step(name="variable"),)


@pytest.mark.parametrize(
    ("value", "method", "steps"),
    [
        (EAGER, "tf.Tensor.__add__", ()),
        (ARRAY, "tf.Tensor.__add__", TENSOR),
        (NUMBERS, "tf.Tensor.__add__", TENSOR),
        (VARIABLE, "tf.Tensor.__add__", TENSOR),
        (SPARSE, "tf.Tensor.__add__", None),
        (VARIABLE, "tf.Variable.assign", ()),
        (EAGER, "tf.Variable.assign", MADE_VARIABLE),
        (SPARSE, "tf.SparseTensor.with_values", ()),
        (EAGER, "tf.SparseTensor.with_values", None),
        (EAGER, "tf.RaggedTensor.to_tensor", None),
        (DATASET, "tf.data.Dataset.map", ()),
        (EAGER, "tf.data.Dataset.map", None),
        (Value(kind="str", text="'a'"), "tf.Tensor.__add__", None),
        (TORCH, "torch.Tensor.add", ()),
        (NUMBERS, "torch.Tensor.add", None),
    ],
)
def test_receivers(value, method, steps):
    assert as_receiver(SourceValue(key="arg:0", name="x", value=value), method) == steps
