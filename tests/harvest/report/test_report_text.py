"""Which lines a printed list goes over."""

import pytest

from harvest.report.text import continued, joined


@pytest.mark.parametrize(
    "text",
    [
        "values in [0, 1)\n### Expected [x]]",
        "values in [0, 1)\n**Expected**]",
        "values in [0, 1)\n```]",
        "values in [0, 1) are drawn\n[2, 3]]",
        "values in [0, 1)\n[2, 3]]",
        "[1, 2,\n\n3]",
        "[see below\n3]",
        "[1, 2,\nand more]",
    ],
)
def test_what_is_no_list_of_numbers_stays_as_it_is(text):
    assert joined(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "got tensor([[1., -2.5e-3],\n        [nan, inf]], dtype=torch.float64) here",
        "[[1.+2.j, ...,\n3.j],\n[True, False]]",
        "[tensor([1, 2]),\n tensor([3], device='cuda:0', grad_fn=<MulBackward0>)]",
        "[array([1], dtype=float32),\n array([2])]",
        "[[1,\n2]], got [[3,\n4]]",
    ],
)
def test_lists_of_numbers_are_joined(text):
    first, *more = text.split("\n")
    assert joined(text) == continued(first, more) == " ".join([first, *map(str.strip, more)])


def test_behind_a_list_a_text_goes_on():
    assert joined("[1,\n2] is right\n## End") == "[1, 2] is right\n## End"


def test_lists_that_nothing_closes_stay_as_they_are():
    text = "[1,\n" * 300
    assert joined(text) == text
