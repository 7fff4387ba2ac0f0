"""A call that is refused eagerly and returns in a function that is compiled."""

import pytest

from citadel.model import SymptomKind
from tests.citadel.tensorflow.conftest import verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]
CLAMPED = """
    import tensorflow as tf
    table = tf.constant([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])

    def lookup(ids):
        return tf.gather(table, ids)

    compiled = tf.function(lookup, jit_compile=True)
    good = tf.constant([0, 2, 1])
    tf.debugging.assert_equal(lookup(good), compiled(good))
    try:
        lookup(tf.constant([0, 2, 7]))
    except tf.errors.InvalidArgumentError as error:
        print("eager refuses:", error.message[-60:])
"""
BAD = "    print(compiled(bad))\n"


def test_a_check_that_is_lost_by_compilation(bench, read):
    code = CLAMPED.replace("lookup(tf.constant([0, 2, 7]))", "lookup(bad)").replace(
        "    try:", "    bad = tf.constant([0, 2, 7])\n    try:"
    )
    found = verified(bench, read("An id beyond the table", code + BAD))
    assert found.api.name == "tf.gather"
    assert found.contradiction is not None
    assert found.case.symptom.kind is SymptomKind.ACCEPTS


def test_good_arguments_of_the_compiled_function_are_no_contradiction(bench, read):
    found = verified(bench, read("tf.gather raises InvalidArgumentError", CLAMPED))
    assert found.contradiction is None
    assert found.case.symptom.kind is SymptomKind.RAISES
