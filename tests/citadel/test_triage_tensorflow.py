"""Whole triages of reports about TensorFlow and Keras, on real builds.

The index holds the walked names only: what the samples add is tested with the index itself.
"""

from textwrap import dedent

import pytest

from analysis.catalog.records import read_catalog
from analysis.dynamic.joined import Joined
from analysis.index import read_index
from analysis.target.session import Limits
from benchmarks.rewriting import measure
from citadel.judge import judge
from citadel.model import BugKind, SymptomKind, VerdictKind
from citadel.oracle import status
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Obstacle
from citadel.rewrite.rewriter import Rewritten
from citadel.triage import Options, triage
from citadel.verified import Verified
from citadel.verify import verify
from citadel.walk import Walk
from citadel.workbench import Workbench

pytestmark = [pytest.mark.tf, pytest.mark.slow]

BUILDS = ["tf_target", "tf213_target"]

POOL = """
    import tensorflow as tf
    frames = tf.ones([1, 8, 8, 4])
    print(tf.nn.max_pool2d(frames, ksize=[0, 2], strides=2, padding="VALID").shape)
"""
WINDOW = "InvalidArgumentError: Sliding window ksize for dimension 1 was zero."
MODEL = """
    import tensorflow as tf
    model = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Reshape((7, 7))])
    model(tf.ones([1, 4]))
"""
MATMUL = """
    import tensorflow as tf

    @tf.function
    def product(x):
        return tf.matmul(x, x)

    product(tf.ones([2, 3]))
"""
SESSION = """
    import tensorflow as tf
    tf.compat.v1.{disable}()
    x = tf.compat.v1.placeholder(tf.int32)
    y = tf.square(tf.gather([1, 2, 3], x))
    with tf.compat.v1.Session() as session:
        print({run})
"""
OLD = """
    import tensorflow as tf
    import numpy as np

    session = tf.InteractiveSession()
    x = tf.sparse_placeholder(tf.int32, shape=[None])
    y = tf.truncated_normal([3])
    z = tf.reduce_sum(tf.gather(tf.square(y), tf.sparse_tensor_to_dense(x)))
    session.run(z, feed_dict={x: (np.array([[0]]), [9], [1])})
"""
BEYOND = "InvalidArgumentError: indices[0] = 9 is not in [0, 3)"
FUNCTIONAL = """
    import numpy as np
    import tensorflow as tf

    inputs = tf.keras.Input(shape=(8, 8, 3))
    outputs = tf.keras.layers.Conv2D(4, 3, strides=2**31, padding="same")(inputs)
    model = tf.keras.Model(inputs, outputs)
    print(model.predict(np.ones((1, 8, 8, 3), "float32"), verbose=0).shape)
"""
SUBCLASSED = """
    import numpy as np
    import tensorflow as tf

    class Words(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.vectors = tf.keras.layers.Embedding(4, 2)
            self.out = tf.keras.layers.Dense(1)

        def call(self, words):
            return self.out(tf.reduce_sum(self.vectors(words), 1))

    model = Words()
    model.compile(optimizer="sgd", loss="mse")
    model.fit(np.array([[9, 1]]), np.array([[1.0]]), verbose=0)
"""
BATCHES = """
    import tensorflow as tf

    most = 2**63 - 1
    rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).batch(most, drop_remainder=True)
    rows.batch(most, drop_remainder=True)
"""
OVERFLOW = """
    import numpy as np
    import tensorflow as tf

    inputs = tf.keras.Input(shape=(3,))
    large = tf.keras.layers.Rescaling(1e30)(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.UnitNormalization()(large))
    y = model.predict(np.ones((1, 3), "float32"), verbose=0)
    assert np.allclose(y, 0.57735), y
"""
LITTLE = {
    "tf.TensorArray.write": ("""
        elements = tf.TensorArray(tf.float32, size=1)
        elements.write(5, 1.0)
    """, "OutOfRangeError", "Tried to write to index 5"),
    "tf.RaggedTensor.from_row_splits": ("""
        tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 1])
    """, "InvalidArgumentError", "Arguments to from_row_splits"),
    "tf.data.Dataset.batch": ("""
        print(list(tf.data.Dataset.range(4).batch(0)))
    """, "InvalidArgumentError", "Batch size must be greater than zero"),
    "tf.data.Dataset.window": ("""
        print(list(tf.data.Dataset.range(4).window(0)))
    """, "InvalidArgumentError", "Window size must be greater than zero"),
    "tf.Variable.scatter_nd_update": ("""
        variable = tf.Variable([1.0, 2.0])
        variable.scatter_nd_update([[7]], [1.0])
    """, "InvalidArgumentError", "does not index into shape"),
    "tf.Tensor.__getitem__": ("""
        tf.ones([2, 2])[:, :, 0]
    """, "InvalidArgumentError", "has only 2 dims"),
    "tf.raw_ops.Reshape": ("""
        tf.raw_ops.Reshape(tensor=[1, 2], shape=[3])
    """, "InvalidArgumentError", "Input to reshape"),
    "tf.reshape": ("""
        from tensorflow.python.ops import array_ops
        array_ops.reshape([1, 2], [3])
    """, "InvalidArgumentError", "Input to reshape"),
    "tf.compat.v1.nn.conv2d": ("""
        tf.compat.v1.nn.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 3, 1]), [1] * 4, "SAME")
    """, "InvalidArgumentError", "evenly divisible"),
    "tf.keras.layers.Conv2D": ("""
        tf.keras.layers.Conv2D(1, 3, data_format="channels_last")(tf.ones([1, 2]))
    """, "ValueError", "incompatible"),
    "tf.gather": ("""
        @tf.function
        def chosen(x):
            return tf.gather([1, 2, 3], x)

        print(chosen(tf.constant([9])))
    """, "InvalidArgumentError", "indices[0] = 9"),
}  # fmt: skip
"""API -> (code, exception, part of its message): how TensorFlow's own kinds of APIs fail."""
ABORTS = """
    tf.nn.conv2d(tf.ones([4, 4, 2]), tf.ones([3, 3, 2, 1]), strides=2, padding="VALID")
    tf.nn.conv1d(tf.ones([4, 2]), tf.ones([3, 2, 1]), stride=2, padding="VALID")
    tf.raw_ops.QuantizeAndDequantizeV3(input=[[1.0]], input_min=[], input_max=[], num_bits=8)
    tf.function(lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 1]), 2, "VALID"), input_signature=[tf.TensorSpec(None)])(tf.ones([4, 4, 2]))
    __import__("ctypes").string_at(0)
    __import__("os").abort()
"""  # noqa: E501
DIVIDE = """
    import tensorflow as tf
    whole = tf.constant([4, 6], dtype=tf.int64)
    print(tf.raw_ops.RealDiv(x=whole, y=whole))
"""


@pytest.fixture(scope="module", params=BUILDS)
def bench(request):
    target = request.getfixturevalue(request.param)
    with target.session() as session:
        records = session.task("catalog_tensorflow:walk", {}, wall=120).records
    stored = {
        "key": target.info.key,
        "framework": "tensorflow",
        "catalog": records,
        **Joined(read_catalog(records)).stored(),
        "crashes": [],
        "static": {"request": None, "groups": [], "counts": {"functions": 0, "groups": 0}},
        "seconds": {},
    }
    with Workbench(target, read_index(stored), jobs=2) as made:
        yield made


@pytest.fixture
def triaged(bench, read):
    def run(title, code, text, *, siblings=60):
        options = Options(
            walk=Walk(siblings=siblings, seconds=90.0), runs=1, limits=Limits(wall=30.0)
        )
        return triage(read(title, code, text=text), bench, options)

    return run


def verified(bench, reading):
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=1, limits=Limits(wall=60.0))
    assert isinstance(found, Verified), found
    return found


def bugs(found):
    return {name for finding in found.bugs for name in (finding.api, *finding.aliases)}


def test_functions_layers_and_other_dimensions(triaged):
    found = triaged("max_pool2d takes a window of size 0", POOL, WINDOW)
    assert found.case.reproduces
    assert found.case.api == "tf.nn.max_pool2d"
    assert bugs(found) >= {"tf.nn.max_pool3d", "tf.nn.avg_pool2d", "tf.nn.max_pool1d"}
    (lifted,) = (f for f in found.bugs if f.api == "tf.nn.max_pool3d")
    assert "frames = tf.ones([1, 8, 8, 1, 4])" in lifted.code
    assert "ksize=[0, 2, 2]" in lifted.code


LAYER = """
import tensorflow as tf
tf.keras.layers.Conv2DTranspose(2, [3, 3], strides=[1, 1], padding="same", dilation_rate=[0, 2])
"""


def test_a_layer_that_cannot_be_made_has_siblings(triaged):
    found = triaged("Conv2DTranspose", LAYER, "ValueError: a dilation of 0")
    assert found.case.reproduces
    layers = "tf.keras.layers."
    assert bugs(found) >= {f"{layers}Conv3DTranspose", f"{layers}Conv1D", f"{layers}Conv2D"}
    (lifted,) = (f for f in found.bugs if f.api == f"{layers}Conv3DTranspose")
    assert "[3, 3, 3]" in lifted.code
    assert "dilation_rate=[0, 2, 2]" in lifted.code


def test_the_layer_in_a_model_is_blamed_for_what_it_says_itself(triaged):
    found = triaged("Reshape", MODEL, "The model raises an error when it is called.")
    assert found.case.api == "tf.keras.layers.Reshape"
    assert "Exception encountered" not in found.case.symptom.message


def test_a_functional_model_fails_for_layers_of_other_dimensions_as_well(triaged):
    found = triaged("Conv2D strides", FUNCTIONAL, "ValueError: Attr strides has value 2147483648")
    assert found.case.reproduces
    assert found.case.api == "tf.keras.layers.Conv2D"
    assert bugs(found) >= {"tf.keras.layers.Conv1D", "tf.keras.layers.Conv3D"}
    (lifted,) = (f for f in found.bugs if f.api == "tf.keras.layers.Conv3D")
    assert "(inputs[..., None, :])" in lifted.code
    assert "Conv3D" in lifted.code


def test_methods_of_datasets_are_siblings_of_one_another(triaged):
    found = triaged("Dataset.batch dies", BATCHES, "Aborted (core dumped)")
    assert found.case.api == "tf.data.Dataset.batch"
    assert found.case.reproduces
    assert bugs(found) >= {"tf.data.Dataset.padded_batch", "tf.data.Dataset.ragged_batch"}


def test_the_layer_in_a_subclassed_model_is_blamed_for_what_fit_raises(bench, read):
    text = "InvalidArgumentError: indices[0,0] = 9 is not in [0, 4)"
    found = verified(bench, read("fit fails", SUBCLASSED, text=text))
    assert found.case.reproduces
    assert found.case.api == "tf.keras.layers.Embedding"


def test_the_layer_in_a_model_is_blamed_for_what_predict_returns(bench, read):
    found = verified(bench, read("zeros in a model", OVERFLOW))
    assert found.case.reproduces
    assert found.case.api == "tf.keras.layers.UnitNormalization"
    assert True in found.witness.own  # another result of the layer changes what is shown


def test_the_call_in_a_graph_function_is_blamed(triaged):
    found = triaged("matmul", MATMUL, "ValueError: Dimensions must be equal, but are 3 and 2")
    assert found.case.api == "tf.matmul" or "tf.matmul" in found.case.aliases
    assert found.case.symptom.message.startswith("Dimensions must be equal")


def test_a_kernel_that_is_missing_is_what_the_report_is_about(triaged):
    found = triaged("RealDiv", DIVIDE, "NotFoundError: Could not find device for node")
    assert found.case.reproduces
    assert found.case.api == "tf.raw_ops.RealDiv"


def test_a_kernel_that_is_missing_is_no_bug_of_a_sibling(bench, by_hand, call):
    api = bench.index.catalog.resolve("tf.raw_ops.RealDiv")
    wanted = status.raises("InvalidArgumentError", WINDOW)
    verdict = judge(
        Rewritten(code=dedent(DIVIDE), edits=(), sites={}),
        first_plan(api, call),
        api,
        by_hand(call("tf.nn.max_pool2d"), wanted),
        bench.replays[0],
        bench.index.catalog,
        close=True,
        runs=1,
        limits=Limits(wall=30.0),
    )
    assert verdict.kind is VerdictKind.NEEDS
    assert "Could not find device" in verdict.reason


@pytest.mark.parametrize("api", LITTLE)
def test_what_fails_is_blamed_in_its_own_words(bench, read, api):
    code, exception, message = LITTLE[api]
    source = "import tensorflow as tf\n" + dedent(code)
    found = verified(bench, read(f"{api.rpartition('.')[2]} fails", source, text=exception))
    assert found.case.reproduces
    assert api in (found.case.api, *found.case.aliases)
    assert found.case.symptom.exception == exception
    assert message in found.case.symptom.message


@pytest.mark.parametrize("disable", ["disable_eager_execution", "disable_v2_behavior"])
@pytest.mark.parametrize("run", ["session.run(y, {x: [9]})", "y.eval({x: [9]})"])
def test_a_session_fails_for_what_was_put_into_its_graph(bench, read, disable, run):
    code = SESSION.format(disable=disable, run=run)
    found = verified(bench, read("an index that is out of range", code, text=BEYOND))
    assert found.case.api == "tf.gather"
    assert found.case.symptom.message == "indices[0] = 9 is not in [0, 3)"


def test_siblings_are_found_in_a_session(triaged):
    code = SESSION.format(disable="disable_eager_execution", run="session.run(y, {x: [9]})")
    found = triaged("gather is out of range", code, BEYOND)
    assert found.case.api == "tf.gather"
    assert "tf.raw_ops.Gather" in bugs(found)


def test_code_of_version_1_runs_as_such_and_so_does_what_is_generated_from_it(triaged):
    found = triaged("gather is out of range", OLD, BEYOND)
    assert found.case.reproduces
    assert found.case.api == "tf.compat.v1.gather"  # another function than tf.gather
    assert "repaired: tensorflow 1" in found.case.evidence
    (raw,) = (f for f in found.bugs if f.api == "tf.raw_ops.Gather")
    assert "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n" in raw.code


def test_variables_that_a_report_sets_first_reach_the_framework(triaged):
    code = """
        import os
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = "{}"
        import tensorflow as tf
        tf.nn.max_pool1d(tf.ones([2, 3, 4]), ksize=2**40, strides=1, padding="SAME")
    """
    with_library = triaged("max_pool1d aborts", code.format(1), "Aborted", siblings=1)
    assert with_library.case.reproduces
    without = triaged("max_pool1d aborts", code.format(0), "Aborted", siblings=1)
    assert without.case.observed.startswith("InvalidArgumentError: Attr ksize has value")


def test_what_dies_in_a_graph_is_blamed_where_the_function_runs_as_python(triaged):
    code = """
        import tensorflow as tf

        class Model(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec(None)])
            def __call__(self, x):
                return tf.nn.conv2d(tf.abs(x), tf.ones([3, 3, 2, 1]), 2, "VALID")

        model = Model()
        print(model(tf.ones([4, 4, 2])))
    """
    found = triaged("a model aborts", code, "Aborted (core dumped)")
    assert found.case.reproduces
    assert found.case.api == "tf.nn.conv2d"
    assert "repaired: functions run eagerly" in found.case.evidence
    assert found.bugs
    assert all("tf.config.run_functions_eagerly(True)" in bug.code for bug in found.bugs)


def test_real_aborts_leave_the_server_alone_and_tell_their_state(bench):
    states = []
    for line in filter(None, map(str.strip, ABORTS.splitlines())):
        died = bench.replays[0].run(f"import tensorflow as tf\n{line}", limits=Limits(wall=60.0))
        symptom = status.capture(died)
        assert symptom is not None, (line, died.stdout)
        assert symptom.kind is SymptomKind.CRASHES
        states.append(symptom.pattern)
        alive = bench.replays[0].run("import tensorflow as tf\nprint(int(tf.add(1, 2)))")
        assert alive.stdout == "3\n"
    two, one, scalar, graph, segment, plain = states
    assert two == one == graph
    assert two.startswith("tensor_format.h: Check failed: index >= N && index < num_total_dims")
    assert scalar.startswith("tensor.cc: Check failed: N == NumElements() (N vs. N)")
    assert segment is None
    assert plain is None


@pytest.mark.parametrize("code", [POOL, DIVIDE], ids=["pool", "divide"])
def test_text_and_live_values_agree_and_most_cases_run(bench, read, code):
    tally = measure(read("report", code).report, bench, 20, ())
    assert tally.pairs == 20
    assert tally.counts["refused"] <= 1
    assert tally.counts["observed"] >= 17
    assert tally.counts["disagreeing"] * 20 <= tally.counts["agreeing"]


def first_plan(api, call):
    made = call("tf.raw_ops.RealDiv", x={(2,)}, y={(2,)})
    found = plans(invocation(made, api, ()), api)
    assert not isinstance(found, Obstacle)
    return found[0]


SMOOTHED = """
import tensorflow as tf
loss = tf.keras.losses.CategoricalCrossentropy(label_smoothing=3.0)
print(loss(tf.constant([[0.0, 1.0]]), tf.constant([[0.4, 0.6]])))
"""


def test_what_a_loss_is_made_with_is_known_when_it_is_called(triaged):
    """Losses and initialisers are no layers, but are made and called like them."""
    title = "CategoricalCrossentropy accepts label_smoothing outside of [0, 1]"
    found = triaged(title, SMOOTHED, "No error is raised.")
    assert found.case.reproduces
    assert "tf.keras.losses.BinaryCrossentropy" in bugs(found)
    function = next(f for f in found.bugs if f.api.endswith(".binary_crossentropy"))
    assert "label_smoothing=3.0" in function.code
    assert "tf.keras.losses.LogCosh" not in bugs(found)  # has no such argument


SHIFTED = """
import tensorflow as tf
x, n = tf.constant([-8, 16, 7]), tf.constant([33, 40, -1])
eager = tf.bitwise.right_shift(x, n)
compiled = tf.function(tf.bitwise.right_shift, jit_compile=True)(x, n)
tf.debugging.assert_equal(eager, compiled)
"""
CLIPPED = """
import tensorflow as tf
print(tf.clip_by_norm(tf.constant([float("inf"), 1.0]), 1.0))
"""
LONGER = """
import tensorflow as tf
y = tf.keras.layers.UpSampling1D(size=3)(tf.ones((1, 4, 2)))
assert y.shape == (1, 12, 3), y.shape
"""


def test_what_an_assertion_of_tensorflow_compares_is_a_value(bench, read):
    reading = read("jit_compile changes the result of tf.bitwise.right_shift", SHIFTED)
    found = verified(bench, reading)
    assert found.case.api == "tf.bitwise.right_shift"
    assert found.case.kind is BugKind.VALUE
    assert found.case.reproduces
    about = read("tf.debugging.assert_equal fails for equal shifts", SHIFTED)
    assert verified(bench, about).case.kind is BugKind.STATUS


def test_an_infinity_that_is_handed_on_is_no_nan(triaged):
    found = triaged("clip_by_norm returns nan", CLIPPED, "nan should not be produced.", siblings=20)
    assert found.case.reproduces
    assert not bugs(found) & {"tf.identity", "tf.raw_ops.Sqrt", "tf.reduce_sum"}


def test_the_only_api_is_to_blame_for_a_shape_whatever_the_title_names(bench, read):
    found = verified(bench, read("Conv2DTranspose gives a wrong output shape", LONGER))
    assert found.case.api == "tf.keras.layers.UpSampling1D"
    assert found.case.reproduces
