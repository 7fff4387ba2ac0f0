"""What is accepted, or made, though there cannot be such a thing, is told as a fact."""

import pytest

from harvest.report.accepted import (
    CHECKS,
    EXAMPLES,
    TITLES,
    accepts,
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
