"""Expressions whose results stand in comments -> the same with these printed.

In: code that parses. Out: the code in which `f(x)  # tensor([nan])` prints what it comes to, as the
session did that the comment is of. What a run shows can then be held against what the report has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analysis.rules import Phrase
from harvest.report.edits import Edit
from harvest.report.repair import Repaired, edited
from harvest.report.syntax import dotted, source_of
from harvest.report.text import OUT

NAME = "results in comments"
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("f(x)  # tensor([nan])", "print(repr(f(x)))  # tensor([nan])"),
    (
        "x = 1\nf(\n  x,\n)\n# Out[1]: tensor([2])",
        "x = 1\nprint(repr(f(\n  x,\n)))\n# Out[1]: tensor([2])",
    ),
    ("x + y  # -> array([1., 2.])", "print(repr(x + y))  # -> array([1., 2.])"),
    ("x.grad\n\n# tensor([1.])", "print(repr(x.grad))\n\n# tensor([1.])"),
    ("print(f(x))  # tensor([nan])", ""),
    ("y = f(x)  # tensor([nan])", ""),
    ("f(x)  # makes a tensor of zeros", ""),
    ("f(x)  # tensor of NaN", ""),
    ("f(x)\ng(x)  # raises", ""),
)
"""(code, what it becomes; "" where nothing may change)."""
_RESULT = Phrase(
    "value/in-a-comment",
    rf"#[ \t]*(?:{OUT})?(?:[-=>]+[ \t]*)?"
    r"(?:tensor|array|<tf\.Tensor|(?:torch\.)?Size|TensorShape)[(:]",
    finds=("# tensor([nan])", "# -> array([1.])"),
    spares=("# a tensor of zeros",),
)
"""What a comment begins with that shows a value as a session prints it."""
_PRINTS = frozenset({"print", "pprint", "display"})


def print_noted(found: Repaired) -> Repaired:
    """Return the code with the expressions printed whose results its comments have."""
    return edited(found, list(_edits(found)), NAME)


def _edits(found: Repaired) -> Iterator[Edit]:
    lines = found.code.split("\n")
    for node in found.tree.body:
        if isinstance(node, ast.Expr) and _is_shown(node.value) and _is_noted(lines, node):
            text = source_of(lines, node.value)
            yield Edit(node=node.value, text=f"print(repr({text}))")


def _is_shown(value: ast.expr) -> bool:
    """Whether an expression comes to a value, and does not print it itself."""
    if isinstance(value, ast.Call):
        return dotted(value.func) not in _PRINTS
    return isinstance(value, ast.BinOp | ast.UnaryOp | ast.Compare | ast.Attribute | ast.Subscript)


def _is_noted(lines: list[str], node: ast.Expr) -> bool:
    """Whether a result stands behind a statement, or in the first line below it."""
    last = (node.end_lineno or node.lineno) - 1
    # The parser counts columns in bytes.
    behind = lines[last].encode()[node.end_col_offset :].decode().strip()
    below = next((s for at in range(last + 1, len(lines)) if (s := lines[at].strip())), "")
    return _RESULT.match(behind or below) is not None
