"""Replace nodes of a module, visiting only the statements that they stand in.

A report is rewritten for hundreds of siblings; most of its text is the same in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import accumulate
from typing import cast

import libcst as cst
from libcst.metadata import CodePosition, MetadataWrapper, WhitespaceInclusivePositionProvider

from analysis.target.operators import statement
from citadel.rewrite.tree import Tree

Replacements = Mapping[cst.CSTNode, cst.CSTNode]
"""Node -> what replaces it. A class does not replace a statement: it is put in front of it, and so
are the lines of a module."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)


class Pieces:
    """A parsed module, kept as its text and the places of the statements in it."""

    def __init__(self, tree: Tree) -> None:
        module = tree.module
        self._tree, self._module = tree, module
        parts = (*module.header, *module.body, *module.footer)
        self._text = "".join(map(module.code_for_node, parts))
        lines = [0, *accumulate(len(line) for line in _LINE.findall(self._text))]

        def offset(position: CodePosition) -> int:
            return lines[position.line - 1] + position.column

        # Trees and metadata agree on the nodes: nothing is replaced in place.
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        places = wrapper.resolve(WhitespaceInclusivePositionProvider)
        self._spans = {
            id(node): (offset(places[node].start), offset(places[node].end))
            for node in tree.nodes
            if isinstance(node, _STATEMENTS)
            and isinstance(tree.parent(node), (cst.Module, cst.IndentedBlock))
        }
        """From the lines that belong to a statement to the end of its own last line."""

    def replaced(self, nodes: Replacements, dropped: Sequence[cst.CSTNode] = ()) -> str:
        """The text with some nodes replaced, and some lines taken out."""
        added = classes(nodes)
        replacer = _Replacer({n: new for n, new in nodes.items() if n not in added}, dropped)
        touched = {id(one): one for node in nodes if node not in added for one in [self._of(node)]}
        for line in dropped:
            whole = self._emptied(line, dropped)
            touched[id(whole)] = whole
        edits = [(*self._spans[key], self._changed(one, replacer)) for key, one in touched.items()]
        for line, made in added.items():
            start, _ = self._spans[id(line)]
            edits.append((start, start, self._apart(made, line, first=start == 0)))
        return self._ended(_spliced(self._text, edits))

    def _of(self, node: cst.CSTNode) -> cst.CSTNode:
        """The innermost statement that a node is part of."""
        return next(one for one in (node, *self._tree.above(node)) if id(one) in self._spans)

    def _emptied(self, line: cst.CSTNode, dropped: Sequence[cst.CSTNode]) -> cst.CSTNode:
        """A line that can go, or the statement whose block goes with it and others."""
        block = self._tree.parent(line)
        if isinstance(block, cst.IndentedBlock) and all(one in dropped for one in block.body):
            return self._of(block)
        return line

    def _changed(self, line: cst.CSTNode, replacer: _Replacer) -> str:
        try:
            visited = line.visit(replacer)
        except cst.CSTValidationError:
            visited = line.visit(replacer.apart())
        made = tuple(visited) if isinstance(visited, cst.FlattenSentinel) else (visited,)
        body = [one for one in made if isinstance(one, _STATEMENTS)]
        if not body:
            return ""  # nothing is left of a statement that was the dropped line itself
        blocks = [n for n in self._tree.above(line) if isinstance(n, cst.IndentedBlock)]
        if not blocks:
            return "".join(map(self._module.code_for_node, body))
        unit = self._module.default_indent
        indent = "".join(unit if n.indent is None else n.indent for n in reversed(blocks))
        block = cst.IndentedBlock(body=body, indent=indent)
        # A block begins with the line break behind the colon.
        return self._module.code_for_node(block)[len(self._module.default_newline) :]

    def _apart(self, made: cst.ClassDef, line: cst.CSTNode, *, first: bool) -> str:
        """A class with two empty lines on either side."""
        empty = self._module.default_newline
        before = "" if first else 2 * empty
        blank = [one.comment is None for one in getattr(line, "leading_lines", ())]
        have = blank.index(False) if False in blank else len(blank)
        return before + self._module.code_for_node(made) + max(0, 2 - have) * empty

    def _ended(self, text: str) -> str:
        """Statements end with a line break; the module need not."""
        return text if self._module.has_trailing_newline else text.rstrip("\r\n")


def _spliced(text: str, edits: list[tuple[int, int, str]]) -> str:
    """A text with parts of it replaced; what is in a replaced part is replaced there already."""
    made, place = [], 0
    for start, end, new in sorted(edits):
        if start >= place:
            made += [text[place:start], new]
            place = end
    return "".join((*made, text[place:]))


def beside(nodes: Replacements) -> Replacements:
    """What is put in front of statements, and replaces nothing."""
    return {node: new for node, new in nodes.items() if isinstance(new, (cst.ClassDef, cst.Module))}


def classes(nodes: Replacements) -> dict[cst.CSTNode, cst.ClassDef]:
    """The classes that are put in front of statements."""
    return {node: new for node, new in nodes.items() if isinstance(new, cst.ClassDef)}


def replaced_in(node: cst.BaseExpression, nodes: Replacements) -> cst.BaseExpression:
    """An expression with some of its nodes replaced."""
    changed = node.visit(_Replacer(nodes))
    assert isinstance(changed, cst.BaseExpression)  # noqa: S101 - nothing is removed
    return changed


def replaced_in_module(module: cst.Module, nodes: Replacements) -> cst.Module:
    """A module with some of its nodes replaced."""
    return module.visit(_Replacer(nodes))


class _Replacer(cst.CSTTransformer):
    """Replaces nodes by identity; inner replacements are part of the outer one already."""

    def __init__(self, nodes: Replacements, dropped: Sequence[cst.CSTNode] = ()) -> None:
        super().__init__()
        self._nodes = {id(node): new for node, new in nodes.items()}
        self._dropped = frozenset(map(id, dropped))
        self._apart = False

    def apart(self) -> _Replacer:
        """The same, with parentheses, where a keyword touches what is replaced."""
        made = copy(self)
        made._apart = True
        return made

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        if id(original_node) in self._dropped:
            return cst.RemoveFromParent()
        if isinstance(updated_node, cst.IndentedBlock) and not updated_node.body:
            empty = updated_node.with_changes(body=[cst.parse_statement("pass\n")])
            return cast(cst.CSTNodeT, empty)
        new = self._nodes.get(id(original_node))
        if new is None:
            return updated_node
        if isinstance(new, cst.Module):
            return cast("cst.FlattenSentinel[cst.CSTNodeT]", _behind(new, updated_node))
        if isinstance(original_node, (cst.AugAssign, cst.Assign)):
            assert isinstance(new, cst.BaseExpression)  # noqa: S101 - it stands in for an operation
            return cast(cst.CSTNodeT, statement(original_node, new))
        if self._apart and isinstance(new, cst.BaseExpression) and not new.lpar:
            new = new.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return cast(cst.CSTNodeT, new)


def _behind(front: cst.Module, statement: cst.CSTNode) -> cst.FlattenSentinel[cst.CSTNode]:
    """Lines and a statement behind them; what stands above the statement stands above them all."""
    first, *more = front.body
    above = cst.ensure_type(statement, cst.SimpleStatementLine).leading_lines
    last = statement.with_changes(leading_lines=())
    return cst.FlattenSentinel([first.with_changes(leading_lines=above), *more, last])
