"""Code that asks psutil how much memory it has -> the same code asking the kernel itself.

In: code that parses. Out: the code without psutil, which a build seldom has, or None where more is
asked of it than the resident memory of the process.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from analysis.rules import Rule
from harvest.report.edits import Edit, apply_edits
from harvest.report.steps.step import id_of
from harvest.report.syntax import Refusal, dotted, parse

PACKAGE = "psutil"
WITHOUT_PSUTIL = "memory without psutil"
_ASKED = "resident_bytes()"
_FUNCTION = '''import mmap


def resident_bytes():
    """What of this process is in memory: the second number is of pages."""
    with open("/proc/self/statm") as sizes:
        return int(sizes.read().split()[1]) * mmap.PAGESIZE'''
EXAMPLES: tuple[tuple[str, str | None], ...] = (
    (
        "import psutil\nprint(psutil.Process().memory_info().rss / 1024)",
        f"{_FUNCTION}\n\n\nprint({_ASKED} / 1024)",
    ),
    (
        "import os, psutil\np = psutil.Process(os.getpid())\nfor i in a:\n    p.memory_info()[0]",
        f"{_FUNCTION}\n\n\nimport os\nfor i in a:\n    {_ASKED}",
    ),
    ("import psutil\nprint(psutil.cpu_count())", None),
    ("import psutil\nprint(psutil.Process(7).memory_info().rss)", None),
    ("import psutil\nprint(psutil.Process().memory_info().vms)", None),
    ("import psutil\np = psutil.Process()\nprint(p.memory_info().rss, p.pid)", None),
    ("import psutil as ps\nprint(ps.Process().memory_info().rss)", None),
    ("if a:\n    import psutil\n    print(psutil.Process().memory_info().rss)", None),
    ("import gc\ngc.collect()", None),
    ("import psutil (", None),
)
"""(code, what it becomes, or None where nothing may change)."""


def _resident(code: str) -> str | None:
    """The code with its own resident memory read from Linux's table of processes."""
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    imports = [node for node in tree.body if isinstance(node, ast.Import) and _brings(node)]
    if len(imports) != 1:
        return None
    kept = [alias for alias in imports[0].names if alias.name != PACKAGE]
    rest = f"\n{ast.unparse(ast.Import(kept))}" if kept else ""
    made = list(_made(tree))
    names = {name for _, name in made}
    edits = [
        Edit(node=imports[0], text=f"{_FUNCTION}\n\n{rest}"),
        *(Edit(node=node, text="") for node, _ in made),
        *(Edit(node=node, text=_ASKED) for node in _asked(tree, names)),
    ]
    changed = apply_edits(code, edits)
    left = parse(changed)
    if isinstance(left, Refusal) or names_in(left) & {PACKAGE, *names}:
        return None
    return changed


def names_in(tree: ast.Module) -> set[str]:
    """All names of a tree."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _brings(node: ast.Import) -> bool:
    return any(alias.name == PACKAGE and alias.asname is None for alias in node.names)


def _made(tree: ast.Module) -> Iterator[tuple[ast.stmt, str]]:
    """Statements that keep this process in a variable, with its name."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_own(value, ()):
                yield node, name


def _asked(tree: ast.Module, names: set[str]) -> Iterator[ast.expr]:
    """Expressions that come to the resident memory."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.Attribute(attr="rss", value=ast.Call(func=ast.Attribute() as function))
                | ast.Subscript(
                    slice=ast.Constant(value=0), value=ast.Call(func=ast.Attribute() as function)
                )
            ) if function.attr in ("memory_info", "memory_full_info"):
                if _is_own(function.value, tuple(names)):
                    yield node


def _is_own(node: ast.expr, names: Sequence[str]) -> bool:
    """Whether an expression is this process, rather than another."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.Call(func=function, args=[], keywords=[]):
            return dotted(function) == f"{PACKAGE}.Process"
        case ast.Call(func=function, args=[ast.Call(func=asked, args=[])], keywords=[]):
            return dotted(function) == f"{PACKAGE}.Process" and dotted(asked) == "os.getpid"
    return False


resident = Rule(f"repair/{id_of(WITHOUT_PSUTIL)}", _resident, EXAMPLES)
