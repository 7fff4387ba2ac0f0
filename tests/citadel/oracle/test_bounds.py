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
        ("f is wrong", "The result of f must always be in [-1, 1].", (-1, 1)),
        ("f is wrong", "All values should lie within the range [0, 1]", (0, 1)),
        ("X.cdf is negative for negative values", "", (0, INF)),
        ("f returns slightly negative results", "", (0, INF)),
        ("cosine_similarity returns values greater than 1", "", (-INF, 1)),
        ("the probability is slightly above 1.0", "", (-INF, 1)),
        ("f accepts a negative axis", "", None),
        ("f is negative dimension aware", "", None),
        ("f is more than 10 times slower", "", None),
        ("f is larger than 3 dimensions", "", None),
        ("f is wrong", "I used a step between 0 and 1.", None),
        ("f is off", "The result should be between 1 and 0.", None),
        ("f is wrong", "It must have been introduced between 2.0 and 2.1.", None),
        ("f is wrong", "The output should be of shape (1, 1, 2, 2), or (2, 3)", None),
        ("f is wrong", "The output should be [1, 2] but is [2, 3].", None),
        ("f is wrong", "`q` must be in [0, 1].", None),
        ("f is wrong", "The weight should be between 0 and 1.", None),
        ("f is wrong", "Inputs outside [-10, 10] yield nan.", None),
        ("f is wrong", "The result should be between 0 and 1e-3.", None),
        ("f is wrong", "The result should be between 0 and 2**31.", None),
        ("f is wrong", "The result should be in [0, 10)", None),
        ("conv gives wrong results when the stride is greater than 1", "", None),
        ("cumsum gives wrong results when the last dim is greater than 3", "", None),
        ("log_prob returns wrong results when the value is negative", "", None),
        ("sqrt gives nan when input is negative", "", None),
        ("Error exceeds 0.1 between CPU and CUDA results", "", None),
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


def test_rounding_may_go_beyond():
    text, title = "The result should be between 0 and 0.1.", "f is off"
    assert holding("y = f(x)\nprint(y)", ("y", [0.10000000149]), title=title, text=text) is None


def test_only_results_of_the_titled_api_count():
    code = "import torch\nx = torch.sin(z)\ny = torch.erfc(x)\nprint(x, y)"
    events = (("x", [-0.5]), ("y", [0.5]))
    assert holding(code, *events, title="torch.erfc is negative") is None
    both = holding(code, ("x", [-0.5]), ("y", [-0.5]), title="torch.erfc is negative")
    assert both == (["y"], "disagrees")
    assert holding(code, *events, title="torch.f is negative") is None  # which of the two?


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
