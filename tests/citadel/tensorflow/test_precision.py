"""What double precision says of TensorFlow's siblings: those that it reaches."""

import pytest

from analysis.target.session import Limits
from analysis.values import Value
from citadel.judge.values import judge_value
from citadel.model import Channels, VerdictKind
from citadel.plan.adapt import plans
from citadel.plan.lexicon import Lexicon
from citadel.propagate.uses import Uses

from .conftest import verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

MEAN = """
    import numpy as np
    import tensorflow as tf

    np.random.seed(0)
    x = np.random.randn(65536).astype(np.float16)
    print("numpy:", float(np.mean(x.astype(np.float64))))
    print("tensorflow:", float(tf.reduce_mean(tf.constant(x)).numpy()))
"""


@pytest.fixture
def judged(bench):
    def judge(found, name, family, signature=1.0, *, references=True):
        uses, api = Uses(found, bench), bench.index.catalog.resolve(name)
        channels = Channels(family=family, signature=signature)
        for plan in plans(uses.invocation, api, bench.samples, bench.lexicon):
            for written in uses.write(plan):
                if written.references and not references:
                    continue
                return judge_value(
                    written, plan, api, found.witness, channels, bench.replays[0],
                    bench.index.catalog, runs=1, limits=Limits(wall=60.0),
                )  # fmt: skip
        return None

    return judge


def test_what_stays_as_it_is_in_double_precision_is_another_function(bench, read, judged):
    """A product of many small numbers is 0, as the mean of too many in float16 wrongly is."""
    title = "tf.reduce_mean of float16 is 0 for 65536 elements"
    found = verified(bench, read(title, MEAN, text="The result should be NumPy's."))
    assert (found.case.api, found.case.reproduces) == ("tf.reduce_mean", True)
    assert judged(found, "tf.math.reduce_std", None).kind is VerdictKind.BUG
    product = judged(found, "tf.reduce_prod", None, references=False)
    assert product.kind is VerdictKind.NOT_ADAPTED
    assert "double precision" in product.reason
    assert judged(found, "tf.reduce_prod", None).kind is VerdictKind.CLEAN  # beside `np.prod`


LOG = """
    import numpy as np
    import tensorflow as tf

    size = np.logspace(-30, 30, 16).astype("float32")
    z = tf.complex(size, size)
    print(tf.math.log(z).numpy())
"""


def test_what_has_a_dtype_of_its_own_is_not_asked_in_double_precision(bench, read, judged):
    """`keras.ops.log` makes complex64 of complex128."""
    title = "tf.math.log is NaN for large complex numbers"
    found = verified(bench, read(title, LOG, text="NumPy gives a finite number."))
    if bench.index.catalog.resolve("tf.keras.ops.log") is None:
        pytest.skip("no keras.ops in this build")
    assert found.case.reproduces
    assert judged(found, "tf.keras.ops.log", "same name").kind is VerdictKind.BUG


NAMES = ("filters", "kernel")
CONVOLVED = """
    import tensorflow as tf

    x = tf.ones((1, 5, 5, 2))
    w = tf.fill((3, 2, 2, 4), float("nan"))
    y = tf.nn.conv2d(x, w, strides=2, padding="VALID")
    print(tf.reduce_any(tf.math.is_nan(y)).numpy())
"""


class Convolutions:
    """A valid call of `Conv2D`, with what the layer has of its own."""

    def of(self, _api):
        shapes = {"inputs": (4, 28, 28, 128), ".kernel": (3, 3, 128, 32), ".bias": (32,)}
        given = {name: Value(kind="tensor", shape=shape) for name, shape in shapes.items()}
        sizes = {"filters": "32", "kernel_size": "3"}
        return ({**given, **{name: Value(kind="int", text=text) for name, text in sizes.items()}},)


def test_a_layer_of_keras_has_the_kernel_that_the_function_was_given(bench, read):
    title = "tf.nn.conv2d gives NaN"
    found = verified(bench, read(title, CONVOLVED, text="`y` is NaN but should be finite."))
    uses, api = Uses(found, bench), bench.index.catalog.resolve("tf.keras.layers.Conv2D")
    (plan, *_) = plans(uses.invocation, api, Convolutions(), Lexicon([frozenset(NAMES)]))
    (written, *_) = uses.write(plan)
    assert "conv2d.kernel.assign(w)" in written.code
    told = judge_value(
        written, plan, api, found.witness, Channels(family="module"), bench.replays[0],
        bench.index.catalog, runs=1, limits=Limits(wall=60.0),
    )  # fmt: skip
    assert told.kind is VerdictKind.BUG


SMALL = """
    import numpy as np
    import tensorflow as tf

    x = np.array([-1e-6, -1e-8], dtype=np.float32)
    expected = 1.0507009873554805 * 1.6732632423543772 * np.expm1(x.astype(np.float64))
    np.testing.assert_allclose(tf.nn.selu(tf.constant(x)).numpy(), expected, rtol=1e-3)
"""


def test_what_double_precision_cures_is_the_bug_however_small_the_numbers(bench, read, judged):
    """Within the tolerance of single precision, the right result of -1e-8 is the wrong one."""
    title = "tf.nn.selu gives 0 for small negative inputs"
    found = verified(bench, read(title, SMALL, text="exp(x) - 1 cancels."))
    assert (found.case.api, found.case.reproduces) == ("tf.nn.selu", True)
    assert judged(found, "tf.raw_ops.Selu", "op").kind is VerdictKind.BUG


def test_what_comes_to_the_reference_in_double_precision_is_the_same_function(bench, read, judged):
    title = "tf.reduce_mean of float16 is 0 for 65536 elements"
    found = verified(bench, read(title, MEAN, text="The result should be NumPy's."))
    told = judged(found, "tf.compat.v1.reduce_mean", None, signature=0.0)
    assert told.kind is VerdictKind.BUG


COSINE = """
    import tensorflow as tf

    a = tf.constant([[1e30, 1e30]])
    print(tf.keras.losses.cosine_similarity(a, 2 * a).numpy())
"""


def test_a_number_that_double_precision_does_not_reach_is_no_other_function(bench, read, judged):
    """Keras' classes of losses compute in the precision of their own dtype, whatever they get."""
    title = "tf.keras.losses.cosine_similarity is 0 for large parallel vectors"
    text = "It prints `[-0.]`, expected `[-1.]`."
    found = verified(bench, read(title, COSINE, text=text))
    assert (found.case.api, found.witness.wider) == ("tf.keras.losses.cosine_similarity", True)
    told = judged(found, "tf.keras.losses.CosineSimilarity", "module")
    assert told.kind is VerdictKind.BUG
