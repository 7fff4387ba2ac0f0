"""The public names of Keras, their signatures, and what samples of them run."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.catalog.records import read_catalog
from analysis.dynamic.run import Job, run_part


@pytest.fixture(scope="module")
def catalog(session):
    outcome = session.task("catalog_keras:walk", {}, wall=120)
    assert outcome.died is None
    return read_catalog(outcome.records)


@pytest.fixture(scope="module")
def profile(session):
    def run(phase, *names):
        records = []
        given = {"names": [[name] for name in names]}
        job = Job(task=f"{phase}_keras:profile", given=given)
        part = run_part(session, job, progress=lambda _done, _all: None, keep=records.append)
        assert part.whole
        return {record["n"]: record for record in records if "n" in record}

    return run


@pytest.mark.parametrize(
    ("written", "name", "kind"),
    [
        ("keras.layers.LayerNormalization", "keras.layers.LayerNormalization", ApiKind.MODULE),
        ("tf.keras.layers.Dense", "keras.layers.Dense", ApiKind.MODULE),
        ("keras.src.ops.numpy.max", "keras.ops.max", ApiKind.FUNCTION),
        ("keras.ops.numpy.max", "keras.ops.max", ApiKind.FUNCTION),
        ("keras.losses.MeanSquaredError", "keras.losses.MeanSquaredError", ApiKind.MODULE),
        ("keras.KerasTensor.reshape", "keras.KerasTensor.reshape", ApiKind.METHOD),
    ],
)
def test_names_that_people_write(catalog, written, name, kind):
    api = catalog.resolve(written)
    assert api is not None
    assert (api.name, api.kind) == (name, kind)


def test_no_name_is_of_the_inner_packages(catalog):
    assert not [name for name in catalog.apis if ".src." in name or "._tf_keras" in name]
    assert len(catalog.apis) > 800


def test_a_layer_takes_what_it_hands_to_the_base_and_nothing_else(catalog):
    (signature,) = catalog.resolve("keras.layers.ELU").signatures
    assert {"alpha", "dtype", "name"} <= set(signature.names())
    assert all(not parameter.variadic for parameter in signature.parameters)
    (pool,) = catalog.resolve("keras.layers.AveragePooling2D").signatures
    assert "pool_mode" not in pool.names()  # the class itself gives it to its base


def test_inputs_of_layers_and_operations_are_tensors(catalog):
    (called,) = catalog.resolve("keras.layers.LayerNormalization").call_signatures
    assert called.parameters[0].type == "Tensor"
    (maximum,) = catalog.resolve("keras.ops.max").signatures
    assert maximum.parameters[0].type == "Tensor"


@pytest.mark.slow
def test_examples_run_operators_of_the_backend(profile):
    layer = "keras.layers.MaxPooling1D"
    found = profile("examples", "keras.ops.relu", layer, "keras.config.set_floatx")
    assert any("relu" in name.lower() or "max" in name for name in runs(found["keras.ops.relu"]))
    assert runs(found[layer])
    assert all("c" in sample for sample in found[layer]["x"])  # how it was constructed
    assert "keras.config.set_floatx" not in found


@pytest.mark.slow
def test_calls_are_made_up_where_there_is_no_example(profile):
    found = profile("synthesis", "keras.ops.tanh", "keras.layers.GlobalMaxPooling2D")
    assert {
        len(sample["a"][0]["shape"]) for sample in found["keras.layers.GlobalMaxPooling2D"]["x"]
    } == {4}
    assert any("tanh" in name.lower() for name in runs(found["keras.ops.tanh"]))
    assert any(name.startswith("keras.src.") for name in found["keras.ops.tanh"]["s"]["frames"])


def runs(record):
    return record["s"]["forward"]
