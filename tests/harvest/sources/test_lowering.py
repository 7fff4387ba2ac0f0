"""Layers as functions of the framework below, and a planted bug that is the framework's own."""

import pytest

from harvest.sources.handover import hand_over
from harvest.sources.lowering import function, lowered
from harvest.sources.suspects import Suspect, confirm, reduce


def layer(kind, **config):
    return Suspect(kind=kind, config=config, shapes=((1, 4, 4, 1),))


@pytest.mark.parametrize(
    ("suspect", "backend", "name"),
    [
        (layer("Activation", activation="swish"), "tensorflow", "tf.nn.silu"),
        (
            layer("Activation", activation="hard_sigmoid"),
            "torch",
            "torch.nn.functional.hardsigmoid",
        ),
        (layer("Activation", activation="hard_sigmoid"), "tensorflow", None),
        (layer("Softmax"), "torch", "torch.nn.functional.softmax"),
        (layer("Softmax", axis=1), "torch", None),
        (layer("AveragePooling2D", pool_size=3, padding="same"), "tensorflow", "tf.nn.avg_pool"),
        (layer("AveragePooling2D", pool_size=3, padding="same"), "torch", None),
        (layer("GlobalMaxPooling2D"), "tensorflow", None),
        (layer("ReLU"), "jax", None),
    ],
)
def test_functions_of_layers(suspect, backend, name):
    found = function(suspect, backend)
    assert (found and found[0]) == name


def test_lines_are_rewritten_where_they_need_no_keras():
    pool = layer("MaxPooling2D", pool_size=2, padding="same")
    lines = ("expected = keras.ops.reshape(layer(np.flip(x, axis=1)), shape)", "actual = layer(x)")
    assert lowered(pool, "tensorflow", lines) == (
        "import tensorflow as tf",
        "expected = np.reshape(tf.nn.max_pool(np.flip(x, axis=1), ksize=2, strides=2,"
        ' padding="SAME"), shape)',
        'actual = tf.nn.max_pool(x, ksize=2, strides=2, padding="SAME")',
    )
    assert lowered(pool, "tensorflow", ("gamma = layer.get_weights()",)) is None
    assert lowered(pool, "tensorflow", ("other = keras.layers.ReLU()",)) is None


@pytest.mark.keras
@pytest.mark.slow
@pytest.mark.parametrize(
    ("suspect", "said"),
    [
        (layer("Activation", activation="elu"), "tf.nn.elu(x)"),
        (layer("AveragePooling2D", pool_size=3, strides=1, padding="same"), "KERAS_BACKEND"),
    ],
)
def test_a_bug_is_shown_where_it_is(planted_backends, suspect, said):
    """In TensorFlow itself, and in what Keras makes of it."""
    found = confirm(planted_backends, suspect)
    assert found.judgement.vote.odd == ("tensorflow",)
    handed = hand_over(planted_backends, reduce(planted_backends, found), "measured", found)
    assert said in handed.case.code
    told = planted_backends.script(handed.case.code, only=("tensorflow",))
    assert told["tensorflow"].label == "AssertionError"
    assert ("import keras" in handed.case.code) == (said == "KERAS_BACKEND")
