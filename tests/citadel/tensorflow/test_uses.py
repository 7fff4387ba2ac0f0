"""A TensorFlow case that calls an API several times is rewritten in the places that count."""

import pytest

from citadel.plan.adapt import plans
from citadel.propagate.uses import Uses

from .conftest import verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

TIMED = """
    import timeit
    import numpy as np
    import tensorflow as tf
    frames = [np.random.randint(0, 256, (100, 100, 3)) for _ in range(40)]
    tf.convert_to_tensor([1])   # warm up
    slow = timeit.timeit(lambda: tf.convert_to_tensor(frames), number=1)
    fast = timeit.timeit(lambda: tf.convert_to_tensor(np.asarray(frames)), number=1)
    print("ratio %.1f" % (slow / fast))
"""


def test_a_list_of_arrays_is_stacked_and_a_warming_call_may_stay(bench, read):
    reading = read(
        "tf.convert_to_tensor is slow", TIMED, text="tf.convert_to_tensor is 30 times slower"
    )
    found = verified(bench, reading)
    uses, api = Uses(found, bench), bench.index.catalog.resolve("tf.stack")
    written = [
        one.code
        for plan in plans(uses.invocation, api, bench.samples, bench.lexicon)
        for one in uses.write(plan)
    ]
    assert written
    assert "tf.convert_to_tensor([1])   # warm up" in written[0]
    assert "lambda: tf.stack(frames)" in written[0]
    assert "lambda: tf.stack([np.asarray(frames)])" in written[0]
