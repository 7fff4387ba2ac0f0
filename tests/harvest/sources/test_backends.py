"""Workers on real backends: equal results, what fails and dies, one layer made small."""

import numpy as np
import pytest

from harvest.sources.backends import Backends
from harvest.sources.handover import hand_over
from harvest.sources.model import HitKind
from harvest.sources.networks import Layer, Network, make_inputs, make_weights
from harvest.sources.seeds import FAMILIES, seed_network
from harvest.sources.suspects import Suspect, confirm, reduce

pytestmark = [pytest.mark.keras, pytest.mark.slow]

DENSE = Network(
    name="dense",
    inputs={"in": (2, 3)},
    layers=(Layer(name="d", kind="Dense", config={"units": 4}, inputs=("in",)),),
)


def prepared(backends, network):
    inputs = make_inputs(network, 0)
    return make_weights(backends.describe(network, inputs), 0), inputs


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_seed_models_run_everywhere(backends, family):
    network = seed_network(family, 0)
    weights, inputs = prepared(backends, network)
    for ran in (backends.run, backends.predict):
        done = ran(network, weights, inputs)
        assert {one.failure for one in done.values()} == {None}
        assert {one.states[network.output.name].shape for one in done.values()} == {(8, 10)}


def test_states_are_what_numpy_says(backends):
    weights, inputs = prepared(backends, DENSE)
    kernel, bias = weights["d"]
    for one in backends.run(DENSE, weights, inputs).values():
        np.testing.assert_allclose(one.states["d"], inputs["in"] @ kernel + bias, rtol=1e-4)


def test_layers_before_one_that_is_refused_compute_the_same_everywhere(backends):
    refused = Layer(name="e", kind="Dense", config={"units": -1}, inputs=("d",))
    network = Network(name="refused", inputs={"in": (2, 3)}, layers=(*DENSE.layers, refused))
    done = backends.run(network, {}, make_inputs(network, 0))
    assert all(one.failure is not None and one.failure.layer == "e" for one in done.values())
    assert all(not one.states["d"].any() for one in done.values())


def test_other_weights_need_no_new_process(backends):
    weights, inputs = prepared(backends, DENSE)
    before = dict(backends.started)
    zeros = {"d": tuple(np.zeros_like(array) for array in weights["d"])}
    done = backends.run(DENSE, zeros, inputs)
    assert all(not one.states["d"].any() for one in done.values())
    assert dict(backends.started) == before


def test_exceptions_say_where(backends):
    layer = Layer(name="bad", kind="Dense", config={"units": -1}, inputs=("d",))
    network = DENSE.with_layers([*DENSE.layers, layer])
    weights, inputs = prepared(backends, DENSE)
    for one in backends.run(network, weights, inputs).values():
        assert one.failure.layer == "bad"
        assert one.failure.label == "ValueError"
        assert "d" in one.states


def test_a_death_is_told_and_the_next_run_works(keras_interpreter):
    dies = "import keras, os\nkeras.layers.ReLU.call = lambda self, x: os.abort()"
    hangs = "import keras, time\nkeras.layers.ReLU.call = lambda self, x: time.sleep(99)"
    network = DENSE.with_layers([*DENSE.layers, Layer(name="r", kind="ReLU", inputs=("d",))])
    patches = {"torch": dies, "tensorflow": hangs}
    names = ("torch", "tensorflow")
    with Backends(keras_interpreter, names=names, patches=patches, wall=20) as backends:
        backends.start()
        inputs = make_inputs(network, 0)
        done = backends.run(network, {}, inputs)
        assert done["torch"].failure.died == "signal SIGABRT"
        assert not done["torch"].failure.ours
        assert done["tensorflow"].failure.died == "timeout"
        assert done["tensorflow"].failure.ours
        assert {one.failure.layer for one in done.values()} == {"r"}
        again = backends.run(DENSE, {}, inputs)
        assert {one.failure for one in again.values()} == {None}
        assert dict(backends.started) == {"torch": 2, "tensorflow": 2}


POOL = Suspect(
    kind="AveragePooling2D",
    config={"pool_size": 3, "strides": 2, "padding": "same", "data_format": "channels_last"},
    shapes=((2, 8, 8, 3),),
)


def test_average_pooling_on_torch_is_confirmed_reduced_and_handed_over(backends):
    """Padding that does not divide evenly is filled with what stands at the edge, and counted."""
    found = confirm(backends, POOL)
    if found is None:
        pytest.skip("this Keras has it fixed")
    assert found.judgement.vote.odd == ("torch",)
    small = reduce(backends, found)
    assert set(small.suspect.config) <= {"pool_size", "strides", "padding"}
    assert small.suspect.config["padding"] == "same"
    assert np.prod(small.suspect.shapes[0]) < np.prod(POOL.shapes[0])
    handed = hand_over(backends, small, "measured", found)
    told = backends.script(handed.case.code)
    assert {name: one and one.label for name, one in told.items()} == {
        "torch": "AssertionError",
        "tensorflow": None,
        "jax": None,
    }


def test_what_all_agree_about_is_not_confirmed(backends):
    valid = Suspect(kind="MaxPooling2D", config={"pool_size": 2}, shapes=((2, 8, 8, 3),))
    assert confirm(backends, valid) is None


def test_a_crash_is_a_plain_call(backends):
    found = confirm(
        backends, Suspect(kind="LayerNormalization", config={"axis": 1}, shapes=((2, 4, 3),))
    )
    if found is None:
        pytest.skip("this Keras has it fixed")
    assert found.judgement.kind is HitKind.CRASH
    handed = hand_over(backends, found, "measured")
    last = handed.case.code.splitlines()[-1]
    assert last == "keras.ops.layer_normalization(x, gamma, beta, axis=1, epsilon=0.001)"
    assert "fails on the torch backend: RuntimeError" in handed.case.title


def test_what_one_backend_accepts_is_a_call_that_should_be_refused(backends):
    suspect = Suspect(kind="ZeroPadding2D", config={"padding": -1}, shapes=((1, 4, 4, 1),))
    found = confirm(backends, suspect)
    if found is None:
        pytest.skip("this Keras refuses it everywhere")
    assert found.judgement.accepts
    handed = hand_over(backends, found, "measured")
    assert handed.case.code.endswith("print(keras.layers.ZeroPadding2D(padding=-1)(x))\n")
    assert "accepted silently on the torch backend" in handed.case.title
    assert "should raise an error" in handed.case.body
