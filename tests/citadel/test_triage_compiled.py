"""Compiled and eager results of one function, in a whole triage on a real build."""

import shutil

import pytest

from analysis.target.session import Limits
from citadel.triage import Options, triage
from citadel.walk import Walk

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ for the compiler of PyTorch"),
]

POWER = """
    import torch

    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.pow(x, -0.5)

    model = Model()
    x = torch.tensor([float("-inf"), -0.0, 4.0])
    print("eager:", model(x))
    print("inductor:", torch.compile(model)(x))
"""


def test_what_is_compiled_is_to_blame_and_not_the_compiler(bench, read):
    options = Options(walk=Walk(siblings=2, seconds=120.0), runs=2, limits=Limits(wall=60.0))
    reading = read("torch.compile: pow with exponent -0.5", POWER, text="The results differ.")
    done = triage(reading, bench, options)
    assert done.case.api == "torch.pow"
    assert done.case.reproduces
    assert "torch.Tensor.__pow__" in {finding.api for finding in done.bugs}
