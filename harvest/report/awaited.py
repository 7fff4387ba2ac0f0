"""Calls that are handed to an assertion of an exception -> the same calls, in a `with` block of it.

In: code that parses. Out: the code in which `self.assertRaises(ValueError, f, x)` is
`with self.assertRaises(ValueError): f(x)`. There the call stands in the text, where what it comes
to can be seen, and it can be rewritten.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analysis.rules import Phrase
from harvest.report.edits import Edit
from harvest.report.repair import Repaired, edited
from harvest.report.syntax import dotted, source_of

NAME = "assertions of exceptions"
EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "self.assertRaises(ValueError, f, x, k=1)",
        "with self.assertRaises(ValueError):\n    f(x, k=1)",
    ),
    (
        "def test():\n    pytest.raises(E, lambda: f(x))  # why",
        "def test():\n    with pytest.raises(E):\n        f(x)  # why",
    ),
    (
        "t.assertRaisesRegex(E, 'bad', f, *x)",
        "with t.assertRaisesRegex(E, 'bad'):\n    f(*x)",
    ),
    ("with self.assertRaises(E):\n    f(x)", ""),
    ("c = self.assertRaises(E, f, x)", ""),
    ("self.assertRaises(E, msg='no')", ""),
    ("self.assertRaises(E, lambda a: f(a), x)", ""),
    ("self.assertRaises(E, f); g(x)", ""),
)
"""(code, what it becomes; "" where nothing may change)."""
_ASSERTS = Phrase(
    "test/assertion-of-an-exception",
    r"(?:.*\.)?(?:assertRaises|raises)(?P<pattern>Regexp?|WithRegexp?Match)?",
    finds=("self.assertRaisesRegex", "pytest.raises"),
    spares=("self.assertEqual",),
)


def put_in_blocks(found: Repaired) -> Repaired:
    """Return the code with the calls that assertions are handed in blocks of these."""
    return edited(found, list(_edits(found)), NAME)


def _edits(found: Repaired) -> Iterator[Edit]:
    lines = found.code.split("\n")
    for node in ast.walk(found.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            text = _in_block(lines, node.value)
            alone = not lines[node.lineno - 1][: node.col_offset].strip()
            behind = lines[(node.end_lineno or node.lineno) - 1].encode()[
                node.end_col_offset or 0 :
            ]
            if text and alone and not behind.strip().startswith(b";"):
                yield Edit(node=node.value, text=text)


def _in_block(lines: list[str], call: ast.Call) -> str | None:
    """The statement with a block; None for a call that is handed nothing to call."""
    name = _ASSERTS.fullmatch(dotted(call.func))
    own = 1 + (name is not None and name["pattern"] is not None)
    if name is None or len(call.args) <= own or any(map(_starred, call.args[: own + 1])):
        return None
    function, *given = call.args[own:]
    texts = [source_of(lines, one) for one in given]
    texts += [_keyword(lines, one) for one in call.keywords]
    if isinstance(function, ast.Lambda):
        if ast.unparse(function.args) or texts:
            return None
        made = source_of(lines, function.body)
    else:
        made = f"{source_of(lines, function)}({', '.join(texts)})"
    expected = ", ".join(source_of(lines, one) for one in call.args[:own])
    indent = lines[call.lineno - 1][: call.col_offset]
    return f"with {source_of(lines, call.func)}({expected}):\n{indent}    {made}"


def _starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _keyword(lines: list[str], one: ast.keyword) -> str:
    value = source_of(lines, one.value)
    return f"**{value}" if one.arg is None else f"{one.arg}={value}"
