"""What double precision says of TensorFlow's siblings: those that it reaches."""

import pytest

from analysis.target.session import Limits
from citadel.judge_value import judge_value
from citadel.model import Channels, VerdictKind
from citadel.plan.adapt import plans
from citadel.uses import Uses

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
    def judge(found, name, family):
        uses, api = Uses(found, bench), bench.index.catalog.resolve(name)
        channels = Channels(family=family, signature=1.0)
        for plan in plans(uses.invocation, api, bench.samples, bench.lexicon):
            for written in uses.write(plan):
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
    product = judged(found, "tf.reduce_prod", None)
    assert product.kind is VerdictKind.NOT_ADAPTED
    assert "double precision" in product.reason


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


CONVOLVED = """
    import tensorflow as tf

    x = tf.ones((1, 5, 5, 2))
    w = tf.fill((3, 2, 2, 4), float("nan"))
    y = tf.nn.conv2d(x, w, strides=2, padding="VALID")
    print(tf.reduce_any(tf.math.is_nan(y)).numpy())
"""


def test_a_layer_of_keras_has_the_kernel_that_the_function_was_given(bench, read, judged):
    title = "tf.nn.conv2d gives NaN"
    found = verified(bench, read(title, CONVOLVED, text="`y` is NaN but should be finite."))
    assert judged(found, "tf.keras.layers.Conv2D", "module").kind is VerdictKind.BUG
