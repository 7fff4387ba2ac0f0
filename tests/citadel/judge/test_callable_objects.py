"""Siblings of objects that are called, and are no layers."""

import pytest

from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

CACHED = """
    import torch
    from torch.autograd import gradcheck
    from torch.distributions import transforms as T

    class Wrapped(torch.nn.Module):
        def __init__(self, cache_size):
            super().__init__()
            self.transform = T.AbsTransform(cache_size=cache_size)

        def forward(self, v):
            return self.transform(v)

    point = (torch.rand(4, dtype=torch.float64) + 0.1).requires_grad_()
    assert gradcheck(Wrapped(0), (point,))
    assert gradcheck(Wrapped(1), (point,))
"""
OUTSIDE = """
    import torch
    from torch.distributions import HalfNormal
    grid = torch.tensor([-2.5, -0.4, 0.75, 3.0])
    noise = HalfNormal(torch.tensor(1.5), validate_args=False)
    print(noise.cdf(grid))
"""


def bugs(bench, reading, **walk):
    options = Options(road=Road.CALL, walk=Walk(**walk), runs=1, limits=Limits(wall=20.0))
    found = triage(reading, bench, options)
    assert found.case is not None, found.skipped
    return found.case.api, {name for one in found.bugs for name in (one.api, *one.aliases)}


def test_transforms_are_called_as_layers_are(bench, read):
    """Both checks call the same function; the report's own code passes the first."""
    text = "GradcheckError: Jacobian mismatch for output 0 with respect to input 0,"
    reading = read("gradcheck fails for AbsTransform with cache_size=1", CACHED, text=text)
    api, names = bugs(bench, reading, seconds=45.0)
    assert api == "torch.distributions.AbsTransform"
    assert names >= {"torch.distributions.SigmoidTransform", "torch.distributions.ExpTransform"}
    assert not names & {"torch.Tensor.half", "torch.nn.init.ones_", "torch.Tensor.bfloat16"}


def test_bounds_are_those_of_a_kind_of_objects(bench, read):
    text = "A cumulative distribution function should stay between 0 and 1."
    reading = read("HalfNormal.cdf is negative for negative values", OUTSIDE, text=text)
    api, names = bugs(bench, reading, siblings=60, seconds=45.0)
    assert "HalfNormal" in api
    assert names >= {"torch.distributions.HalfCauchy", "torch.distributions.Exponential"}
    assert not names & {"torch.distributions.Normal", "torch.distributions.Gumbel"}
