"""What the words of a report say of the values of its case."""

import pytest

from citadel.oracle.hints import ALIKE


@pytest.mark.parametrize(
    "title",
    [
        "torch.rand gives the same for any seed",
        "dropout with no seed always returns identical masks",
        "dropout without a seed returns the same mask",
        "uniform does not crash, it generates a constant",
        "uniform should be random but draws all the same numbers",
    ],
)
def test_a_title_complains_that_values_are_alike(title):
    assert ALIKE.search(title)


@pytest.mark.parametrize(
    "title",
    [
        "dropout with a seed doesn't always give the same results",
        "dropout no longer returns the same result",
        "dropout fails to produce identical masks",
        "dropout is unable to produce identical masks",
        "dropout never gives the same mask",
        "f and g can't both return the same",
        "f and g cannot both return the same",
        "f should always return the same",
        "f must always return the same",
        "f isn\u2019t deterministic and does return the same only once",
    ],
)
def test_a_title_misses_that_values_are_alike(title):
    assert ALIKE.search(title) is None
