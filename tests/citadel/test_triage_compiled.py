"""Compiled and eager results of one function, on a real build."""

import shutil

import pytest

from analysis.target.session import Limits
from citadel.options import Options
from citadel.triage import verify_on

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
    reading = read("torch.compile: pow with exponent -0.5", POWER, text="The results differ.")
    found = verify_on(reading, bench, Options(runs=1, limits=Limits(wall=60.0)))
    assert found.case.api == "torch.pow"
    assert found.case.reproduces
