"""A report's trigger in other APIs' own calls, from the report to the findings."""

import pytest

from analysis.target.session import Limits
from citadel.experiment import Class
from citadel.model import Road, SymptomKind, VerdictKind
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

OVERFLOW = """
    import torch
    import torch.nn.functional as F
    v = torch.tensor([[3.0, 4.0]]) * 1e25
    torch.testing.assert_close(F.normalize(v), torch.tensor([[0.6, 0.8]]))
"""
OUT = """
    import torch

    def call(device):
        src = torch.ones(4, 4, device=device)
        idx = torch.tensor([0, 2], device=device)
        out = torch.empty(2, 4, dtype=torch.float64, device=device)
        return torch.index_select(src, 0, idx, out=out)

    for dev in ["cpu", "meta"]:
        try:
            print(dev, call(dev).dtype)
        except RuntimeError as err:
            print(dev, "RuntimeError:", err)
"""
DUAL = """
    import torch
    import torch.autograd.forward_ad as fwAD
    x = torch.ones(5, 3)
    with fwAD.dual_level():
        print(torch.cdist(fwAD.make_dual(x, x), torch.ones(4, 3)))
"""

MAPPED = """
    import torch
    x = torch.eye(2).repeat(3, 1, 1)
    print(torch.equal(x[0], x[1]))
    print(torch.func.vmap(torch.equal)(x, x))
"""
GRADIENT = """
    import torch
    x = torch.zeros(3, requires_grad=True)
    torch.hypot(x, torch.zeros(3)).sum().backward()
    assert torch.isfinite(x.grad).all(), x.grad
"""


@pytest.fixture
def triaged(bench):
    def run(reading, road=Road.TRIGGER, siblings=60):
        options = Options(
            walk=Walk(siblings=siblings, seconds=120.0),
            runs=1,
            limits=Limits(wall=20.0),
            least_confidence=0.0,
            road=road,
        )
        return triage(reading, bench, options)

    return run


def test_wrong_values_are_found_by_the_trigger(triaged, read):
    found = triaged(read("F.normalize gives zeros for large numbers", OVERFLOW))
    names = {one.api for one in found.bugs}
    assert "torch.linalg.norm" in names
    assert not names & {"torch.abs", "torch.nn.functional.normalize"}
    assert all(one.road is Road.TRIGGER for one in found.bugs)
    assert found.case.relation == ("`inputs` is multiplied by 4e+25 (plain against dtype float64)")
    assert found.compared >= len(names)
    told = next(one for one in found.bugs if one.api == "torch.linalg.norm")
    assert "# the trigger" in told.code
    assert told.evidence.control.code


def test_what_the_report_contrasts_is_asked_of_others(triaged, read):
    text = "cpu RuntimeError: index_select(): self and result must have the same scalar type"
    found = triaged(read("index_select checks out= on the CPU, not on meta", OUT, text=text))
    assert found.case.relation == "`out` has another dtype than the result (plain against meta)"
    assert {"torch.aminmax", "torch.take"} <= {one.api for one in found.bugs}
    assert not {"torch.sum", "torch.logsumexp"} & {one.api for one in found.bugs}


def test_a_contradiction_is_not_carried_over_as_a_refusal(triaged, read):
    """That a sibling refuses a bad `out` on the CPU, as it should, is no finding."""
    text = "cpu RuntimeError: index_select(): self and result must have the same scalar type"
    found = triaged(read("index_select checks out= on the CPU, not on meta", OUT, text), Road.BOTH)
    assert {one.road for one in found.findings} == {Road.TRIGGER}
    assert {one.verdict.symptom.kind for one in found.bugs} == {SymptomKind.ACCEPTS}
    assert {one.evidence.kind for one in found.bugs} == {Class.CONTRADICTION}


def test_what_fails_in_forward_mode_alone_is_asked_of_others(triaged, read):
    text = "NotImplementedError: Trying to use forward AD with _cdist_forward"
    found = triaged(read("Forward-mode AD: no formula for cdist", DUAL, text=text))
    assert found.case.relation == "forward-ad against plain"
    assert "torch.nn.functional.pdist" in {one.api for one in found.bugs}
    assert "torch.sin" not in {one.api for one in found.bugs}


def test_what_fails_when_it_is_mapped_is_asked_of_others(triaged, read):
    found = triaged(read("vmap of torch.equal fails", MAPPED))
    assert found.case.relation == "vmap against plain"
    assert "torch.ops.aten.equal" in {one.api for one in found.bugs}
    assert not {"torch.sin", "torch.eq"} & {one.api for one in found.bugs}


def test_a_wrong_gradient_is_asked_of_others(triaged, read):
    text = "The gradient is nan, it should be 0."
    found = triaged(read("torch.hypot has a NaN gradient at zero", GRADIENT, text=text))
    assert found.case.relation == "`inputs` holds 0 alone (backward against differences)"
    assert "torch.xlogy" in {one.api for one in found.bugs}
    assert not {"torch.abs", "torch.dropout"} & {one.api for one in found.bugs}


def test_one_api_is_one_finding(triaged, read):
    found = triaged(read("F.normalize gives zeros for large numbers", OVERFLOW), Road.BOTH)
    names = [one.api for one in found.findings]
    assert len(names) == len(set(names))
    assert {one.verdict.kind for one in found.findings if one.road is Road.TRIGGER} == {
        VerdictKind.BUG
    }
