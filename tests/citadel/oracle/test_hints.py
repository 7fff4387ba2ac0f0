"""What the words of a report say of the values of its case."""

from textwrap import dedent

import libcst as cst
import pytest

from analysis.target.watch import points_of
from citadel.oracle.foreign import is_apart, is_foreign
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
    ],
)
def test_another_library_has_computed_a_value_if_nothing_else_has(shown, foreign):
    (point,) = points_of(cst.parse_module(dedent(FINITE_DIFFERENCES) + f"print({shown})\n"))
    assert is_foreign(point) is foreign


@pytest.mark.parametrize(
    ("shown", "apart"),
    [
        ("np.cumprod(high).round(4)", True),
        ("high.round(4)", False),
        ("np.zeros_like(base).round(4)", True),
        ("np.abs(y.numpy())", False),
        ("np.round(torch.sigmoid(y).numpy(), 3)", False),
        ("y.sum()", False),
    ],
)
def test_what_another_library_alone_computes_is_apart_from_the_api(shown, apart):
    (point,) = points_of(cst.parse_module(dedent(FINITE_DIFFERENCES) + f"print({shown})\n"))
    assert is_apart(point) is apart
