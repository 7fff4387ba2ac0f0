"""Steps written for Keras: by functions of its own, which work on each backend."""

import libcst as cst
import pytest

from analysis.values import Value
from citadel.plan.model import Step
from citadel.rewrite.steps import apply_steps, code_of

KINDS = ["tensorflow.EagerTensor", "jax.Array", "numpy.ndarray", "keras.Variable", None]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Step(name="narrow", amount=3), "keras.ops.concatenate([x, x[..., :1]], -1)"),
        (Step(name="narrow", amount=1), "x[..., :1]"),
        (Step(name="tensor"), "keras.ops.convert_to_tensor(x)"),
        (Step(name="variable"), "keras.Variable(x)"),
    ],
)
def test_steps_for_keras(kind, step, text):
    value = Value(kind="tensor", text=kind, shape=(5, 2))
    changed = apply_steps(cst.parse_expression("x"), (step,), value, "keras.ops.relu")
    assert code_of(changed) == text


def test_tensorflow_keeps_its_own():
    value = Value(kind="tensor", text="tensorflow.EagerTensor", shape=(5, 2))
    step = Step(name="narrow", amount=3)
    changed = apply_steps(cst.parse_expression("x"), (step,), value, "tf.nn.relu")
    assert code_of(changed) == "tf.concat([x, x[..., :1]], -1)"
