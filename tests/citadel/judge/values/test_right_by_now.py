"""Values that are right on this build."""

import pytest

from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified

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


def test_a_gradient_is_of_what_the_title_names_though_it_does_not_depend_on_its_result(verified):
    code = """
        import torch
        anchor = torch.nn.Parameter(torch.ones(2, 3))
        x = torch.ones(4, 3, requires_grad=True)
        torch.cdist(x, anchor, p=0.5).sum().backward()
        assert not torch.isnan(x.grad).any(), "nan in gradient"
    """
    found = verified("`torch.cdist` backward gives nan", code)
    assert (found.case.api, found.case.reproduces) == ("torch.cdist", False)


@pytest.mark.parametrize(("title", "fixed"), [("differs", True), ("is wrong", False)])
def test_two_ways_that_are_said_to_differ_may_agree_by_now(bench, read, title, fixed):
    code = """
        import torch
        def f(x):
            return torch.sinh(x) / 2
        x = torch.tensor([0.25, 1.5])
        print(f(x))
        g = torch.jit.trace(f, x)
        print(g(x))
    """
    found = verify(
        read(f"sinh {title} when traced", code),
        bench.replays[0],
        bench.index.catalog,
        bench.target.info,
    )
    assert isinstance(found, Verified) == fixed
    assert not fixed or (found.case.api, found.case.reproduces) == ("torch.sinh", False)


def test_a_sibling_does_not_change_what_its_next_call_is_given(bench, read):
    code = """
        import torch
        def f(x):
            return torch.floor(torch.cosh(x))
        x = torch.tensor([0.25, 1.5])
        print(f(x))
        g = torch.jit.trace(f, x)
        print(g(x))
    """
    options = Options(
        road=Road.CALL, walk=Walk(siblings=8, seconds=30.0), runs=1, limits=Limits(wall=20.0)
    )
    done = triage(read("cosh differs when traced", code), bench, options)
    assert (done.case.api, done.case.reproduces) == ("torch.cosh", False)
    assert not done.bugs
    assert "torch.cosh_" in {finding.api for finding in done.findings}


def test_values_that_are_right_verify_nothing(bench, read):
    found = verify(
        read("exp gives wrong results", "import torch\nprint(torch.exp(torch.zeros(3)))"),
        bench.replays[0],
        bench.index.catalog,
        bench.target.info,
    )
    assert isinstance(found, NotVerified)
    assert "nothing tells which" in found.reason


def test_an_object_that_the_title_speaks_of_is_to_blame_for_what_it_gives(verified):
    code = """
        import torch
        from torch.distributions import Categorical
        weights = torch.tensor([0.5, 1., 2.])
        print(Categorical(logits=weights).entropy())
        print(Categorical(probs=torch.softmax(weights, -1)).entropy())
    """
    for title, blamed in (("Categorical", "distributions.Categorical"), ("It", "softmax")):
        found = verified(f"{title}: the two ways to give weights are inconsistent", code)
        assert not found.case.reproduces
        assert found.case.api == f"torch.{blamed}"


def test_an_object_of_which_nothing_is_asked_is_not_to_blame(verified):
    code = """
        import torch
        p = torch.nn.Parameter(torch.tensor([1e38, 3e38, 3e38]))
        torch.optim.SGD([p], lr=0.1)
        print(torch.cumsum(p.detach(), 0))
    """
    found = verified("Running totals are inf after torch.optim.SGD was made", code)
    assert found.case.api == "torch.cumsum"


ASSERTED = """
    import torch
    z = torch.prod(torch.tensor([0.0, 1.0]))
    print("z:", z)
    slope = torch.prod(torch.tensor([1.0, 1.0]))
    print("slope:", slope)
    assert slope == 1
"""


def test_what_an_assertion_states_is_what_the_text_is_about(verified):
    """That something else has the number that the text calls wrong means nothing."""
    text = "`d2z` should be `1`, but the output value is `0`."
    found = verified("torch.prod produces a wrong slope", ASSERTED, text)
    assert not found.case.reproduces
