"""Comparisons that words alone make, measured by real runs and judged as all others are."""

from dataclasses import replace

import pytest

from analysis.target.session import Limits
from citadel.judge.performance import judge_performance
from citadel.model import BugKind, VerdictKind
from citadel.plan.model import Adaptation, Form
from citadel.rewrite.rewriter import Rewritten
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified
from harvest.report.worded import NAME

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.alone]

PLAN = Adaptation(
    target="", form=Form.FUNCTION, receiver=None, new=(), call=(), edits=(), plausibility=1.0
)
COLUMNS = """
    import torch
    x = torch.rand(1000, 1000)

    y = torch.cumsum(x, dim=0)  # takes forever
    z = torch.sum(x, dim=0)  # fast
"""
EQUAL = """
    import torch
    x = torch.rand(1500, 1500)
    # {}
    y = torch.cos(x)

    # {}
    z = torch.cos(x)
"""
TWICE = """
    import torch
    x = torch.rand(300, 300)
    def slow():
        return x.cos(), x.cos(), x.cos()
    def fast():
        return x.cos()
"""


@pytest.fixture
def verified(bench, read):
    def check(title, code):
        found = read(title, code)
        catalog, info = bench.index.catalog, bench.target.info
        return verify(found, bench.replays[0], catalog, info, runs=2, limits=Limits(wall=20.0))

    return check


def test_what_a_comment_calls_slow_is_measured_and_carried_over(bench, verified):
    found = verified("Reductions along columns are slow", COLUMNS)
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.kind) == ("torch.cumsum", BugKind.PERFORMANCE)
    assert found.case.reproduces
    assert any(NAME in one for one in found.case.evidence)
    catalog, old = bench.index.catalog, "torch.cumsum(x, dim=0)"
    for target, new, kind in (
        ("torch.logcumsumexp", "torch.logcumsumexp(x, dim=0)", VerdictKind.BUG),
        ("torch.sum", "torch.sum(x, dim=0)", VerdictKind.CLEAN),
    ):
        judged = judge_performance(
            Rewritten(code=found.case.code.replace(old, new), edits=(), sites={}),
            replace(PLAN, target=target),
            catalog.resolve(target),
            found.measured,
            bench.replays[0],
            catalog,
            close=True,
            limits=Limits(wall=20.0),
        )
        assert judged.kind is kind, (target, judged)


def test_three_times_as_much_is_slow(verified):
    found = verified("cos is slow", TWICE)
    assert isinstance(found, Verified), found
    assert found.case.reproduces
    assert 2 < found.case.symptom.ratio < 4


@pytest.mark.parametrize("words", [("slow", "fast"), ("fast", "slow")])
def test_whoever_comes_first_is_not_slower_for_that(verified, words):
    found = verified("torch.cos is slow", EQUAL.format(*words))
    assert isinstance(found, Verified), found
    assert not found.case.reproduces
    assert found.case.symptom.ratio < 1.5


def test_what_words_leave_open_is_in_the_reason(verified):
    found = verified("torch.cumsum is slow", COLUMNS.replace("  # fast", ""))
    assert isinstance(found, NotVerified)
    assert found.reason == (
        "the report shows nothing that it measures: nothing in its code is said to be fast or slow"
        " beside `y = torch.cumsum(x, dim=0)`"
    )
