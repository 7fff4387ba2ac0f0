"""Where a syntax tree has functions, scopes, lambdas and calls, without visiting all of its nodes.

In: the tree of a text. Out: nodes of function definitions, namespaces and classes, places of
lambdas, and named calls. Each of these has a block or arguments: the smallest node that holds a
brace and the byte before it is the one whose block begins there, and likewise for parentheses and
calls. Looking these up costs half of a query, which visits everything. Only what error recovery
made up has no sign in the text; that is found by following the errors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import tree_sitter

from analysis.static.grammar import Grammar
from analysis.static.names import without_templates

Place = tuple[int, str]
"""The byte at which the name of what is called starts, and the name (methods as `.name`)."""

_LONGEST = 200
"""Bytes of a call before its parenthesis, for it to be remembered: chains of calls are longer."""

_MOST = 100_000
"""So many names are remembered."""


@dataclass(slots=True, kw_only=True)
class Found:
    """Nodes in no order. `unwritten` are calls whose parenthesis is not in the text."""

    functions: list[tree_sitter.Node] = field(default_factory=list)
    scopes: list[tree_sitter.Node] = field(default_factory=list)
    lambdas: list[int] = field(default_factory=list)
    unwritten: list[Place] = field(default_factory=list)
    errors: int = 0


def find(grammar: Grammar, root: tree_sitter.Node, text: bytes) -> Found:
    """The functions, scopes and lambdas that have a body, and what the grammar did not get."""
    found = Found()
    nodes = {node.id: (kind, node) for kind, node in _with_block(grammar, root, text)}
    for node in _broken(root):
        kind = node.kind_id
        nodes[node.id] = kind, node
        found.errors += node.is_error
        if kind == grammar.kinds.call:
            found.unwritten += _unwritten(grammar, node, text)
    for kind, node in nodes.values():
        if kind == grammar.kinds.function:
            found.functions.append(node)
        elif kind == grammar.kinds.lambda_:
            found.lambdas.append(node.start_byte)
        elif kind in grammar.kinds.scopes:
            found.scopes.append(node)
    return found


def _broken(root: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The nodes with an error inside, or that are one."""
    found = [root] if root.has_error else []
    for node in found:
        found += [one for one in node.named_children if one.has_error or one.is_error]
    return found


def _with_block(
    grammar: Grammar, root: tree_sitter.Node, text: bytes
) -> list[tuple[int, tree_sitter.Node]]:
    """Functions, scopes and lambdas with their kinds, by the brace that opens their block."""
    kinds, lambda_ = grammar.kinds, grammar.kinds.lambda_
    around_others = kinds.scopes | {kinds.function}
    found = []
    end, look_up = len(text), root.descendant_for_byte_range
    outside: list[tuple[int, Callable[[int, int], tree_sitter.Node | None]]] = []
    at = text.find(b"{", 1)
    while at >= 0:
        while at >= end:
            end, look_up = outside.pop()
        node = look_up(at - 1, at + 1)
        kind = node.kind_id if node else 0
        if kind == kinds.try_ and node and node.parent:  # the body of a constructor
            node = node.parent
            kind = node.kind_id
        if node and kind in around_others:
            found.append((kind, node))
            outside.append((end, look_up))
            end, look_up = node.end_byte, node.descendant_for_byte_range
        elif node and kind == lambda_:
            found.append((kind, node))
        at = text.find(b"{", at + 1)
    return found


def _unwritten(grammar: Grammar, call: tree_sitter.Node, text: bytes) -> list[Place]:
    arguments = call.child_by_field_id(grammar.fields.arguments)
    if arguments is None or text.startswith(b"(", arguments.start_byte):
        return []
    named = _named(grammar, call)
    return [_place(call, named, text)] if named else []


def calls(grammar: Grammar, function: tree_sitter.Node, text: bytes) -> list[Place]:
    """The named calls within a function, also in what it nests, nearly in order."""
    call, look_up, names = grammar.kinds.call, function.descendant_for_byte_range, grammar.names
    found = []
    end = function.end_byte
    at = text.find(b"(", function.start_byte + 1, end)
    while at >= 0:
        node = look_up(at - 1, at + 1)
        if node is not None and node.kind_id == call:
            written = text[node.start_byte : at]
            known = names.get(written)
            if known is not None:
                found.append((at - known[0], known[1]))
            else:
                named = _named(grammar, node)
                if named is not None:
                    place = _place(node, named, text)
                    found.append(place)
                    # Else something is in between, such as an error, and the text does not tell.
                    if named.end_byte == at and len(written) <= _LONGEST and len(names) < _MOST:
                        names[written] = at - place[0], place[1]
        at = text.find(b"(", at + 1, end)
    return found


def _named(grammar: Grammar, call: tree_sitter.Node) -> tree_sitter.Node | None:
    """The name of what is called; None for a call of a type, of a call, of an element."""
    called = call.child_by_field_id(grammar.fields.function)
    if called is None or called.kind_id in grammar.kinds.called:
        return called
    if called.kind_id == grammar.kinds.field_expression:
        return called.child_by_field_id(grammar.fields.field)
    return None


def _place(call: tree_sitter.Node, named: tree_sitter.Node, text: bytes) -> Place:
    start = named.start_byte
    name = without_templates(text[start : named.end_byte])
    # A call starts with what is called: the object, where it is a method's.
    return start, (name if start == call.start_byte else "." + name)
