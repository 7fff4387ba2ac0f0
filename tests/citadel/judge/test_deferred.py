"""Calls that return, and what they made fails later: words tell whose failure it is."""

import pytest

from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

POINTERS = """
import torch
ends = torch.tensor([0, 300_000_000, 2])
entries = torch.sparse_csc_tensor(ends, torch.tensor([1, 0]), torch.tensor([1.5, -3.0]))
print(entries.layout)
print(entries.to_dense())
"""


def test_what_stands_in_the_place_of_the_maker_is_to_blame_as_the_maker_is(bench, read):
    options = Options(
        road=Road.CALL, walk=Walk(seconds=20.0, siblings=12), runs=2, limits=Limits(wall=20.0)
    )
    reading = read("sparse_csc_tensor takes any pointers, segfault", POINTERS, text="It crashes.")
    found = triage(reading, bench, options)
    assert found.case is not None, found.skipped
    assert (found.case.api, found.case.symptom.signal) == ("torch.sparse_csc_tensor", "SIGSEGV")
    bugs = {one.api for one in found.findings if one.verdict.kind == "bug"}
    assert "torch.sparse_csr_tensor" in bugs
    assert "torch.sparse_coo_tensor" not in bugs  # takes the pointers for indices, and checks them
