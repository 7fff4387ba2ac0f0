"""What is accepted, or made, though there cannot be such a thing, is told as a fact."""

import pytest

from harvest.report.accepted import (
    CHECKS,
    EXAMPLES,
    TITLES,
    accepts,
    out_of_bounds,
    takes_what_is_none,
    unchecked,
)
from harvest.report.markdown import read_markdown
from harvest.report.refusals import wants_refusal


@pytest.mark.parametrize(("sentence", "told"), EXAMPLES)
def test_what_is_accepted(sentence, told):
    assert accepts(sentence) is told


@pytest.mark.parametrize(("sentence", "told"), CHECKS)
def test_checks_that_are_missing(sentence, told):
    assert unchecked(sentence) is told
    assert (wants_refusal(sentence, read_markdown("")) is not None) is told


@pytest.mark.parametrize(("title", "told"), TITLES)
def test_titles_of_what_there_cannot_be(title, told):
    assert takes_what_is_none(title) is told


@pytest.mark.parametrize(
    ("title", "code", "told"),
    [
        ("`f` margin can be less than 0", "f(x, margin=-1)", True),
        ("rate could also be greater than 1 in f", "f(rate = 2)", True),
        ("`f`: `p` can be smaller than -1", "f(p=-3)", True),
        ("f can be less than 0", "f = g(x)", False),
        ("the loss of f can be less than 0", "loss = f(x)", False),
        ("the loss of f can be less than 0", "print(loss == f(x))", False),
        ("margin should be such that it can be less than 0", "f(it=-1)", False),
        ("crash when margin can be less than 0", "f(margin=-1)", False),
    ],
)
def test_arguments_that_are_out_of_bounds_are_given_by_name(title, code, told):
    assert out_of_bounds(title, ["import torch", code]) is told
