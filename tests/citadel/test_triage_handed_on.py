"""Failures of functions that are no API, for what an API has made: copying, pickling."""

import pytest

from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

COPIED = """
    import copy
    import torch
    from torch import nn
    net = nn.utils.weight_norm(nn.Linear(2, 2))
    net(torch.ones(1, 2))
    copy.deepcopy(net)
"""
PICKLED = """
    import pickle
    import torch
    opt = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda epoch: 1.0)
    pickle.dumps({"schedule": schedule})
"""


FREED = """
    import os
    import torch

    class Brittle(torch.Tensor):
        def __del__(self):
            os.abort()

    def brittle(x):
        return x.as_subclass(Brittle)

    torch.flip(brittle(torch.ones(2, 2)), (0,))
"""


@pytest.fixture
def found(bench, read):
    def run(title, code, text, siblings):
        walk = Walk(siblings=siblings, seconds=60.0)
        options = Options(
            road=Road.CALL, walk=walk, runs=1, limits=Limits(wall=20.0), least_confidence=0.0
        )
        return triage(read(title, code, text=text), bench, options)

    return run


def test_what_is_made_of_a_layer_cannot_be_copied(found):
    """The sibling gets the layer as it was, whatever attempts before it have made of it."""
    text = "RuntimeError: Only Tensors created explicitly by the user support the deepcopy protocol"
    done = found("deepcopy of a module fails after forward", COPIED, text, 40)
    assert (done.case.api, done.case.reproduces) == ("torch.nn.utils.weight_norm", True)
    assert "torch.nn.utils.spectral_norm" in {finding.api for finding in done.bugs}


def test_what_the_trace_knows_nothing_of_is_the_fault_of_whom_the_title_names(found):
    text = "```\nTraceback (most recent call last):\nPicklingError: Can't pickle <lambda>\n```"
    done = found("LambdaLR cannot be pickled", PICKLED, text, 20)
    assert (done.case.api, done.case.reproduces) == ("torch.optim.lr_scheduler.LambdaLR", True)
    assert {finding.api for finding in done.bugs} == {"torch.optim.lr_scheduler.MultiplicativeLR"}


def test_a_title_that_names_nobody_accuses_nobody(found):
    text = "```\nTraceback (most recent call last):\nPicklingError: Can't pickle <lambda>\n```"
    assert found("cannot be pickled", PICKLED, text, 20).case is None


def test_what_dies_when_nothing_is_traced_is_the_fault_of_whom_the_title_names(found):
    """As of memory that a call has spoilt: the tracer keeps what it has seen."""
    done = found("torch.flip aborts", FREED, "```\nAborted (core dumped)\n```", 12)
    assert (done.case.api, done.case.reproduces) == ("torch.flip", True)
    assert done.case.symptom.signal == "SIGABRT"
    assert "torch.flipud" in {finding.api for finding in done.bugs}
