"""Bounds that a report states, and results that do not keep them."""

import math

import pytest

from citadel.oracle.bounds import stated
from citadel.oracle.value import Bounds
from harvest.report.model import Report
from harvest.report.understand import understand

from .holding import NAN, holding

INF = math.inf


@pytest.mark.parametrize(
    ("title", "text", "bounds"),
    [
        ("X.cdf is wrong", "A probability should stay between 0 and 1.", (0, 1)),
        ("f must always be in [-1, 1]", "", (-1, 1)),
        ("f leaves the interval [0, 1]", "", (0, 1)),
        ("X.cdf is negative for negative values", "", (0, INF)),
        ("f returns slightly negative results", "", (0, INF)),
        ("f should never be negative", "", (0, INF)),
        ("cosine_similarity returns values greater than 1", "", (-INF, 1)),
        ("the probability exceeds 1.0", "", (-INF, 1)),
        ("f accepts a negative axis", "", None),
        ("f is negative dimension aware", "", None),
        ("f is more than 10 times slower", "", None),
        ("f is larger than 3 dimensions", "", None),
        ("f is wrong", "I used a step between 0 and 1.", None),
        ("f should be between 1 and 0", "", None),
    ],
)
def test_bounds_that_a_report_states(title, text, bounds):
    found = stated(understand(Report(source="r.md", title=title, body=f"{text}\n")))
    assert found == (None if bounds is None else Bounds(*bounds))


@pytest.mark.parametrize(
    ("values", "holds"),
    [([0.5, 1.5], True), ([-0.1, 0.5], True), ([0.0, 1.0], False), ([NAN, 0.5], False)],
)
def test_results_beyond_bounds(values, holds):
    text = "The result should be between 0 and 1."
    found = holding("y = f(x)\nprint(y)", ("y", values), title="f is off", text=text)
    assert found == ((["y"], "disagrees") if holds else None)


def test_what_goes_in_may_be_beyond():
    code = "x = torch.tensor([-2.0])\ny = f(x)\nprint(x, y)"
    events = (("x", [-2.0]), ("y", [0.5]))
    assert holding(code, *events, title="f is negative for negative values") is None


@pytest.mark.parametrize(
    ("bounds", "told"),
    [((0, 1), "between 0 and 1"), ((0, INF), "at least 0"), ((-INF, 1), "at most 1")],
)
def test_bounds_in_words(bounds, told):
    assert str(Bounds(*bounds)) == told
