"""Comparisons that words alone make, and the clocks that the code gets for them."""

import ast

import pytest

from harvest.report.model import Report
from harvest.report.told_times import told
from harvest.report.understand import understand
from harvest.report.worded import NAME, slow_names

SETUP = "import torch\nx = torch.rand(9, 9)\n"


def fence(code):
    return f"```python\n{code}\n```\n"


def read(body, title="cumsum is slow"):
    return understand(Report(source="r.md", title=title, body=body))


def timed(reading):
    return [one for one in reading.candidates if NAME in one.repairs]


def sides(reading):
    """What is timed as slow and as fast."""
    (snippet,) = timed(reading)
    branches = [n for n in ast.walk(ast.parse(snippet.code)) if isinstance(n, ast.If) and n.orelse]
    ((slow, fast),) = [(one.body[:-1], one.orelse[:-1]) for one in branches]
    return tuple("\n".join(map(ast.unparse, side)) for side in (slow, fast))


@pytest.mark.parametrize(
    ("code", "slow", "fast"),
    [
        ("a = f(x)  # takes 3 s\nb = g(x)  # ~20 ms", "a = f(x)", "b = g(x)"),
        ("a = f(x)  # 20 us\nb = g(x)  # 20 ms", "b = g(x)", "a = f(x)"),
        (
            "# fast\nb = g(x)\n\n# Slow!\na = f(x)\na = h(a)\nprint(a)",
            "a = f(x)\na = h(a)",
            "b = g(x)",
        ),
        ("for i in x:  # slow\n    f(i)\ng(x)  # much faster", "for i in x:\n    f(i)", "g(x)"),
        ("a = f(x)  # slow (5 s)\nprint(a)\na = g(x)  # fast (1 s)", "a = f(x)", "a = g(x)"),
        ("def slow(x): f(x)\ndef fast(x): g(x)\nslow(x)\nfast(x)", "slow(x)", "fast(x)"),
        ("def run_slow(): f(x)\ndef run_fast(): g(x)", "run_slow()", "run_fast()"),
    ],
)
def test_comments_and_names_tell_the_sides_apart(code, slow, fast):
    assert sides(read(fence(SETUP + code))) == (slow, fast)


@pytest.mark.parametrize("second", [SETUP + "b = x.sum()\nprint(b.shape)", "b = x.sum()"])
def test_two_snippets_under_lines_that_say_it_are_compared_in_what_is_their_own(second):
    first = SETUP + "b = x.cumsum(0)\nprint(b.shape)"
    reading = read(f"This is slow:\n\n{fence(first)}\nBut this is fast:\n\n{fence(second)}")
    assert sides(reading) == ("b = x.cumsum(0)", "b = x.sum()")
    assert slow_names(timed(reading)[0].code) == {"cumsum"}


@pytest.mark.parametrize(
    ("code", "missing"),
    [
        ("a = f(x)  # slow", "nothing in its code is said to be fast or slow beside `a = f(x)`"),
        ("a = f(x)  # slow\nb = g(x)  # should be fast", "beside `a = f(x)`"),
        ("a = f(x)  # takes 3 s\nb = g(x)  # fast", "neither is clearly the slow one"),
        ("a = f(x)  # 3 s\nb = g(x)  # 2 s", "neither is clearly the slow one"),
        ("a = f(x)  # slow, 1 s\nb = g(x)  # fast, 3 s", "neither is clearly the slow one"),
        ("a = f(x)  # 9 s\nb = g(x)  # 3 s\nc = h(x)  # 1 s", "3 parts of its code"),
        ("a = f(x)\nb = g(x)", "nothing tells which part of its code is slow"),
        ("a = f(x)  # slow\nb = g(a)  # fast", "need what the other has changed"),
        ("a = f(x)  # 1 ms\nb = f(y)  # 100 ms", "are the same calls"),
        ("f(x)  # slow\nf(x)  # fast", "are the same calls"),
        ("a = f(x)  # fast\nh.set_num_threads(1)\nb = g(x)  # slow", "the other has changed"),
        ("a = f(x)  # fast\nx.flag = False\nb = g(x)  # slow", "the other has changed"),
        ("x.backward()  # slow\ny = g(x)  # fast", "the other has changed"),
        ("a = f(x)  # .5 s\nb = g(x)  # 2 s", "beside `b = g(x)`"),
        ("x = f(x)  # slow\nb = g(x)  # fast", "need what the other has changed"),
        ("for i in x:  # slow\n    n += f(i)\ng(x)  # fast", "need what the other has changed"),
        ("print(f(x))  # slow\nb = g(x)  # fast", "prints, and the other does not"),
        ("side = 3\na = f(x)  # slow\nb = g(x)  # fast", "names are those that clocks need"),
        ("def slow(x): f(x)\ndef fast(x): g(x)", "`slow` and `fast` are not called once each"),
    ],
)
def test_what_is_missing_is_said(code, missing):
    reading = read(fence(SETUP + code))
    assert timed(reading) == []
    assert missing in reading.unmeasured
    assert "\n" not in reading.unmeasured


@pytest.mark.parametrize(
    ("title", "log", "code"),
    [
        ("f crashes with a segmentation fault", "", ""),
        ("f is slow", "```\nRuntimeError: no\n```\n", ""),
        ("f returns wrong values", "It is slow, too.", ""),
        ("f uses more memory and is slow", "", ""),
        ("f is slow", "", "import time\nt = time.time()\n"),
    ],
)
def test_reports_of_other_bugs_and_those_that_measure_stay_as_they_are(title, log, code):
    reading = read(log + fence(SETUP + code + "a = f(x)  # slow\nb = g(x)  # fast"), title)
    assert timed(reading) == []
    assert reading.unmeasured == ""


def test_only_what_says_nothing_else_is_told():
    clear = ("slow", "This is very slow:", "takes 5 s", "~20 ms")
    assert all(told(text) is not None for text in clear)
    unclear = ("not slow", "slow?", "slow path off", "faster than g", "20 MB", "fast or slow", "20")
    assert [text for text in unclear if told(text) is not None] == []
