"""Whole triages of reports about values and memory on a real build."""

import ast

import pytest

from analysis.target.session import Limits
from citadel.model import BugKind, Road, VerdictKind
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.report.markdown import family_markdown
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

TWICE = """
    import torch
    v = torch.full((4,), 1e20)
    short, long = torch.linalg.norm(v), torch.linalg.norm(v.double()).float()
    print("same:", torch.equal(short, long))
"""
REFUSED = """
    import torch
    print(torch.linalg.norm(torch.ones(3), ord="nucular"))
"""


@pytest.fixture
def triaged(bench):
    def run(reading, siblings):
        walk = Walk(siblings=siblings, seconds=120.0)
        return triage(
            reading, bench, Options(road=Road.CALL, walk=walk, runs=2, limits=Limits(wall=20.0))
        )

    return run


def test_a_report_that_calls_the_api_twice_is_rewritten_in_both_places(triaged, read, bench):
    found = triaged(read("linalg.norm: float32 disagrees with float64", TWICE), 60)
    assert found.case.kind is BugKind.VALUE
    bugs = {finding.api: finding for finding in found.bugs}
    assert {"torch.norm", "torch.linalg.vector_norm"} <= set(bugs)
    finding = bugs["torch.linalg.vector_norm"]
    assert finding.code.count("torch.linalg.vector_norm(") == 2
    assert "torch.linalg.norm" not in finding.code
    assert "both sides are the sibling's" in finding.verdict.guards or (
        "the source's own value" in finding.verdict.guards
    )
    kinds = {one.verdict.kind for one in found.findings}
    assert VerdictKind.REFUSED not in kinds  # what cannot take the case has refused nothing
    assert VerdictKind.NOT_ADAPTED in kinds
    told = family_markdown(bench.summary(), found)
    assert "give wrong results" in told.splitlines()[0]
    assert "`torch.linalg.vector_norm`" in told
    assert "## To reproduce" in told


FILLED = """
    import torch
    x = torch.tensor([1e20, 2e20, 4e20])
    print(repr(torch.nn.functional.normalize(x, dim=0)))
    print(repr(torch.nn.functional.normalize(x.double(), dim=0)))
"""


def test_what_is_compared_is_given_the_same_and_not_changed_in_between(triaged, read):
    title = "normalize returns zeros for large float32, float64 is right"
    found = triaged(read(title, FILLED, text="Both should be the same."), 250)
    assert found.case.reproduces
    for finding in found.bugs:
        nodes = list(ast.walk(ast.parse(finding.code)))
        watched = {node.target.id: node.value for node in nodes if isinstance(node, ast.NamedExpr)}
        first, second = ast.unparse(watched["result"]), ast.unparse(watched["other"])
        assert second.replace("x.double()", "x") == first, finding.api
        leaf = finding.api.rpartition(".")[2]
        assert not leaf.endswith("_") or leaf.endswith("__") or ".clone()" in first


SLOPE = """
    import torch
    x = torch.zeros(3, requires_grad=True)
    y = torch.zeros(3)
    torch.hypot(x, y).sum().backward()
    print(x.grad)
"""
CHAIN = """
    import torch
    x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
    y = torch.where(x <= 0, torch.zeros_like(x), torch.sqrt(x))
    y.sum().backward()
    print(x.grad)
"""


def test_a_gradient_that_is_no_number_is_found_where_it_comes_up(triaged, read):
    found = triaged(read("torch.hypot: gradient is NaN at zero", SLOPE), 150)
    assert (found.case.api, found.case.reproduces) == ("torch.hypot", True)
    bugs = {finding.api for finding in found.bugs}
    assert {"torch.Tensor.hypot", "torch.ops.aten.hypot"} <= bugs
    assert all("hypot" in api for api in bugs)
    reasons = {finding.verdict.reason for finding in found.findings}
    assert "infinite, where the report's gradient is NaN" in reasons


def test_a_gradient_that_others_make_is_nobody_elses(triaged, read):
    found = triaged(read("torch.where backward gives NaN", CHAIN), 150)
    assert found.case.api == "torch.where"
    assert {finding.api.rpartition(".")[2] for finding in found.bugs} <= {"where", "where_"}


def test_a_call_that_is_refused_by_now_judges_its_own_family(triaged, read):
    title = "linalg.norm accepts any ord without an error"
    found = triaged(read(title, REFUSED, text="It should raise a ValueError."), 60)
    assert (found.case.api, found.case.reproduces) == ("torch.linalg.norm", False)
    assert found.case.observed
    kinds = {finding.api: finding.verdict.kind for finding in found.findings}
    assert kinds["torch.ops.aten.linalg_matrix_norm"] is VerdictKind.REFUSED
    assert kinds["torch.logsumexp"] is VerdictKind.NOT_ADAPTED  # it runs, and is another function
    assert found.bugs == ()


FLOORED = """
    import torch

    a = torch.full((3,), 560.0, dtype=torch.bfloat16)
    b = torch.full((3,), 3.0, dtype=torch.bfloat16)
    print(torch.floor_divide(a, b)[0].item())  # expected 186.0
"""


def test_the_same_wrong_value_is_of_one_function_where_double_precision_agrees(triaged, read):
    """186.67 is 187 in bfloat16 as well: a quotient that nobody rounds down."""
    found = triaged(read("floor_divide is off by one in bfloat16", FLOORED), 60)
    bugs = {finding.api: finding for finding in found.bugs}
    assert "rounding_mode='floor'" in bugs["torch.div"].code
    assert "torch.true_divide" not in bugs
    told = {one.api: one.verdict.reason for one in found.findings}
    assert "double precision" in told["torch.true_divide"]


FORMS = """
    import torch

    torch.manual_seed(0)
    x = torch.randn(8, 4) * 1e30
    norm = torch.nn.BatchNorm1d(4)
    right = torch.nn.BatchNorm1d(4).double()(x.double()).float()
    print(torch.allclose(norm(x), right, atol=1e-3))
"""


def test_a_layer_becomes_a_function_in_the_same_mode(triaged, read):
    """With its running statistics, and not the ones of another layer's kind."""
    found = triaged(read("BatchNorm1d of large numbers is all zeros", FORMS), 120)
    bugs = {finding.api: "".join(finding.code.split()) for finding in found.bugs}
    state = ("running_mean", "running_var", "weight", "bias", "training")
    given = ",".join(["x", *(f"norm.{name}" for name in state)])
    assert f"batch_norm({given}" in bugs["torch.nn.functional.batch_norm"]
    assert "[4]" in bugs["torch.nn.functional.layer_norm"]
    assert {"torch.nn.InstanceNorm1d", "torch.nn.RMSNorm"} <= set(bugs)
    drawn = {"torch.nn.LazyLinear", "torch.nn.Linear", "torch.nn.LSTM", "torch.nn.RNN"}
    kinds = {one.api: one.verdict for one in found.findings if one.api in drawn}
    assert kinds
    assert {one.reason for one in kinds.values()} == {"its values are drawn at random"}
