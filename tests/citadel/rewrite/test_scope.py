"""Where a variable that is read last in a text has its value from, and who else reads it."""

from textwrap import dedent

import libcst as cst
import libcst.matchers as m
import pytest

from citadel.rewrite.scope import Scopes
from citadel.rewrite.steps import code_of
from citadel.rewrite.tree import Tree


def variables(tree, name):
    found = [n for n in tree.nodes if isinstance(n, (cst.Name, cst.Attribute))]
    return [n for n in found if code_of(n) == name]


def looked_up(code, name="x"):
    tree = Tree(cst.parse_module(dedent(code)))
    scopes = Scopes(tree)
    reads = [n for n in variables(tree, name) if scopes.binding(n) is not None]
    return scopes, reads


def value(code):
    """The value of what `f` is called with, where it is known."""
    tree = Tree(cst.parse_module(dedent(code)))
    scopes = Scopes(tree)
    call = m.findall(tree.module, m.Call(func=m.Name("f")))[-1]
    read = call.args[-1].value
    binding = scopes.binding(read)
    if binding is None:
        return None
    found = scopes.argument(binding) if binding.parameter else binding.value
    return None if found is None else code_of(found)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = a()\nf(x)", "a()"),
        ("x: T = a()\nf(x)", "a()"),
        ("x = y = a()\nf(x)", "a()"),
        ("x, y = a(), b()\nf(x)", "a()"),
        ("x, y = a()\nf(x)", None),
        ("x, *y = a(), b()\nf(x)", None),
        ("f(x := a(), x)", "a()"),
        ("x = a()\nx = b()\nf(x)", "b()"),
        ("x = a()\nx = x.b()\nf(x)", "x.b()"),
        ("x = a()\nx += 1\nf(x)", None),
        ("x = a()\nf(x)\nx = b()", "a()"),
        ("for x in a():\n    f(x)", None),
        ("with a() as x:\n    f(x)", None),
        ("import x\nf(x)", None),
        ("if c:\n    x = a()\nelse:\n    x = b()\nf(x)", None),
        ("x = a()\nif c:\n    x = b()\nf(x)", None),
        ("x = a()\nif c:\n    x = b()\n    f(x)", "b()"),
        ("with c:\n    x = a()\nx = b()\nwith c:\n    x = d()\nf(x)", "d()"),
        ("for i in c:\n    x = a()\n    x = b()\n    f(x)", "b()"),
        ("x = a()\nfor i in c:\n    f(x)\n    x = b()", None),
        ("x = a()\ndef g():\n    f(x)", "a()"),
        ("x = a()\nx = b()\ndef g():\n    f(x)", None),
        ("x = a()\ndef g():\n    x = b()\n    f(x)", "b()"),
        ("x = a()\nclass C:\n    x = b()\n    def g(self):\n        f(x)", "a()"),
        ("def g():\n    global x\n    x = a()\ng()\nf(x)", None),
        ("[f(x) for x in a()]", None),
        ("lambda x: f(x)", None),
    ],
)
def test_the_binding_of_a_variable(code, expected):
    assert value(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def g(x):\n    f(x)\ng(a())", "a()"),
        ("def g(y, x=b()):\n    f(x)\ng(a())", "b()"),
        ("def g(y, x=b()):\n    f(x)\ng(1, x=a())", "a()"),
        ("def g(x):\n    f(x)\ng(a())\ng(b())", None),
        ("def g(x):\n    f(x)\ng(*a())", None),
        ("def g(x):\n    f(x)\nmap(g, a())", None),
        ("class C:\n    def __init__(self, x):\n        f(x)\nC(a())", "a()"),
        ("class C:\n    def forward(self, x):\n        f(x)\nC()(a())", "a()"),
        ("class C:\n    def forward(self, x):\n        f(x)\nc = C()\nc(a())", "a()"),
        ("class C:\n    def forward(self, x):\n        f(x)\nc = C()\nc(a())\nc(b())", None),
    ],
)
def test_what_a_parameter_is_given(code, expected):
    assert value(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "class C:\n    def a(self):\n        self.x = a()\n    def b(self):\n        f(self.x)",
            "a()",
        ),
        (
            "class C:\n    def a(self):\n        self.x = a()\n        self.x = b()\n"
            "    def b(self):\n        f(self.x)",
            None,
        ),
    ],
)  # fmt: skip
def test_attributes_of_self(code, expected):
    assert value(code) == expected


def test_all_reads_of_a_binding():
    scopes, reads = looked_up("x = a()\nf(x)\nx = b(x)\ng(x, y.x, h(x=x))\n")
    first, second = scopes.binding(reads[0]), scopes.binding(reads[-1])
    assert (code_of(first.value), len(list(scopes.reads(first)))) == ("a()", 2)
    assert (code_of(second.value), len(list(scopes.reads(second)))) == ("b(x)", 2)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("n = 3\nlayer = L(n)\nf(x)", True),
        ("n = 3\nlayer = L((n, 2 * n))\nf(x)", True),
        ("n = 3\nlayer = L(n)\nn = 4\nf(x)", False),
        ("n = 3\nlayer = L(n)\nn += 1\nf(x)", False),
        ("n = 3\nlayer = L(size(n))\nf(x)", False),
        ("for n in a:\n    layer = L(n)\n    f(x)", True),
        ("for n in a:\n    layer = L(n)\nf(x)", False),
        ("layers = [L(n) for n in a]\nf(x)", False),
        ("n = 3\ndef g(n):\n    return L(n)\nlayer = g(4)\nf(x)", False),
        ("n = 3\nlayer = L(n)\ndef g(n):\n    f(x)", False),
        ("n = 3\nlayer = L(n)\ndef g(x):\n    f(x)", True),
        ("layer = L(n)\nf(x)", False),
        ("class A:\n    def __init__(self, n):\n        self.n = n\n        L(self.n)\n"
         "    def g(self, x):\n        f(x)", False),
        ("import a\nlayer = L(a.n)\nf(x)", True),
        ("cfg.n = 3\nlayer = L(cfg.n)\ncfg.n = 9\nf(x)", False),
        ("n = [3]\nlayer = L(n[0])\nn[0] = 4\nf(x)", False),
        ("n = 3\nlayer = L(n)\ndel n\nf(x)", False),
        ("try:\n    a()\nexcept E as n:\n    layer = L(n)\nf(x)", False),
        ("n = 3\nlayer = L(n)\nmatch y:\n    case [n]:\n        f(x)", False),
        ("for n in a:\n    if layer is None:\n        layer = L(n)\n    f(x)", False),
        ("for n in a:\n    if layer:\n        f(x)\n    layer = L(n)", False),
        ("def g():\n    return L(n)\nfor n in a:\n    layers.append(g())\nf(x)", False),
        ("def g():\n    n = yield\n    L((yield))\n    f(x)", False),
    ],
)  # fmt: skip
def test_what_means_the_same_in_another_place(code, expected):
    tree = Tree(cst.parse_module(code))
    made, used = (m.findall(tree.module, m.Call(func=m.Name(one)))[-1] for one in ("L", "f"))
    assert Scopes(tree).same(made.args[0].value, used) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("n = [3]\nlayer = L(n)\nf(x)", True),
        ("n = (3, 4)\nprint(n)\nlayer = L(*n)\nf(x)", True),
        ("n = [3]\nlayer = L(n)\nn.append(4)\nf(x)", False),
        ("n = [3]\nlayer = L(n)\nn[0] = 4\nf(x)", False),
        ("n = size()\nlayer = L(n)\nf(x)", False),
        ("n = [3]\nlayer = L(n + n)\nf(x)", False),
        ("n = m = [3]\nlayer = L(n)\nm.append(4)\nf(x)", False),
    ],
)
def test_what_can_change_has_to_be_left_alone(code, expected):
    tree = Tree(cst.parse_module(code))
    made, used = (m.findall(tree.module, m.Call(func=m.Name(one)))[-1] for one in ("L", "f"))
    assert Scopes(tree).same(made.args[0].value, used, mutable=True) is expected
