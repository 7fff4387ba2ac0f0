"""What is accepted, or made, though there cannot be such a thing, is told as a fact."""

import pytest

from harvest.report.accepted import EXAMPLES, TITLES, accepts, takes_what_is_none


@pytest.mark.parametrize(("sentence", "told"), EXAMPLES)
def test_what_is_accepted(sentence, told):
    assert accepts(sentence) is told


@pytest.mark.parametrize(("title", "told"), TITLES)
def test_titles_of_what_there_cannot_be(title, told):
    assert takes_what_is_none(title) is told
