"""What computes a value, with the functions of the text written out."""

import libcst as cst
import pytest

from analysis.target.inlined import Inliner


def inlined(code: str, shown: str, changed: frozenset[str] = frozenset()) -> tuple[str, list[str]]:
    found = Inliner(cst.parse_module(code), changed).of(cst.parse_expression(shown))
    return found.text, [text for _, text in found.ways]


COMPILED = "@tf.function(jit_compile=True)\ndef f(y):\n    return tf.top_k(y, k=3)\n"


@pytest.mark.parametrize(
    ("code", "shown", "text", "ways"),
    [
        ("v, _ = tf.top_k(x, k=3)", "v.numpy()", "tf.top_k(x,k=3)[0]", []),
        (COMPILED, "f(x)[0].numpy()", "tf.top_k(x,k=3)[0]", ["tf.function(jit_compile=True)"]),
        (f"{COMPILED}a, b = f(x)", "b", "tf.top_k(x,k=3)[1]", ["tf.function(jit_compile=True)"]),
        ("def f(a, b=2):\n    c = a * b\n    return g(c)", "f(x)", "g(x*2)", []),
        ("def f(a, *, b):\n    'Help.'\n    return a, g(b)", "f(b=y, a=x)[1]", "g(y)", []),
        ("f = torch.compile(lambda y: g(y.a, y=1), fullgraph=True)\nr = f(x)", "r",
         "g(x.a,y=1)", ["torch.compile(fullgraph=True)"]),
        ("def f(y):\n    return g(y)\nh = torch.jit.trace(f, (x,))", "h(z)", "g(z)",
         ["torch.jit.trace((x,))"]),
        ("h = torch.compile(torch.erf)", "h(x)", "torch.erf(x)", ["torch.compile()"]),
        ("h = torch.compile(torch.vmap(g))", "h(x)", "g(x)", ["torch.compile()", "torch.vmap()"]),
        ("h = tf.function(x=1)(g)", "h(x)", "g(x)", ["tf.function(x=1)()"]),
    ],
)  # fmt: skip
def test_functions_are_written_out(code, shown, text, ways):
    assert inlined(code, shown) == (text, ways)


@pytest.mark.parametrize(
    ("code", "shown", "text"),
    [
        ("v = g(x)\nv = h(x)", "v", ""),
        ("for x in y:\n    v = g(x)", "v", ""),
        ("if y:\n    v = g(x)", "v", ""),
        ("v = w = 1", "v", ""),
        ("a, *b = g(x)", "a", ""),
        ("def f(y):\n    y += 1\n    return g(y)", "f(x)", "f(x)"),
        ("def f(y):\n    if y:\n        return 1\n    return g(y)", "f(x)", "f(x)"),
        ("def f(*y):\n    return g(*y)", "f(x)", "f(x)"),
        ("def f(y):\n    return g(y)", "f(*x)", "f(*x)"),
        ("def f(y):\n    return g(y)", "f(x, 1)", "f(x,1)"),
        ("def f(y):\n    return g(y)", "f(z=1)", "f(z=1)"),
        ("def f(y):\n    return f(y)", "f(x)", "f(x)"),
    ],
)
def test_what_is_not_told_by_assignments_stays(code, shown, text):
    assert inlined(code, shown)[0] == text


@pytest.mark.parametrize(
    ("code", "shown", "text"),
    [
        ("from m import f\nf = torch.compile(f)", "f(x)", "f(x)"),
        ("f = f(f)", "f(f)", "f(f)"),
        ("def f(y): return g(y)", "f(x)", "g(x)"),
        ("def f(a):\n    return g(a * 2)", "f(x + 1)", "g((x+1)*2)"),
        ("def f(y):\n    return g(lambda x: x + y)", "f(x)", "f(x)"),
        ("def f(y):\n    return g(y, 'a b')", "f(x)", "g(x, 'a b')"),
        ("def f(x):\n" + 12 * "    x = g(x) + x\n" + "    return x", "f(y)", "f(y)"),
    ],
)
def test_functions_are_written_out_with_care(code, shown, text):
    assert inlined(code, shown)[0] == text


@pytest.mark.parametrize(
    ("code", "steady"),
    [
        ("x = 1", True),
        ("import f as g\nfrom m import f", True),
        ("x = 1\nx = 2", False),
        ("for x in y:\n    pass", False),
        ("def f(z):\n    return g(z.add_(1))", False),
    ],
)
def test_what_it_is_made_of_may_be_bound_twice(code, steady):
    made = Inliner(cst.parse_module(code), frozenset()).of(cst.parse_expression("f(x)"))
    assert made.steady is steady


def test_what_is_changed_in_place_stays():
    assert inlined("v = g(x)", "v", frozenset("v")) == ("", [])
