"""Code as pasted -> code that parses, with the names of the steps it took.

Steps are tried in order on top of each other until the parser is content; then every step that
turns out to be needless is taken back, so that only those are kept that made the code parse.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from analysis.rules import Rule
from harvest.report.edits import Edit, apply_edits
from harvest.report.steps import STEPS, Step, id_of
from harvest.report.syntax import (
    MAX_CODE,
    MODULE_NAMES,
    Refusal,
    dotted,
    is_session,
    open_names,
    parse,
)

_MODULES = (
    "copy",
    "functools",
    "gc",
    "itertools",
    "math",
    "os",
    "random",
    "sys",
    "time",
    "unittest",
)
IMPORTS = {
    "torch": "import torch",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "tf": "import tensorflow as tf",
    "tensorflow": "import tensorflow",
    "keras": "from tensorflow import keras",
    "scipy": "import scipy",
    **{name: f"import {name}" for name in _MODULES},
}
_REPRS = frozenset({"tensor", "array", "Parameter", "Tensor", "EagerTensor", "matrix", "dtype"})
_ECHO = "echoed values"
_MISSING = "missing imports"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """Code that parses, its tree, and the steps that changed it."""

    code: str
    tree: ast.Module
    repairs: tuple[str, ...] = ()


def edited(found: Repaired, edits: Sequence[Edit], name: str) -> Repaired:
    """Return the code with edits made, as a repair of this name; as it is if nothing is left that
    parses, or there are none."""
    code = apply_edits(found.code, edits)
    tree = parse(code)
    if not edits or isinstance(tree, Refusal) or not tree.body:
        return found
    return Repaired(code=code, tree=tree, repairs=(*found.repairs, name))


Revision = Rule[[Repaired], Repaired]
"""A change to code that parses already; None where there is nothing to change."""


def revision(
    name: str, revise: Callable[[Repaired], Repaired], examples: Sequence[object] = ()
) -> Revision:
    """The rule `snippet/NAME` of a function that returns what it was given for "nothing to do"."""

    def change(found: Repaired) -> Repaired | None:
        changed = revise(found)
        return None if changed is found else changed

    change.__doc__ = revise.__doc__
    return Rule(f"snippet/{id_of(name)}", change, examples)


def revised(found: Repaired, revisions: Iterable[Revision]) -> Repaired:
    """The code with all that the revisions have to change, one after the other."""
    for one in revisions:
        found = one(found) or found
    return found


def repair(text: str) -> Repaired | Refusal:
    """Return `text` as code that parses, or why that cannot be."""
    found = _until_parsed(text, STEPS)
    if isinstance(found, Refusal):
        return found
    if found.repairs:
        found = _with_fewest(text, found)
    return _DROP_ECHOES(found) or found


def _until_parsed(text: str, steps: Sequence[Step]) -> Repaired | Refusal:
    tree = parse(text)
    if not isinstance(tree, Refusal) and not is_session(tree):
        return Repaired(code=text, tree=tree)
    first = tree if isinstance(tree, Refusal) else Refusal(message="prompts of IPython", line=1)
    applied: list[str] = []
    for step in steps if len(text) <= MAX_CODE else ():
        changed = step.rule(text)
        if changed is None:
            continue
        text = changed
        applied.append(step.name)
        tree = parse(text)
        if not isinstance(tree, Refusal) and tree.body and not is_session(tree):
            return Repaired(code=text, tree=tree, repairs=tuple(applied))
    return first


def _with_fewest(text: str, found: Repaired) -> Repaired:
    """Leave out, one after the other, the steps without which the code parses as well.

    A step that took statements away (pasted output that happens to parse) was of use.
    """
    for name in found.repairs[:-1]:
        steps = [step for step in STEPS if step.name in found.repairs and step.name != name]
        shorter = _until_parsed(text, steps)
        if isinstance(shorter, Repaired) and len(shorter.tree.body) <= len(found.tree.body):
            found = shorter
    return found


def _without_echoes(found: Repaired) -> Repaired | None:
    """Drop statements that are pasted output which happens to parse (`tensor(3)`, `Aborted`)."""
    unbound = open_names(found.tree) - IMPORTS.keys()
    echoes = [node for node in found.tree.body if _is_echo(node, unbound)]
    if not echoes:
        return None
    lines = found.code.split("\n")
    for node in echoes:
        alone = sum(_spans(other, node) for other in found.tree.body) == 1
        if alone:
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = [""] * (last - node.lineno + 1)
    code = "\n".join(lines)
    if code == found.code:
        return None
    code = code.strip("\n")
    tree = parse(code)  # of what is kept: the steps behind this one count its lines
    if isinstance(tree, Refusal):
        return None
    return Repaired(code=code, tree=tree, repairs=(*found.repairs, _ECHO))


_DROP_ECHOES = Rule(f"repair/{id_of(_ECHO)}", _without_echoes, [("print(1)\nAborted", "print(1)")])


def _spans(node: ast.stmt, other: ast.stmt) -> bool:
    """Tell whether two statements share a line."""
    return node.lineno <= (other.end_lineno or other.lineno) and other.lineno <= (
        node.end_lineno or node.lineno
    )


def _is_echo(node: ast.stmt, unbound: frozenset[str]) -> bool:
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return not isinstance(node.annotation, ast.Subscript)
    return isinstance(node, ast.Expr) and _is_echoed(node.value, unbound)


def _is_echoed(value: ast.expr, unbound: frozenset[str]) -> bool:
    match value:
        case ast.Name(id=name) if name in MODULE_NAMES:
            return True
        case ast.Name() | ast.Attribute():
            return dotted(value).partition(".")[0] in unbound
        case ast.Call(func=ast.Name() | ast.Attribute() as function):
            names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
            return bool(names & unbound) and dotted(function).rpartition(".")[2] in _REPRS
        case ast.Call(func=ast.Tuple() | ast.List() | ast.Constant()):
            return True  # `(2, 3) (4,)`: two values side by side
        case ast.Subscript(value=ast.Name(id=name)):
            return name in unbound
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return any(_is_echoed(item, unbound) for item in elts)
        case _:
            return False


def add_imports(found: Repaired, *, known: Mapping[str, str] = MappingProxyType({})) -> Repaired:
    """Prepend the imports of names that the code never binds.

    `known` are import lines from elsewhere in the report, per name; they go before the usual ones
    (`torch`, `np`, `F`).
    """
    return _ADD_IMPORTS(found, known) or found


def _with_imports(found: Repaired, known: Mapping[str, str]) -> Repaired | None:
    """Import what the code never binds: as the report does elsewhere, else by its usual name."""
    unbound = open_names(found.tree)
    lines = "\n".join(
        [known[name] for name in sorted(unbound & known.keys())]
        + [IMPORTS[name] for name in IMPORTS if name in unbound and name not in known]
    )
    if not lines:
        return None
    code = _below_header(found, lines)
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    return Repaired(code=code, tree=tree, repairs=(*found.repairs, _MISSING))


_ADD_IMPORTS = Rule(
    f"repair/{id_of(_MISSING)}", _with_imports, [("torch.f()", "import torch\ntorch.f()")]
)


def _below_header(found: Repaired, lines: str) -> str:
    """Put `lines` before the code, but below its docstring and `__future__` imports."""
    last = 0
    for node in found.tree.body:
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        told = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (future or (told and last == 0)):
            break
        last = node.end_lineno or node.lineno
    code = found.code.split("\n")
    return "\n".join([*code[:last], lines, *code[last:]])
