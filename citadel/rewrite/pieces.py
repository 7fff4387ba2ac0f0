"""Replace nodes of a module, visiting only the top-level statements that they stand in.

A report is rewritten for hundreds of siblings; most of its text is the same in all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import cast

import libcst as cst

from analysis.target.operators import statement
from citadel.rewrite.tree import Tree

Replacements = Mapping[cst.CSTNode, cst.CSTNode]
"""Node -> what replaces it. A class does not replace a statement: it is put in front of it."""


class Pieces:
    """A parsed module, kept as the texts of its top-level statements."""

    def __init__(self, tree: Tree) -> None:
        module = tree.module
        self._module = module
        self._texts = [module.code_for_node(line) for line in module.body]
        self._head = "".join(map(module.code_for_node, module.header))
        self._tail = "".join(map(module.code_for_node, module.footer))
        self._tree = tree
        self._starts = [tree.order(line) for line in module.body]

    def replaced(self, nodes: Replacements, dropped: cst.CSTNode | None = None) -> str:
        """The text with some nodes replaced, and the line of another one taken out."""
        added = classes(nodes)
        touched = [*nodes, *([] if dropped is None else [dropped])]
        changed = {bisect_right(self._starts, self._tree.order(node)) - 1 for node in touched}
        replacer = _Replacer({n: new for n, new in nodes.items() if n not in added}, dropped)
        texts = [
            self._changed(number, replacer) if number in changed else text
            for number, text in enumerate(self._texts)
        ]
        for number, line in enumerate(self._module.body):
            if line in added:
                texts[number] = self._apart(added[line], line, number) + texts[number]
        return self._ended(self._head + "".join(texts) + self._tail)

    def _changed(self, number: int, replacer: _Replacer) -> str:
        line = self._module.body[number].visit(replacer)
        # Nothing is left of a top-level statement that was the dropped line itself.
        return self._module.code_for_node(line) if isinstance(line, cst.CSTNode) else ""

    def _apart(self, made: cst.ClassDef, line: cst.CSTNode, number: int) -> str:
        """A class with two empty lines on either side."""
        empty = self._module.default_newline
        before = 2 * empty if number or self._head else ""
        blank = [one.comment is None for one in getattr(line, "leading_lines", ())]
        have = blank.index(False) if False in blank else len(blank)
        return before + self._module.code_for_node(made) + max(0, 2 - have) * empty

    def _ended(self, text: str) -> str:
        """Statements end with a line break; the module need not."""
        return text if self._module.has_trailing_newline else text.rstrip("\r\n")


def classes(nodes: Replacements) -> dict[cst.CSTNode, cst.ClassDef]:
    """The classes that are put in front of statements."""
    return {node: new for node, new in nodes.items() if isinstance(new, cst.ClassDef)}


def replaced_in(node: cst.BaseExpression, nodes: Replacements) -> cst.BaseExpression:
    """An expression with some of its nodes replaced."""
    changed = node.visit(_Replacer(nodes, None))
    assert isinstance(changed, cst.BaseExpression)  # noqa: S101 - nothing is removed
    return changed


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
            assert isinstance(new, cst.BaseExpression)  # noqa: S101 - it stands in for an operation
            return cast(cst.CSTNodeT, statement(original_node, new))
        return cast(cst.CSTNodeT, new)
