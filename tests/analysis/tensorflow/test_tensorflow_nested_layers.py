"""Layers that models call, on real builds of TensorFlow: which are traced, where, and with what."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument
from analysis.target.session import Limits

pytestmark = pytest.mark.slow

HEAD = "import numpy as np\nimport tensorflow as tf\nlayers = tf.keras.layers\n"
EAGER = HEAD + "tf.config.run_functions_eagerly(True)\n"
FUNCTIONAL = """
    inputs = tf.keras.Input(shape=(8, 3))
    middle = layers.Conv1D(4, 3)(inputs)
    outputs = layers.Bidirectional(layers.LSTM(2))(middle)
    model = tf.keras.Model(inputs, outputs)
    print(model.predict(np.ones((2, 8, 3), "float32"), verbose=0).shape)
"""
SEQUENTIAL = """
    model = tf.keras.Sequential([layers.Dense(3), layers.Dense(2)])
    model.compile(optimizer="sgd", loss="mse")
    model.fit(np.ones((4, 5)), np.ones((4, 2)), batch_size=2, verbose=0)
"""
OWN = """
    class Switch(layers.Layer):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2)

        def call(self, x):
            if tf.reduce_sum(x) > 0:
                return self.dense(x)
            return self.dense(-x)

    inputs = tf.keras.Input(shape=(3,))
    model = tf.keras.Model(inputs, Switch()(inputs))
    print(model.predict(np.ones((2, 3), "float32"), verbose=0).shape)
"""


@pytest.fixture
def trace(session):
    def run(head, code):
        text = head + dedent(code)
        plain = session.run(text, limits=Limits(wall=60.0))
        traced = session.run(text, traced=instrument(text).traced, limits=Limits(wall=60.0))
        assert (plain.outcome, plain.stdout) == (traced.outcome, traced.stdout)
        return traced

    return run


def made(seen, leaf):
    """Calls of layers of this class, in order."""
    calls = [call for call in seen.calls if call.form in ("module", "inner")]
    return [call for call in calls if call.name.rpartition(".")[2] == leaf]


def test_a_layer_that_the_text_calls_is_meant_there_when_the_model_calls_it(trace):
    symbolic, real = made(trace(EAGER, FUNCTIONAL), "Conv1D")
    assert (symbolic.site, symbolic.occurrence, symbolic.depth) == (real.site, 1, 0)
    assert (real.form, real.occurrence, real.depth) == ("module", 2, 1)
    assert symbolic.receiver.id == real.receiver.id
    assert real.arguments[0].value.shape == (2, 8, 3)


def test_a_placeholder_is_a_tensor_whose_open_sizes_are_one(trace):
    given = made(trace(HEAD, FUNCTIONAL), "Conv1D")[0].arguments[0]
    assert (given.value.kind, given.value.shape) == ("tensor", (1, 8, 3))
    assert given.id is not None


def test_what_layers_are_made_of_is_their_own_affair(trace):
    seen = trace(EAGER, FUNCTIONAL)
    assert len(made(seen, "Bidirectional")) == 2
    assert {call.depth for call in made(seen, "LSTM")} <= {0}
    assert not made(seen, "LSTMCell")


def test_layers_of_a_sequence_belong_to_the_call_that_trains_them(trace):
    seen = trace(EAGER, SEQUENTIAL)
    (fit,) = (call for call in seen.calls if call.name.endswith(".fit"))
    inner = [call for call in made(seen, "Dense") if call.number > fit.number]
    assert len(inner) >= 4
    assert {(call.site, call.form, call.depth) for call in inner} == {(fit.site, "inner", 1)}


@pytest.mark.parametrize("head", [HEAD, EAGER], ids=["graph", "eager"])
def test_control_flow_of_own_layers_works_as_before(trace, head):
    seen = trace(head, OWN)  # which compares with a run without a trace
    assert any(call.name.endswith("Switch") for call in seen.calls)
