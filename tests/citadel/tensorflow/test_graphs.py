"""Reports about graph functions, sessions and code of TensorFlow 1."""

from fractions import Fraction
from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.judge.status import judge
from citadel.judge.values import judge_value
from citadel.model import BugKind, Channels, SymptomKind, VerdictKind
from citadel.oracle import status
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Adaptation, Form, Obstacle
from citadel.rewrite.rewriter import Rewritten
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified

from .conftest import DIVIDE, WINDOW, bugs, verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

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

ABORTS = """
    tf.nn.conv2d(tf.ones([4, 4, 2]), tf.ones([3, 3, 2, 1]), strides=2, padding="VALID")
    tf.nn.conv1d(tf.ones([4, 2]), tf.ones([3, 2, 1]), stride=2, padding="VALID")
    tf.raw_ops.QuantizeAndDequantizeV3(input=[[1.0]], input_min=[], input_max=[], num_bits=8)
    tf.function(lambda x: tf.nn.conv2d(x, tf.ones([3, 3, 2, 1]), 2, "VALID"), input_signature=[tf.TensorSpec(None)])(tf.ones([4, 4, 2]))
    __import__("ctypes").string_at(0)
    __import__("os").abort()
"""  # noqa: E501


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


def test_a_sibling_of_version_2_is_no_function_of_version_1_with_its_name(triaged):
    code = """
        import tensorflow as tf
        x = tf.placeholder(tf.float32, [2, 3])
        tf.norm(x, ord="none", axis=1)
    """
    found = triaged("norm", code, "ValueError: 'ord' must be a supported vector norm", siblings=20)
    assert found.case.api == "tf.compat.v1.norm"
    (second,) = (f for f in found.bugs if f.api == "tf.norm")
    assert "import tensorflow\n" in second.code
    assert 'tensorflow.norm(x, ord="none", axis=1)' in second.code


SLOPES = """
    import tensorflow as tf
    x = tf.placeholder(tf.float32, [3, 1])
    y = {call}
    with tf.Session() as session:
        print(session.run((y, tf.gradients(y, [x])), {{x: [[1.0], [0.0], [1e-16]]}}))
"""


def with_roots(bench, found, call):
    """The verdict on the square root in the place of a call: its slope at zero is infinite."""
    plan = Adaptation(
        target="tf.raw_ops.Sqrt",
        form=Form.FUNCTION,
        receiver=None,
        new=(),
        call=(),
        edits=(),
        plausibility=1.0,
    )
    other = found.case.code.replace(call, "tf.raw_ops.Sqrt(x=x)")
    return judge_value(
        Rewritten(code=other, edits=(), sites={n: n for n in range(40)}),
        plan,
        bench.index.catalog.resolve("tf.raw_ops.Sqrt"),
        found.witness,
        Channels(context=Fraction(9, 10), signature=0.1),
        bench.replays[0],
        bench.index.catalog,
        runs=1,
        limits=Limits(wall=30.0),
    )


def test_an_infinite_slope_is_no_slope_that_is_no_number(bench, read):
    code = SLOPES.format(call="tf.norm(x, axis=1)")
    found = verified(bench, read("The gradient of tf.norm is nan at zero", code))
    assert found.case.api == "tf.compat.v1.norm"
    told = with_roots(bench, found, "tf.norm(x, axis=1)")
    assert (told.kind, told.symptom.kind) == (VerdictKind.NOT_ADAPTED, SymptomKind.NON_FINITE)
    assert "slope" in told.reason


def test_what_is_differentiated_is_to_blame_where_a_report_is_fixed(bench, read):
    code = SLOPES.format(call="tf.clip_by_norm(x, 9.0)")
    found = verified(bench, read("nan gradients", code, text="It should be 1, I get nan."))
    assert "clip_by_norm" in found.case.api
    assert not found.case.reproduces
    assert "slope" in with_roots(bench, found, "tf.clip_by_norm(x, 9.0)").reason


def test_a_check_of_which_a_graph_tells_nothing_is_no_sign_that_a_report_is_fixed(bench, read):
    code = """
        import tensorflow as tf

        def checked(x):
            return tf.debugging.check_numerics(x, "odd")

        x = tf.constant([2.0, float("nan")])
        try:
            checked(x)
        except Exception as problem:
            print(type(problem).__name__)
        try:
            tf.function(checked, jit_compile=True)(x)
            print("fine")
        except Exception as problem:
            print(type(problem).__name__)
    """
    title = "XLA ignores tf.debugging.check_numerics on nan while eager raises InvalidArgumentError"
    text = "Eager execution refuses nan; compiled, it returns successfully instead of raising."
    reading = read(title, code, text=text)
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=1, limits=Limits(wall=60.0))
    assert isinstance(found, NotVerified) or found.case.reproduces


def test_what_fails_before_it_comes_to_what_only_version_1_has_is_of_version_1(bench, read):
    code = """
        import tensorflow as tf
        x = tf.constant([0.0, 2.0])
        slope = tf.gradients(tf.sqrt(x), x)
        print(tf.Session().run(slope))
    """
    found = verified(bench, read("The gradient of tf.sqrt is inf at zero", code))
    assert "repaired: tensorflow 1" in found.case.evidence
    assert (found.case.reproduces, found.case.kind) == (True, BugKind.VALUE)


def test_what_dies_in_a_graph_is_blamed_where_the_function_runs_as_python(triaged):
    code = """
        import os
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
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
    bench.ask_for({"TF_ENABLE_ONEDNN_OPTS": "1"})  # elsewhere convolutions check their input
    for line in filter(None, map(str.strip, ABORTS.splitlines())):
        died = bench.replays[0].run(f"import tensorflow as tf\n{line}", limits=Limits(wall=60.0))
        symptom = status.capture(died)
        assert symptom is not None, (line, died.stdout)
        assert symptom.kind is SymptomKind.CRASHES
        states.append(symptom.pattern)
        alive = bench.replays[0].run("import tensorflow as tf\nprint(int(tf.add(1, 2)))")
        assert alive.stdout == "3\n"
    bench.ask_for({})
    two, one, scalar, graph, segment, plain = states
    assert two == one == graph
    assert two.startswith("tensor_format.h: Check failed: index >= N && index < num_total_dims")
    assert scalar.startswith("tensor.cc: Check failed: N == NumElements() (N vs. N)")
    assert segment is None
    assert plain is None


def first_plan(api, call):
    made = call("tf.raw_ops.RealDiv", x={(2,)}, y={(2,)})
    found = plans(invocation(made, api, ()), api)
    assert not isinstance(found, Obstacle)
    return found[0]


@pytest.mark.parametrize("bench", ["tf213_target"], indirect=True)
def test_a_function_that_is_compiled_in_one_place_is_replaced_in_both(triaged):
    code = """
        import numpy as np
        import tensorflow as tf
        x = tf.constant([float("nan"), 1.0, 9.0])
        one = tf.nn.relu6(x)
        two = tf.function(tf.nn.relu6, jit_compile=True)(x)
        np.testing.assert_allclose(one, two)
    """
    found = triaged("tf.nn.relu6 swallows NaN with XLA", code, "The results differ.", siblings=12)
    assert found.case is not None
    assert found.case.api == "tf.nn.relu6"
    assert "tf.raw_ops.Relu6" in bugs(found)


COMPILED = """
    import tensorflow as tf

    x = tf.reshape(tf.range(6), (2, 3))

    @tf.function(jit_compile=True)
    def f(x):
        return tf.reverse_sequence(x, [2, 5], seq_axis=1, batch_axis=0)

    print(f(x))
"""


def test_what_runs_in_a_compiled_function_is_blamed_where_nothing_fails(triaged):
    title = "tf.reverse_sequence with jit_compile=True accepts seq_lengths that are too large"
    found = triaged(title, COMPILED, "Without XLA an InvalidArgumentError is raised.")
    assert found.case.api == "tf.reverse_sequence"
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert "tf.raw_ops.ReverseSequence" in bugs(found)


REFUSED_IN_EAGER_MODE = """
    import tensorflow as tf

    params = tf.constant([1.0, 2.0, 3.0])

    @tf.function(jit_compile=True)
    def f(i):
        return tf.gather(params, i)

    try:
        print(tf.gather(params, [7]))
    except tf.errors.InvalidArgumentError as e:
        print("eager:", e.message)
    print("xla:", f(tf.constant([7])))
"""


@pytest.mark.parametrize("bench", ["tf213_target"], indirect=True)
def test_what_a_sibling_refuses_in_eager_mode_alone_is_its_bug_whatever_it_gives(triaged):
    title = "tf.gather with jit_compile=True does not check indices"
    found = triaged(title, REFUSED_IN_EAGER_MODE, "In eager mode it raises.", siblings=20)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert "tf.gather_nd" in bugs(found)  # of shape [], where that of tf.gather is [1]
    assert "tf.experimental.numpy.take" not in bugs(found)  # clips in eager mode, too
    assert "tf.compat.v1.nn.embedding_lookup" not in bugs(found)  # of indices that are made up


CHECKED = """
    import tensorflow as tf

    @tf.function(jit_compile=True)
    def guarded(x):
        return tf.debugging.check_numerics(tf.math.log(x), "log of a negative number")

    values = tf.constant([1.0, -1.0, 2.0])
    try:
        tf.debugging.check_numerics(tf.math.log(values), "log of a negative number")
    except tf.errors.InvalidArgumentError as e:
        print("eager:", type(e).__name__)
    print("jit:", guarded(values).numpy(), "- no error raised")
"""


@pytest.mark.parametrize("bench", ["tf_target"], indirect=True)
def test_a_check_that_gives_nothing_stands_in_front_of_what_it_checks(triaged):
    title = "tf.debugging.check_numerics is silently ignored with jit_compile=True"
    text = (
        "Under XLA the check is dropped: no error is raised."
        " It should raise InvalidArgumentError as eager mode does."
    )
    found = triaged(title, CHECKED, text, siblings=40)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    codes = {finding.api: finding.code for finding in found.bugs}
    assert "checked = tf.math.log(x)\n" in codes["tf.debugging.assert_positive"]
    assert "    return checked\n" in codes["tf.debugging.assert_positive"]
