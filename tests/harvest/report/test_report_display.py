"""What a session displayed is displayed by the code made of it."""

import ast

import pytest

from harvest.report.steps.display import displayed

FRAME = '  File "<stdin>", line 1, in <module>'
HEAD = "Traceback (most recent call last):"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("t", "print(repr(t))"),
        ("  ", "  "),
        ("t  # why", "print(repr(t))  # why"),
        ("a, b", "print(repr((a, b)))"),
        ("(a, b)", "print(repr((a, b)))"),
        ("(1, 2), (3, 4)", "print(repr(((1, 2), (3, 4))))"),
        ("(a +\n b)", "print(repr((a +\n b)))"),
        ("(n := f())", "print(repr((n := f())))"),
        ("(x for x in y)", "print(repr((x for x in y)))"),
        ("*a, b", "print(repr((*a, b)))"),
        ("'ü' + f('ä'); g()", "print(repr('ü' + f('ä'))); print(repr(g()))"),
        ("x = 1; x", "x = 1; print(repr(x))"),
    ],
)
def test_expressions_are_displayed(statement, code):
    found = "\n".join(displayed(statement.split("\n"), ["1"], last=False))
    assert found == code
    ast.parse(found)


@pytest.mark.parametrize(
    "statement",
    [
        "print(t)",
        "pprint(t)",
        "exit()",
        "t = 1",
        "'text'",
        "torch.__version__",
        "for i in x:\n    i",
        "import torch",
        "%timeit f()",
        "print t",
    ],
)
def test_what_shows_itself_or_shows_nothing_stays(statement):
    lines = statement.split("\n")
    assert displayed(lines, ["1"], last=True) == lines


@pytest.mark.parametrize(
    ("shown", "last", "display"),
    [
        ([], True, True),
        ([], False, False),
        (["", " "], False, False),
        (["tensor([1])"], False, True),
        (["Segmentation fault (core dumped)"], False, True),
        ([HEAD, "  ...", "ValueError: no"], False, True),
        ([HEAD, FRAME, "ValueError: no"], False, False),
        ([HEAD, FRAME, '  File "a.py", line 3, in __repr__', "ValueError: no"], False, True),
        (["Input In [2], in <cell line: 1>()", "ValueError: no"], True, False),
        (["File /a/IPython/core/formatters.py:702, in f()", "ValueError: no"], False, True),
    ],
)
def test_what_is_shown_below_tells_whether_a_value_was_displayed(shown, last, display):
    assert (displayed(["f()"], shown, last=last) == ["print(repr(f()))"]) is display
