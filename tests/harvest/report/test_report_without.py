"""What a library computes beside the framework can be left out where a build has it not."""

import pytest

from harvest.report.without import EXAMPLES, without


@pytest.mark.parametrize(("code", "module", "left"), EXAMPLES)
def test_examples(code, module, left):
    assert without(code, module) == left


def test_a_name_that_is_made_anew_is_kept():
    code = "import mpmath as mp\nx = mp.pi\nx = 3.0\nprint(f(x))"
    assert without(code, "mpmath") == "x = 3.0\nprint(f(x))"


def test_functions_that_use_the_module_stay():
    code = "import scipy\ndef g(x):\n    return scipy.f(x)\nprint(f(x))"
    assert without(code, "scipy") is None
