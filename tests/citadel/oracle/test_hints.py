"""What the words of a report say of the values of its case."""

from textwrap import dedent

import libcst as cst
import pytest

from analysis.target.watch import points_of
from citadel.oracle.foreign import is_foreign
from citadel.oracle.phrases import ALIKE


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


FINITE_DIFFERENCES = """
    import numpy as np
    import torch
    base = torch.tensor([1.0, 2.0]).numpy().astype(np.float64)
    high, low = base.copy(), base.copy()
    y = torch.exp(torch.tensor(base))
    z = torch.tensor(np.random.rand(3), requires_grad=True)
"""


@pytest.mark.parametrize(
    ("shown", "foreign"),
    [
        ("np.cumprod(high).sum()", True),
        ("np.cumprod(high).sum() - np.cumprod(low).sum()", True),
        ("np.sum(high) - y.sum().item()", False),
        ("np.sum(high) - np.sum(y.numpy())", False),
        ("np.zeros(3) - np.ones(3)", False),
        ("z.grad - np.log(3)", False),
        ("z - np.log(3)", False),
        ("(z * z) - np.multiply(3, 3)", False),
        ("np.exp(z * z) - 1", False),
        ("-np.sum(high) - 2", True),
    ],
)
def test_another_library_has_computed_what_all_operands_are_of(shown, foreign):
    (point,) = points_of(cst.parse_module(dedent(FINITE_DIFFERENCES) + f"print({shown})\n"))
    assert is_foreign(point) is foreign
