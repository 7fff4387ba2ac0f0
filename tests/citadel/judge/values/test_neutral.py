"""A distance of something to itself is nothing: beside zeros it is the norm that overflows."""

import pytest

from analysis.target.session import Limits
from citadel.judge.values import judge_value
from citadel.model import VerdictKind
from citadel.plan.adapt import plans
from citadel.propagate.uses import Uses

from .conftest import NEAR, OVERFLOW

pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.mark.parametrize("sibling", ["torch.dist", "torch.nn.functional.pairwise_distance"])
def test_what_is_nothing_of_something_and_itself_shows_the_bug_beside_zeros(
    bench, verified, sibling
):
    found = verified("linalg.norm of 1e20 overflows to inf", OVERFLOW, "The result is inf.")
    uses, api = Uses(found, bench), bench.index.catalog.resolve(sibling)
    told = {}
    for plan in plans(uses.invocation, api, bench.samples, bench.lexicon):
        for written in uses.write(plan):
            told[written.code] = judge_value(
                written, plan, api, found.witness, NEAR, bench.replays[0],
                bench.index.catalog, runs=1, limits=Limits(wall=20.0),
            ).kind  # fmt: skip
    twice, zeros = (f"n = {sibling}(v, {other})" for other in ("v", "torch.zeros_like(v)"))
    assert [kind for code, kind in told.items() if twice in code] == [VerdictKind.CLEAN]
    assert [kind for code, kind in told.items() if zeros in code] == [VerdictKind.BUG]
