"""Layers as functions of the framework below, and a planted bug that is the framework's own."""

from dataclasses import replace

import pytest

from harvest.sources.backends import Backends
from harvest.sources.formulas import ACTUAL, Formulation, element_wise, normalised
from harvest.sources.formulations import padded_before
from harvest.sources.functions import functions
from harvest.sources.handover import hand_over
from harvest.sources.lowering import equality, function_script, lowered, seeded_numbers
from harvest.sources.networks import make_inputs, make_weights
from harvest.sources.suspects import Suspect, confirm, reduce
from harvest.sources.writing import seeded_script
from tests.harvest.sources import planted

NORMAL = ((2, 6),)
IMAGE = ((2, 9, 10, 4),)
PAIR = ((2, 5, 4), (2, 5, 4))
CHECK = "assert np.allclose(actual, expected)"


def layer(kind, shapes=((1, 4, 4, 1),), **config):
    return Suspect(kind=kind, config=config, shapes=shapes)


@pytest.mark.parametrize(
    ("suspect", "backend", "names"),
    [
        (
            layer("Activation", activation="swish"),
            "tensorflow",
            ["tf.nn.silu", "keras.ops.silu"],
        ),
        (
            layer("Activation", activation="hard_sigmoid"),
            "torch",
            ["torch.nn.functional.hardsigmoid", "keras.ops.hard_sigmoid"],
        ),
        (layer("Activation", activation="hard_sigmoid"), "jax", ["keras.ops.hard_sigmoid"]),
        (layer("Softmax", axis=1), "torch", ["torch.nn.functional.softmax", "keras.ops.softmax"]),
        (layer("AveragePooling2D", padding="nonsense"), "torch", ["keras.ops.average_pool"]),
        (layer("LayerNormalization", axis=1), "torch", ["keras.ops.layer_normalization"]),
        (
            layer("AveragePooling2D", pool_size=3, padding="same"),
            "torch",
            ["keras.ops.average_pool"],
        ),
        (layer("Conv2D", groups=2), "tensorflow", []),
        (layer("Conv2D", activation="relu"), "tensorflow", []),
        (layer("Conv2D", padding="causal"), "tensorflow", []),
        (layer("Conv2D", padding="same", strides=2), "torch", ["keras.ops.conv"]),
        (layer("BatchNormalization", scale=False), "torch", []),
        (layer("GRU"), "torch", []),
        (layer("Add", PAIR), "torch", ["torch.add", "keras.ops.add"]),
        (layer("Add", PAIR[:1] * 3), "torch", []),
        (layer("Concatenate", PAIR, axis=1), "tensorflow", ["tf.concat", "keras.ops.concatenate"]),
        (layer("MultiHeadAttention", PAIR), "jax", ["keras.ops.dot_product_attention"]),
    ],
)
def test_functions_of_layers(suspect, backend, names):
    assert [one.name for one in functions(suspect, backend)] == names


def script(suspect, backend, form, weights=()):
    """The first function that there is, in a script."""
    called = next(functions(suspect, backend))
    lines = lowered(suspect, called, form, backend)
    if lines is None:
        return None
    shapes = dict(zip(called.weights, weights, strict=True))
    body = (f"# {form.why}", *lines, CHECK)
    numbers = seeded_numbers(suspect, shapes, 1)
    return function_script(called, backend, body, numbers).splitlines()


def test_what_needs_no_keras_is_written_without_it():
    pool = layer("MaxPooling2D", pool_size=2, padding="same")
    lines = ("expected = keras.ops.reshape(layer(np.flip(x, axis=1)), shape)", "actual = layer(x)")
    assert script(pool, "tensorflow", Formulation(why="Turned.", lines=lines)) == [
        "import numpy as np",
        "import tensorflow as tf",
        "",
        "rng = np.random.default_rng(1)",
        'x = rng.standard_normal((1, 4, 4, 1)).astype("float32")',
        "# Turned.",
        "expected = np.reshape(tf.nn.max_pool(np.flip(x, axis=1), ksize=2, strides=2,"
        ' padding="SAME"), shape)',
        'actual = tf.nn.max_pool(x, ksize=2, strides=2, padding="SAME")',
        CHECK,
    ]
    for needed in ("gamma = layer.weights", "other = keras.layers.ReLU()", "y = keras.ops.sin(x)"):
        assert script(pool, "tensorflow", Formulation(why="", lines=(needed,))) is None


def test_weights_have_names_and_the_other_layer_has_the_same_ones():
    conv = layer("Conv2D", ((2, 9, 9, 3),), kernel_size=3, padding="same", strides=2)
    form = padded_before(conv)
    made = script(conv, "tensorflow", form, ((3, 3, 3, 4), (4,)))
    assert 'kernel = rng.uniform(0.2, 0.8, (3, 3, 3, 4)).astype("float32")' in made
    call = 'np.asarray(tf.nn.conv2d({}, kernel, strides=[1, 2, 2, 1], padding="{}") + bias)'
    assert f"expected = {call.format('padded', 'VALID')}" in made
    assert f"actual = {call.format('x', 'SAME')}" in made
    batch = layer("BatchNormalization", NORMAL)
    made = script(batch, "jax", normalised(batch), ((6,),) * 4)
    assert not any("get_weights" in line for line in made)
    assert "expected = (x - mean) / np.sqrt(variance + 0.001) * gamma + beta" in made
    dense = layer("Dense", NORMAL)
    made = script(dense, "torch", element_wise(dense), ((6, 4), (4,)))
    assert "expected = x @ kernel + bias" in made


@pytest.mark.keras
@pytest.mark.slow
@pytest.mark.parametrize(
    "suspect",
    [
        layer("Conv2D", IMAGE, filters=4, kernel_size=(3, 2), strides=(1, 2), padding="same"),
        layer("Conv1D", ((2, 12, 4),), filters=3, kernel_size=3, dilation_rate=2, use_bias=False),
        layer("Conv3DTranspose", ((2, 6, 7, 6, 3),), filters=2, kernel_size=2, strides=2),
        layer("SeparableConv2D", IMAGE, filters=4, kernel_size=3, strides=2, padding="same"),
        layer("DepthwiseConv2D", IMAGE, kernel_size=3, depth_multiplier=2, dilation_rate=2),
        layer("Dense", ((2, 12, 4),), units=3),
        layer("BatchNormalization", IMAGE, epsilon=0.1),
        layer("LayerNormalization", IMAGE),
        layer("BatchNormalization", ((2, 5, 3),), axis=1),
        layer("UnitNormalization", IMAGE, axis=1),
        layer("Softmax", IMAGE, axis=1),
        layer("LeakyReLU", IMAGE, negative_slope=2.0),
        layer("ELU", IMAGE, alpha=0.5),
        layer("MaxPooling3D", ((2, 6, 7, 6, 3),), pool_size=(3, 2, 1), strides=(1, 2, 3)),
        layer("GlobalAveragePooling2D", IMAGE, keepdims=True),
        layer("Activation", IMAGE, activation="exponential"),
        layer("Subtract", PAIR),
        layer("Minimum", PAIR),
        layer("Concatenate", PAIR, axis=1),
        layer("MultiHeadAttention", PAIR, num_heads=2, key_dim=3),
        layer("MultiHeadAttention", PAIR, num_heads=2, key_dim=3, use_bias=False),
        replace(layer("Embedding", NORMAL, input_dim=20, output_dim=4), domain=20),
    ],
    ids=lambda suspect: suspect.kind,
)
def test_functions_do_what_their_layers_do(backends, suspect):
    network = suspect.network
    weights = make_weights(backends.describe(network, make_inputs(network, 0)), 0)
    form, tried = Formulation(why="", lines=(ACTUAL,)), 0
    for backend in backends.names:
        for called in functions(suspect, backend):
            assert len(called.weights) == len(weights.get("layer", ()))
            both = equality(called, form, lowered(suspect, called, form, backend))
            code = seeded_script(backend, suspect, weights, both)
            assert backends.script(code, only=(backend,)) == {backend: None}, called.call
            tried += 1
    assert tried


@pytest.mark.keras
@pytest.mark.slow
@pytest.mark.parametrize(
    ("suspect", "function"),
    [
        (layer("Activation", activation="elu"), "tf.nn.elu"),
        (
            layer("AveragePooling2D", pool_size=3, strides=1, padding="same"),
            "keras.ops.average_pool",
        ),
        (layer("BatchNormalization", IMAGE, epsilon=0.1), "keras.ops.batch_normalization"),
        (layer("Conv2D", IMAGE, kernel_size=2, filters=4, padding="same"), "keras.ops.conv"),
        (layer("SimpleRNN", ((2, 12, 4),), units=4, go_backwards=True), "keras.layers.SimpleRNN"),
    ],
)
def test_a_bug_is_shown_where_it_is(planted_backends, suspect, function):
    """In TensorFlow itself, in a function of Keras, or in what a layer makes of these."""
    found = confirm(planted_backends, suspect)
    assert found.judgement.vote.odd == ("tensorflow",)
    handed = hand_over(planted_backends, reduce(planted_backends, found), "measured", found)
    assert f"{function}(" in handed.case.code
    backend = "" if function.startswith("tf.") else " on the tensorflow backend"
    assert handed.case.title.startswith(function)
    assert handed.case.title.endswith(f"returns wrong values{backend}")
    told = planted_backends.script(handed.case.code, only=("tensorflow",))
    assert told["tensorflow"].label == "AssertionError"
    assert ("import keras" in handed.case.code) == function.startswith("keras.")
    assert ("keras.layers" in handed.case.code) == function.startswith("keras.layers")


@pytest.fixture(scope="module")
def refusing(keras_interpreter):
    """Backends of which one refuses what the others do, and dies of other things."""
    patches = {"tensorflow": planted.REFUSES + planted.DIES}
    with Backends(keras_interpreter, patches=patches) as opened:
        opened.start()
        yield opened


@pytest.mark.keras
@pytest.mark.slow
def test_a_refusal_is_shown_by_the_function_that_refuses(refusing):
    separable = layer("SeparableConv2D", IMAGE, kernel_size=2, filters=4, padding="same")
    handed = hand_over(refusing, confirm(refusing, separable), "measured")
    assert handed.case.title == (
        "keras.ops.separable_conv fails on the tensorflow backend: NotADirectoryError"
    )
    assert handed.case.code.splitlines()[-1].startswith("keras.ops.separable_conv(x, depthwise")
    assert "no such padding" in handed.case.body
    assert "Exception encountered when calling" not in handed.case.body
    told = refusing.script(handed.case.code)
    assert {name: one and one.label for name, one in told.items()} == {
        "tensorflow": "NotADirectoryError",
        "jax": None,
        "torch": None,
    }


@pytest.mark.keras
@pytest.mark.slow
def test_a_death_is_shown_without_keras(refusing):
    leaky = layer("LeakyReLU", NORMAL, negative_slope=2.0)
    handed = hand_over(refusing, confirm(refusing, leaky), "measured")
    assert handed.case.title == "tf.nn.leaky_relu fails: signal SIGABRT"
    assert "keras" not in handed.case.code
    assert handed.case.code.endswith("tf.nn.leaky_relu(x, alpha=2.0)\n")


@pytest.mark.keras
@pytest.mark.slow
def test_what_only_one_backend_accepts_is_lowered_to_what_all_have(backends):
    pool = layer("AveragePooling2D", IMAGE, pool_size=2, strides=1, padding="causal_")
    found = confirm(backends, pool)
    if found is None:
        pytest.skip("this Keras refuses it everywhere")
    handed = hand_over(backends, found, "measured")
    assert handed.case.title.startswith("keras.ops.average_pool is accepted silently on the torch")
    assert 'print(keras.ops.average_pool(x, 2, strides=1, padding="causal_"))' in handed.case.code


@pytest.mark.keras
@pytest.mark.slow
def test_a_refusal_of_attention_is_shown_by_its_function(backends):
    attention = layer("MultiHeadAttention", PAIR, num_heads=2, key_dim=4, value_dim=2)
    found = confirm(backends, attention)
    if found is None:
        pytest.skip("this Keras takes it everywhere")
    handed = hand_over(backends, found, "measured")
    assert handed.case.title.startswith("keras.ops.dot_product_attention fails on the jax backend")
    assert "keras.layers" not in handed.case.code
    told = backends.script(handed.case.code)
    assert [name for name, failure in told.items() if failure is not None] == ["jax"]
