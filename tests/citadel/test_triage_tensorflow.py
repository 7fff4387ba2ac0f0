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
from citadel.model import VerdictKind
from citadel.oracle import status
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Obstacle
from citadel.rewrite.rewriter import Rewritten
from citadel.triage import Options, triage
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


def test_the_layer_in_a_model_is_blamed_for_what_it_says_itself(triaged):
    found = triaged("Reshape", MODEL, "The model raises an error when it is called.")
    assert found.case.api == "tf.keras.layers.Reshape"
    assert "Exception encountered" not in found.case.symptom.message


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
        runs=1,
        limits=Limits(wall=30.0),
    )
    assert verdict.kind is VerdictKind.NEEDS
    assert "Could not find device" in verdict.reason


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
