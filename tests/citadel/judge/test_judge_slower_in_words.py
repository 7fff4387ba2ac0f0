"""Comparisons that words alone make, measured by real runs and judged as all others are."""

from dataclasses import replace
from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.judge.performance import judge_performance
from citadel.model import BugKind, VerdictKind
from citadel.plan.model import Adaptation, Form
from citadel.rewrite.rewriter import Rewritten
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified
from harvest.report.clocked import NAME

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.alone]

PLAN = Adaptation(
    target="", form=Form.FUNCTION, receiver=None, new=(), call=(), edits=(), plausibility=1.0
)
COLUMNS = """
    import torch
    x = torch.rand(1500, 1500)

    y = torch.cumsum(x, dim=0)  # takes forever
    z = x.sum(dim=0)  # fast
"""
EQUAL = """
    import torch
    x = torch.rand(1500, 1500)
    # this is slow
    y = torch.cos(x)

    # this is fast
    z = torch.cos(x)
"""


@pytest.fixture
def verified(bench, read):
    def check(title, code, text=""):
        catalog, info = bench.index.catalog, bench.target.info
        reading = read(title, code, text=text)
        return verify(reading, bench.replays[0], catalog, info, runs=2, limits=Limits(wall=20.0))

    return check


@pytest.fixture
def judged(bench):
    def check(found, target, before, after):
        return judge_performance(
            Rewritten(code=found.case.code.replace(before, after), edits=(), sites={}),
            replace(PLAN, target=target),
            bench.index.catalog.resolve(target),
            found.measured,
            bench.replays[0],
            bench.index.catalog,
            close=True,
            limits=Limits(wall=20.0),
        )

    return check


def test_what_a_comment_calls_slow_is_measured_and_judged(verified, judged):
    found = verified("Reductions along columns are slow", COLUMNS)
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.kind) == ("torch.cumsum", BugKind.PERFORMANCE)
    assert found.case.reproduces
    assert found.case.symptom.where == "slow_seconds / fast_seconds"
    assert any(NAME in one for one in found.case.evidence)
    old = "torch.cumsum(x, dim=0)"
    bug = judged(found, "torch.cummax", old, "torch.cummax(x, dim=0)")
    assert bug.kind is VerdictKind.BUG
    clean = judged(found, "torch.sum", old, "torch.sum(x, dim=0)")
    assert clean.kind is VerdictKind.CLEAN


def test_whoever_comes_first_is_not_slower_for_that(verified):
    for code in (EQUAL, EQUAL.replace("slow", "?").replace("fast", "slow").replace("?", "fast")):
        found = verified("torch.cos is slow", code)
        assert isinstance(found, Verified), found
        assert not found.case.reproduces


def test_what_words_leave_open_is_in_the_reason(verified):
    found = verified("torch.cumsum is slow", dedent(COLUMNS).replace("  # fast", ""))
    assert isinstance(found, NotVerified)
    assert "the report shows nothing that it measures; words alone compare: " in found.reason
    assert "only `y = torch.cumsum(x, dim=0)` is called slow" in found.reason
