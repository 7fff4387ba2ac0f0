"""A statement of an interactive session -> the same with what the session displayed, displayed.

`>>> t` shows the value of `t`, and looking at a value can fail as computing it can. Scripts show
nothing, so the expression becomes `print(repr(t))`. What the session shows below a statement tells
whether that is needed: nothing where the value was None, the traceback of a failed computation
where there was no value.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from analysis.rules import Phrase
from harvest.report.syntax import parse

_SHOWS_ITSELF = frozenset({"print", "pprint", "display", "help", "exit", "quit"})
_IN_TRACE = Phrase(
    "traceback/frame-of-a-session",
    r"[ \t]*(?:File [\"~/]|<ipython-input|Input In |Cell In|[~/]\S+ in )",
    finds=('  File "<stdin>", line 1', "Cell In[3], line 1"),
    spares=("tensor(3)",),
)
_DISPLAYING = Phrase(
    "traceback/frame-that-displays",
    r"__(?:repr|str|format)__|_(?:str|repr)\b|_(?:str|repr)\.py|formatters\.py",
    finds=("in __repr__", "_tensor_str.py"),
    spares=("in forward",),
)


def displayed(statement: Sequence[str], shown: Sequence[str], *, last: bool) -> list[str]:
    """Return the lines of `statement` with its expressions displayed, where the session did so.

    `shown` are the lines below it; `last` tells that nothing was typed after it.
    """
    lines = list(statement)
    tree = parse("\n".join(lines)) if _may_display(shown, last=last) else None
    if isinstance(tree, ast.Module):
        for node in reversed(tree.body):
            if isinstance(node, ast.Expr) and _is_displayed(node.value):
                _wrap(lines, node)
    return lines


def _may_display(shown: Sequence[str], *, last: bool) -> bool:
    told = [line for line in shown if line.strip()]
    if not told:
        return last
    traced = any(_IN_TRACE.match(line) for line in told)
    return not traced or any(_DISPLAYING.search(line) for line in told)


def _is_displayed(value: ast.expr) -> bool:
    """Tell whether a session shows a value that is worth showing."""
    match value:
        case ast.Constant() | ast.Await() | ast.Yield() | ast.YieldFrom():
            return False
        case ast.Attribute(attr=name):
            return not name.startswith("__")
        case ast.Call(func=ast.Name(id=name)):
            return name not in _SHOWS_ITSELF
        case _:
            return True


def _wrap(lines: list[str], node: ast.Expr) -> None:
    """Put `print(repr(...))` around an expression; the parser counts columns in bytes."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before, after = "print(repr(", "))"
    if isinstance(node.value, ast.Tuple) and not _is_one_argument(lines, node):
        before, after = before + "(", ")" + after
    lines[last] = _insert(lines[last], node.end_col_offset or 0, after)
    lines[first] = _insert(lines[first], node.col_offset, before)


def _is_one_argument(lines: list[str], node: ast.Expr) -> bool:
    """Tell whether a tuple has brackets of its own."""
    text = ast.get_source_segment("\n".join(lines), node) or ""
    tree = parse(f"f({text})")
    match tree:
        case ast.Module(body=[ast.Expr(value=ast.Call(args=[ast.Tuple()]))]):
            return True
        case _:
            return False


def _insert(line: str, column: int, text: str) -> str:
    raw = line.encode()
    return (raw[:column] + text.encode() + raw[column:]).decode()
