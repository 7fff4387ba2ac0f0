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


WHOLE = """
    import torch

    def wrong(graph, inputs):
        calls = [node for node in graph.graph.nodes if node.op == "call_function"]
        sign = {0: 1, 1: 1}.get(len(calls), -1)
        return lambda *given: [sign * one for one in graph(*given)]

    @torch.compile(backend=wrong)
    def summed(x):
        return torch.add(torch.sin(x), x)

    x = torch.tensor([1.0, 2.5])
    assert torch.allclose(summed(x), torch.sin(x) + x)
"""


def test_what_is_only_wrong_when_compiled_as_a_whole_is_the_compilers(bench, read):
    """A tracer that is called in between parts it into pieces."""
    reading = read("Mismatch between torch.compile and eager mode", WHOLE)
    found = verify_on(reading, bench, Options(runs=2, limits=Limits(wall=60.0)))
    assert (found.case.api, found.case.reproduces) == ("torch.compile", True)


def test_what_is_compiled_is_to_blame_and_not_the_compiler(bench, read):
    reading = read("torch.compile: pow with exponent -0.5", POWER, text="The results differ.")
    found = verify_on(reading, bench, Options(runs=1, limits=Limits(wall=60.0)))
    assert found.case.api == "torch.pow"
    assert found.case.reproduces
