"""What examples and made-up calls of real TensorFlow builds are recorded to run."""

import pytest


def sample_kinds(record):
    return [[value["k"] for value in sample["a"]] for sample in record["x"]]


def test_examples_run_and_tell_forward_from_backward(profile):
    found = profile("examples", "tf.nn.softmax", "tf.concat", "tf.keras.layers.Dense")
    softmax = found["tf.nn.softmax"]
    assert softmax["v"] == "example"
    assert softmax["s"]["forward"] == ["Softmax"]
    assert any(name.endswith("nn_ops.softmax_v2") for name in softmax["s"]["frames"])
    assert "ConcatV2" in found["tf.concat"]["s"]["forward"]


def test_what_made_a_sample_is_no_part_of_its_profile(profile):
    found = profile("synthesis", "tf.raw_ops.MatMul", "tf.raw_ops.ReadVariableOp")
    assert found["tf.raw_ops.MatMul"]["s"]["forward"] == ["MatMul"]
    assert found["tf.raw_ops.ReadVariableOp"]["s"]["forward"] == ["ReadVariableOp"]


def test_gradients_are_recorded(profile):
    found = profile("synthesis", "tf.raw_ops.Conv2D")["tf.raw_ops.Conv2D"]
    assert found["s"]["forward"] == ["Conv2D"]
    assert "Conv2DBackpropFilter" in found["s"]["backward"]


def test_constructors_are_kept_apart(profile):
    found = profile("synthesis", "tf.keras.layers.Conv2D", "tf.keras.losses.MeanSquaredError")
    layer = found["tf.keras.layers.Conv2D"]
    assert "Conv2D" in layer["s"]["forward"]
    assert "Conv2D" not in layer["s"]["constructor"]
    assert layer["x"][0]["c"]["a"]
    assert layer["x"][0]["a"][0]["k"] == "tensor"


@pytest.mark.parametrize(
    "name",
    [
        "SparseTensorDenseMatMul",
        "LookupTableSizeV2",
        "TensorListStack",
        "IteratorGetNext",
        "ResourceApplyAdam",
        "MaxPool3D",
        "FusedBatchNormV3",
        "GatherNd",
        "UnsortedSegmentSum",
        "StatelessRandomUniform",
        "StringSplitV2",
    ],
)
def test_operators_with_related_shapes_or_handles_are_reached(profile, name):
    found = profile("synthesis", "tf.raw_ops." + name)["tf.raw_ops." + name]
    assert name in found["s"]["forward"]
    assert found["x"]


@pytest.mark.parametrize(
    "name",
    [
        "math.igammac",  # its documentation lists bfloat16, which has no kernel, first
        "Variable.assign",  # the class's own method is abstract
        "raw_ops.FractionalAvgPool",  # it says how long a list has to be
        "nn.max_pool1d",
        "keras.backend.pool3d",
        "keras.layers.Embedding",
    ],
)
def test_messages_and_documentation_lead_to_a_call(profile, name):
    found = profile("synthesis", "tf." + name)["tf." + name]
    assert found["x"], found


def test_other_words_of_the_documentation_are_tried(profile):
    found = profile("synthesis", "tf.nn.avg_pool3d")["tf.nn.avg_pool3d"]
    words = {value["v"] for sample in found["x"] for value in sample["a"] if value["k"] == "str"}
    assert len(words) > 1, found


def test_a_search_begins_with_calls_of_others(profile):
    name = "tf.raw_ops.TensorScatterUpdate"
    tensor = {"k": "tensor", "shape": [3], "dtype": "float32", "data": [1.0, 2.0, 3.0]}
    indices = {"k": "tensor", "shape": [1, 1], "dtype": "int32", "data": [[1]]}
    updates = {**tensor, "shape": [1], "data": [9.0]}
    lent = {"tensor": tensor, "indices": indices, "updates": updates}
    found = profile("synthesis", name, calls={name: [lent]})[name]
    assert found["s"]["forward"] == ["TensorScatterUpdate"]
    assert found["x"][0]["k"]["indices"]["data"] == [[1]]
    handle = {"tensor": {"k": "tensor", "shape": [], "dtype": "resource"}}
    assert profile("synthesis", name, calls={name: [handle]}) == {}


def test_what_has_no_kernel_here_says_so(profile):
    found = profile("synthesis", "tf.raw_ops.TPUReplicatedInput", "tf.raw_ops.CollectiveReduceV2")
    assert all("f" in record for record in found.values())


def test_settings_are_left_alone(profile):
    found = profile("synthesis", "tf.keras.config.set_floatx", "tf.config.run_functions_eagerly")
    assert {record["f"] for record in found.values()} <= {"changes settings or surroundings"}


def test_values_of_tensorflow_are_described(profile):
    found = profile("synthesis", "tf.raw_ops.ReadVariableOp")["tf.raw_ops.ReadVariableOp"]
    handle = found["x"][0]["k"]["resource"]
    assert (handle["k"], handle["dtype"]) == ("tensor", "resource")
    assert found["x"][0]["k"]["dtype"] == {"k": "dtype", "v": "tf.float32"}


def test_skipped_calls_are_left_out(session):
    given = {"names": [["tf.raw_ops.Relu"]], "skip": ["tf.raw_ops.Relu#0"]}
    outcome = session.task("synthesis_tensorflow:profile", given, wall=60)
    tried = [record["at"] for record in outcome.records if "at" in record]
    assert tried[0] == "tf.raw_ops.Relu#1"
    assert any("s" in record for record in outcome.records)


def test_an_example_that_changes_settings_ends_its_process(session):
    given = {"names": [["tf.compat.v1.Session"], ["tf.add"]]}
    outcome = session.task("examples_tensorflow:profile", given, wall=60)
    ran = [record["n"] for record in outcome.records if "s" in record]
    assert outcome.died is not None or "tf.add" in ran
