"""Inputs on which right results differ: ill-conditioned ones, ties, indices."""

import pytest

from citadel.judge.values import RIGHT
from citadel.model import VerdictKind

from .conftest import TIES

pytestmark = [pytest.mark.torch, pytest.mark.slow]

HILBERT = """
    import torch
    i = torch.arange(1., 11.)
    a = 1 / (i[:, None] + i - 1)
    one, other = torch.linalg.inv(a), torch.linalg.inv(a.T).T
    print(torch.allclose(one, other))
"""

EQUAL = """
    import torch
    x = torch.tensor([3, 1, 3, 2, 3])
    one, other = torch.argmax(x), 4 - torch.argmax(x.flip(0))
    print(torch.equal(one, other))
"""


def test_ill_conditioned_inputs_are_told(verified):
    found = verified("linalg.inv disagrees with itself for the transpose", HILBERT)
    assert found.case.reproduces
    assert found.witness.ill_conditioned
    assert "the last digit of the inputs matters as much" in found.case.doubts


def test_an_ill_conditioned_sibling_is_expected(verified, judged):
    source = HILBERT.replace("linalg.inv", "round").replace("(a.T)", "(a.T + 0.6)")
    found = verified("round disagrees with itself for the transpose", source)
    assert found.case.reproduces
    assert not found.witness.ill_conditioned
    sibling = judged(found, HILBERT.replace("(a.T)", "(a.T + 0.)"), "torch.linalg.inv")
    assert sibling.kind is VerdictKind.EXPECTED
    assert "ill-conditioned" in sibling.reason
    assert "both sides are the sibling's" in sibling.guards


def test_bugs_at_special_inputs_are_not_ill_conditioned(verified, judged):
    """Gradients at a tie jump when the inputs move by a digit; then the two sides agree."""
    found = verified("clamp and min/max disagree about gradients", TIES)
    assert found.witness.doubts == ()
    same = judged(found, TIES.replace("torch.clamp", "torch.clip"), "torch.clip")
    assert same.kind is VerdictKind.BUG
    assert "not ill-conditioned" in same.guards


def test_indices_of_equal_elements_are_told_and_found_nowhere_else(verified, judged):
    found = verified("argmax disagrees with itself for the flipped tensor", EQUAL)
    assert found.case.reproduces
    assert found.witness.of_ties
    sibling = judged(found, EQUAL.replace("argmax", "argmin"), "torch.argmin")
    assert sibling.kind is VerdictKind.CLEAN  # one element is the smallest
    assert sibling.guards == ("the sibling is called", RIGHT)
    ties = EQUAL.replace("argmax", "argmin").replace("[3, 1, 3, 2, 3]", "[1, 3, 1, 2, 1]")
    assert judged(found, ties, "torch.argmin").kind is VerdictKind.EXPECTED


def test_wrong_indices_are_a_bug(verified, judged):
    code = EQUAL.replace("[3, 1, 3, 2, 3]", "[3., 1., 5., 2., 4.]").replace("4 - ", "3 - ")
    found = verified("argmax disagrees with itself for the flipped tensor", code)
    assert found.case.reproduces
    assert not found.witness.of_ties
    sibling = judged(found, code.replace("argmax", "argmin"), "torch.argmin")
    assert sibling.kind is VerdictKind.BUG


MEAN = """
    import torch
    x = torch.tensor([0., 1.], dtype=torch.bfloat16).repeat(256)
    zeros, y = torch.zeros(1, dtype=torch.bfloat16), torch.zeros(512, dtype=torch.int64)
    print(zeros.index_reduce(0, y, x, "mean").item())  # should be 0.5
"""


def test_indices_stay_whole_in_double_precision(verified, judged):
    found = verified("index_reduce gives a wrong mean", MEAN)
    assert found.case.reproduces
    assert found.witness.wider
    code = MEAN.replace('index_reduce(0, y, x, "mean")', "scatter(0, y, x)")
    sibling = judged(found, code, "torch.Tensor.scatter")
    assert sibling.kind is VerdictKind.NOT_ADAPTED
    assert "double precision" in sibling.reason


LEFT_OVER = """
    import time
    import torch
    x = torch.tensor([4., 9.])
    one, other = torch.abs(x), torch.abs(x) + time.time_ns() % 99991 + 1
    print(torch.allclose(one, other))
"""


def test_what_differs_from_run_to_run_is_neither_drawn_nor_ill_conditioned(verified, judged):
    """One of two results that should be equal has what lay in memory, which no seed explains."""
    found = verified("abs disagrees with itself", LEFT_OVER)
    assert found.case.reproduces
    assert found.witness.random
    assert found.witness.loose == (False, True)
    assert not found.witness.ill_conditioned
    assert judged(found, LEFT_OVER.replace("abs", "sqrt"), "torch.sqrt").kind is VerdictKind.BUG
    drawn = LEFT_OVER.replace("torch.abs(x)", "torch.normal(x, 1.0)")
    assert judged(found, drawn, "torch.normal").kind is VerdictKind.NOT_ADAPTED
