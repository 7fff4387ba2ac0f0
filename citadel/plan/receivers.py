"""What a method can be called on: an object of its class, made of a value, if need be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.model import Adaptation, SourceValue, Step, Take

LAYOUTS = {"tf.SparseTensor": "sparse_coo", "tf.RaggedTensor": "ragged"}
MADE = {"tf.Tensor": "tensor", "tf.Variable": "variable"}
"""Classes that dense values can be made into, and the step that does it."""


def as_receiver(value: SourceValue, target: str) -> tuple[Step, ...] | None:
    """Steps that make a value a receiver of the method `target`; None where it cannot be one."""
    owner = target.rpartition(".")[0]
    if _kind(value) == owner.rpartition(".")[2] and not value.value.is_tensor:
        return ()
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


def _on_a_copy(
    plan: Adaptation, values: Mapping[str, Value], *, always: bool = False
) -> Adaptation | None:
    """The plan of an in-place API, working on a copy: what asks for gradients cannot change itself.

    None where the API is not in-place, works on a copy already, or its tensor asks for no gradients
    (`always`: whether or not it does). `values` are the source's, by their keys.
    """
    name = plan.target.rpartition(".")[2]
    if as_tensorflow(plan.target) or not name.endswith("_") or name.endswith("__"):
        return None
    first = plan.call[0].value if plan.call and not plan.call[0].keyword else None
    changed = plan.receiver if plan.receiver is not None else first
    if not isinstance(changed, Take):
        return None
    if any(step.name == "clone" for step in changed.steps):
        return None
    value = values.get(changed.key)
    if value is None or not value.is_tensor or not (value.requires_grad or always):
        return None
    copy = replace(changed, steps=(*changed.steps, Step(name="clone")))
    cheaper = max(0.01, round(plan.plausibility - 0.05, 3))
    made = replace(plan, edits=(*plan.edits, "works on a copy"), plausibility=cheaper)
    if plan.receiver is not None:
        return replace(made, receiver=copy)
    return replace(made, call=(replace(plan.call[0], value=copy), *plan.call[1:]))


on_a_copy = Rule("variant/copy-for-in-place-sibling", _on_a_copy)


def _kind(value: SourceValue) -> str:
    return (value.value.text or "").rpartition(".")[2]


def _is_own(value: SourceValue) -> bool:
    """Whether it is an object of TensorFlow or Keras already."""
    return (value.value.text or "").startswith(("tensorflow.", "keras."))
