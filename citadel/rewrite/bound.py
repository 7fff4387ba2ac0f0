"""How often the names of a module are bound, and which line does nothing but bind one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m


def bindings(module: cst.Module) -> Counter[str]:
    """How often each name is bound by anything but an import."""
    binder = _Binder()
    module.visit(binder)
    return binder.names


class _Binder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Import, cst.ImportFrom)):
            return False
        if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Param, cst.AsName)):
            self._bind(node.name)
        elif isinstance(
            node,
            (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.NamedExpr),
        ):
            self._bind(node.target)
        return True

    def _bind(self, target: cst.CSTNode) -> None:
        if isinstance(target, cst.Name):
            self.names[target.value] += 1
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._bind(element.value)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The line `layer = Layer(...)`; `mentions` says how often the module has that name."""

    node: cst.SimpleStatementLine
    name: str
    mentions: int

    def unused(self, nodes: Mapping[cst.CSTNode, cst.CSTNode]) -> bool:
        """Whether nothing reads the variable once `nodes` are replaced."""
        left = self.mentions - sum(_mentions(old, self.name) for old in nodes)
        return left + sum(_mentions(new, self.name) for new in nodes.values()) == 1


def assigning(module: cst.Module, construction: cst.CSTNode | None) -> Line | None:
    """The line that does nothing but assign a construction to one name."""
    for line in m.findall(module, m.SimpleStatementLine(body=[m.Assign()])):
        assert isinstance(line, cst.SimpleStatementLine)  # noqa: S101 - by the pattern
        statement = line.body[0]
        if not isinstance(statement, cst.Assign) or statement.value is not construction:
            continue
        target = statement.targets[0].target
        if len(statement.targets) == 1 and isinstance(target, cst.Name):
            name = target.value
            return Line(node=line, name=name, mentions=_mentions(module, name))
    return None


def _mentions(node: cst.CSTNode, name: str) -> int:
    return len(m.findall(node, m.Name(name)))
