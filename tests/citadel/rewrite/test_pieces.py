"""Text whose statements are replaced one by one is the text of the whole tree, changed."""

import libcst as cst
import libcst.matchers as m
import pytest

from citadel.rewrite.pieces import Pieces
from citadel.rewrite.tree import Tree

TEXTS = {
    "blocks": """# first
import a

class B(a.C()):
    # why

    def f(self, x=g()):

        y = h(x)  # behind

        if i(y): return j()
        elif k(y):
            with l() as z: pass
            return m(z)
        # before
        else:
            return n()
        # end

@o()
def p():
    try:
        return q(r(
            s(),
        ))
    finally: t()
""",
    "tabs": "if a():\n\tb()\n\n\tif c():\n\t  d(e,\n  f())\n\t  g()",
    "odd widths": "if a():\n  b()\n  if c():\n       d(); e()\n\n  # f\n\ng()\n",
    "windows": "if a():\r\n    b(\r\n        c())\r\n    d()\r\n",
    "one line": "a(); b()",
}


class Replacer(cst.CSTTransformer):
    """Nodes replaced, in a walk over everything."""

    def __init__(self, nodes):
        super().__init__()
        self.nodes = {id(node): new for node, new in nodes.items()}

    def on_leave(self, original_node, updated_node):
        return self.nodes.get(id(original_node), updated_node)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_call_replaced(text):
    module = cst.parse_module(text)
    pieces = Pieces(Tree(module))
    calls = m.findall(module, m.Call())
    assert pieces.replaced({}) == text
    new = cst.parse_expression("new(1,\n 2)")
    for call in calls:
        assert pieces.replaced({call: new}) == module.visit(Replacer({call: new})).code


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_all_calls_replaced(text):
    module = cst.parse_module(text)
    new = cst.Name("new")
    nodes = dict.fromkeys(m.findall(module, m.Call()), new)
    assert Pieces(Tree(module)).replaced(nodes) == module.visit(Replacer(nodes)).code


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a = b()\nc()\n", "c()\n"),
        ("if c:\n    # why\n    a = b()\n    d()\n", "if c:\n    d()\n"),
        ("if c:\n    if d:\n        a = b()\n    # end\ne()\n",
         "if c:\n    if d:\n        pass\n    # end\ne()\n"),
    ],
)  # fmt: skip
def test_a_line_that_goes(text, left):
    module = cst.parse_module(text)
    line = next(iter(m.findall(module, m.SimpleStatementLine(body=[m.Assign()]))))
    assert Pieces(Tree(module)).replaced({}, [line]) == left


@pytest.mark.parametrize("text", ["if b():\n    {}\n", "a = {}\n"])
def test_a_class_in_front(text):
    module = cst.parse_module("import a\n\n" + text.format("c()"))
    made = cst.ensure_type(cst.parse_statement("class New:\n    pass\n"), cst.ClassDef)
    call = m.findall(module, m.Call(func=m.Name("c")))[0]
    code = Pieces(Tree(module)).replaced({call: cst.Name("d"), module.body[1]: made})
    assert code == "import a\n\n\nclass New:\n    pass\n\n\n" + text.format("d")


def test_a_keyword_may_touch_what_is_replaced():
    module = cst.parse_module("y = (x).a()\nassert(x).a()\nz = c and x.a()or d\n")
    nodes = {call: cst.parse_expression("x.b") for call in m.findall(module, m.Call())}
    changed = Pieces(Tree(module)).replaced(nodes)
    assert changed == "y = x.b\nassert(x.b)\nz = c and (x.b)or d\n"
