"""Small questions about names: bound once? read anywhere else?"""

from __future__ import annotations

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


def drop_unused(
    module: cst.Module, original: cst.Module, construction: cst.CSTNode | None
) -> cst.Module:
    """Remove `layer = Layer(...)` when rewriting has left nothing that reads `layer`."""
    if construction is None:
        return module
    for line in m.findall(original, m.SimpleStatementLine(body=[m.Assign()])):
        assert isinstance(line, cst.SimpleStatementLine)  # noqa: S101 - by the pattern
        statement = line.body[0]
        if not isinstance(statement, cst.Assign) or statement.value is not construction:
            continue
        target = statement.targets[0].target
        if len(statement.targets) > 1 or not isinstance(target, cst.Name):
            continue
        if len(m.findall(module, m.Name(target.value))) == 1:
            return _without(module, line)
    return module


def _without(module: cst.Module, line: cst.SimpleStatementLine) -> cst.Module:
    code = cst.Module(body=()).code_for_node(line)
    remover = _Remover(code)
    changed = module.visit(remover)
    return changed if remover.removed == 1 else module


class _Remover(cst.CSTTransformer):
    def __init__(self, code: str) -> None:
        super().__init__()
        self._code = code
        self.removed = 0

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        if cst.Module(body=()).code_for_node(original_node) != self._code:
            return updated_node
        self.removed += 1
        return cst.RemoveFromParent()

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        if updated_node.body:
            return updated_node
        return updated_node.with_changes(body=[cst.parse_statement("pass\n")])
