"""Values that are not finite for one number that a call is given, whatever else it is given."""

import pytest

from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage

pytestmark = [pytest.mark.torch, pytest.mark.slow]

NORM = """
import torch
import torch.nn.functional as F

torch.manual_seed(1)
rows = torch.randn(4, 6) * 0.5
print(torch.isnan(F.{}).any())
"""


@pytest.fixture
def verdicts(bench, read):
    def find(title, call, text):
        options = Options(
            road=Road.CALL, walk=Walk(seconds=40.0, siblings=200), runs=2, limits=Limits(wall=20.0)
        )
        found = triage(read(title, NORM.format(call), text=text), bench, options)
        assert found.case is not None, found.skipped
        return found.case.reproduces, {one.api: one.verdict for one in found.findings}

    return find


def test_what_is_filled_in_does_not_matter_where_nan_comes_of_a_number_of_the_report(verdicts):
    shown, found = verdicts(
        "layer_norm returns NaN for a negative eps",
        "layer_norm(rows, (6,), eps=-1.5)",
        "It prints True. There should be no NaN.",
    )
    assert shown
    told = found["torch.nn.functional.group_norm"]  # is given a number of groups
    assert told.kind == "bug"
    assert "finite without eps, as the report's call is" in told.guards
    assert found["torch.nn.functional.normalize"].kind != "bug"


def test_where_the_call_is_refused_by_now_a_sibling_has_to_give_nan_for_it(verdicts):
    shown, found = verdicts(
        "F.batch_norm silently returns NaN for a negative eps",
        "batch_norm(rows, torch.zeros(6), torch.ones(6), training=False, eps=-1.5)",
        "It prints True. It should raise an error.",
    )
    assert not shown
    told = found["torch.nn.functional.layer_norm"]
    assert told.kind == "bug"
    assert "not finite for its eps, and finite without" in told.guards
    fine = found["torch.nn.functional.normalize"]
    assert (fine.kind, fine.reason) == (
        "not_adapted",
        "accepts it, and gives finite numbers, where the report speaks of others",
    )
