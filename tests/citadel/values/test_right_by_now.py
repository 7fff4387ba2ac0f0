"""Values that are right on this build."""

import pytest

from analysis.target.session import Limits
from citadel.verified import NotVerified, Verified
from citadel.verify import verify

pytestmark = [pytest.mark.torch, pytest.mark.slow]


def test_a_check_that_passes_here_is_fixed(verified):
    code = "import torch\nx = torch.ones(3)\nprint(torch.allclose(torch.exp(x), 2.7182818 * x))"
    found = verified("exp gives wrong results", code)
    assert not found.case.reproduces
    assert found.case.api == "torch.exp"


@pytest.mark.parametrize(("call", "fixed"), [("x + 3", True), ("x + 4", False)])
def test_the_only_value_that_is_shown_may_be_right_by_now(bench, read, call, fixed):
    code = f"import torch\nx = torch.ones(1)\nprint(torch.exp({call}).log().round())"
    reading = read("torch.exp is wrong", code, text="Returns 3, expected 4.")
    found = verify(
        reading, bench.replays[0], bench.index.catalog, bench.target.info, runs=2, limits=Limits()
    )
    assert isinstance(found, Verified) == fixed  # a third value proves nothing
    assert not fixed or not found.case.reproduces


def test_values_that_are_right_verify_nothing(bench, read):
    found = verify(
        read("exp gives wrong results", "import torch\nprint(torch.exp(torch.zeros(3)))"),
        bench.replays[0],
        bench.index.catalog,
        bench.target.info,
    )
    assert isinstance(found, NotVerified)
    assert "nothing tells which" in found.reason
