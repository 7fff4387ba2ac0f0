"""What the search's own numbers explain."""

import numpy as np

from harvest.sources.audee.amplifying import Prepared, smaller


def test_smaller_numbers_have_the_same_proportions():
    given = Prepared(
        inputs={"x": np.array([1e6, -2e6, np.inf], "float32"), "i": np.array([7], "int32")},
        weights={"layer": (np.array([1e6], "float32"),)},
    )
    made, largest = smaller(given)
    assert largest == 2e6
    np.testing.assert_allclose(made.inputs["x"], [0.5, -1, 1])
    np.testing.assert_array_equal(made.inputs["i"], [7])
    np.testing.assert_allclose(made.weights["layer"][0], [0.5])
    assert made.inputs["x"].dtype == np.float32


def test_small_numbers_stay():
    given = Prepared(inputs={"x": np.array([0.5], "float32")}, weights={"layer": ()})
    made, largest = smaller(given)
    assert largest == 0.5
    np.testing.assert_array_equal(made.inputs["x"], [0.5])
