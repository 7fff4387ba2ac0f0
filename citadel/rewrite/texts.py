"""The text of what a sibling is given: the report's expressions, changed by steps, or literals."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
import libcst.matchers as m

from citadel.plan.model import Expression, Fill, Gather
from citadel.rewrite import imports
from citadel.rewrite.given import Given
from citadel.rewrite.pieces import replaced_in
from citadel.rewrite.source import Source
from citadel.rewrite.steps import NAMING, apply_steps, code_of, made_of


class Texts:
    """The values of a plan for one sibling as expressions of one report."""

    def __init__(self, source: Source, target: str) -> None:
        self._source = source
        self._target = target

    def of(self, value: Expression, given: Given | None) -> cst.BaseExpression | None:
        """The text of a value: that of `given` where there is one, else the report's own."""
        if isinstance(value, Gather):
            parts = [self.of(item, given) for item in value.items]
            if any(part is None for part in parts):
                return None
            written = [part for part in parts if part is not None]
            if value.made:
                return self._respelled(made_of(value.made, written, self._target))
            return cst.List([cst.Element(part) for part in written])
        if isinstance(value, Fill):
            return self._respelled(self._parsed(value.text))
        node = given.reached(value.key) if given is not None else self._node(value.key)
        if node is None:
            node = self._literal(value.key)
        if node is None:
            return None
        seen = self._source.values.get(value.key)
        changed = apply_steps(node, value.steps, seen, self._target)
        if changed is not None and any(step.name == "say" for step in value.steps):
            return self._quoted(changed)
        if changed is None or not any(step.name in NAMING for step in value.steps):
            return changed
        return self._respelled(changed)

    def _respelled(self, node: cst.BaseExpression) -> cst.BaseExpression:
        return imports.respelled(node, self._source.local(self._source.call))

    def _node(self, key: str) -> cst.BaseExpression | None:
        """The text behind a key: an argument, the receiver, a layer's parameter, or a literal."""
        source = self._source
        if key.startswith("attr:"):
            layer = source.layer_node()
            name = cst.Name(key.partition(":")[2])
            if not isinstance(layer, (cst.Name, cst.Attribute)) and self._literal(key) is not None:
                return None  # a mode is known; a layer that is made on the way need not be
            return None if layer is None else cst.Attribute(value=layer, attr=name)
        if key == "recv":
            return source.receiver
        if not key.startswith("new") or source.form == "class":
            found = source.called.reached(key)
            return found if found is not None else self._elsewhere(source.called, key)
        found = source.constructed.reached(key)
        if found is not None and self._moves(found, key):
            return found
        return self._literal(key) or found

    def _elsewhere(self, given: Given, key: str) -> cst.BaseExpression | None:
        """What `functools.partial` has bound, where it is more than a literal."""
        literal = self._literal(key)
        found = given.parts.get(key) if key in given.bound else None
        moves = found is not None and self._moves(found, key)
        return found if literal is None or moves else literal

    def _moves(self, node: cst.BaseExpression, key: str) -> bool:
        """Whether an expression means at the call what it means where it stands."""
        source = self._source
        if constant(node) or node not in source.tree:
            return constant(node)
        mutable = source.values[key].kind not in IMMUTABLE
        return source.scopes.same(node, source.call, mutable=mutable)

    def _literal(self, key: str) -> cst.BaseExpression | None:
        recorded = self._source.values.get(key)
        text = recorded.literal() if recorded is not None else None
        return None if text is None else self._parsed(text)

    def _parsed(self, text: str) -> cst.BaseExpression:
        """A new expression of the text, its strings as the report has its own."""
        return self._quoted(cst.parse_expression(text))

    def _quoted(self, node: cst.BaseExpression) -> cst.BaseExpression:
        quote = self._source.quote
        changed: dict[cst.CSTNode, cst.CSTNode] = {
            one: one.with_changes(value=one.prefix + quote + one.raw_value + quote)
            for one in m.findall(node, m.SimpleString())
            if isinstance(one, cst.SimpleString) and _plain(one)
        }
        return replaced_in(node, changed) if changed else node


IMMUTABLE = frozenset(("none", "bool", "int", "float", "complex", "str", "dtype"))
"""Kinds of values that stay what they are."""


def _plain(string: cst.SimpleString) -> bool:
    """Whether a string stands between single marks, and has none in it."""
    return len(string.quote) == 1 and not {"'", '"', "\\"} & set(string.raw_value)


def constant(node: cst.BaseExpression) -> bool:
    """Whether an expression means the same wherever it stands."""
    text = code_of(node)
    try:
        compile(text, "<argument>", "eval")
    except SyntaxError:
        return False
    return not any(isinstance(child, cst.Name) for child in _walk(node)) or text in (
        "True",
        "False",
        "None",
    )


def _walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _walk(child)
