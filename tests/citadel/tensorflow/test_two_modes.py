"""Reports that run one function eagerly and compiled, in the arms of one expression or apart."""

from fractions import Fraction

import pytest

from analysis.target.session import Limits
from citadel.judge.values import judge_value
from citadel.model import Channels, SymptomKind, VerdictKind
from citadel.plan.adapt import plans
from citadel.propagate.uses import Uses

from .conftest import verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

ARMS = """
    import numpy as np
    import tensorflow as tf

    matrix = np.array([[2.5e19, 1.5e19], [1.5e19, 3.5e19]], np.float32)

    def values(compiled):
        f = tf.function(tf.linalg.eigvalsh, jit_compile=True) if compiled else tf.linalg.eigvalsh
        return f(tf.constant(matrix)).numpy()

    right = np.linalg.eigvalsh(matrix.astype(np.float64))
    print("eager right:", np.allclose(values(False), right, rtol=1e-2, atol=0))
    print("compiled right:", np.allclose(values(True), right, rtol=1e-2, atol=0))
"""

SINGULAR = """
    import tensorflow as tf

    lhs = tf.constant([[2.0, 6.0], [1.0, 3.0]])
    rhs = tf.constant([[4.0], [1.0]])

    class Step(tf.Module):
        def plain(self, m, v):
            return tf.linalg.solve(m, v)

        @tf.function(jit_compile=True)
        def compiled(self, m, v):
            return tf.linalg.solve(m, v)

    step = Step()
    for name in ("plain", "compiled"):
        try:
            print(name, "no error:", getattr(step, name)(lhs, rhs).numpy().ravel())
        except tf.errors.InvalidArgumentError as error:
            print(name, "raises")
"""


@pytest.fixture
def cases(bench):
    """All cases of a sibling, and their verdicts."""

    def judge(found, name, channels):
        uses, api = Uses(found, bench), bench.index.catalog.resolve(name)
        for plan in plans(uses.invocation, api, bench.samples, bench.lexicon):
            for written in uses.write(plan.first() if "eigh" in name else plan):
                yield written.code, judge_value(
                    written, plan, api, found.witness, channels, bench.replays[0],
                    bench.index.catalog, runs=1, limits=Limits(wall=60.0),
                )  # fmt: skip

    return judge


def test_each_arm_of_an_expression_has_the_sibling(bench, read, cases):
    title = "tf.linalg.eigvalsh is wrong for large numbers with jit_compile"
    found = verified(bench, read(title, ARMS, text="Eager mode agrees with NumPy."))
    assert (found.case.api, found.case.reproduces) == ("tf.linalg.eigvalsh", True)
    bugs = [code for code, told in cases(found, "tf.linalg.eigh", Channels(signature=0.5))
            if told.kind is VerdictKind.BUG]  # fmt: skip
    assert bugs
    assert "else lambda tensor: tf.linalg.eigh(tensor)[0]" in bugs[0]
    assert "f(tf.constant(matrix)).numpy()" in bugs[0]


@pytest.mark.parametrize(("context", "bug"), [(Fraction(1, 4), True), (None, False)])
def test_what_refuses_in_one_mode_alone_may_be_given_less(bench, read, cases, context, bug):
    text = "It is an error in eager mode. I expect that both raise."
    found = verified(bench, read("linalg.solve: no error with jit_compile", SINGULAR, text=text))
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    told = [one.kind for _, one in cases(found, "tf.linalg.inv", Channels(context=context))]
    assert (VerdictKind.BUG in told) is bug


RANKED = """
    import tensorflow as tf

    scores = tf.constant([[1.0, 2.0, float("nan")]])
    labels = tf.constant([1])
    best = lambda p, t: tf.math.in_top_k(targets=t, predictions=p, k=1)
    print("eager", best(scores, labels).numpy())
    print("xla", tf.function(best, jit_compile=True)(scores, labels).numpy())
"""


def test_any_of_the_reports_tensors_may_be_the_one_that_a_sibling_takes(bench, read, cases):
    text = "Eager mode answers False. I expect the same of XLA."
    found = verified(bench, read("tf.math.in_top_k differs under XLA with NaN", RANKED, text=text))
    assert found.case.symptom.kind is SymptomKind.DISAGREES
    told = list(cases(found, "tf.reduce_max", Channels(signature=0.5)))
    bugs = [code for code, one in told if one.kind is VerdictKind.BUG]
    assert ["tf.reduce_max(p)" in code for code in bugs] == [True]
    assert any("tf.reduce_max(t)" in code for code, _ in told)
