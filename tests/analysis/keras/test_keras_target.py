"""Keras in the fork server: its backend, its names in a trace, its values."""

from textwrap import dedent

import pytest

from analysis.catalog.records import read_catalog
from analysis.target.instrument import instrument
from analysis.target.observation import Outcome

USE = """
    import numpy as np
    import keras

    ones = np.ones((2, 4), "float32")
    layer = keras.layers.Dense(3)
    y = layer(ones)
    z = keras.ops.relu(y)
    w = z + 1
    shown = keras.ops.convert_to_numpy(w)
    loss = keras.losses.MeanSquaredError()(ones, ones)
    symbolic = keras.layers.Dense(2)(keras.Input((5,)))
    model = keras.Sequential([keras.layers.ReLU(), keras.layers.Dense(2)])
    model.build((None, 4))
    model(ones)
"""
CRASH = """
    import os
    import keras

    keras.ops.add([1.0], [2.0])
    os.kill(os.getpid(), 11)
"""
LIVE = """
    import live_keras as live
    import keras
    import numpy as np

    tensor = keras.ops.convert_to_tensor(np.array([[1.0, np.nan, -2.0]], "float32"))
    assert live.is_tensor(tensor) and not live.is_tensor(np.ones(3))
    assert live.array(tensor).shape == (1, 3)
    assert np.array_equal(live.array(live.perturbed(tensor)), [[9.0, 7.0, 3.0]])
    whole = keras.ops.convert_to_tensor(np.array([1, 2], "int32"))
    assert live.array(live.perturbed(whole)).tolist() == [2, 3]
    truth = keras.ops.convert_to_tensor(np.array([True, False]))
    assert live.array(live.perturbed(truth)).tolist() == [False, True]
    assert live.array(keras.KerasTensor((2, 3))) is None
    assert live.array(keras.ops.cast(tensor, "bfloat16")).dtype == "float32"
    assert tuple(live.STEPS["lift"](tensor, 2).shape) == (1, 3, 1, 1)
    assert tuple(live.STEPS["lift"](tensor, 1, 1).shape) == (1, 1, 3)
    assert tuple(live.STEPS["narrow"](tensor, 5).shape) == (1, 5)
    assert tuple(live.STEPS["behead"](tensor, 1).shape) == (3,)
    variable = keras.Variable([1.0, 2.0])
    before = live.mark(variable)
    assert live.mark(variable) == before
    variable.assign([3.0, 2.0])
    assert live.mark(variable) != before
    layer = keras.layers.Dense(2)
    layer(tensor)
    assert list(live.parameters(layer)) == ["kernel", "bias"]
    print("fine")
"""


@pytest.fixture(scope="module")
def calls(session):
    code = dedent(USE)
    seen = session.run(code, traced=instrument(code).traced)
    assert seen.outcome is Outcome.OK, seen.exception
    return seen.calls


def called(calls, name, form):
    return next(call for call in calls if (call.name, call.form) == (name, form))


def test_the_build_says_what_it_runs_on(target):
    assert target.info.version.startswith("3.")
    assert target.info.runs_on.startswith(f"{target.info.backend} ")


def test_each_session_runs_on_its_backend(target, session):
    seen = session.run("import keras; print(keras.config.backend())")
    assert seen.stdout.strip() == target.info.backend


def test_layers_functions_and_losses_have_their_public_names(calls):
    built = called(calls, "keras.layers.Dense", "class")
    used = called(calls, "keras.layers.Dense", "module")
    assert used.receiver.id == built.result.id
    assert built.result.value.kind == "module"
    assert called(calls, "keras.ops.relu", "function").arguments[0].id == used.result.id
    lost = called(calls, "keras.losses.MeanSquaredError", "module")
    assert lost.receiver.id == called(calls, "keras.losses.MeanSquaredError", "class").result.id


def test_the_layers_of_a_model_are_seen(calls):
    relu = [call for call in calls if (call.name, call.form) == ("keras.layers.ReLU", "inner")]
    built, run = (call.result.value.shape for call in relu)
    assert (built, run) == ((1, 4), (2, 4))  # placeholders are of size 1 where it is open


def test_tensors_of_the_backend_are_tensors(calls):
    value = called(calls, "keras.ops.relu", "function").result.value
    assert (value.kind, value.shape, value.dtype) == ("tensor", (2, 3), "float32")
    shown = called(calls, "keras.ops.convert_to_numpy", "function").result.value
    assert shown.kind == "array"


def test_what_is_the_backends_own_is_no_api_of_keras(session, calls):
    catalog = read_catalog(session.task("catalog_keras:walk", {}, wall=120).records)
    (added,) = (call for call in calls if call.form == "operator")
    assert catalog.resolve(added.name) is None
    assert catalog.resolve("keras.ops.relu").name == "keras.ops.relu"


def test_values_are_changed_and_compared(session):
    seen = session.run(dedent(LIVE))
    assert seen.stdout.strip() == "fine", seen.exception


def test_crashes_leave_the_server_alone(session):
    outcomes = [session.run(dedent(CRASH)).signal for _ in range(4)]
    assert outcomes == ["SIGSEGV"] * 4
    assert session.run("import keras; print(keras.ops.add(1, 2))").outcome is Outcome.OK
