"""Arrays to genes and back, at every level of mutation."""

import numpy as np
import pytest

from harvest.sources.audee.chromosomes import Chromosome, Level, positives

INPUTS = {"a": np.arange(6, dtype="float32").reshape(2, 3), "b": np.ones((1, 2), dtype="float32")}
WEIGHTS = {
    "d": (np.full((3, 2), 2, dtype="float32"), np.zeros(2, dtype="float32")),
    "n": (np.full(2, 0.5, dtype="float32"),),
}
SIZES = {Level.INPUT: 8, Level.WEIGHT: 10, Level.JOINT: 18}


def chromosome(level, **more):
    return Chromosome(level=level, inputs=INPUTS, weights=WEIGHTS, **more)


@pytest.mark.parametrize("level", Level)
def test_the_genes_of_a_level_make_the_same_arrays(level):
    made = chromosome(level)
    genes = made.start()
    assert genes.shape == (SIZES[level],)
    inputs, weights = made.arrays(genes)
    for name, array in INPUTS.items():
        np.testing.assert_array_equal(inputs[name], array)
        assert inputs[name].dtype == array.dtype
    for layer, arrays in WEIGHTS.items():
        for one, other in zip(weights[layer], arrays, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("level", Level)
def test_only_what_belongs_to_the_level_changes(level):
    inputs, weights = chromosome(level).arrays(np.full(SIZES[level], 9.0))
    changed = {bool((inputs["a"] == 9).all()), bool((inputs["b"] == 9).all())}
    assert changed == {level is not Level.WEIGHT}
    changed = {bool((each == 9).all()) for own in weights.values() for each in own}
    assert changed == {level is not Level.INPUT}


def test_genes_without_limits_make_finite_arrays():
    genes = np.full(SIZES[Level.JOINT], 1e300)
    genes[::2] = -np.inf
    inputs, weights = chromosome(Level.JOINT).arrays(genes)
    assert all(np.isfinite(each).all() for each in (*inputs.values(), *weights["d"]))


def test_indices_stay_below_their_number():
    words = {"in": np.array([[3, 7]], dtype="int32")}
    made = Chromosome(level=Level.INPUT, inputs=words, weights={}, domain=10)
    inputs, _ = made.arrays(np.array([-1.2, 1e9 + 4]))
    assert inputs["in"].dtype == np.int32
    np.testing.assert_array_equal(inputs["in"], [[9, 4]])


def test_variances_are_not_negative():
    known = positives({"d": [("kernel", (3, 2))], "n": [("moving_variance", (2,))]})
    assert known == {("n", 0)}
    made = chromosome(Level.WEIGHT, positive=known)
    _, weights = made.arrays(np.full(SIZES[Level.WEIGHT], -3.0))
    assert (weights["n"][0] == 3).all()
    assert (weights["d"][0] == -3).all()
