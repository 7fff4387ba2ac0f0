"""Saved models: taken apart as every backend loads them, looked at, and left out with a reason."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from analysis.errors import CitadelError
from harvest.importers.folder import Unreadable
from harvest.sources.backends import Backends, Execution, Failure
from harvest.sources.cradle import source
from harvest.sources.cradle.saved import (
    MALFORMED,
    Saved,
    check,
    faithful,
    model_files,
    network_of,
    read_saved,
)
from harvest.sources.cradle.source import Comparing, Cradle
from harvest.sources.model import HitKind, Search, Tally
from harvest.sources.suspects import Suspect
from harvest.sources.writing import seeded_script
from tests.harvest.sources.conftest import KERAS

DENSE = {"name": "d", "class": "Dense", "config": {"units": 2}, "inputs": ["in"]}
INPUT = {"name": "in", "shape": [None, None, 3], "dtype": "float32"}


def told(*layers, inputs=(INPUT,), states=100):
    return json.dumps({"inputs": list(inputs), "layers": list(layers), "states": states})


def test_sizes_that_are_left_open_are_chosen():
    network = network_of(told(DENSE), "n")
    assert (network.inputs, network.domain) == ({"in": (8, 16, 3)}, "real")


@pytest.mark.parametrize(("states", "batch"), [(0, 8), (3 << 20, 3), (99 << 20, 1)])
def test_the_batch_is_as_large_as_the_states_allow(states, batch):
    network = network_of(told(DENSE, states=states), "n")
    assert network.inputs["in"][0] == batch
    fixed = {**INPUT, "shape": [5, 4, 3]}
    assert network_of(told(DENSE, inputs=(fixed,), states=states), "n").inputs["in"][0] == 5


def test_inputs_of_embeddings_are_indices():
    words = {"name": "in", "shape": [4, 7], "dtype": "int32"}
    layer = {"name": "e", "class": "Embedding", "config": {"input_dim": 9}, "inputs": ["in"]}
    network = network_of(told(layer, inputs=(words,)), "n")
    assert (network.inputs, network.domain) == ({"in": (4, 7)}, 9)


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[" * 100_000,
        "[]",
        told(),
        told({**DENSE, "class": "Dense(units=2)\nimport os  #"}),
        told({**DENSE, "class": "ops.Dense()"}),
        told({**DENSE, "config": {"units=2, x": 1}}),
        told({**DENSE, "config": 3}),
        told({**DENSE, "class": "import"}),
        told(DENSE, inputs=[{**INPUT, "name": f"in{n}", "shape": [1, 1 << 20]} for n in range(9)]),
        told(*({**DENSE, "name": f"d{n}"} for n in range(2001))),
        told({**DENSE, "inputs": ["d"]}),
        told(DENSE, DENSE),
        told(DENSE, states="many"),
        told(DENSE, states=float("inf")),
        told(DENSE, inputs=({**INPUT, "shape": []},)),
        told(DENSE, inputs=({**INPUT, "shape": [1 << 20, 1 << 20]},)),
        told(DENSE, inputs=({**INPUT, "shape": [-1, 3]},)),
        told(DENSE, inputs=({**INPUT, "dtype": "int32"},)),
    ],
)
def test_what_a_file_makes_its_process_say_is_not_believed(text):
    with pytest.raises(MALFORMED):
        network_of(text, "n")


@pytest.mark.parametrize("output", [np.array(["a"]), np.zeros(2, "V8"), np.array(1.0), np.eye(0)])
def test_what_a_file_makes_its_process_predict_is_numbers(output):
    with pytest.raises(ValueError, match="an output is"):
        check(output)


class Pretending:
    """Two backends whose layers come to these scores, the second one of which may fail."""

    names = ("x", "y")

    def __init__(self, *, scores, failure=None):
        self.scores, self.failure = scores, failure

    def run(self, network, weights, inputs, wall):
        states = {network.output.name: self.scores}
        failed = Execution(backend="y", states={}, failure=self.failure)
        return {
            "x": Execution(backend="x", states=states),
            "y": failed if self.failure else Execution(backend="y", states=states),
        }


@pytest.mark.parametrize(
    ("scores", "failure", "line"),
    [
        (np.eye(3), None, None),
        (
            np.eye(3)[::-1],
            None,
            "left out: its layers, one by one, do not come to what it predicts",
        ),
        (np.eye(3), Failure(layer="d", died="timeout"), "not on y: timeout"),
    ],
)
def test_what_is_the_matter_with_a_model_is_a_line(monkeypatch, scores, failure, line):
    network = network_of(told(DENSE), "n.keras")
    loaded = {name: Execution(backend=name, states={"d": np.eye(3)}) for name in ("x", "y")}
    model = Saved(network=network, inputs={}, weights={}, loaded=loaded, hits=())
    monkeypatch.setattr(source, "read_saved", lambda backends, path, seed: model)
    tally = Tally()
    work = Comparing(Pretending(scores=scores, failure=failure), tally)
    assert list(work.saved(Path("n.keras"), 0)) == []
    assert tally.facts.get("n.keras") == line


def test_a_folder_without_models(tmp_path):
    with pytest.raises(CitadelError, match="is no folder"):
        model_files(tmp_path / "nowhere")
    (tmp_path / "folder.keras").mkdir()
    with pytest.raises(CitadelError, match=r"no \.keras file"):
        model_files(tmp_path)
    search = Search(
        interpreter=None, budget=1, seed=0, tally=Tally(), progress=lambda: None, models=tmp_path
    )
    with pytest.raises(CitadelError, match=r"no \.keras file"):
        next(Cradle().generate(search))


MAKE = """
import sys

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(0)
folder = sys.argv[1]

image = keras.Input((8, 8, 3))
conv = layers.Conv2D(4, 3, padding="same", kernel_regularizer="l2")(image)
once, twice = conv, keras.ops.relu(conv)
norm = layers.BatchNormalization()
sum_ = layers.Add()([norm(once), norm(twice)])
inner = keras.Sequential([keras.Input((8, 8, 4)), layers.MaxPooling2D(2), layers.Flatten()])
scores = layers.Dense(5, activation="softmax")(inner(sum_))
keras.Model(image, scores).save(folder + "/graph.keras")

words = [keras.Input((None,), dtype="int32"), layers.Embedding(30, 4)]
both = layers.Bidirectional(layers.LSTM(3))
keras.Sequential([*words, both, layers.Dense(3)]).save(folder + "/words.keras")

large = keras.Sequential([keras.Input((5,)), layers.Dense(6), layers.Activation("softplus")])
large.set_weights([20 * np.random.default_rng(0).standard_normal(w.shape) for w in large.weights])
large.save(folder + "/large.keras")

code = keras.Sequential([keras.Input((4,)), layers.Lambda(lambda x: x * 2)])
code.save(folder + "/code.keras")

two = keras.Input((4,))
keras.Model(two, [layers.Dense(2)(two), layers.Dense(3)(two)]).save(folder + "/two.keras")
open(folder + "/junk.keras", "w").write("junk")

pixels = keras.Input((6,))
turned = keras.ops.clip(2 - pixels / 3.0, -1, 1)
keras.Model(pixels, layers.Dense(2)(turned)).save(folder + "/numbers.keras")
"""


@pytest.fixture(scope="module")
def folder(keras_interpreter, tmp_path_factory):
    made = tmp_path_factory.mktemp("models")
    subprocess.run([KERAS, "-c", MAKE, made], check=True, timeout=200)
    return made


@pytest.mark.keras
@pytest.mark.slow
def test_models_are_looked_at_and_others_left_out_with_a_reason(backends, folder):
    tally = Tally()
    work = Comparing(backends, tally)
    assert [hit.key for path in model_files(folder) for hit in work.saved(path, 0)] == []
    assert (tally.executed, tally.valid) == (5, 5)
    for how in ("pairs of backends", "pairs of backends, compiled"):
        assert tally.facts[how].startswith("15 compared; inconsistent by D_CLASS 0, by D_MAD 0;")
    assert tally.facts["junk.keras"] == "left out: it is no archive, as .keras files are"
    assert tally.facts["code.keras"].startswith("left out: ValueError: Requested the deserial")
    assert {"keras.layers.Bidirectional", "keras.ops.relu", "keras.ops.subtract"} <= tally.apis


@pytest.mark.keras
@pytest.mark.slow
def test_all_branches_of_a_model_with_several_outputs_are_run(backends, folder):
    found = read_saved(backends, folder / "two.keras", 0)
    assert sorted(layer.config["units"] for layer in found.network.layers) == [2, 3]
    done = backends.run(found.network, found.weights, found.inputs)
    assert faithful(found.network, done, found.loaded)


@pytest.mark.keras
@pytest.mark.slow
def test_numbers_stand_where_the_model_has_them(backends, folder):
    found = read_saved(backends, folder / "numbers.keras", 0)
    quotient, difference, *_ = found.network.layers
    assert (quotient.kind, dict(quotient.config)) == ("ops.true_divide", {"x2": 3.0})
    assert (difference.kind, dict(difference.config)) == ("ops.subtract", {"x1": 2})
    alone = Suspect(kind="ops.subtract", config={"x1": 2}, shapes=((2, 3),))
    lines = ("assert np.allclose(layer(x), 2 - x)",)
    for name in backends.names:
        code = seeded_script(name, alone, {}, lines)
        assert backends.script(code, only=(name,)) == {name: None}, code


@pytest.mark.keras
@pytest.mark.slow
def test_a_model_is_what_its_layers_come_to_and_leaves_no_process_behind(backends, folder):
    before = dict(backends.started)
    found = read_saved(backends, folder / "graph.keras", 0)
    kinds = [layer.kind for layer in found.network.layers]
    assert kinds.count("BatchNormalization") == 2  # one layer, called twice
    assert kinds[-3:] == ["MaxPooling2D", "Flatten", "Dense"]  # with those of the model inside
    assert dict(found.network.layers[0].config) == {
        "filters": 4,
        "kernel_size": 3,
        "padding": "same",
    }
    done = backends.run(found.network, found.weights, found.inputs)
    output = found.network.output.name
    for name, one in done.items():
        expected = found.loaded[name].states[output]
        np.testing.assert_allclose(one.states[output], expected, rtol=1e-4, atol=1e-6)
    assert all(count > before[name] for name, count in backends.started.items())
    with pytest.raises(Unreadable):
        read_saved(backends, folder / "junk.keras", 0)


@pytest.mark.keras
@pytest.mark.slow
def test_a_planted_bug_is_found_with_the_weights_of_the_file(planted_backends, folder):
    (hit,) = Comparing(planted_backends, Tally()).saved(folder / "large.keras", 0)
    assert hit.subject == "keras.layers.Activation"
    assert "model large.keras" in hit.origin
    assert hit.case is not None, hit.no_case
    told = planted_backends.script(hit.case.code)
    assert told["tensorflow"].label == "AssertionError"
    assert (told["jax"], told["torch"]) == (None, None)


RAISES = """
import keras

def wrong(*given, **more):
    raise OSError("cannot open")

keras.saving.load_model = wrong
"""
TURNS = """
import keras

right = keras.saving.load_model

def wrong(*given, **more):
    model = right(*given, **more)
    model.set_weights([-one for one in model.get_weights()])
    return model

keras.saving.load_model = wrong
"""


@pytest.mark.keras
@pytest.mark.slow
def test_loading_itself_is_compared(keras_interpreter, folder):
    names = ("jax", "tensorflow", "torch")
    for patch, kind, does in (
        (RAISES, HitKind.CRASH, "torch raises OSError"),
        (TURNS, HitKind.INCONSISTENCY, "torch loads other layers or weights"),
    ):
        with Backends(keras_interpreter, names=names, patches={"torch": patch}) as backends:
            found = read_saved(backends, folder / "large.keras", 0)
            (hit,) = found.hits
            assert (hit.kind, hit.subject) == (kind, "keras.saving.load_model")
            assert hit.title == f"{does} (against jax and tensorflow)"
            assert not hit.case
