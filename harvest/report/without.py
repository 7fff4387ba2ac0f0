"""Code that compares with a library -> the same code without what that library does.

In: code that parses and a module that a build has not. Out: the code less the imports of that
module, the statements that use it and those that use what they made; or None where more than plain
statements depend on it. What a report pastes or says of the results still tells what is wrong.
"""

from __future__ import annotations

import ast

from harvest.report.edits import Edit, apply_edits
from harvest.report.syntax import Refusal, parse

REFERENCE_LEFT_OUT = "reference left out"
EXAMPLES: tuple[tuple[str, str, str | None], ...] = (
    ("import scipy\nprint(f(x))\nprint(scipy.f(x))", "scipy", "print(f(x))"),
    (
        "y = f(x)\nfrom scipy.a import f as g\nz = g(x)\nprint(y)\nprint(z)",
        "scipy",
        "y = f(x)\nprint(y)",
    ),
    ("import scipy.a as s\nz = s.f(x)\nz = f(x)\nprint(z)", "scipy", "z = f(x)\nprint(z)"),
    ("import scipy\nassert f(x) == scipy.f(x)", "scipy", None),
    ("import scipy\nx = scipy.data()\ny = f(x)\nprint(y)", "scipy", None),
    ("import scipy\nt = time.time()\nscipy.f(x)\nprint(time.time() - t)\nf(x)", "scipy", None),
    ("import numpy\nprint(numpy.f(x))", "scipy", None),
    ("import torchvision\nm = torchvision.f()\nprint(m)\nprint(f(x))", "torchvision", None),
)
"""(code, module, lines that are left, or None where nothing may change)."""

_REFERENCES = frozenset(
    ("scipy", "mpmath", "sympy", "sklearn", "jax", "cupy", "torch", "tensorflow", "paddle")
)
"""Libraries that results are compared with; others may be what a report is about."""
_CLOCKS = frozenset(
    ("time", "perf_counter", "process_time", "monotonic", "timeit", "default_timer")
)
"""What measures nothing any more where the measured is left out."""


def without(code: str, module: str) -> str | None:
    """Leave out of some code what a missing module computes, if the rest does without it."""
    tree = parse(code)
    named = module.partition(".")[0] in _REFERENCES
    if isinstance(tree, Refusal) or not named or _measures(tree):
        return None
    gone: set[str] = set()
    dropped: list[ast.stmt] = []
    for node in tree.body:
        imported = _imported(node, module)
        if imported:
            gone |= imported
        elif not gone & _names(node, ast.Load):
            gone -= _names(node, ast.Store)
            continue
        elif not isinstance(node, ast.Expr | ast.Assign):
            return None
        else:
            gone |= _names(node, ast.Store)
        dropped.append(node)
    kept = [node for node in tree.body if node not in dropped]
    if len(dropped) < 2 or not any(_shows(node) for node in kept):
        return None
    return apply_edits(code, [Edit(node=node, text="") for node in dropped])


def _imported(node: ast.stmt, module: str) -> set[str]:
    """The names that a statement binds to a module, or to what is in it."""
    root = module.partition(".")[0]
    match node:
        case ast.Import(names=names):
            ours = [one for one in names if one.name.partition(".")[0] == root]
            if len(ours) < len(names):
                return set()
            return {one.asname or root for one in ours}
        case ast.ImportFrom(module=str(name), names=names) if name.partition(".")[0] == root:
            return {one.asname or one.name for one in names}
        case _:
            return set()


def _names(node: ast.stmt, context: type[ast.expr_context]) -> set[str]:
    found = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in found if isinstance(one.ctx, context)}


def _measures(tree: ast.Module) -> bool:
    return any(
        (isinstance(one, ast.Name) and one.id in _CLOCKS)
        or (isinstance(one, ast.Attribute) and one.attr in _CLOCKS)
        for one in ast.walk(tree)
    )


def _shows(node: ast.stmt) -> bool:
    """Whether a statement still prints, or stands for itself."""
    return any(isinstance(one, ast.Expr) for one in ast.walk(node))
