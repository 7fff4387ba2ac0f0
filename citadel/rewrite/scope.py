"""Small questions about names: bound once? read anywhere else?"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst
import libcst.matchers as m


def only_binding(module: cst.Module, name: str) -> cst.BaseExpression | None:
    """The expression of the only assignment to a name that is read only once, else None."""
    assigned: list[cst.BaseExpression] = []
    stores = 0
    for node in m.findall(module, m.Assign() | m.AnnAssign() | m.AugAssign()):
        if isinstance(node, cst.Assign) and len(node.targets) == 1:
            target = node.targets[0].target
            if isinstance(target, cst.Name) and target.value == name:
                assigned.append(node.value)
                stores += 1
    names = len(m.findall(module, m.Name(name)))
    keywords = len(m.findall(module, m.Arg(keyword=m.Name(name))))
    attributes = len(m.findall(module, m.Attribute(attr=m.Name(name))))
    uses = names - keywords - attributes
    return assigned[0] if len(assigned) == 1 and uses == stores + 1 else None


def rebound(module: cst.Module) -> frozenset[str]:
    """Names that are bound by anything but an import."""
    binder = _Binder()
    module.visit(binder)
    return frozenset(binder.names)


class _Binder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

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
            self.names.add(target.value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._bind(element.value)


def unused_line(
    module: cst.Module,
    construction: cst.CSTNode | None,
    nodes: Mapping[cst.CSTNode, cst.CSTNode],
) -> cst.SimpleStatementLine | None:
    """The line `layer = Layer(...)`, where nothing reads `layer` once `nodes` are replaced."""
    for line in m.findall(module, m.SimpleStatementLine(body=[m.Assign()])):
        assert isinstance(line, cst.SimpleStatementLine)  # noqa: S101 - by the pattern
        statement = line.body[0]
        if not isinstance(statement, cst.Assign) or statement.value is not construction:
            continue
        target = statement.targets[0].target
        if len(statement.targets) > 1 or not isinstance(target, cst.Name):
            continue
        left = _mentions(module, target.value)
        left -= sum(_mentions(old, target.value) for old in nodes)
        left += sum(_mentions(new, target.value) for new in nodes.values())
        if left == 1:
            return line
    return None


def _mentions(node: cst.CSTNode, name: str) -> int:
    return len(m.findall(node, m.Name(name)))
