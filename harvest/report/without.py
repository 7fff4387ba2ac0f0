"""Code that compares with a library -> the same code without what that library does.

In: code that parses and a module that a build has not. Out: the code less the imports of that
module, the statements that use it and those that use what they made; or None where more than plain
statements depend on it, or where one of them may be the failing one: it fills what stays, hands
what the library made to anything but Python and NumPy, or has a call that is not made elsewhere.
What a report pastes or says of the results still tells what is wrong.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TypeGuard

from analysis.rules import Phrase, Rule
from harvest.report.edits import Edit, apply_edits
from harvest.report.steps.step import id_of
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
    ("import scipy\nx[:] = scipy.f()\nprint(f(x))", "scipy", None),
    ("import scipy\nm.weight.data = scipy.f()\nprint(m(x))", "scipy", None),
    ("import scipy\nd = []\nd.append(scipy.f())\nprint(f(d))", "scipy", None),
    ("import scipy\nscipy.f(x.add_(1))\nprint(f(x))", "scipy", None),
    ("import scipy\ny = torch.f(torch.tensor(scipy.f()))\nprint(f(x))", "scipy", None),
    ("import scipy\nx = scipy.f()\ny = torch.f(x)\nprint(y)\nprint(f(2))", "scipy", None),
    ("import scipy\ny = f(x)\nprint(scipy.f(x))\ntorch.manual_seed(0)", "scipy", None),
    (
        "import numpy as np\nimport scipy\ny = f(x)\nprint(y)\nz = scipy.f(x.numpy())\n"
        "print(np.abs(y.numpy() - z).max())",
        "scipy",
        "import numpy as np\ny = f(x)\nprint(y)",
    ),
    ("import scipy\nprint(torch.f(x) - scipy.f(x))\nprint(x)", "scipy", None),
    (
        "import scipy\nprint(torch.f(x))\nprint((torch.f(x) - scipy.f(x)).abs().max())",
        "scipy",
        "print(torch.f(x))",
    ),
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
_PLAIN = frozenset(("numpy", "math", "cmath"))
"""Modules whose functions show what a library made, and are not what a report is about."""
_READS = frozenset(
    ("abs", "all", "any", "clone", "cpu", "detach", "double", "float", "item", "max", "mean", "min")
).union(("norm", "numpy", "sum", "tolist"))
"""Methods that show a result."""
_FILLS = Phrase(
    "reference/fills-what-it-is-given",
    r"(?:assert|copyto|put|place|fill|shuffle|pop|seed)|.*[^_]_$",
    finds=("assert_allclose", "add_"),
    spares=("add",),
)
"""Functions that are called for what they do to what they are given, or to check it."""
_SETS = Phrase(
    "reference/shows-nothing",
    r"(?:manual_|random_)?seed|set_|(?:eval|train|no_grad|filterwarnings)$",
    finds=("manual_seed", "set_num_threads"),
    spares=("add",),
)
"""Functions that show nothing by being called."""


def _without(code: str, module: str) -> str | None:
    """Leave out of some code what a missing module computes, if the rest does without it."""
    tree = parse(code)
    named = module.partition(".")[0] in _REFERENCES
    if isinstance(tree, Refusal) or not named or _measures(tree):
        return None
    plain = _plain_names(tree)
    gone: set[str] = set()
    own: list[str] = []
    dropped: list[ast.stmt] = []
    for node in tree.body:
        imported = _imported(node, module)
        if imported:
            gone |= imported
        elif not gone & _names(node, ast.Load):
            gone -= _names(node, ast.Store)
            continue
        elif not isinstance(node, ast.Expr | ast.Assign) or _reaches(node, gone, plain):
            return None
        else:
            own += _own_calls(node, gone, plain)
            gone |= _names(node, ast.Store)
        dropped.append(node)
    kept = [node for node in tree.body if node not in dropped]
    if len(dropped) < 2 or not any(_shows(node) for node in kept):
        return None
    still = {ast.dump(one) for node in kept for one in ast.walk(node) if _is_call(one)}
    if not still.issuperset(own):
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


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    found = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in found if isinstance(one.ctx, context)}


def _measures(tree: ast.Module) -> bool:
    return any(
        (isinstance(one, ast.Name) and one.id in _CLOCKS)
        or (isinstance(one, ast.Attribute) and one.attr in _CLOCKS)
        for one in ast.walk(tree)
    )


def _plain_names(tree: ast.Module) -> set[str]:
    """The names that Python's own functions and NumPy's begin with, unless they are made anew."""
    imports = [one for one in ast.walk(tree) if isinstance(one, ast.Import)]
    found = {
        name.asname or name.name.partition(".")[0]
        for one in imports
        for name in one.names
        if name.name.partition(".")[0] in _PLAIN
    }
    made = _names(tree, ast.Store) | {
        one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.ClassDef)
    }
    return (found | set(dir(builtins))) - made


def _reaches(node: ast.stmt, gone: set[str], plain: set[str]) -> bool:
    """Whether a statement fills something that stays, or hands it what the library made."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    inside = [one for target in targets for one in ast.walk(target)]
    if any(isinstance(one, ast.Attribute | ast.Subscript) for one in inside):
        return True
    for call in filter(_is_call, ast.walk(node)):
        root = _root(call)
        if root in gone:
            continue
        given = [*call.args, *(one.value for one in call.keywords)]
        handed = any(gone & _names(one, ast.Load) for one in given)
        if _FILLS.match(_leaf(call)) or (handed and root not in plain):
            return True
    return False


def _own_calls(node: ast.AST, gone: set[str], plain: set[str]) -> Iterator[str]:
    """The calls of others in a statement that make no input of the library's."""
    if _is_call(node):
        root = _root(node)
        if root in gone:
            return
        if root is not None and root not in plain and _leaf(node) not in _READS:
            yield ast.dump(node)
    for child in ast.iter_child_nodes(node):
        yield from _own_calls(child, gone, plain)


def _is_call(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call)


def _root(call: ast.Call) -> str | None:
    """The name that what is called begins with: `y` of `y.cpu().numpy()`."""
    root: ast.AST = call
    while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
        root = root.func if isinstance(root, ast.Call) else root.value
    return root.id if isinstance(root, ast.Name) else None


def _leaf(call: ast.Call) -> str:
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _shows(node: ast.stmt) -> bool:
    """Whether a statement still prints, or stands for itself."""
    found = (one.value for one in ast.walk(node) if isinstance(one, ast.Expr))
    return any(not isinstance(one, ast.Constant) and not _sets(one) for one in found)


def _sets(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and _SETS.match(_leaf(value)) is not None


without = Rule(f"repair/{id_of(REFERENCE_LEFT_OUT)}", _without, EXAMPLES)
