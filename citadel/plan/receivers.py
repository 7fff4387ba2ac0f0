"""What a method can be called on: an object of its class, made of a value, if need be."""

from __future__ import annotations

from citadel.plan.frameworks import as_tensorflow
from citadel.plan.model import SourceValue, Step

LAYOUTS = {"tf.SparseTensor": "sparse_coo", "tf.RaggedTensor": "ragged"}
MADE = {"tf.Tensor": "tensor", "tf.Variable": "variable"}
"""Classes that dense values can be made into, and the step that does it."""


def as_receiver(value: SourceValue, target: str) -> tuple[Step, ...] | None:
    """Steps that make a value a receiver of the method `target`; None where it cannot be one."""
    owner = target.rpartition(".")[0]
    if not as_tensorflow(target):
        return () if value.value.is_tensor else None
    layout = value.value.layout or "strided"
    if owner in LAYOUTS:
        return () if layout == LAYOUTS[owner] else None
    if owner not in MADE:
        return () if _kind(value) == owner.rpartition(".")[2] else None
    if layout != "strided" or value.value.kind in ("none", "str", "function", "class", "module"):
        return None
    variable = "Variable" in _kind(value)
    if variable == (owner == "tf.Variable") and _is_own(value):
        return ()
    return (Step(name=MADE[owner]),)


def _kind(value: SourceValue) -> str:
    return (value.value.text or "").rpartition(".")[2]


def _is_own(value: SourceValue) -> bool:
    """Whether it is an object of TensorFlow or Keras already."""
    return (value.value.text or "").startswith(("tensorflow.", "keras."))
