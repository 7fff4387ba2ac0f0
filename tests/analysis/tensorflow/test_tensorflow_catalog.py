"""The walk over the public names of real TensorFlow builds."""

import ast
from collections import Counter

import pytest

from analysis.catalog.model import ApiKind, Provenance

pytestmark = pytest.mark.slow


def rows(catalog, name, which="signatures"):
    signature = getattr(catalog.resolve(name), which)[0]
    return {parameter.name: parameter for parameter in signature.parameters}


def test_every_public_name_is_there_once(walk):
    names = [name for record in walk for name in (record["n"], *record["a"])]
    public = {name for name in names if name.startswith("tf.")}
    old = not any(record["n"].startswith("tf.keras.ops.") for record in walk)
    assert len(public) >= (7300 if old else 8000)
    assert len(walk) >= (4100 if old else 4700)
    assert max(Counter(record["n"] for record in walk).values()) == 1


def test_nearly_all_have_signatures(walk):
    assert sum(bool(record["s"]) for record in walk) >= 0.98 * len(walk)


def test_names_are_those_people_write(catalog):
    for alias, name in {
        "tf.math.add": "tf.add",
        "tf.compat.v1.bitwise.invert": "tf.bitwise.invert",
        "tf.math.reduce_sum": "tf.reduce_sum",
        "tf.nn.conv2d": "tf.nn.conv2d",
        "tf.compat.v1.nn.conv2d": "tf.compat.v1.nn.conv2d",
        "tf.compat.v1.raw_ops.Conv2D": "tf.raw_ops.Conv2D",
        "tf.keras.layers.Convolution2D": "tf.keras.layers.Conv2D",
        "tf.losses.MeanSquaredError": "tf.keras.losses.MeanSquaredError",
        "tf.initializers.glorot_uniform": "tf.keras.initializers.GlorotUniform",
        "tensorflow.python.ops.nn_ops.conv2d_v2": "tf.nn.conv2d",
        "tensorflow.python.ops.gen_nn_ops.conv2d": "tf.raw_ops.Conv2D",
        "keras.layers.Dense": "tf.keras.layers.Dense",
    }.items():
        assert catalog.resolve(alias).name == name, alias


def test_names_of_the_package_keras_are_names_of_the_same_objects(walk, catalog):
    for name in ("layers.Conv2D", "activations.relu", "losses.MeanSquaredError", "Sequential"):
        assert catalog.resolve("keras." + name) is catalog.resolve("tf.keras." + name)
    names = {name for record in walk for name in (record["n"], *record["a"])}
    assert sum(name.startswith("keras.") for name in names) >= 850
    assert not any(name.startswith(("keras.api.", "keras._")) for name in names)
    if any(name.startswith("tf.keras.ops.") for name in names):
        assert catalog.resolve("keras.ops.max_pool").name == "tf.keras.ops.max_pool"


def test_what_keras_offers_where_tensorflow_has_a_module_of_the_same_name(catalog):
    if catalog.resolve("tf.keras.ops.relu") is None:  # Keras 2
        layer = catalog.resolve("tf.compat.v1.layers.MaxPooling2D")
        assert layer.kind is ApiKind.MODULE
        assert layer.name != catalog.resolve("tf.keras.layers.MaxPooling2D").name
    else:
        assert catalog.resolve("tf.compat.v1.layers.MaxPooling2D") is None


def test_kinds(catalog):
    for name, kind in {
        "tf.nn.relu": ApiKind.FUNCTION,
        "tf.raw_ops.Relu": ApiKind.OP,
        "tf.keras.layers.Dense": ApiKind.MODULE,
        "tf.keras.losses.Hinge": ApiKind.MODULE,
        "tf.keras.optimizers.SGD": ApiKind.CLASS,
        "tf.Tensor.__add__": ApiKind.METHOD,
        "tf.Variable.assign_add": ApiKind.METHOD,
        "tf.RaggedTensor.from_row_splits": ApiKind.FUNCTION,
        "tf.data.Dataset.batch": ApiKind.METHOD,
    }.items():
        assert catalog.resolve(name).kind is kind, name


def test_raw_operators_have_the_types_of_their_definitions(catalog):
    conv = rows(catalog, "tf.raw_ops.Conv2D")
    assert "float32" in conv["input"].type
    assert conv["padding"].type == "string{SAME,VALID,EXPLICIT}"
    assert conv["strides"].type == "int[]"
    assert conv["data_format"].default == "'NHWC'"
    assert all(parameter.keyword_only for parameter in conv.values())
    assert rows(catalog, "tf.raw_ops.ConcatV2")["values"].type == "Tensor[]"
    assert rows(catalog, "tf.raw_ops.ReadVariableOp")["resource"].type == "Tensor{resource}"
    assert rows(catalog, "tf.raw_ops.Assign")["ref"].type == "Ref"
    assert catalog.resolve("tf.raw_ops.Conv2D").signatures[0].provenance is Provenance.SCHEMA


def test_generated_functions_are_typed_and_linked_to_their_operator(walk, catalog):
    record = next(record for record in walk if record["n"] == "tf.bitwise.invert")
    assert record["o"] == ["Invert"]
    assert "int32" in rows(catalog, "tf.bitwise.invert")["x"].type


def test_documentation_types_what_has_no_annotation(catalog):
    gather = rows(catalog, "tf.gather")
    assert (gather["params"].type, gather["batch_dims"].type) == ("Tensor", "int")
    assert rows(catalog, "tf.concat")["values"].type == "Tensor[]"
    assert rows(catalog, "tf.keras.layers.Dense")["units"].required
    assert "inputs" in rows(catalog, "tf.keras.layers.Dense", "call_signatures")


def test_methods_begin_with_their_receiver(catalog):
    for api in catalog.apis.values():
        if api.kind is ApiKind.METHOD:
            assert api.signatures[0].names()[0] == "self", api.name


def test_defaults_are_source(walk):
    for record in walk:
        for signature in (*record["s"], *record["c"]):
            for _, _, default, _ in signature["p"]:
                if default is not None:
                    ast.parse(default, mode="eval")
