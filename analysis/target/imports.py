"""What a text imports, told without a look at its expressions."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
from libcst.helpers import get_full_name_for_node


class Imports(cst.CSTVisitor):
    """What a text imports: name -> (what it stands for, whether that is a module)."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__()
        self.names: dict[str, tuple[str, bool]] = {}
        module.visit(self)

    @property
    def modules(self) -> frozenset[str]:
        """The names by which the text calls modules."""
        return frozenset(name for name, (_, whole) in self.names.items() if whole)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> bool:
        """Take what the line imports; there is nothing further inside."""
        self._take(node.body)
        return False

    def visit_SimpleStatementSuite(self, node: cst.SimpleStatementSuite) -> bool:
        """The same for `try: import f`."""
        self._take(node.body)
        return False

    def _take(self, statements: Sequence[cst.BaseSmallStatement]) -> None:
        for one in statements:
            if isinstance(one, cst.Import):
                self._import(one)
            elif isinstance(one, cst.ImportFrom):
                self._import_from(one)

    def _import(self, node: cst.Import) -> None:
        for alias in node.names:
            root = alias.evaluated_name.partition(".")[0]  # all that `import a.b` binds
            self.names[alias.evaluated_alias or root] = (
                alias.evaluated_name if alias.evaluated_alias else root,
                True,
            )

    def _import_from(self, node: cst.ImportFrom) -> None:
        base = "" if node.module is None else get_full_name_for_node(node.module) or ""
        if not isinstance(node.names, cst.ImportStar):
            for alias in node.names:
                name = alias.evaluated_alias or alias.evaluated_name
                # What a module of functions is called is lower case, as functions are.
                whole = alias.evaluated_name in ("functional", "nn", "ops", "linalg", "special")
                self.names[name] = (f"{base}.{alias.evaluated_name}", whole)
