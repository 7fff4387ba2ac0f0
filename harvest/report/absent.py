"""Code that names what it can do without -> the same code without it.

In: code that parses. Out: the code less progress bars, plots and imports that nothing uses, each a
named repair. What the code does depend on stays, for `needs` to find.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator
from types import MappingProxyType

from analysis.rules import Phrase, Registry
from harvest.report.edits import Edit
from harvest.report.needs import import_needs
from harvest.report.repair import Repaired, Revision, edited, revised, revision
from harvest.report.syntax import dotted, nodes

UNUSED, BARS, PLOTS = "unused imports", "progress bars", "plots"
EXAMPLES: tuple[tuple[str, str, str], ...] = (
    (UNUSED, "import torch, torchvision\nf(torch)", "import torch\nf(torch)"),
    (UNUSED, "import cv2\nfrom PIL import a, b  # b\nf(b)", "from PIL import b  # b\nf(b)"),
    (UNUSED, "import torch; import cv2; f(torch)", "import torch; pass; f(torch)"),
    (UNUSED, "import torchvision\ntorch.ops.torchvision.nms(x)", ""),
    (UNUSED, "import torch_xla\nf(x)", ""),
    (UNUSED, "from apex import *\nf(x)", ""),
    (UNUSED, "import math\nf(x)", ""),
    (BARS, "for i in tqdm(range(3), desc='a'):\n    f(i)", "for i in range(3):\n    f(i)"),
    (BARS, "for i in tqdm.trange(3):\n    f(i)", "for i in range(3):\n    f(i)"),
    (BARS, "bar = tqdm.tqdm(x)\nbar.update(1)", ""),
    (PLOTS, "import pylab as p\ny = f(x)\np.plot(y)\np.show()", "import pylab as p\ny = f(x)"),
    (
        PLOTS,
        "import pylab as p\n_, a = p.subplots()\na.plot(y.cpu())\nf(y)",
        "import pylab as p\nf(y)",
    ),
    (PLOTS, "import pylab as p\nif a:\n    p.show()", "import pylab as p\nif a:\n    pass"),
    (PLOTS, "import pylab as p\np.plot(torch.f(x, 1))", ""),
    (PLOTS, "import pylab as p\nf(p.cm)", ""),
)
"""(repair, code, what it becomes; "" where nothing may change)."""

_EXTENSION = Phrase(
    "need/extension-of-a-framework",
    r"(?:^|_)(?:torch|pytorch|tensorflow|tf|keras)(?:_|$)",
    finds=("torch_xla", "keras_cv"),
    spares=("torchvision",),
)
"""A package that has a framework's name in its own may change the framework when it is imported."""
_PLOTTING = frozenset({"matplotlib", "pylab", "seaborn"})
_BARS = MappingProxyType({"tqdm": "{}", "trange": "range({})"})
_LENGTH = 4
"""Letters from which a word of a package's name says something."""


def _unused_imports(tree: ast.Module) -> Iterator[Edit]:
    used = {node.id for node in nodes(tree) if isinstance(node, ast.Name)}
    told = set(_words(tree))
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        kept = [alias for alias in node.names if not _is_needless(node, alias, used, told)]
        if len(kept) < len(node.names):
            rest = ast.Import(kept) if isinstance(node, ast.Import) else _from(node, kept)
            yield Edit(node=node, text=ast.unparse(rest) if kept else "")


def _from(node: ast.ImportFrom, kept: list[ast.alias]) -> ast.ImportFrom:
    return ast.ImportFrom(node.module, kept, node.level)


def _words(tree: ast.Module) -> Iterator[str]:
    """The words in strings and attributes: names of packages that something registers."""
    for node in nodes(tree):
        match node:
            case ast.Constant(value=str(text)):
                yield from re.findall(r"[a-z0-9]+", text.lower())
            case ast.Attribute(attr=name):
                yield from name.lower().split("_")


def _is_needless(
    node: ast.Import | ast.ImportFrom, alias: ast.alias, used: Collection[str], told: set[str]
) -> bool:
    """Whether an import brings what is not there, and nothing that the code uses."""
    module = alias.name if isinstance(node, ast.Import) else node.module or ""
    root = module.partition(".")[0]
    name = alias.asname or alias.name.partition(".")[0]
    if name == "*" or name in used or (isinstance(node, ast.ImportFrom) and node.level):
        return False
    if not import_needs(module) or _EXTENSION.search(root):
        return False
    words = {word for word in root.lower().split("_") if len(word) >= _LENGTH}
    return not words & told


def _progress_bars(tree: ast.Module) -> Iterator[Edit]:
    done: set[int] = set()
    for node in nodes(tree):
        match node:
            case (
                ast.For(iter=ast.Call(func=function, args=[shown, *_]) as call)
                | ast.comprehension(iter=ast.Call(func=function, args=[shown, *_]) as call)
            ):
                template = _BARS.get(dotted(function).rpartition(".")[2])
                if template is not None and id(call) not in done:
                    done |= {id(child) for child in ast.walk(call)}
                    yield Edit(node=call, text=template.format(ast.unparse(shown)))


def _plots(tree: ast.Module) -> Iterator[Edit]:
    drawn = {
        alias.asname or alias.name.partition(".")[0]
        for node in nodes(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).partition(".")[0] in _PLOTTING
    }
    statements = [node for node in nodes(tree) if isinstance(node, ast.Expr | ast.Assign)]
    found: list[ast.Expr | ast.Assign] = []
    for node in sorted(statements, key=lambda one: one.lineno):
        if _draws(node, drawn):
            found.append(node)
            drawn |= _targets(node)
    inside = {id(child) for node in found for child in ast.walk(node)}
    reads = (node for node in nodes(tree) if isinstance(node, ast.Name))
    if drawn and all(id(node) in inside or node.id not in drawn - {"_"} for node in reads):
        top = {id(node) for node in tree.body}
        yield from (Edit(node=node, text="" if id(node) in top else "pass") for node in found)


def _draws(node: ast.Expr | ast.Assign, drawn: Collection[str]) -> bool:
    """Whether a statement is one call that draws, of values that are there already."""
    if (
        not isinstance(node.value, ast.Call)
        or dotted(node.value.func).partition(".")[0] not in drawn
    ):
        return False
    calls = [child for child in ast.walk(node.value) if isinstance(child, ast.Call)]
    return all(call is node.value or _only_converts(call) for call in calls)


def _only_converts(call: ast.Call) -> bool:
    """Whether a call is one like `x.numpy()` or `len(x)`."""
    if isinstance(call.func, ast.Attribute):
        return not call.args and not call.keywords
    return isinstance(call.func, ast.Name) and call.func.id in ("len", "list", "range", "str")


def _targets(node: ast.Expr | ast.Assign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {name.id for one in targets for name in ast.walk(one) if isinstance(name, ast.Name)}


REPAIRS: MappingProxyType[str, Callable[[ast.Module], Iterator[Edit]]] = MappingProxyType(
    {BARS: _progress_bars, PLOTS: _plots, UNUSED: _unused_imports}
)


def _revision(name: str, apply: Callable[[ast.Module], Iterator[Edit]]) -> Revision:
    def change(found: Repaired) -> Repaired:
        return edited(found, list(apply(found.tree)), name)

    change.__doc__ = f"Leave out {name}."
    return revision(name, change, [pair for of, *pair in EXAMPLES if of == name])


REVISIONS = Registry("snippet", *(_revision(name, apply) for name, apply in REPAIRS.items()))


def leave_out(found: Repaired) -> Repaired:
    """Return the code without what it names but can do without."""
    return revised(found, REVISIONS)
