"""A sibling in front of the report's own call, where the text cannot go on with its result."""

import pytest

from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.rewrite.rewriter import IN_FRONT
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

ORDERED = """
    import torch
    for dtype in (torch.float32, torch.complex64):
        data = torch.tensor([[3.0, 1.0, 2.0]]).to(dtype)
        got, where = torch.kthvalue(data, 1, dim=1)
        assert torch.equal(got, data.gather(1, where[:, None])[:, 0])
"""
TEXT = """NotImplementedError: "kthvalue_cpu" not implemented for 'ComplexFloat'"""


@pytest.fixture(scope="module")
def found(bench):
    from textwrap import dedent

    from harvest.report.model import Report
    from harvest.report.understand import understand

    body = f"```python\n{dedent(ORDERED).strip()}\n```\n{TEXT}"
    report = Report(source="r.md", title="torch.kthvalue fails for complex numbers", body=body)
    options = Options(road=Road.CALL, walk=Walk(siblings=60), runs=1, limits=Limits(wall=20.0))
    done = triage(understand(report), bench, options)
    assert (done.case.api, done.case.reproduces) == ("torch.kthvalue", True)
    return {one.api: one for one in done.findings}


def test_what_gives_another_kind_of_result_is_called_in_front(found):
    least = found["torch.amax"]
    assert least.verdict.kind == "bug"
    assert least.edits[-1] == IN_FRONT
    lines = [line.strip() for line in least.code.splitlines()]
    at = lines.index("got, where = torch.kthvalue(data, 1, dim=1)")
    assert lines[at - 1] == "torch.amax(data, dim=1)"


def test_what_gives_the_same_takes_its_place(found):
    assert found["torch.median"].verdict.kind == "bug"
    assert IN_FRONT not in found["torch.median"].edits
    assert "kthvalue" not in found["torch.median"].code.partition("import torch")[2]
