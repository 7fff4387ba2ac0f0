"""Plans that come behind those which show nothing: beside zeros, and with tensors in one."""

import pytest

from analysis.target.session import Limits
from citadel.judge.values import judge_value
from citadel.model import VerdictKind
from citadel.plan.adapt import plans
from citadel.propagate.uses import Uses

from .conftest import NEAR, OVERFLOW

pytestmark = [pytest.mark.torch, pytest.mark.slow]


BOTH = """
    import torch

    start = torch.full((2,), float("-inf"), requires_grad=True)
    other = torch.full((2,), float("-inf"))
    torch.logaddexp(start, other).sum().backward()
    print(start.grad)
"""


@pytest.fixture
def verdicts(bench):
    """Verdicts on all cases of a sibling, by their code."""

    def judge(found, sibling):
        uses, api = Uses(found, bench), bench.index.catalog.resolve(sibling)
        told = {}
        for plan in plans(uses.invocation, api, bench.samples, bench.lexicon):
            for written in uses.write(plan):
                told[written.code] = judge_value(
                    written, plan, api, found.witness, NEAR, bench.replays[0],
                    bench.index.catalog, runs=1, limits=Limits(wall=20.0),
                ).kind  # fmt: skip
        return told

    return judge


def test_tensors_in_one_show_what_one_of_them_does_not(verified, verdicts):
    found = verified("logaddexp: NaN gradient", BOTH, "The gradient is nan, it should be finite.")
    told = verdicts(found, "torch.logsumexp")
    assert any("torch.logsumexp(start, " in code for code in told)
    stacked = "torch.logsumexp(torch.stack([start, other]), 0)"
    assert [kind for code, kind in told.items() if stacked in code] == [VerdictKind.BUG]


@pytest.mark.parametrize("sibling", ["torch.dist", "torch.nn.functional.pairwise_distance"])
def test_what_is_nothing_of_something_and_itself_shows_the_bug_beside_zeros(
    verified, verdicts, sibling
):
    found = verified("linalg.norm of 1e20 overflows to inf", OVERFLOW, "The result is inf.")
    told = verdicts(found, sibling)
    twice, zeros = (f"n = {sibling}(v, {other})" for other in ("v", "torch.zeros_like(v)"))
    assert [kind for code, kind in told.items() if twice in code] == [VerdictKind.CLEAN]
    assert [kind for code, kind in told.items() if zeros in code] == [VerdictKind.BUG]
