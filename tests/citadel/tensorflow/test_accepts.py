"""What TensorFlow takes, and should refuse."""

import pytest

from .conftest import bugs

pytestmark = [pytest.mark.tf, pytest.mark.slow]

SCALAR = """
    import tensorflow as tf
    print(tf.linalg.tensor_diag_part(6))
"""


def test_a_function_of_any_input_need_not_refuse_it(triaged):
    """`tf.identity(input=6)` is right, though its parameter has the same name."""
    text = "`input` must have an even rank of at least 2. A scalar should raise an error."
    found = triaged("tensor_diag_part accepts a scalar", SCALAR, text, siblings=150)
    assert (found.case.symptom.kind, found.case.api) == ("accepts", "tf.linalg.tensor_diag_part")
    names = bugs(found)
    assert "tf.raw_ops.DiagPart" in names
    assert not names & {"tf.identity", "tf.zeros_like", "tf.raw_ops.Snapshot", "tf.math.real"}
