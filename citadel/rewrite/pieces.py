"""Replace nodes of a module, visiting only the top-level statements that they stand in.

A report is rewritten for hundreds of siblings; most of its text is the same in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import libcst as cst

from analysis.target.operators import statement

Replacements = Mapping[cst.CSTNode, cst.BaseExpression]


class Pieces:
    """A parsed module, kept as the texts of its top-level statements."""

    def __init__(self, module: cst.Module) -> None:
        self._module = module
        self._texts = [module.code_for_node(line) for line in module.body]
        self._head = "".join(map(module.code_for_node, module.header))
        self._tail = "".join(map(module.code_for_node, module.footer))
        self._place: dict[int, int] = {}
        for number, line in enumerate(module.body):
            _note(line, number, self._place)

    def replaced(self, nodes: Replacements, dropped: cst.CSTNode | None = None) -> str:
        """The text with some nodes replaced, and the line of another one taken out."""
        touched = [*nodes, *([] if dropped is None else [dropped])]
        changed = {self._place[id(node)] for node in touched}
        replacer = _Replacer(nodes, dropped)
        texts = [
            self._changed(number, replacer) if number in changed else text
            for number, text in enumerate(self._texts)
        ]
        return self._ended(self._head + "".join(texts) + self._tail)

    def _changed(self, number: int, replacer: _Replacer) -> str:
        line = self._module.body[number].visit(replacer)
        # Nothing is left of a top-level statement that was the dropped line itself.
        return self._module.code_for_node(line) if isinstance(line, cst.CSTNode) else ""

    def _ended(self, text: str) -> str:
        """Statements end with a line break; the module need not."""
        return text if self._module.has_trailing_newline else text.rstrip("\r\n")


def _note(node: cst.CSTNode, number: int, place: dict[int, int]) -> None:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        place[id(one)] = number
        waiting.extend(one.children)


class _Replacer(cst.CSTTransformer):
    """Replaces nodes by identity; inner replacements are part of the outer one already."""

    def __init__(self, nodes: Replacements, dropped: cst.CSTNode | None) -> None:
        super().__init__()
        self._nodes = {id(node): new for node, new in nodes.items()}
        self._dropped = dropped

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        if original_node is self._dropped:
            return cst.RemoveFromParent()
        if isinstance(updated_node, cst.IndentedBlock) and not updated_node.body:
            empty = updated_node.with_changes(body=[cst.parse_statement("pass\n")])
            return cast(cst.CSTNodeT, empty)
        new = self._nodes.get(id(original_node))
        if new is None:
            return updated_node
        if isinstance(original_node, (cst.AugAssign, cst.Assign)):
            return cast(cst.CSTNodeT, statement(original_node, new))
        return cast(cst.CSTNodeT, new)
