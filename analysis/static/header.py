"""The head of a C++ function definition: name, kind, parameters, return type.

In: a `function_definition` node. Out: a `Header`, or None for what is no function: tests, blocks
that belong to a macro (`TORCH_LIBRARY(...) {`), and what the grammar made of broken text.
PyTorch's `TORCH_IMPL_FUNC(x)` and `TORCH_META_FUNC(x)` get the names that they expand to.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import tree_sitter

from analysis.static.grammar import Grammar
from analysis.static.model import Kind
from analysis.static.names import without_templates


class Header(NamedTuple):
    """What stands before the body, which starts at byte `body_start`."""

    name: str
    kind: Kind
    parameters: list[tuple[str, str]]
    returns: str
    body_start: int
    node: tree_sitter.Node


_STRUCTURED = re.compile(r"TORCH_(?:PRECOMPUTE_)?(IMPL|META)_FUNC(2?)")
_MACRO = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_KEYWORDS = {"if", "for", "while", "switch", "catch", "return", "else", "do", "sizeof", "defined"}
_NAME = re.compile(rb"[A-Za-z_]\w*")
_SIGNS = re.compile(rb"[*&\s.]*")


def read_header(
    known: Grammar, text: bytes, node: tree_sitter.Node, path: tuple[str, ...], *, in_class: bool
) -> Header | None:
    """The head of the function at `node`, inside the namespaces and classes of `path`."""
    declarator = node.child_by_field_id(known.fields.declarator)
    while declarator is not None and declarator.kind_id not in known.kinds.declarators:
        inner = declarator.child_by_field_id(known.fields.declarator)
        declarator = inner or next(reversed(declarator.named_children), None)
    body = node.child_by_field_id(known.fields.body)
    if declarator is None or body is None:
        return None
    named = _named(known, text, node, declarator, path, in_class=in_class)
    if named is None:
        return None
    name, kind = named
    if b"__global__" in text[node.start_byte : declarator.start_byte]:
        kind = Kind.KERNEL
    parameters = _parameters(known, text, declarator)
    returns = "" if kind is Kind.CONSTRUCTOR else _returns(known, text, node, declarator)
    return Header(name, kind, parameters, returns, body.start_byte, node)


def _named(
    known: Grammar,
    text: bytes,
    node: tree_sitter.Node,
    declarator: tree_sitter.Node,
    path: tuple[str, ...],
    *,
    in_class: bool,
) -> tuple[str, Kind] | None:
    """The qualified name and the kind; None for what is no function."""
    if declarator.kind_id == known.kinds.operator_cast:
        return "::".join((*path, "operator")), Kind.METHOD
    inner = declarator.child_by_field_id(known.fields.declarator)
    if inner is None:
        return None
    if inner.kind_id == known.kinds.function_declarator:
        return _structured(text, inner, path)
    if inner.kind_id == known.kinds.parenthesized:
        return None
    written = without_templates(text[inner.start_byte : inner.end_byte])
    parts = [part for part in written.split("::") if part]
    if not parts or parts[-1] in _KEYWORDS:
        return None
    full = (*path, *_unrepeated(path, parts))
    scope = full[-2] if len(full) > 1 else ""
    if scope == parts[-1] and (in_class or len(parts) > 1):
        return "::".join(full), Kind.CONSTRUCTOR
    if _MACRO.match(parts[-1]) and node.child_by_field_id(known.fields.type) is None:
        return None
    is_method = in_class or (len(parts) > 1 and scope[:1].isupper())
    return "::".join(full), Kind.METHOD if is_method else Kind.FUNCTION


def _unrepeated(path: tuple[str, ...], parts: list[str]) -> list[str]:
    """`at::native::f` defined inside `namespace at` is not `at::at::native::f`."""
    if len(parts) > 1 and path and parts[0] == path[0]:
        shared = 0
        while shared < min(len(path), len(parts) - 1) and path[shared] == parts[shared]:
            shared += 1
        return parts[shared:] if shared == len(path) else parts
    return parts


def _structured(
    text: bytes, inner: tree_sitter.Node, path: tuple[str, ...]
) -> tuple[str, Kind] | None:
    """`TORCH_IMPL_FUNC(x)(...)` is the method `impl` of `structured_x`."""
    written = text[inner.start_byte : inner.end_byte].decode("utf-8", "replace")
    macro, _, arguments = written.partition("(")
    match = _STRUCTURED.match(macro.strip())
    if match is None:
        return None
    words = [word.strip() for word in arguments.rstrip(" )").split(",")]
    name = "_".join(["structured", *filter(None, words)])
    if match[1] == "IMPL":
        return "::".join((*path, name, "impl")), Kind.STRUCTURED
    return "::".join((*path, name, "meta")), Kind.META


def _parameters(known: Grammar, text: bytes, declarator: tree_sitter.Node) -> list[tuple[str, str]]:
    listed = declarator.child_by_field_id(known.fields.parameters)
    if listed is None or listed.end_byte - listed.start_byte == len("()"):
        return []
    found = []
    for node in listed.named_children:
        written = text[node.start_byte : node.end_byte]
        pair = _SEEN.get(written)
        if pair is None and node.kind_id in known.kinds.parameters:
            pair = _parameter(known, text, node)
            if len(_SEEN) < _MOST_SEEN:
                _SEEN[written] = pair
        if pair is not None and pair != ("void", ""):
            found.append(pair)
    return found


_SEEN: dict[bytes, tuple[str, str]] = {}
"""Parameters as written to (type, name): the same few thousand recur."""

_MOST_SEEN = 50_000


def _parameter(known: Grammar, text: bytes, node: tree_sitter.Node) -> tuple[str, str]:
    """(type, name): `*`, `&` and `[]` of the declarator count as part of the type."""
    declarator = node.child_by_field_id(known.fields.declarator)
    if declarator is None:
        default = node.child_by_field_id(known.fields.default_value)
        end = default.start_byte if default else node.end_byte
        return _line(text[node.start_byte : end].rstrip(b" =\n")), ""
    written = text[declarator.start_byte : declarator.end_byte]
    signs = _SIGNS.match(written)
    name = _NAME.search(written)
    type_ = text[node.start_byte : declarator.start_byte].rstrip()
    type_ += signs.group().replace(b" ", b"") if signs else b""
    type_ += b"[]" if b"[" in written else b""
    type_ += b"()" if b"(" in written else b""
    return _line(type_), name.group().decode() if name else ""


def _returns(
    known: Grammar, text: bytes, node: tree_sitter.Node, declarator: tree_sitter.Node
) -> str:
    if b"->" in text[declarator.start_byte : declarator.end_byte]:
        for child in declarator.named_children:
            if child.kind_id == known.kinds.trailing_return:
                return _line(text[child.start_byte : child.end_byte].removeprefix(b"->"))
    type_ = node.child_by_field_id(known.fields.type)
    if type_ is None:
        return ""
    return _line(text[type_.start_byte : declarator.start_byte])


@lru_cache(maxsize=50_000)
def _line(text: bytes) -> str:
    return " ".join(text.decode("utf-8", "replace").split())
