"""Statements in a row, and which of them do the work: what makes inputs or shows results does not.

In: a module's tree. Out: its suites that run once.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harvest.report.syntax import dotted, import_lines

_DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SHOWS = frozenset({"print", "pprint", "display", "repr", "str", "format", "len", "type"})
"""Functions that tell of what was computed before."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Statements that run one after the other; `inputs` are those that only make inputs."""

    body: tuple[ast.stmt, ...]
    inputs: frozenset[ast.stmt]

    def works(self, node: ast.stmt) -> bool:
        """Whether a statement computes something of the inputs."""
        return node not in self.inputs and computes(node)

    def span(self, there: Sequence[ast.stmt]) -> Span | None:
        """The part of some statements that works; where all make inputs, these are the work."""
        working = [n for n in there if self.works(n)] or [n for n in there if computes(n)]
        return Span(first=working[0], last=working[-1]) if working else None

    def between(self, span: Span) -> list[ast.stmt]:
        """The statements of a span."""
        return [node for node in self.body if node.lineno in span.lines]

    def behind(self, node: ast.stmt) -> Span | None:
        """The work of a statement, or, where it shows a result, of the one that this comes of."""
        if is_shown(node):
            shown = read(node)
            before = [n for n in self.body if n.lineno < node.lineno and bound(n) & shown]
            made = [n for n in before if self.works(n)]
            if made:
                return self.span(made) if len(made) == 1 else None
        return self.span([node])


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The statements of a suite from one to another."""

    first: ast.stmt
    last: ast.stmt

    @property
    def lines(self) -> range:
        """The numbers of its lines."""
        return range(self.first.lineno, end_of(self.last) + 1)


def suites(tree: ast.Module) -> Iterator[Suite]:
    """The statements of a module, and of each `with` and `if` in them."""
    imported = frozenset(dir(builtins)) | import_lines(tree).keys()
    waiting = [(tree.body, imported)]
    while waiting:
        body, plain = waiting.pop(0)
        found, plain = _inputs(body, plain)
        yield Suite(tuple(body), found)
        waiting += [(n.body, plain) for n in body if isinstance(n, ast.With | ast.If)]


def _inputs(
    body: Sequence[ast.stmt], plain: frozenset[str]
) -> tuple[frozenset[ast.stmt], frozenset[str]]:
    """Assignments that read what is imported and plain values only, and the names of these."""
    found = []
    for node in body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and read(node) <= plain:
            found.append(node)
            if not any(isinstance(part, ast.Call) for part in ast.walk(node)):
                plain |= bound(node)
    return frozenset(found), plain


def computes(node: ast.stmt) -> bool:
    """Whether a statement calls something that does not only show, or has an operator."""
    if isinstance(node, _DEFINES):
        return False
    return any(
        isinstance(part, ast.BinOp | ast.AugAssign)
        or (isinstance(part, ast.Call) and dotted(part.func) not in SHOWS)
        for part in ast.walk(node)
    )


def is_shown(node: ast.stmt) -> bool:
    """Whether a statement is a call that shows something."""
    match node:
        case ast.Expr(value=ast.Call(func=function)):
            return dotted(function) in SHOWS
    return False


def expressions(node: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement that run with it."""
    if isinstance(node, _DEFINES):
        return []
    return [part for part in ast.walk(node) if isinstance(part, ast.expr)]


def end_of(node: ast.stmt) -> int:
    """The last line of a statement."""
    return node.end_lineno or node.lineno


def read(node: ast.AST) -> frozenset[str]:
    """The names that a statement reads."""
    return _names(node, ast.Load)


def bound(node: ast.AST) -> frozenset[str]:
    """The names that a statement gives values."""
    return _names(node, ast.Store)


def _names(node: ast.AST, how: type[ast.expr_context]) -> frozenset[str]:
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    found = frozenset(name.id for name in names if isinstance(name.ctx, how))
    return found | {node.name} if how is ast.Store and isinstance(node, _NAMED) else found
