"""A control as text: the case with arguments of its call changed."""

import pytest

from analysis.target.instrument import instrument
from citadel.evidence.written import control_code

CASES = [
    ("f(a, b)", "f", [("arg:0", "x.contiguous()")], "f(a.contiguous(), b)"),
    ("f(a + b)", "f", [("arg:0", "x.contiguous()")], "f((a + b).contiguous())"),
    ("f(a, dim=-1)", "f", [("kw:dim", "-x")], "f(a, dim=-(-1))"),
    ("f(a, dim=1)", "f", [("kw:dim", "LEFT_OUT")], "f(a)"),
    (
        "a.f(b)",
        "a.f",
        [("recv", "x.double()"), ("arg:0", "x.double()")],
        "a.double().f(b.double())",
    ),
    ("x.f()", "x.f", [("recv", "-x")], "(-x).f()"),
    ("f(g())", "f", [("arg:0", "where(x, 1, x)")], "f((lambda x: where(x, 1, x))(g()))"),
    (
        "f([a, b])",
        "f",
        [("arg:0", "[x.t() for x in x]")],
        "f((lambda x: [x.t() for x in x])([a, b]))",
    ),
    ("f(99)", "f", [("arg:0", "1")], "f(1)"),
    ("y = f(f(a))", "f(f", [("arg:0", "x.t()")], "y = f(f(a).t())"),
]
NOT_WRITTEN = [
    ("f(*a)", "f", [("arg:0", "x.t()")]),
    ("f(a)", "f", [("recv", "x.t()")]),
    ("f(a)", "f", [("arg:3", "x.t()")]),
    ("a + b", "a + b", [("recv", "x.t()")]),
]


def made(code, name, changes):
    case = instrument(code)
    texts = [case.module.code_for_node(node) for node in case.nodes]
    site = next(n for n, text in enumerate(texts) if text.startswith(name))
    return [(site, key, text) for key, text in changes]


@pytest.mark.parametrize(("code", "name", "changes", "wanted"), CASES)
def test_arguments_are_changed_in_the_text(code, name, changes, wanted):
    assert control_code(code, made(code, name, changes)) == wanted


@pytest.mark.parametrize(("code", "name", "changes"), NOT_WRITTEN)
def test_what_the_text_does_not_show_is_not_written(code, name, changes):
    assert control_code(code, made(code, name, changes)) is None


def test_a_site_that_is_none_is_not_written():
    assert control_code("f(a)", [(7, "arg:0", "x.t()")]) is None


def test_text_that_is_no_python_is_not_written():
    assert control_code("f(", [(0, "arg:0", "x.t()")]) is None
