"""What Python's own parser says about a text: its tree or the error, and the names it leaves open.

The text is a stranger's: whatever it does to the parser becomes a value here.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis import parsing

MAX_CODE = 200_000
"""Longer texts are data or logs; parsing them takes long and helps nobody."""
REMEMBERED, LATELY = 8_000, 16
"""Texts up to this length are not parsed again if they are among so many last ones."""

MODULE_NAMES = frozenset({*dir(builtins), "__file__", "__name__", "__doc__"})
"""Names that are bound in every module (`dir(builtins)` of the interpreter that reads)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a text is not Python: the message and the line (from 1) that the parser points at."""

    message: str
    line: int


def parse(code: str) -> ast.Module | Refusal:
    """Parse `code`; a refusal is a value, whatever the parser raised.

    The steps of a reading ask for the same text again and again: nobody may change the tree.
    """
    if len(code) > MAX_CODE:
        return Refusal(message="the text is too long to be a snippet", line=1)
    return _parsed(code) if len(code) <= REMEMBERED else _parsed.__wrapped__(code)


@functools.lru_cache(maxsize=LATELY)
def _parsed(code: str) -> ast.Module | Refusal:
    try:
        return parsing.module(code)
    except SyntaxError as error:
        return Refusal(message=error.msg or "invalid syntax", line=error.lineno or 1)
    except (ValueError, MemoryError, RecursionError) as error:
        return Refusal(message=str(error) or type(error).__name__, line=1)


def is_session(tree: ast.Module) -> bool:
    """Tell whether a tree is a session of IPython: `In [1]: x = f()` reads as an annotation."""
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Subscript(value=ast.Name(id="In"), slice=ast.Constant())):
                return True
    return False


def nodes(tree: ast.AST) -> Iterable[ast.AST]:
    """All nodes of a tree, as `ast.walk` has them; those of modules are kept a while."""
    return _nodes(tree) if isinstance(tree, ast.Module) else ast.walk(tree)


@functools.lru_cache(maxsize=LATELY)
def _nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


def source_of(lines: Sequence[str], node: ast.expr | ast.stmt) -> str:
    """Return the text of `node` in code split at its line ends.

    `ast.get_source_segment` splits anew for every node, which takes minutes for long code.
    """
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    text = [line.encode() for line in lines[first : last + 1]] or [b""]
    text[-1] = text[-1][: node.end_col_offset]
    text[0] = text[0][node.col_offset :]
    # Inside f-strings, Python before 3.12 points at odd places.
    return b"\n".join(text).decode(errors="replace")


def bound_names(tree: ast.AST) -> frozenset[str]:
    """Return every name that `tree` binds in any scope; `*` stands for a star import."""
    return _bound(tree) if isinstance(tree, ast.Module) else _bound.__wrapped__(tree)


@functools.lru_cache(maxsize=LATELY)
def _bound(tree: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    for node in nodes(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name):
                found.add(name)
            case ast.arg(arg=name):
                found.add(name)
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
            case ast.alias(name=name, asname=asname):
                found.add(asname or name.partition(".")[0])
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.add(name)
    return frozenset(found)


def open_names(tree: ast.AST) -> frozenset[str]:
    """Return the names that `tree` reads and nobody binds (none below a star import)."""
    bound = bound_names(tree)
    if "*" in bound:
        return frozenset()
    read = {
        node.id
        for node in nodes(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return frozenset(read - bound - MODULE_NAMES)


def imported_roots(tree: ast.AST) -> frozenset[str]:
    """Return the top-level packages that `tree` imports, relative imports aside."""
    found: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return frozenset(found)


def import_lines(tree: ast.AST) -> dict[str, str]:
    """Return, per name that an import binds, a line that imports just that."""
    found: dict[str, str] = {}
    for node in nodes(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            line = ast.unparse(ast.Import([alias]))
            if isinstance(node, ast.ImportFrom):
                name = alias.asname or alias.name
                line = ast.unparse(ast.ImportFrom(node.module, [alias], node.level))
            if name != "*":
                found.setdefault(name, line)
    return found


def dotted(node: ast.AST) -> str:
    """Return `a.b.c` for such an expression, else what of it is a name; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))
