"""Scripts that load their arguments from pickles -> scripts in which they are written down.

In: a script, and an `Unpickle` for the files beside it. Out: the script with expressions where it
loads, so that it stands on its own and a sibling's call can be written from it.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator
from pathlib import PurePath

from analysis import parsing
from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Unpickle
from harvest.report.syntax import Refusal, imported_roots, parse

_IMPORTS = {
    "np": "import numpy as np",
    "torch": "import torch",
    "tf": "import tensorflow as tf",
}


def with_literals(code: str, path: str, folder: Folder, unpickle: Unpickle) -> str:
    """The script at `path` with what it loads from pickles beside it written into it.

    `f(**data)` becomes a call with the keywords spelled out.

    Raises:
        Unreadable: when the script does not parse, or a pickle of it cannot be opened.
    """
    tree = parse(code)
    if isinstance(tree, Refusal):
        raise Unreadable(path, f"does not parse: {tree.message} (line {tree.line})")
    framework = "tensorflow" if "tensorflow" in imported_roots(tree) else "torch"
    changes: list[tuple[ast.AST, str]] = []
    names: dict[str, ast.Dict] = {}
    for node, target in _loads(tree):
        text = _opened(node, path, folder, unpickle, framework)
        keywords = parsing.expression(text).body
        if target and _spelled_out(keywords) and _only_unpacked(tree, target):
            names[target] = keywords  # type: ignore[assignment]
            changes.append((_statement(tree, node), ""))
        else:
            changes.append((node, text))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            changes += [(one, _keywords(names[name])) for one, name in _unpacked(call, names)]
    return _with_imports(_changed(code, changes), changes)


def _loads(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    """Each `pickle.load(open(...))`, and the name that it is bound to as it stands."""
    bound = {
        id(node.value): node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="pickle" | "pkl"), attr="load"),
                args=[ast.Call(func=ast.Name(id="open"), args=[ast.Constant(value=str()), *_]), *_],
            ):
                yield node, bound.get(id(node), "")


def _opened(node: ast.Call, path: str, folder: Folder, unpickle: Unpickle, framework: str) -> str:
    """The expression of the pickle that a call loads: it lies beside the script."""
    inner = node.args[0]
    assert isinstance(inner, ast.Call)  # noqa: S101 - `_loads` saw to it
    told = inner.args[0]
    name = PurePath(str(told.value)).name if isinstance(told, ast.Constant) else ""
    beside = str(PurePath(path).parent / name)
    data = folder.read_bytes(beside)
    try:
        return unpickle(data, framework)
    except Unreadable as problem:
        raise Unreadable(path, problem.reason) from None


def _spelled_out(value: ast.expr) -> bool:
    """Whether a dictionary can be written as keywords of a call."""
    return isinstance(value, ast.Dict) and all(
        isinstance(key, ast.Constant)
        and isinstance(key.value, str)
        and key.value.isidentifier()
        and not keyword.iskeyword(key.value)
        for key in value.keys
    )


def _only_unpacked(tree: ast.Module, name: str) -> bool:
    """Whether a name is read as `**name` of calls only, and bound once."""
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    unpacked = [
        one
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for one, _ in _unpacked(node, {name: ast.Dict(keys=[], values=[])})
    ]
    return len(uses) == len(unpacked) + 1


def _unpacked(call: ast.Call, names: dict[str, ast.Dict]) -> Iterator[tuple[ast.keyword, str]]:
    for one in call.keywords:
        if one.arg is None and isinstance(one.value, ast.Name) and one.value.id in names:
            yield one, one.value.id


def _keywords(value: ast.Dict) -> str:
    pairs = zip(value.keys, value.values, strict=True)
    return ", ".join(
        f"{key.value!s}={ast.unparse(one)}" for key, one in pairs if isinstance(key, ast.Constant)
    )


def _statement(tree: ast.Module, value: ast.AST) -> ast.AST:
    return next(node for node in tree.body if isinstance(node, ast.Assign) and node.value is value)


def _changed(code: str, changes: list[tuple[ast.AST, str]]) -> str:
    """The text with some nodes written otherwise; offsets of `ast` count bytes."""
    data = code.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    spans = [
        (
            place(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            place(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
            text,
        )
        for node, text in changes
    ]
    for start, end, text in sorted(spans, reverse=True):
        data = data[:start] + text.encode() + data[end:]
    return data.decode()


def _with_imports(code: str, changes: list[tuple[ast.AST, str]]) -> str:
    """Import what the literals name, and forget what nothing uses any more."""
    if not changes:
        return code
    lines = code.split("\n")
    used = "\n".join(lines)
    kept = [line for line in lines if line.strip() != "import pickle" or "pickle." in used]
    tree = parsing.module(used)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    wanted = [line for name, line in _IMPORTS.items() if name in names and line not in kept]
    return "\n".join([*wanted, *kept])
