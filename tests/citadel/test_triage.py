"""Whole triages on a real build."""

import threading
import time

import pytest

from analysis.target.session import Limits
from citadel.evidence.trigger import find_trigger
from citadel.model import VerdictKind
from citadel.options import Options
from citadel.propagate import propagation
from citadel.propagate.walk import Walk
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

CONV = """
    import torch
    import torch.nn.functional as F
    F.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=0)
"""
GROUPS = "RuntimeError: non-positive groups is not supported"


@pytest.fixture
def triaged(bench):
    def run(reading, *, siblings=None, seconds=60.0, runs=1, **callbacks):
        options = Options(
            walk=Walk(siblings=siblings, seconds=seconds), runs=runs, limits=Limits(wall=20.0)
        )
        return triage(reading, bench, options, **callbacks)

    return run


def test_the_trigger_is_found_before_threads_share_the_sessions(triaged, read, monkeypatch):
    where = []

    def noted(*given, **named):
        where.append(threading.current_thread())
        return find_trigger(*given, **named)

    monkeypatch.setattr(propagation, "find_trigger", noted)
    triaged(read("conv2d", CONV, text=GROUPS), siblings=12)
    assert where == [threading.main_thread()]


def test_a_family_is_found_and_told_as_it_grows(triaged, read):
    told, steps = [], []
    found = triaged(
        read("conv2d", CONV, text=GROUPS),
        siblings=48,
        on_finding=told.append,
        on_progress=lambda *step: steps.append(step),
    )
    bugs = {finding.api for finding in found.bugs}
    assert bugs >= {
        "torch.nn.functional.conv1d",
        "torch.nn.functional.conv3d",
        "torch.nn.functional.conv_transpose2d",
    }
    assert {finding.api for finding in told} == bugs
    (family,) = found.families
    assert family.apis[0] == "torch.nn.functional.conv2d"
    assert set(family.apis[1:]) == bugs
    assert all(finding.code and finding.verdict.runs == (1, 1) for finding in found.bugs)
    assert found.seconds.first_finding <= found.seconds.verify + found.seconds.siblings
    assert 0 < found.tried <= 48
    assert len(steps) == found.tried
    assert found.unconfirmed == 0


def test_siblings_that_validate_are_shown_apart(triaged, read):
    found = triaged(read("conv2d", CONV, text=GROUPS), siblings=48)
    others = {f.api: f.verdict for f in found.findings if f.verdict.kind is not VerdictKind.BUG}
    layer = others["torch.nn.Conv2d"]
    assert layer.kind is VerdictKind.DIFFERENT
    assert "groups must be a positive integer" in layer.reason


def test_a_crash_that_siblings_refuse(triaged, read):
    """Recorded as a crash, refused cleanly by this build, and by the siblings too."""
    found = triaged(
        read("conv2d crashes", CONV, text="```\nSegmentation fault (core dumped)\n```"),
        siblings=12,
    )
    assert not found.case.reproduces
    assert not found.bugs
    kinds = {finding.verdict.kind for finding in found.findings}
    assert VerdictKind.REFUSED in kinds
    assert not found.families


def test_a_shape_complaint_about_a_filled_argument_is_no_finding(triaged, read):
    code = """
        import torch
        x = torch.rand(2, 3)
        torch.mm(x, x)
    """
    found = triaged(read("torch.mm", code), siblings=200)
    for finding in found.bugs:
        assert not [edit for edit in finding.edits if edit.startswith("filled mat")], finding


def test_the_number_of_siblings_is_a_limit(triaged, read):
    found = triaged(read("conv2d", CONV, text=GROUPS), siblings=5)
    assert found.tried <= 5
    assert len(found.findings) <= 5


def test_the_budget_is_kept_and_what_it_left_is_counted(triaged, read):
    reading = read("conv2d", CONV, text=GROUPS)
    triaged(reading, siblings=3)  # the servers are warm now
    started = time.monotonic()
    found = triaged(reading, seconds=1.0, runs=3)
    assert time.monotonic() - started < 60
    settled = {VerdictKind.BUG, VerdictKind.FLAKY}
    confirmed = [f for f in found.findings if f.verdict.kind in settled or f.code]
    assert found.tried > 0
    assert len(confirmed) + found.unconfirmed <= found.tried


def test_what_is_not_verified_is_skipped_with_its_reason(triaged, read):
    found = triaged(read("wrong", "import torch\ntorch.exp(torch.ones(3))", text="wrong result"))
    assert found.case is None
    assert found.skipped
    assert found.findings == ()


def test_of_several_outputs_the_first_stands_for_the_result(triaged, read):
    code = """
        import torch
        x = torch.tensor([[2.0, 1.0], [1.0, 2.0]], requires_grad=True)
        y = torch.linalg.inv(x)
        y.backward()
    """
    told = "RuntimeError: grad can be implicitly created only for scalar outputs"
    found = triaged(read("torch.linalg.inv", code, text=told), siblings=40)
    (several,) = [one for one in found.findings if one.api == "torch.linalg.inv_ex"]
    assert several.verdict.kind is VerdictKind.ALIKE  # both are right to refuse it
    assert "y = torch.linalg.inv_ex(x)[0]\n" in several.code
    assert several.edits == ("renamed to torch.linalg.inv_ex", "took the first output")


@pytest.mark.parametrize(
    ("before", "behind"), [("var, mean = {}", ""), ("var = {}", "[0]")], ids=["all", "one"]
)
def test_one_output_stands_for_each_of_the_reports(triaged, read, before, behind):
    code = f"""
        import torch
        x = torch.tensor([1e30, 2e30, 3e30])
        {before.format("torch.var_mean(x)")}{behind}
        assert torch.isfinite(var)
    """
    text = "The variance of large numbers is inf, it should be finite."
    found = triaged(read("torch.var_mean overflows", code, text=text), siblings=40)
    (single,) = [finding for finding in found.bugs if finding.api == "torch.var"]
    assert f"{before.format('([torch.var(x)] * 2)')}{behind}\n" in single.code
    assert "its one output stands for all 2" in single.edits


METHOD = """
    import torch
    d = torch.distributions.StudentT(torch.tensor([3.0]))
    print(d.cdf(torch.tensor([1.0])))
"""


def test_what_fails_in_a_method_is_found_under_the_name_of_the_method(triaged, read):
    found = triaged(read("`StudentT.cdf` raises", METHOD, text="NotImplementedError"), siblings=60)
    assert found.case is not None
    assert found.case.aliases[0] == "torch.distributions.StudentT.cdf"
    # What is missing there may be missing by intention: nothing can be compared.
    shown = (one for one in found.findings if one.verdict.kind is VerdictKind.ALIKE)
    alike = {one.aliases[0] for one in shown if one.aliases}
    assert {f"torch.distributions.{name}.cdf" for name in ("Beta", "Bernoulli")} <= alike
