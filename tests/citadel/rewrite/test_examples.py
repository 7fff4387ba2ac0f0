"""The examples that document the rules are their tests."""

import libcst as cst
import pytest

from analysis.values import Value
from citadel.plan.model import Step
from citadel.rewrite import imports, shapes, steps
from citadel.rewrite.scope import only_binding


@pytest.mark.parametrize(("text", "api", "expected"), imports.EXAMPLES)
def test_imports(text, api, expected):
    local = imports.aliases(cst.parse_module(text))
    assert imports.spelled(api, local) == (expected, None)


@pytest.mark.parametrize("text", ["", "import numpy as np", "def f():\n    import torch\n"])
def test_an_api_that_no_import_reaches_tells_what_is_missing(text):
    local = imports.aliases(cst.parse_module(text))
    assert imports.spelled("torch.linalg.eig", local) == ("torch.linalg.eig", "torch")


@pytest.mark.parametrize(("before", "after"), imports.MISSING)
def test_missing_imports(before, after):
    assert imports.with_import(cst.parse_module(before), "torch").code == after


@pytest.mark.parametrize(("expression", "given", "expected"), steps.EXAMPLES)
def test_steps(expression, given, expected):
    changed = steps.apply_steps(cst.parse_expression(expression), given)
    assert steps.code_of(changed) == expected


@pytest.mark.parametrize(("expression", "value", "step", "expected"), steps.WITH_VALUES)
def test_steps_that_need_the_recorded_value(expression, value, step, expected):
    changed = steps.apply_steps(cst.parse_expression(expression), (step,), value)
    assert (changed and steps.code_of(changed)) == expected


@pytest.mark.parametrize(("expression", "shape", "step", "expected"), shapes.EXAMPLES)
def test_shapes(expression, shape, step, expected):
    value = Value(kind="tensor", shape=shape)
    changed = shapes.with_shape(cst.parse_expression(expression), value, (step,))
    assert (changed and steps.code_of(changed)) == expected


def test_several_steps_are_not_written_into_a_shape():
    value = Value(kind="tensor", shape=(2, 8, 16))
    lift = Step(name="lift", amount=1)
    expression = cst.parse_expression("torch.rand(2, 8, 16)")
    assert shapes.with_shape(expression, value, (lift, lift)) is None
    assert shapes.with_shape(expression, Value(kind="tensor"), (lift,)) is None


@pytest.mark.parametrize(
    ("code", "bound"),
    [
        ("x = a()\nf(x)", "a()"),
        ("x = a()\nf(x=x)", "a()"),
        ("x = a()\nf(b.x, x)", "a()"),
        ("x = a()\nx = b()\nf(x)", None),
        ("x = a()\nf(x)\nprint(x)", None),
        ("x = a()\nx += 1\nf(x)", None),
        ("x = y = a()\nf(x)", None),
        ("x, y = a()\nf(x)", None),
        ("for x in a():\n    f(x)", None),
        ("x: T = a()\nf(x)", None),
        ("def g(x):\n    f(x)", None),
        ("with a() as x:\n    f(x)", None),
    ],
)
def test_only_binding(code, bound):
    found = only_binding(cst.parse_module(code), "x")
    assert (found and steps.code_of(found)) == bound
