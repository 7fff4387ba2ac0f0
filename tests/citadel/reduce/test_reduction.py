"""Cases reduced on PyTorch."""

from __future__ import annotations

from textwrap import dedent

import pytest

from analysis.errors import CitadelError
from analysis.target.session import Limits
from citadel.model import Symptom, SymptomKind
from citadel.reduce.reduction import Reduced, reduced
from citadel.report.text import lines_of

pytestmark = [pytest.mark.torch, pytest.mark.slow]

NORM = """
import torch
import math

names = ["a", "b"]
v = torch.full((64, 8), 1e20).view(-1)
other = torch.zeros(3)
for name in names:
    other += 1
n = torch.linalg.norm({}, 2)
print("norm:", result := n.item(), "other:", other)
assert math.isfinite(result)
print("done")
"""
WRONG, LIMITS = Symptom(kind=SymptomKind.FALSE), Limits(wall=20.0)
CASE, CONTROL = NORM.format("v"), NORM.format("v.double()")


@pytest.fixture
def session(torch_target):
    with torch_target.session() as opened:
        yield opened


@pytest.fixture
def reduce(session):
    def make(code, control="", api="torch.linalg.norm", symptom=WRONG, **fields):
        return reduced(
            dedent(code), dedent(control), api, symptom, session, LIMITS, **fields, seconds=60.0
        )

    return make


def test_a_case_and_its_control(reduce):
    found = reduce(CASE, CONTROL)
    assert found.code == (
        "import torch\nimport math\n\nv = torch.full((2,), 1e20)\nresult = torch.linalg.norm(v)\n"
        "assert math.isfinite(result)\n"
    )
    assert found.control == found.code.replace("norm(v)", "norm(v.double())")
    assert (lines_of(CASE), lines_of(found.code)) == (11, 5)
    assert reduce(CASE, CONTROL) == found  # the same each time


def test_an_exception_stays_the_same_one(reduce):
    code = """
        import torch
        x = torch.ones(2, 3)
        y = torch.ones(4, 5)
        print(x.sum())
        torch.linalg.norm(x, ord="what", dim=(0, 1))
        torch.mm(x, y)
    """
    found = reduce(code, code.replace('"what"', "'fro'").replace("4, 5", "3, 5"))
    assert "what" in found.code
    assert "mm" not in found.code


def test_a_crash_stays_a_crash(reduce):
    code = "import torch, os\nx = torch.ones(3)\nprint(x)\nx.norm()\nos.abort()\n"
    found = reduce(code, api="torch.Tensor.norm")
    assert "x.norm()" in found.code
    assert "os.abort()" in found.code
    assert "print" not in found.code


def test_what_is_printed_of_a_refusal_stays(reduce):
    code = """
        import torch

        def outcome(call):
            try:
                call()
            except Exception as error:
                return f"{type(error).__name__}: {error}"
            return "returns"

        x = torch.ones(2, 3)
        plain = outcome(lambda: torch.norm(x, dim=5))
        other = outcome(lambda: torch.norm(x))
        print("plain:", plain)
        assert (plain == "returns") == (other == "returns")
    """
    found = reduce(code, code.replace("dim=5", "dim=0"), api="torch.norm")
    assert "dim=5" in found.code  # without it another exception would be told, or none


def test_runs_are_bounded(reduce):
    found = reduce(CASE, CONTROL, runs=5)
    assert found.runs <= 5 + 4
    assert "assert math.isfinite(result)" in found.code


@pytest.mark.parametrize(
    ("code", "control", "words"),
    [
        (CONTROL, "", "the case does not fail"),
        (CASE, CASE, "the control fails, too"),
        (CASE, "", "the case has no control"),
        ("def f(:\n", "", "the case is no Python"),
    ],
)
def test_what_is_no_case(reduce, code, control, words):
    with pytest.raises(CitadelError, match=words):
        reduce(code, control)


def test_what_shows_it_in_some_runs_only_stays_as_it_is(reduce):
    code = """
        import os
        import torch
        x = torch.ones(2)
        print(torch.linalg.norm(x))
        if os.getpid() % 2:
            raise ValueError("odd")
    """
    try:
        found = reduce(code)
    except CitadelError:
        return  # the first run happened to end well
    assert isinstance(found, Reduced)
