"""How a module's text may refer to a framework API: its import aliases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import libcst as cst
import libcst.helpers as h
import libcst.matchers as m

from analysis.rules import Registry, Rule
from citadel.rewrite.bound import bindings

MODULES = {"tensorflow": "tf", "keras": "tf.keras"}
"""How the catalog calls packages that it does not call by their own name."""
PACKAGES = {"tf": "tensorflow"}
"""Packages by the catalog's name."""
IMPORTS = {"tf": "import tensorflow as tf"}
"""How packages are imported whose name is not that of the catalog."""

EXAMPLES = (
    ("import torch.nn.functional as F", "torch.nn.functional.conv2d", "F.conv2d"),
    ("import torch\nfrom torch import nn", "torch.nn.Linear", "nn.Linear"),
    ("from torch.nn import Conv2d as C", "torch.nn.Conv2d", "C"),
    ("import torch", "torch.linalg.eig", "torch.linalg.eig"),
    ("import torch as th", "torch.clamp", "th.clamp"),
    ("import torch.nn", "torch.nn.functional.conv2d", "torch.nn.functional.conv2d"),
    ("import torch\nimport torch.nn.functional as F", "torch.nn.Linear", "torch.nn.Linear"),
    ("from torch import nn, Tensor", "torch.Tensor.clamp", "Tensor.clamp"),
    ("import torch\ntry:\n    import foo\nexcept ImportError:\n    pass", "torch.abs", "torch.abs"),
    ("import torch\nfrom torch.nn import *", "torch.nn.Linear", "torch.nn.Linear"),
    ("from . import torch as own\nimport torch", "torch.abs", "torch.abs"),
    ("import tensorflow as tf", "tf.nn.relu", "tf.nn.relu"),
    ("import tensorflow", "tf.nn.relu", "tensorflow.nn.relu"),
    ("import tensorflow as tf\nfrom tensorflow import keras", "tf.keras.layers.Dense",
     "keras.layers.Dense"),
    ("from tensorflow.keras.layers import Dense as D", "tf.keras.layers.Dense", "D"),
    ("from keras import layers", "tf.keras.layers.Dense", "layers.Dense"),
    ("from keras import layers", "keras.layers.Dense", "layers.Dense"),
    ("import keras", "keras.ops.relu", "keras.ops.relu"),
    ("import tensorflow as tf", "keras.ops.relu", "tf.keras.ops.relu"),
    ("import torch\nF = torch.nn.functional", "torch.nn.functional.relu", "F.relu"),
    ("import torch\nF = torch.nn.functional\nF = 1", "torch.nn.functional.relu",
     "torch.nn.functional.relu"),
    ("try:\n    import torch as t\nexcept ImportError:\n    raise", "torch.abs", "t.abs"),
    ("if True:\n    from torch import nn\nimport torch", "torch.nn.Linear", "nn.Linear"),
)  # fmt: skip
"""(imports, API, how it is written)."""

MISSING = (
    ("x = 1\n", "import torch\nx = 1\n"),
    ("# why\nx = 1\n", "# why\nimport torch\nx = 1\n"),
    ('"""What."""\nx = 1\n', '"""What."""\nimport torch\nx = 1\n'),
    (
        "from __future__ import annotations\nx = 1\n",
        "from __future__ import annotations\nimport torch\nx = 1\n",
    ),
)
"""(text, the same with `import torch`)."""


def aliases(module: cst.Module, inside: Iterable[cst.CSTNode] = ()) -> dict[str, str]:
    """Local name -> dotted name, for the imports of a module and of the functions `inside` it.

    `F = torch.nn.functional` counts as an import. A name that the module also binds otherwise may
    mean anything.
    """
    bound = bindings(module)
    found: dict[str, str] = {}
    for body in (module, *inside):
        for statement in _statements(body):
            for name, dotted in _bound(statement):
                if not bound[name]:
                    found[name] = dotted
            assigned = _assigned(statement, found)
            if assigned is not None and bound[assigned[0]] == 1:
                found[assigned[0]] = assigned[1]
    return found


def _statements(body: cst.CSTNode) -> Iterator[cst.BaseSmallStatement]:
    """The simple statements of a body, in whatever blocks, but not those of inner functions."""
    for line in body.children:
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body
        elif isinstance(line, (cst.FunctionDef, cst.ClassDef)):
            continue
        elif isinstance(line, (cst.BaseCompoundStatement, cst.BaseSuite, *_BRANCHES)):
            yield from _statements(line)


_BRANCHES = (cst.Else, cst.ExceptHandler, cst.Finally)


def _assigned(statement: cst.BaseSmallStatement, known: dict[str, str]) -> tuple[str, str] | None:
    """The name and the module of `F = torch.nn.functional`."""
    if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Attribute):
        return None
    target = statement.targets[0].target
    dotted = h.get_full_name_for_node(statement.value) or ""
    first, dot, rest = dotted.partition(".")
    if len(statement.targets) > 1 or not isinstance(target, cst.Name) or first not in known:
        return None
    return target.value, known[first] + dot + rest


def canonical(dotted: str) -> str:
    """A module as the catalog calls it: TensorFlow is `tf`, and Keras is what is in it.

    >>> canonical("tensorflow.nn"), canonical("keras.layers"), canonical("torch.nn")
    ('tf.nn', 'tf.keras.layers', 'torch.nn')
    """
    first, dot, rest = dotted.partition(".")
    return MODULES.get(first, first) + dot + rest


def _bound(statement: cst.BaseSmallStatement) -> Iterator[tuple[str, str]]:
    """Local names and canonical dotted names that a statement imports."""
    return ((name, canonical(dotted)) for name, dotted in _imported(statement))


def _imported(statement: cst.BaseSmallStatement) -> Iterator[tuple[str, str]]:
    if isinstance(statement, cst.Import):
        for name in statement.names:
            dotted = h.get_full_name_for_node(name.name) or ""
            if name.asname is not None and isinstance(name.asname.name, cst.Name):
                yield name.asname.name.value, dotted
            else:
                top = dotted.split(".", 1)[0]
                yield top, top
    elif isinstance(statement, cst.ImportFrom) and not isinstance(statement.names, cst.ImportStar):
        package = h.get_full_name_for_node(statement.module) if statement.module else ""
        for name in statement.names:
            if isinstance(name.name, cst.Name):
                local = name.evaluated_alias or name.name.value
                yield local, f"{package}.{name.name.value}"


def spelled(api: str, local: dict[str, str]) -> tuple[str, str | None]:
    """How to write an API under the given aliases, and the import that is missing, if one is.

    >>> spelled("torch.nn.functional.conv2d", {"F": "torch.nn.functional"})
    ('F.conv2d', None)
    """
    return SPELLED.first(api, local) or _in_full(api, local)


Spelling = tuple[str, str | None]
SPELLED: Registry[[str, Mapping[str, str]], Spelling] = Registry("rewrite")
"""Ways to write an API with the imports that there are."""


@SPELLED.rule("name-of-import", examples=[EXAMPLES[row] for row in (2, 14)])
def _by_own_name(api: str, local: Mapping[str, str]) -> Spelling | None:
    """`from torch.nn import Conv2d as C`: the API is `C`."""
    wanted = canonical(api)
    return next(((name, None) for name, dotted in local.items() if wanted == dotted), None)


@SPELLED.rule("name-in-imported-module", examples=[EXAMPLES[row] for row in (0, 1, 3, 4, 6)])
def _by_module(api: str, local: Mapping[str, str]) -> Spelling | None:
    """`import torch.nn.functional as F`: the API is `F.conv2d`, by the longest name of a module."""
    best: tuple[int, str] | None = None
    wanted = canonical(api)
    for name, dotted in local.items():
        if wanted.startswith(dotted + ".") and (best is None or len(dotted) > best[0]):
            best = (len(dotted), name + wanted[len(dotted) :])
    return None if best is None else (best[1], None)


def _in_full(api: str, local: Mapping[str, str]) -> Spelling:
    """The whole name, and the package that is to be imported."""
    first, dot, rest = api.partition(".")
    # `tf` may be the first version of TensorFlow, where another function has that name.
    package = first if local.get(first, first) == first else PACKAGES.get(first, first)
    return package + dot + rest, package


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """How a sibling is written by a changed import: its name, and the import statement's change."""

    name: cst.BaseExpression
    statement: cst.ImportFrom
    changed: cst.ImportFrom


def _imported_as(module: cst.Module, name: str, api: str, *, read: int) -> Imported | None:
    """`from torch import floor` changed for `torch.ceil`; a name that is read elsewhere is kept.

    `read`: how often the module reads the name.
    """
    package, _, new = canonical(api).rpartition(".")
    for node in m.findall(module, m.ImportFrom()):
        assert isinstance(node, cst.ImportFrom)  # noqa: S101 - by the pattern
        if isinstance(node.names, cst.ImportStar) or node.module is None or node.relative:
            continue
        for index, alias in enumerate(node.names):
            if (alias.evaluated_alias or alias.evaluated_name) != name:
                continue
            if canonical(h.get_full_name_for_node(node.module) or "") != package:
                continue
            if read == 1:
                changed = alias.with_changes(name=cst.Name(new))
                names = [*node.names[:index], changed, *node.names[index + 1 :]]
                local = name if alias.asname is not None else new
            else:
                comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
                last = node.names[-1]
                added = cst.ImportAlias(cst.Name(new), comma=last.comma)
                names = [*node.names[:-1], last.with_changes(comma=comma), added]
                local = new
            return Imported(
                name=cst.Name(local), statement=node, changed=node.with_changes(names=names)
            )
    return None


imported = Rule("rewrite/changed-import", _imported_as)


def respelled(expression: cst.BaseExpression, local: dict[str, str]) -> cst.BaseExpression:
    """An expression that names things in full, with the names that the module has for them."""
    changed = expression.visit(_Speller(local))
    assert isinstance(changed, cst.BaseExpression)  # noqa: S101 - nothing is removed
    return changed


class _Speller(cst.CSTTransformer):
    def __init__(self, local: dict[str, str]) -> None:
        super().__init__()
        self._local = local

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        dotted = h.get_full_name_for_node(original_node)
        first = (dotted or "").partition(".")[0]
        # Of `x.sum(0).item` LibCST's name is `x.sum.item`.
        whole = dotted is not None and cst.parse_expression(dotted).deep_equals(original_node)
        if not whole or dotted is None or self._local.get(first, first) != first:
            return updated_node
        return cst.parse_expression(spelled(dotted, self._local)[0])


def with_import(module: cst.Module, name: str) -> cst.Module:
    """The module with `import name` before its first statement that is no docstring or future."""
    line = cst.parse_statement(IMPORTS.get(name, f"import {name}") + "\n")
    body = list(module.body)
    at = 0
    while at < len(body) and _leading(body[at], at):
        at += 1
    body.insert(at, line)
    return module.with_changes(body=body)


def _leading(line: cst.BaseStatement, index: int) -> bool:
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    first = line.body[0]
    if isinstance(first, cst.ImportFrom) and first.module is not None:
        return h.get_full_name_for_node(first.module) == "__future__"
    docstring = isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString)
    return index == 0 and docstring
