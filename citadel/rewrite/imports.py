"""How a module's text may refer to a framework API: its import aliases."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
import libcst.helpers as h

from citadel.rewrite.scope import rebound

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
)
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


def aliases(module: cst.Module) -> dict[str, str]:
    """Local name -> dotted name, for the imports at the top level of the module.

    A name that the module also binds otherwise may mean anything.
    """
    found: dict[str, str] = {}
    for line in module.body:
        if isinstance(line, cst.SimpleStatementLine):
            for statement in line.body:
                found.update(_bound(statement))
    other = rebound(module)
    return {name: dotted for name, dotted in found.items() if name not in other}


def _bound(statement: cst.BaseSmallStatement) -> Iterator[tuple[str, str]]:
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
    best: tuple[int, str] | None = None
    for name, dotted in local.items():
        if api == dotted:
            return name, None
        if api.startswith(dotted + ".") and (best is None or len(dotted) > best[0]):
            best = (len(dotted), name + api[len(dotted) :])
    if best is not None:
        return best[1], None
    return api, api.split(".", 1)[0]


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
        if dotted is None or "." not in dotted:
            return updated_node
        return cst.parse_expression(spelled(dotted, self._local)[0])


def with_import(module: cst.Module, name: str) -> cst.Module:
    """The module with `import name` before its first statement that is no docstring or future."""
    line = cst.parse_statement(f"import {name}\n")
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
