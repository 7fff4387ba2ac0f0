"""Reports verified on PyTorch, whose cases fail by themselves then, and their controls do not."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.evidence.trigger import find_trigger, reruns_of
from citadel.experiment import Control, Evidence, Under
from citadel.model import (
    Channels,
    Finding,
    Road,
    SymptomKind,
    Triage,
    Verdict,
    VerdictKind,
)
from citadel.plan.invocation import invocation
from citadel.selfcheck.standing import self_checking
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow]
LIMITS = Limits(wall=30.0)

OVERFLOW = "import torch\nn = torch.linalg.norm(torch.full((4,), 1e20))\nprint(n.item())\n"
PAIR = """
import torch
x = torch.tensor([1.0, float("nan")])
print(torch.max(x), torch.amax(torch.nan_to_num(x)))
"""
REFUSED = """
import torch
try:
    print(torch.median(torch.zeros(2, dtype=torch.complex64)))
except Exception as error:
    print("refused:", error)
"""
ACCEPTED = "import torch\nprint(torch.full((2,), -1, dtype=torch.uint8))\n"
TIMED = """
import time
import torch

x = torch.ones(300, 300)

def clock(times):
    start = time.perf_counter()
    for _ in range(times):
        torch.mm(x, x)
    return time.perf_counter() - start

clock(3)
slow = clock(60)
fast = clock(3)
print(slow / fast)
"""
ASSERTED = "import torch\nassert torch.linalg.norm(torch.full((4,), 1e20)).isfinite()\n"


@pytest.fixture
def checked(bench, read):
    """The report's case with its check; its text and that of its control."""

    def make(title, code, *findings, text=""):
        reading = read(title, code, text=text)
        session, info = bench.replays[0], bench.target.info
        found = verify(reading, session, bench.catalog, info, runs=2, limits=LIMITS)
        assert isinstance(found, Verified), found
        use = invocation(found.call, found.api, found.observation.calls)
        again = reruns_of(found, use, session, bench.catalog, LIMITS)
        wall = found.observation.wall
        trigger = again and find_trigger(again, use, found.api, wall)
        case = replace(found.case, trigger=trigger or found.case.trigger)
        made = Triage(input="report.md", case=case, findings=findings)
        return self_checking(made, found, bench.replays, LIMITS)

    return make


@pytest.fixture
def ends(bench, tmp_path):
    """How `python FILE` ends: the last line of what it complains, "" where it ends well."""

    def run(code):
        file = tmp_path / "case.py"
        file.write_text(code)
        command = [bench.target.info.python, file]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        return done.stderr.splitlines()[-1] if done.returncode else ""

    return run


@pytest.mark.parametrize(
    ("title", "code", "text", "complaint"),
    [
        ("linalg.norm is inf", OVERFLOW, "Expected: 2e20", "AssertionError"),
        ("linalg.norm is inf", ASSERTED, "It should hold.", "AssertionError"),
        ("median raises for complex", REFUSED, "It should work.", "NotImplementedError: "),
        ("mm is slow, 20 times slower", TIMED, "Both should take the same time.", "AssertionError"),
        ("full accepts -1 for uint8", ACCEPTED, "It should raise.", "AssertionError: should have"),
    ],
)
def test_a_report_fails_by_itself(checked, ends, title, code, text, complaint):
    case = checked(title, code, text=text).case
    assert case.check
    assert ends(case.check).startswith(complaint)
    if case.control:
        assert ends(case.control) == ""


def test_the_control_of_a_report_has_the_same_check(checked, ends):
    case = checked("linalg.norm is inf", OVERFLOW, text="Expected: 2e20").case
    assert "torch.float64" in case.control
    assert "assert math.isfinite(result)" in case.check
    assert "assert math.isfinite(result)" in case.control


def test_what_is_fixed_here_has_no_check(checked):
    code = "import torch\nprint(torch.max(torch.empty(0)))\n"
    case = checked("max of an empty tensor gives garbage", code, text="It should raise.").case
    assert (case.reproduces, case.check, case.control) == (False, "", "")


def finding(code, control, symptom, **fields):
    cured = Control(variations=(), sentence="double: works", outcome=Under.CURED, code=control)
    return Finding(
        api="torch.linalg.vector_norm",
        verdict=Verdict(kind=VerdictKind.BUG, runs=(3, 3), confidence=0.9, symptom=symptom),
        channels=Channels(),
        code=dedent(code),
        evidence=Evidence(controls=(cured,)),
        **fields,
    )


def test_a_finding_is_believed_with_its_control_only(checked, ends):
    source = checked("linalg.norm is inf", OVERFLOW, text="Expected: 2e20").case
    code = OVERFLOW.replace("linalg.norm", "linalg.vector_norm")
    good = code.replace("1e20", "1e18")
    bugs = [
        finding(code, good, source.symptom),
        replace(finding(code, code, source.symptom), api="torch.norm"),  # no control at all
        replace(finding(code, "", source.symptom), api="torch.dist"),
        replace(finding("x", "y", None, road=Road.TRIGGER), api="torch.renorm"),
    ]
    done = checked("linalg.norm is inf", OVERFLOW, *bugs, text="Expected: 2e20").findings
    assert [one.fails for one in done] == [True, False, True, True]
    assert "assert math.isfinite(result)" in done[0].code
    assert "assert math.isfinite(result)" in done[0].evidence.control.code
    assert ends(done[0].code) == "AssertionError"
    assert ends(done[0].evidence.control.code) == ""
    assert (done[1].code, done[3].code) == (code, "x")  # as they were


def test_what_is_measured_has_the_ratio_that_makes_a_bug(checked, ends):
    case = checked("mm is slow, 20 times slower", TIMED, text="Both should take as long.").case
    assert case.symptom.kind is SymptomKind.SLOW
    assert re.search(r"\nassert slow < [3-6](\.\d+)? \* fast\n$", case.check)
    assert ends(case.check.replace("clock(60)", "clock(0)")) == ""  # no time, whatever the load


def test_it_is_told_how_far_a_value_is_from_the_right_one(checked):
    code = (
        "import torch\nx = torch.tensor([1e-30, 1e-30, 1e30, 1e30])\nprint(torch.prod(x).item())\n"
    )
    case = checked("prod is wrong in float32", code, text="It prints 0.0. Expected: 1.0").case
    assert "torch.float64" in case.control
    assert case.distance == 1.0  # of the right value
    code = "import torch\na, b = torch.zeros(2), torch.full((2,), 4.0)\nprint(torch.dist(a, b))\n"
    assert checked("dist accepts", code, text="It should raise.").case.distance is None


def test_where_only_a_wrong_value_is_known_the_control_tells_the_right_one(checked, ends):
    code = "import torch\nx = torch.tensor([[3e20, 4e20]])\nprint(torch.renorm(x, 2, 0, 1.0))\n"
    told = "All of it is gone:\n```\ntensor([[0., 0.]])\n```\nThat is wrong."
    case = checked("renorm turns large rows into zeros", code, text=told).case
    assert case.cured == "`input` has dtype float32 (float64: works)"
    assert "torch.tensor([0.6, 0.8], dtype=torch.float64)" in case.check
    assert ends(case.check) == "AssertionError"
    assert ends(case.check.replace("torch.renorm(x", "torch.nan * torch.renorm(x"))
    assert ends(case.control) == ""
