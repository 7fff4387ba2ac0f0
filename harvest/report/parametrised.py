"""Tests with `pytest.mark.parametrize` -> plain functions and loops that call them.

In: code that parses. Out: the code without the decorators, the calls that pytest would make put
below it. Other marks go as well; what fixtures give stays open, so such tests are left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from harvest.report.edits import Edit, apply_edits
from harvest.report.repair import Repaired
from harvest.report.syntax import Refusal, dotted, parse

NAME = "parametrised tests"
EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n):\n    f(n)",
        "import pytest\ndef test_a(n):\n    f(n)\n\nfor n in [1, 2]:\n    test_a(n=n)",
    ),
    (
        "@pytest.mark.slow\n@pytest.mark.parametrize('d', ['cpu', 'cuda'])\n"
        "@pytest.mark.parametrize('a, b', [(1, 2), (3, 4)])\ndef test_a(d, a, b):\n    f(d, a, b)",
        "def test_a(d, a, b):\n    f(d, a, b)\n\nfor d in ['cpu', 'cuda']:\n"
        "    for a, b in [(1, 2), (3, 4)]:\n        test_a(d=d, a=a, b=b)",
    ),
    (
        "@mark.parametrize(['a'], [(1,)])\ndef test_a(a, b=2):\n    f(a)\ntest_a(3)",
        "def test_a(a, b=2):\n    f(a)\ntest_a(3)",
    ),
    (
        "@mark.parametrize(['a'], [(1,)])\ndef test_a(a):\n    f(a)",
        "def test_a(a):\n    f(a)\n\nfor a, in [(1,)]:\n    test_a(a=a)",
    ),
    ("@pytest.mark.parametrize('n', [1])\ndef test_a(n, tmp_path):\n    f(n)", ""),
    ("@pytest.mark.parametrize('n', [1], indirect=True)\ndef test_a(n):\n    f(n)", ""),
    ("@pytest.mark.parametrize('n', [pytest.param(1)])\ndef test_a(n):\n    f(n)", ""),
    ("@other\n@pytest.mark.parametrize('n', [1])\ndef test_a(n):\n    f(n)", ""),
    ("@pytest.mark.skip\ndef test_a():\n    f()", "def test_a():\n    f()"),
)
"""(code, what it becomes; "" where nothing may change)."""


def call_parametrised(found: Repaired) -> Repaired:
    """Return the code with its marked tests made plain, and called where nothing else does so."""
    edits: list[Edit] = []
    calls: list[str] = []
    for node in found.tree.body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list and _is_marked(node):
            loops = list(_loops(node))
            given = [name for names, *_ in loops for name in names]
            if any(values is None for *_, values in loops) or not _is_complete(node, given):
                continue
            edits += [Edit(node=mark, text="") for mark in node.decorator_list]
            called = any(_calls(other, node.name) for other in found.tree.body)
            calls += [] if called or not loops else ["", *_called(node.name, loops)]
    # A decorator's `@` is no part of its node.
    lines = apply_edits(found.code, edits).split("\n")
    code = "\n".join([*(line for line in lines if line.strip() != "@pass"), *calls])
    tree = parse(code)
    if not edits or isinstance(tree, Refusal):
        return found
    return Repaired(code=code, tree=tree, repairs=(*found.repairs, NAME))


def _is_marked(node: ast.FunctionDef) -> bool:
    return all(_mark(decorator) for decorator in node.decorator_list)


def _mark(decorator: ast.expr) -> str:
    """The last name of a mark of pytest's; "" for any other decorator."""
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    parts = dotted(function).split(".")
    return parts[-1] if "mark" in parts[:-1] else ""


_Values = ast.List | ast.Tuple
_Loop = tuple[list[str], str, _Values | None]
"""The names that a mark gives values, the target of a loop that does the same, the values."""


def _loops(node: ast.FunctionDef) -> Iterator[_Loop]:
    """What each `parametrize` goes through; no values where pytest does more than that."""
    for decorator in node.decorator_list:
        if _mark(decorator) != "parametrize" or not isinstance(decorator, ast.Call):
            continue
        match decorator.args:
            case [told, ast.List() | ast.Tuple() as values]:
                plain = not any(keyword.arg == "indirect" for keyword in decorator.keywords)
                plain = plain and not any(
                    dotted(one.func).rpartition(".")[2] == "param"
                    for one in ast.walk(values)
                    if isinstance(one, ast.Call)
                )
                names = _names(told)
                rows = len(names) == 1 and not isinstance(told, ast.Constant)
                yield names, ", ".join(names) + ("," if rows else ""), values if plain else None
            case _:
                yield [], "", None


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str(text)):
            return [name.strip() for name in text.split(",") if name.strip()]
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [name for element in elements for name in _names(element)]
        case _:
            return []


def _is_complete(node: ast.FunctionDef, given: Sequence[str]) -> bool:
    """Whether `given` are parameters of a function, and all that have no default."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    required = arguments[: len(arguments) - len(node.args.defaults)]
    known = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
    return {one.arg for one in required} <= set(given) <= known


def _calls(node: ast.stmt, name: str) -> bool:
    return any(
        isinstance(child, ast.Call) and dotted(child.func) == name for child in ast.walk(node)
    )


def _called(name: str, loops: Sequence[_Loop]) -> Iterator[str]:
    given = dict.fromkeys(one for names, *_ in loops for one in names)
    for depth, (_, target, values) in enumerate(loops):
        if values is not None:
            listed = ast.unparse(ast.List(elts=values.elts, ctx=ast.Load()))
            yield f"{'    ' * depth}for {target} in {listed}:"
    arguments = ", ".join(f"{one}={one}" for one in given)
    yield f"{'    ' * len(loops)}{name}({arguments})"
