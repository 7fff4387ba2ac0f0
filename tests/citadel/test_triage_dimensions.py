"""Siblings of other ranks, in whole triages on a real build."""

import pytest

from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

POOLED = """
    import torch
    x = torch.tensor([[[-1., -2., 3., 1.]]])
    out = torch.nn.functional.lp_pool1d(x, norm_type=3., kernel_size=2)
    print(out)
"""
AVERAGED = """
    import torch
    m = torch.nn.AvgPool2d(2, divisor_override=-2)
    x = torch.ones(1, 1, 4, 4)
    print(m(x))
"""
NEGATIVE = """
    import torch
    import torch.nn.functional as F
    x = torch.tensor([[[-1., -2., -3., -4.]]])
    out = F.lp_pool1d(x, norm_type=3, kernel_size=2)
    assert out.shape == (1, 1, 2)
    torch.testing.assert_close(out, torch.tensor([[[2.0801, 4.4979]]]), atol=1e-3, rtol=0)
"""


@pytest.fixture
def found(bench, read):
    def find(title, code, text):
        walk = Walk(siblings=25, seconds=90.0)
        options = Options(road=Road.CALL, walk=walk, runs=2, limits=Limits(wall=20.0))
        done = triage(read(title, code, text=text), bench, options)
        return {finding.api: finding for finding in done.bugs}

    return find


def test_a_window_fits_into_dimensions_as_long_as_the_last_one(found):
    bugs = found("lp_pool1d gives nan for negative inputs", POOLED, "Expected finite values.")
    functional = "torch.nn.functional."
    assert {f"{functional}lp_pool2d", f"{functional}lp_pool3d", "torch.nn.LPPool3d"} <= set(bugs)
    flat = bugs[f"{functional}lp_pool2d"]
    assert "[[[[-1., -1., -1., -1.], [-2.," in flat.code
    assert "dimensions 1d -> 2d, of equal sizes" in flat.edits


def test_sizes_are_repeated_where_they_are_written(found):
    bugs = found("AvgPool2d accepts a negative divisor", AVERAGED, "It should raise an error.")
    assert "x = torch.ones(1, 1, 4, 4, 4)\n" in bugs["torch.nn.AvgPool3d"].code


def test_results_of_more_dimensions_are_compared_with_what_the_report_expects(found):
    bugs = found("lp_pool1d with an odd norm is wrong for negative inputs", NEGATIVE, "")
    assert {"torch.nn.functional.lp_pool2d", "torch.nn.LPPool3d"} <= set(bugs)
    flat = bugs["torch.nn.functional.lp_pool2d"]
    assert "F.lp_pool2d(x.unsqueeze(-1), norm_type=3, kernel_size=(2, 1))[..., 0]" in flat.code
    assert "assert out.shape == (1, 1, 2)\n" in flat.code
    assert "dimensions 1d -> 2d, windows of 1" in flat.edits
