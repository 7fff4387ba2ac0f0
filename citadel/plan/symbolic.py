"""Functions of TensorFlow on what stands for tensors while a Keras model is put together.

In: a plan, and which of the report's values are placeholders of Keras 3. Out: the plan with the
keys of those that it takes: functions refuse them, so that the call is made within a `Lambda`
layer. Keras' own operations take them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from citadel.plan.model import Adaptation, Expression, Form, Gather, Take

_FUNCTIONS, _OPERATIONS = "tf.", "tf.keras."


def within_layer(plan: Adaptation, symbolic: Collection[str]) -> Adaptation:
    """The plan, made within a layer where it has to be."""
    function = plan.form in (Form.FUNCTION, Form.METHOD) and not plan.state
    own = plan.target.startswith(_OPERATIONS) or not plan.target.startswith(_FUNCTIONS)
    if not symbolic or not function or own:
        return plan
    taken = (plan.receiver, *(slot.value for slot in plan.call))
    keys = [key for value in taken for key in _keys(value) if key in symbolic]
    if not keys:
        return plan
    edits = (*plan.edits, "called within a Lambda layer")
    return replace(plan, symbolic=tuple(dict.fromkeys(keys)), edits=edits)


def _keys(value: Expression | None) -> tuple[str, ...]:
    if isinstance(value, Gather):
        return tuple(key for item in value.items for key in _keys(item))
    return (value.key,) if isinstance(value, Take) else ()
