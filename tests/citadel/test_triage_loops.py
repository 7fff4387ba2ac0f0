"""Loops of a report through several APIs: the sibling stands in the place of all of them."""

import pytest

from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

LOSSES = """
    import torch
    net, wanted = torch.nn.Linear(1, 1), torch.ones(4, 1, dtype=torch.float64)
    for name in ["L1Loss", "SmoothL1Loss", "HuberLoss"]:
        net.zero_grad()
        value = getattr(torch.nn, name)()(net(torch.ones(4, 1)), wanted)
        print(name, round(value.item(), 3))
        value.backward()
"""
TEXT = "RuntimeError: Found dtype Double but expected Float"


@pytest.fixture
def found(bench, read):
    def run(title, code):
        options = Options(road=Road.CALL, walk=Walk(siblings=12), runs=1, limits=Limits(wall=20.0))
        done = triage(read(title, code, text=TEXT), bench, options)
        return done.case, {one.api: one for one in done.findings}

    return run


def test_what_other_apis_pass_is_no_check_that_the_sibling_fails(found):
    case, siblings = found("HuberLoss cannot be trained with targets of another dtype", LOSSES)
    assert (case.api, case.reproduces) == ("torch.nn.HuberLoss", True)
    assert siblings["torch.nn.functional.huber_loss"].verdict.kind == "bug"
