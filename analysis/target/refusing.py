"""Which line a case wants to raise: what it complains about where that line returns.

In: a `with` or `try` statement. Out: the expression of the line that must not come to a value.

>>> code = "with self.assertRaises(ValueError):\\n    layer = Dense(-1)\\n    layer(x)\\n"
>>> cst.Module([]).code_for_node(wanted_to_raise(cst.parse_module(code).body[0]))
'layer(x)'
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst
import libcst.matchers as m

from analysis.target.checks import leaf

_CONTEXT = re.compile(r"(?:assert)?[rR]aises\w*")
"""Context managers of unittest, pytest and absl that fail where nothing is raised."""
_FAILS = m.Raise() | m.Call(func=m.Name("fail") | m.Attribute(attr=m.Name("fail")))
_NEVER = m.Assert(test=m.Name("False") | m.Integer("0"))


def wanted_to_raise(node: cst.With | cst.Try) -> cst.BaseExpression | None:
    """The last line of the block that is wanted to raise; None for any other block."""
    body = _lines(node.body)
    if isinstance(node, cst.With):
        return _made(body) if any(map(_awaits, node.items)) else None
    if not node.handlers:
        return None
    if node.orelse is not None and _complains(_lines(node.orelse.body)):
        return _made(body)
    return _made(body[:-1]) if _complains(body) else None


def _awaits(item: cst.WithItem) -> bool:
    made = item.item
    return isinstance(made, cst.Call) and _CONTEXT.fullmatch(leaf(made.func)) is not None


def _lines(block: cst.BaseSuite) -> Sequence[cst.CSTNode]:
    """The small statements of a block, and the compound ones as they are."""
    found: list[cst.CSTNode] = []
    for line in block.body:
        found += line.body if isinstance(line, cst.SimpleStatementLine) else [line]
    return found


def _complains(lines: Sequence[cst.CSTNode]) -> bool:
    """Whether the last of the lines fails whatever has come before."""
    last = lines[-1] if lines else None
    if isinstance(last, cst.Expr):
        return m.matches(last.value, _FAILS)
    return last is not None and m.matches(last, _FAILS | _NEVER)


def _made(lines: Sequence[cst.CSTNode]) -> cst.BaseExpression | None:
    last = lines[-1] if lines else None
    return last.value if isinstance(last, cst.Expr | cst.Assign) else None
