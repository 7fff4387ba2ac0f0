"""Lists of devices that a case goes through -> the same without what only accelerators can run.

In: the tree of a case. Out: edits that leave `['cpu']` of `['cpu', 'cuda']`, where the case does
the same on each device, and `run('cpu')` of that and `run('cuda')`, one below the other. A case
that compares devices keeps them: without one of them it would show something else, or nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy

from harvest.report.edits import Edit
from harvest.report.needs import device_needs
from harvest.report.syntax import dotted

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("for d in ('cpu', 'cuda:0'):\n    f(d)", "for d in ('cpu',):\n    f(d)"),
    ("ds = ['cuda', 'cpu']\nfor d in ds:\n    f(d)", "ds = ['cpu']\nfor d in ds:\n    f(d)"),
    (
        "for n, d in itertools.product([1, 2], ['cpu', 'cuda']):\n    f(n, d)",
        "for n, d in itertools.product([1, 2], ['cpu']):\n    f(n, d)",
    ),
    (
        "for d in [torch.device('cpu'), torch.device('mps')]:\n    f(d)",
        "for d in [torch.device('cpu')]:\n    f(d)",
    ),
    (
        "for d, t in [('cpu', int), ('cuda', int), ('cuda', bool)]:\n    f(d, t)",
        "for d, t in [('cpu', int)]:\n    f(d, t)",
    ),
    ("run('cuda', 1)\nrun('cpu', 1)", "run('cpu', 1)"),
    (
        "def main():\n    run(on='cpu')\n    run(on='cuda:0')\nmain()",
        "def main():\n    run(on='cpu')\nmain()",
    ),
    ("run('cuda', 1)\nrun('cpu', 2)", ""),
    ("x = run('cuda')\nrun('cpu')\nprint(x)", ""),
    ("run('cuda')\nif a:\n    run('cpu')", ""),
    ("def run(d):\n    R.append(f(d))\nrun('cpu')\nrun('cuda')\nassert R[0] == R[1]", ""),
    ("for d in ['cuda', 'cuda:1']:\n    f(d)", ""),
    ("for d in ['cpu', other]:\n    f(d)", ""),
    ("r = []\nfor d in ['cpu', 'cuda']:\n    r.append(f(d))\nprint(r[0] == r[1])", ""),
    ("for d in ['cpu', 'cuda']:\n    x = f(d)\nprint(x)", ""),
    ("for d in ['cpu', 'cuda']:\n    if d == 'cpu':\n        x = f(d)\n    g(x, d)", ""),
    ("a, b = [f(d) for d in ['cpu', 'cuda']]", ""),
)
"""(code, what it becomes; "" where nothing may change)."""

_COLLECTS = frozenset({"append", "extend", "add", "update", "setdefault", "insert"})


def cpu_only(tree: ast.Module) -> Iterator[Edit]:
    """Yield the edits for devices that `for` statements go through, or that calls are made for."""
    yield from _made_for_each(tree)
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    for loop in loops:
        for devices in _lists(loop, tree):
            kept = _kept(devices)
            if kept and _is_independent(loop, tree):
                yield Edit(node=devices, text=_like(devices, kept))


def _made_for_each(tree: ast.Module) -> Iterator[Edit]:
    """The calls that stand for themselves beside the very same for the CPU."""
    for block in (
        node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.FunctionDef)
    ):
        calls = [n for n in block.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
        plain = {ast.dump(one) for one in calls if not _is_absent(one.value)}
        for one in calls:
            if _collects(one.value, tree):
                continue
            if _is_absent(one.value) and ast.dump(_ON_CPU.visit(deepcopy(one))) in plain:
                yield Edit(node=one, text="")


def _collects(call: ast.expr, tree: ast.Module) -> bool:
    """Whether a call of the text's own function may leave something for others."""
    name = dotted(call.func) if isinstance(call, ast.Call) else ""
    own = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name)
    inside = [node for function in own for node in ast.walk(function)]
    kept = (ast.Global, ast.Nonlocal)
    stores = (ast.Attribute, ast.Subscript)
    return any(
        isinstance(node, kept)
        or (isinstance(node, stores) and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.Attribute) and node.attr in _COLLECTS)
        for node in inside
    )


class _OnCpu(ast.NodeTransformer):
    """Names the CPU wherever another device is named."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        absent = isinstance(node.value, str) and device_needs(node.value)
        return ast.Constant(value="cpu") if absent else node


_ON_CPU = _OnCpu()


def _lists(loop: ast.For, tree: ast.Module) -> Iterator[ast.List | ast.Tuple]:
    """The literals that a loop goes through: itself, by name, or as a factor of a product."""
    sources = [loop.iter]
    if isinstance(loop.iter, ast.Call) and dotted(loop.iter.func).rpartition(".")[2] == "product":
        sources = loop.iter.args
    for source in sources:
        literal = _assigned(source.id, tree) if isinstance(source, ast.Name) else source
        if isinstance(literal, ast.List | ast.Tuple):
            yield literal


def _assigned(name: str, tree: ast.Module) -> ast.expr | None:
    """What a name stands for that is given once and read once."""
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    if len(uses) != 2:
        return None
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[target], value=value) if target is uses[0]:
                return value
    return None


def _kept(devices: ast.List | ast.Tuple) -> list[ast.expr]:
    """The elements that the CPU can run; none where that is all or unclear."""
    absent = [element for element in devices.elts if _is_absent(element)]
    kept = [element for element in devices.elts if _names_cpu(element)]
    clear = bool(absent and kept) and len(absent) + len(kept) == len(devices.elts)
    return kept if clear else []


def _is_absent(element: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and device_needs(node.value)
        for node in ast.walk(element)
    )


def _names_cpu(element: ast.expr) -> bool:
    names = [node.value for node in ast.walk(element) if isinstance(node, ast.Constant)]
    return not _is_absent(element) and any(str(name).partition(":")[0] == "cpu" for name in names)


def _like(devices: ast.List | ast.Tuple, kept: list[ast.expr]) -> str:
    """Source of `kept` in the brackets that `devices` have."""
    kind = ast.List if isinstance(devices, ast.List) else ast.Tuple
    return ast.unparse(kind(elts=kept, ctx=ast.Load()))


def _is_independent(loop: ast.For, tree: ast.Module) -> bool:
    """Whether the passes of a loop have nothing to do with each other, nor with what follows."""
    inside = {id(node) for node in ast.walk(loop)}
    body = [node for statement in loop.body for node in ast.walk(statement)]
    if any(isinstance(node, ast.Compare) and _asks_for(node, loop) for node in body):
        return False
    made = {name for node in body for name in _made(node)}
    return not any(
        isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.id in made
        and node.lineno > (loop.end_lineno or loop.lineno)
        for node in ast.walk(tree)
        if id(node) not in inside
    )


def _asks_for(compare: ast.Compare, loop: ast.For) -> bool:
    """Whether a comparison is about what the loop goes through."""
    targets = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    return any(isinstance(node, ast.Name) and node.id in targets for node in ast.walk(compare))


def _made(node: ast.AST) -> Iterator[str]:
    """The names that a statement in a loop gives something."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
            yield name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)):
            if attribute in _COLLECTS:
                yield name
        case _:
            pass
