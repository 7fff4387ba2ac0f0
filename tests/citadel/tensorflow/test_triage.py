"""Triage on TensorFlow: who is to blame, and whose text fails as the report's does."""

from dataclasses import replace
from textwrap import dedent

import pytest

from analysis.target.session import Limits
from benchmarks.rewriting import measure
from citadel.judge.status import judge, refused_elsewhere
from citadel.judge.values import judge_value
from citadel.model import BugKind, Channels, SymptomKind, VerdictKind
from citadel.plan.adapt import plans
from citadel.plan.model import Adaptation, Form, Slot, Step, Take
from citadel.propagate.uses import Uses

from .conftest import DIVIDE, WINDOW, bugs, verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

# Kernels that are the usual ones on some processors only: they check windows in one place.
POOL = """
    import os
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
    import tensorflow as tf
    frames = tf.ones([1, 8, 8, 4])
    print(tf.nn.max_pool2d(frames, ksize=[0, 2], strides=2, padding="VALID").shape)
"""

SPARSE = """
    import tensorflow as tf
    places, size = tf.constant([[0, 2]], tf.int64), tf.constant([2, 3], tf.int64)
    tf.raw_ops.SparseTensorDenseMatMul(
        a_indices=places, a_values=tf.ones([1]), a_shape=size, b=tf.ones([2, 2])
    )
"""

INNER = "InvalidArgumentError: Cannot multiply A and B because inner dimension does not match"

QUEUE = """
    import tensorflow as tf
    queue = tf.queue.FIFOQueue(8, dtypes=[tf.float32], shapes=[[]])
    queue.enqueue_many([[0.5, 1.5, 2.5]])
    print(queue.dequeue_up_to([]))
"""
BATCHES = """
    import tensorflow as tf

    most = 2**63 - 1
    rows = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).batch(most, drop_remainder=True)
    rows.batch(most, drop_remainder=True)
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


def test_what_takes_a_sparse_tensor_gets_one_made_of_its_parts(triaged):
    found = triaged("SparseTensorDenseMatMul of wrong sizes", SPARSE, INNER)
    (made,) = (f for f in found.findings if f.api == "tf.sparse.sparse_dense_matmul")
    assert made.verdict.kind is VerdictKind.ALIKE  # both are right to refuse it
    assert "tf.SparseTensor(places, tf.ones([1]), size), b=tf.ones([2, 2])" in made.code


def test_functions_layers_and_other_dimensions(triaged):
    found = triaged("max_pool2d takes a window of size 0", POOL, WINDOW)
    assert found.case.reproduces
    assert found.case.api == "tf.nn.max_pool2d"
    assert bugs(found) >= {"tf.nn.max_pool3d", "tf.nn.avg_pool2d", "tf.nn.max_pool1d"}
    (lifted,) = (f for f in found.bugs if f.api == "tf.nn.max_pool3d")
    assert "frames = tf.ones([1, 8, 8, 1, 4])" in lifted.code
    assert "ksize=[0, 2, 2]" in lifted.code


def test_methods_of_datasets_are_siblings_of_one_another(triaged):
    found = triaged("Dataset.batch dies", BATCHES, "Aborted (core dumped)")
    assert found.case.api == "tf.data.Dataset.batch"
    assert found.case.reproduces
    assert bugs(found) >= {"tf.data.Dataset.padded_batch", "tf.data.Dataset.ragged_batch"}


def test_other_methods_of_the_object_whose_method_dies(triaged):
    found = triaged("Segfault in dequeue_up_to", QUEUE, "Segmentation fault (core dumped)")
    assert found.case.aliases[0] == "tf.queue.FIFOQueue.dequeue_up_to"
    assert "tf.queue.FIFOQueue.dequeue_many" in bugs(found)
    assert not {"tf.queue.FIFOQueue.size", "tf.queue.FIFOQueue.enqueue"} & bugs(found)


@pytest.mark.parametrize("api", LITTLE)
def test_what_fails_is_blamed_in_its_own_words(bench, read, api):
    code, exception, message = LITTLE[api]
    source = "import tensorflow as tf\n" + dedent(code)
    found = verified(bench, read(f"{api.rpartition('.')[2]} fails", source, text=exception))
    assert found.case.reproduces
    assert api in (found.case.api, *found.case.aliases)
    assert found.case.symptom.exception == exception
    assert message in found.case.symptom.message


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


@pytest.mark.parametrize("code", [POOL, DIVIDE], ids=["pool", "divide"])
def test_text_and_live_values_agree_and_most_cases_run(bench, read, code):
    tally = measure(read("report", code).report, bench, 20, ())
    assert tally.pairs == 20
    assert tally.counts["refused"] <= 1
    assert tally.counts["observed"] >= 17
    assert tally.counts["disagreeing"] * 20 <= tally.counts["agreeing"]


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


RAGGED = """
    import tensorflow as tf
    rows = tf.ragged.constant([[1.0, float("inf")], [9.0, 2.0]])
    print("sums:", tf.math.cumsum(rows, axis=-1))
"""


def test_the_elements_of_ragged_tensors_are_looked_at(bench, read):
    title = "tf.math.cumsum of ragged rows gives NaN behind an infinity"
    found = verified(bench, read(title, RAGGED, text="The second row becomes NaN."))
    assert found.case.kind is BugKind.VALUE
    assert found.case.reproduces
    assert "tf.math.cumsum" in (found.api.name, *found.api.aliases)


SLOPES = """
    import tensorflow as tf

    def f(x):
        return tf.atan(x)

    x = tf.complex([[0.]], [[1.1262]])
    value = f(x)
    theoretical, numerical = tf.test.compute_gradient(f, [x])
    assert tf.experimental.numpy.allclose(theoretical, numerical)
"""


def test_arrays_have_no_wrong_gradients(triaged):
    title = "Wrong gradient for `tf.atan` with complex input"
    found = triaged(title, SLOPES, "They should agree.", siblings=400)
    assert found.case.reproduces
    assert found.case.api == "tf.atan"
    told = {finding.api: finding for finding in found.findings}
    verdict = told["tf.keras.backend.eval"].verdict
    assert verdict.reason == "gradients do not go through what it makes"
    assert verdict.kind is VerdictKind.NOT_ADAPTED
    assert told["tf.asinh"].verdict.kind is VerdictKind.BUG


def test_new_variables_have_no_wrong_gradients(bench, read):
    found = verified(bench, read("Wrong gradient for `tf.atan` with complex input", SLOPES))
    uses, api = Uses(found, bench), bench.index.catalog.resolve("tf.Variable.__radd__")
    given = Take(key="arg:0")
    plan = Adaptation(
        target=api.name,
        form=Form.METHOD,
        receiver=replace(given, steps=(Step(name="variable"),)),
        new=(),
        call=(Slot(name="x", keyword=False, value=given),),
        edits=(),
        plausibility=0.8,
    )
    verdict = judge_value(
        next(uses.write(plan)),
        plan,
        api,
        found.witness,
        Channels(signature=1.0),
        bench.replays[0],
        bench.index.catalog,
        runs=1,
        limits=Limits(wall=60.0),
    )
    assert verdict.reason == "gradients do not go through what it makes"


GATHERED = """
    import tensorflow as tf

    @tf.function
    def gathered(x, indices, axis, batch_dims):
        return tf.gather(x, indices, axis=axis, batch_dims=batch_dims)

    x, indices = tf.reshape(tf.range(6), [2, 3]), tf.constant([[[0, 1]], [[1, 0]]])
    print(tf.gather(x, indices, axis=1, batch_dims=-3))
    print(gathered(x, indices, 1, -3))
"""
AT_LEAST = (
    "ValueError: Shape must be at least rank 3 but is rank 2 for '{{node GatherV2}} = "
    "GatherV2[batch_dims=-3](x, indices, GatherV2/axis)' with input shapes: [2,3], [2,1,2], []."
)


def test_what_refuses_the_arguments_elsewhere_is_another_matter(bench, read):
    title = "tf.gather checks batch_dims falsely in graph mode"
    found = verified(bench, read(title, GATHERED, text=AT_LEAST))
    assert found.case.symptom.exception == "ValueError"
    uses = Uses(found, bench)
    for name, kind in (
        ("tf.math.unsorted_segment_sum", VerdictKind.BUG),
        ("tf.compat.v1.gather", VerdictKind.CLEAN),
    ):
        api = bench.index.catalog.resolve(name)
        plan = plans(uses.invocation, api, bench.samples, bench.lexicon)[0]
        given = (plan, api, found, bench.replays[0], bench.index.catalog)
        limits = Limits(wall=60.0)
        verdict = judge(next(uses.write(plan)), *given, close=False, runs=1, limits=limits)
        assert verdict.kind is kind
        everywhere = uses.everywhere(plan)
        assert everywhere.code.count(f"{name}(") == 2
        refused = refused_elsewhere(everywhere, *given, limits=limits)
        assert refused is (kind is VerdictKind.BUG)


COMPILED = """
    import tensorflow as tf
    value, indices = tf.constant([[0.0, 1.0], [2.0, 3.0]]), tf.constant([[0, 0], [1, 2]])
    tf.gather_nd(value, indices)
    compiled = tf.function(lambda x, i: tf.gather_nd(x, i), jit_compile=True)
    print(compiled(value, indices))
"""
REFUSED = "InvalidArgumentError: indices[1] = [1, 2] does not index into param shape [2,2]"


@pytest.mark.parametrize("last", [False, True])
def test_what_is_accepted_is_the_bug_whether_it_is_refused_before_or_after(bench, read, last):
    first, line = COMPILED.rstrip(), "    tf.gather_nd(value, indices)\n"
    code = f"{first.replace(line, '')}\n{line}" if last else COMPILED
    title = "tf.gather_nd silently accepts indices out of bounds with jit_compile=True"
    found = verified(bench, read(title, code, text=f"```\n{REFUSED}\n```"))
    assert found.case.reproduces
    assert (found.case.api, found.case.symptom.kind) == ("tf.gather_nd", SymptomKind.ACCEPTS)
    assert "except Exception" in found.case.code


def test_a_refusal_is_the_bug_where_nothing_is_accepted(bench, read):
    title = "tf.gather_nd silently accepts indices out of bounds"
    code = "\n".join(COMPILED.splitlines()[:4])
    found = verified(bench, read(title, code, text=f"```\n{REFUSED}\n```"))
    assert "except Exception" not in found.case.code
