"""Python source to functions, with the standard library's `ast`.

In: the bytes of a module. Out: one row per function or method. What a function calls is named as
far as the module's own imports tell: `F.relu` is `torch.nn.functional.relu`, a method of an unknown
object is `.relu`. Nested functions and lambdas belong to the function around them.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator

from analysis import parsing
from analysis.static.model import Kind, Row

Function = ast.FunctionDef | ast.AsyncFunctionDef


def extract(text: bytes) -> list[Row]:
    """The functions of a module.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: when it cannot be parsed.
    """
    tree = parsing.module(text)
    lines = text.splitlines(keepends=True)
    imports = _imports(tree)
    return [_row(lines, imports, path, node) for path, node in _functions(tree.body, ())]


def _functions(
    body: list[ast.stmt], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Function]]:
    """Functions and methods, also those defined under a condition; not what is inside them."""
    for node in body:
        if isinstance(node, Function):
            if not any(_last(decorator) == "overload" for decorator in node.decorator_list):
                yield path, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, (*path, node.name))
        else:
            for block in ("body", "orelse", "finalbody"):
                yield from _functions(getattr(node, block, []), path)
            for handler in getattr(node, "handlers", []):
                yield from _functions(handler.body, path)


def _row(lines: list[bytes], imports: dict[str, str], path: tuple[str, ...], node: Function) -> Row:
    callees: list[tuple[int, int, str]] = []
    nested = 0
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call):
            name = _called(inner.func, imports)
            if name:
                callees.append((inner.lineno, inner.col_offset, name))
        elif isinstance(inner, ast.Lambda) or (isinstance(inner, Function) and inner is not node):
            nested += 1
    end = node.end_lineno or node.lineno
    body = b"".join(lines[node.body[0].lineno - 1 : end])
    digest = hashlib.sha256(body).hexdigest()[:16]
    names = [name for _, _, name in sorted(callees)]
    returns = ast.unparse(node.returns) if node.returns else ""
    whole = ".".join((*path, node.name))
    shape = [whole, Kind.PYTHON.value, node.lineno, end, _parameters(node.args), returns]
    return [*shape, names, nested, digest, 0]


def _parameters(arguments: ast.arguments) -> list[list[str]]:
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    found = [[_annotation(argument), argument.arg] for argument in listed]
    if arguments.vararg:
        found.append([_annotation(arguments.vararg), "*" + arguments.vararg.arg])
    if arguments.kwarg:
        found.append([_annotation(arguments.kwarg), "**" + arguments.kwarg.arg])
    return found


def _annotation(argument: ast.arg) -> str:
    if argument.annotation is None:
        return ""
    if isinstance(argument.annotation, ast.Name):
        return argument.annotation.id
    return ast.unparse(argument.annotation)


def _imports(tree: ast.Module) -> dict[str, str]:
    """What the module's top-level imports and definitions bind, by local name."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.Module([n for n in tree.body if not isinstance(n, Function)], [])):
        if isinstance(node, ast.Import):
            for alias in node.names:
                target = alias.name if alias.asname else alias.name.partition(".")[0]
                found[alias.asname or target] = target
        elif isinstance(node, ast.ImportFrom):
            base = f"{node.module}." if node.module and not node.level else ""
            for alias in node.names:
                found[alias.asname or alias.name] = base + alias.name
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef | Function):
            found.setdefault(statement.name, statement.name)
    return found


def _called(node: ast.expr, imports: dict[str, str]) -> str:
    """The name of what is called; "" where it has none (a call of a call, of an element)."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        if not parts:
            return imports.get(node.id, node.id)
        if node.id in imports:
            return ".".join((imports[node.id], *reversed(parts)))
    return "." + parts[0] if parts else ""


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
