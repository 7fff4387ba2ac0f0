"""Comparisons that words alone make, and the clocks that they get."""

import ast
import textwrap

import pytest

from harvest.report.clocked import EXAMPLES, NAME
from harvest.report.model import Report
from harvest.report.understand import understand

TITLE = "f is slow"


def read(body, title=TITLE):
    return understand(Report(source="r.md", title=title, body=body))


def fence(code):
    return f"```python\n{code}\n```\n"


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    found = [one for one in read(fence(before)).candidates if NAME in one.repairs]
    assert [one.code for one in found] == ([after + "\n"] if after else [])


SETUP = "import torch\nx = torch.rand(9, 9)\nw = torch.nn.Linear(9, 9)\n"


def sides(reading):
    """The texts of what is timed as slow and as fast."""
    (code,) = (one.code for one in reading.candidates if NAME in one.repairs)
    (loop,) = (
        node
        for node in ast.parse(code).body
        if isinstance(node, ast.For) and (ast.unparse(node.target) == "timed")
    )
    lines = textwrap.dedent("\n".join(code.split("\n")[loop.lineno : loop.end_lineno])).split("\n")
    at = {line.partition(" = ")[0]: number for number, line in enumerate(lines)}
    return tuple(
        "\n".join(lines[at[f"{name}_started"] + 1 : at[f"{name}_seconds"]])
        for name in ("slow", "fast")
    )


@pytest.mark.parametrize(
    ("code", "slow", "fast"),
    [
        ("a = f(x)  # takes 3 s\nb = g(x)  # 20 ms", "a = f(x)  # takes 3 s", "b = g(x)  # 20 ms"),
        ("# fast\nb = g(x)\n\n# slow\na = f(x)\na = f(a)", "a = f(x)\na = f(a)", "b = g(x)"),
        ("a = f(x)\n# takes 3 s\n\nb = g(x)\n# takes 0.1 s", "a = f(x)", "b = g(x)"),
        ("print('slow')\na = f(x)\nprint('fast')\nb = g(x)", "a = f(x)", "b = g(x)"),
        (
            "# slow\nfor i in range(9):\n    f(x)\n# much faster\ng(x)",
            "for i in range(9):\n    f(x)",
            "g(x)",
        ),
        ("def slow(x): f(x)\ndef fast(x): g(x)\nslow(x)\nfast(x)", "slow(x)", "fast(x)"),
        ("y_slow = f(x)\ny_fast = g(x)\nprint(y_slow, y_fast)", "y_slow = f(x)", "y_fast = g(x)"),
        ("a = f(x)\nprint('slow', a)\nb = g(x)\nprint('fast', b)", "a = f(x)", "b = g(x)"),
    ],
)
def test_labels_tell_the_sides_apart(code, slow, fast):
    assert sides(read(fence(SETUP + code))) == (slow, fast)


@pytest.mark.parametrize(
    ("title", "prose"),
    [
        ("torch.cumsum is slower than torch.sum", ""),
        (TITLE, "`torch.sum(x)` is much faster than `torch.cumsum(x, 0)`."),
        (TITLE, "Here torch.cumsum takes 40 ms, but torch.sum 0.3 ms."),
        (TITLE, "`torch.cumsum` is terribly slow, while `torch.sum` is fast."),
    ],
)
def test_sentences_name_the_sides(title, prose):
    code = SETUP + "a = torch.cumsum(x, 0)\nb = torch.sum(x)\nprint(a.shape)"
    found = sides(read(prose + "\n\n" + fence(code), title))
    assert found == ("a = torch.cumsum(x, 0)", "b = torch.sum(x)")


def test_what_uses_a_named_object_is_its_side():
    code = SETUP + "c = torch.nn.ReLU()\na = w(x)\nb = c(x)"
    found = sides(read(fence(code), "nn.Linear is slower than nn.ReLU"))
    assert found == ("a = w(x)", "b = c(x)")


def test_two_snippets_are_compared_in_what_they_do_not_share():
    slow, fast = "y = torch.cumsum(x, 0)\nprint(y.shape)", "y = torch.sum(x)\nprint(y.shape)"
    body = f"This is slow:\n\n{fence(SETUP + slow)}\nThis is fast:\n\n{fence(SETUP + fast)}"
    reading = read(body)
    assert sides(reading) == ("y = torch.cumsum(x, 0)", "y = torch.sum(x)")
    assert reading.candidates[-1].origin == "fence 1 and fence 2"
    assert max(reading.mentions, key=lambda one: one.body).name == "cumsum"


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("a = f(x)  # slow", "only `a = f(x)` is called slow"),
        ("a = f(x)  # takes 3 s\nb = g(x)  # fast", "only `a = f(x)` is said to take 3 s"),
        ("a = f(x)  # not slow\nb = g(x)", "which two statements they mean is not told"),
        ("a = f(x)\n# takes 3 s\nb = g(x)\n# takes 1 s\nc = h(x)", "not told"),
    ],
)
def test_what_is_not_clear_is_said(code, left):
    reading = read(fence(SETUP + code))
    assert not [one for one in reading.candidates if NAME in one.repairs]
    assert reading.unmeasured.startswith("words alone compare: f is slow; ")
    assert left in reading.unmeasured


def test_what_is_said_of_memory_or_of_a_crash_is_not_timed():
    code = fence(SETUP + "a = f(x)  # slow\nb = g(x)  # fast")
    for title in ("f uses too much memory", "f keeps extra activations alive", "f crashes"):
        reading = read(code, title)
        assert not [one for one in reading.candidates if NAME in one.repairs]
        assert reading.unmeasured == ""


def test_what_is_called_slow_is_blamed_before_what_comes_last():
    code = SETUP + "def run(x): return x.kthvalue(2)\na = run(x)  # slow\nb = x.amax()  # fast"
    reading = read("`torch.amax` is what I use now.\n\n" + fence(code), "Reductions are slow")
    assert max(reading.mentions, key=lambda one: one.body).name == "kthvalue"
