"""Old names of NumPy."""

import numpy
import pytest

from harvest.report.steps.numpy import _NOW, EXAMPLES, with_names_of_today


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    assert (with_names_of_today(before) or "") == after


def test_all_that_is_put_in_their_place_is_there():
    for text in _NOW.values():
        eval(text.format("numpy"), {"numpy": numpy})


def test_text_around_them_stays_whatever_its_letters():
    code = "import numpy as np  # ü\nf('ä', np.Inf, 'np.Inf')  # np.Inf\n"
    assert with_names_of_today(code) == code.replace("np.Inf, ", "np.inf, ")


@pytest.mark.parametrize("code", ["", "import numpy as np\nnp.NAN = 3\n", "import numpy as ("])
def test_nothing_to_change(code):
    assert with_names_of_today(code) is None
