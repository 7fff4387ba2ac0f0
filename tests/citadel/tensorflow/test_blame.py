"""Whose fault it is that eager and compiled code differ, where the title names several calls."""

import pytest

from .conftest import verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

CHAIN = """
    import tensorflow as tf

    def f(x):
        return {body}

    x = tf.constant([-2.0, -1.0, 3.0])
    eager = f(x)
    compiled = tf.function(f, jit_compile=True)(x)
    print("eager", tf.cast(eager, tf.int32).numpy())
    print("compiled", compiled.numpy())
    tf.debugging.assert_equal(eager, compiled)
"""


FIRST = "tf.cast(x, tf.uint64)"


def test_who_comes_first_is_to_blame_if_the_last_one_may_be_left_out(bench, read):
    title = "tf.bitcast after tf.cast to uint64 differs between eager and XLA"
    found = verified(bench, read(title, CHAIN.format(body=f"tf.bitcast({FIRST}, tf.uint8)")))
    assert found.api.name == "tf.cast"
    node = found.source.nodes[found.call.site]
    assert found.source.module.code_for_node(node) == FIRST


def test_the_last_one_is_to_blame_if_the_values_agree_without_it(bench, read):
    title = "tf.cast of tf.reverse differs between eager and XLA"
    body = "tf.cast(tf.reverse(x, [0]), tf.uint64)"
    assert verified(bench, read(title, CHAIN.format(body=body))).api.name == "tf.cast"
