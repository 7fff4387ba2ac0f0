"""C++ and CUDA source to functions, with tree-sitter.

In: the bytes of a file. Out: one row per function definition (see `FunctionRecord.from_row`) and
the number of places that the grammar did not get. `tree` finds functions, calls, lambdas,
namespaces and classes; a sweep over their intervals tells which call is in which function. Calls
inside lambdas belong to the function around them: PyTorch's kernels are lambdas that are handed to
`AT_DISPATCH_*`.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from dataclasses import dataclass, field
from operator import itemgetter

import tree_sitter

from analysis.static.blank import blank
from analysis.static.grammar import Grammar, grammar
from analysis.static.header import Header, read_header
from analysis.static.macros import Expansion, expand
from analysis.static.model import Row
from analysis.static.names import without_templates
from analysis.static.tree import Place, calls, find


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The functions of one file, and how many syntax errors it had."""

    rows: list[Row]
    errors: int


@dataclass(slots=True)
class _Span:
    """A function, namespace or class while the sweep is inside it."""

    start: int
    end: int
    path: tuple[str, ...]
    is_class: bool
    header: Header | None = None
    callees: list[str] = field(default_factory=list)
    lambdas: int = 0


def extract(text: bytes, language: str) -> Extracted:
    """The functions of a file in `language` (cpp or cuda)."""
    plain, expansions = expand(text)
    rows, errors, spans = _extract(blank(plain), language)
    if expansions:
        made, lines = _as_source(expansions, spans, text)
        more, _, _ = _extract(blank(made), language)
        for row in more:
            row[2] = row[3] = lines[min(row[2], len(lines)) - 1]
        rows += more
    return Extracted(rows=rows, errors=errors)


def _extract(text: bytes, language: str) -> tuple[list[Row], int, list[_Span]]:
    known = grammar(language)
    found = find(known, known.parser.parse(text).root_node, text)
    spans = _spans(known, text, found.functions, found.scopes)
    places = [*found.unwritten, *((start, "") for start in found.lambdas)]
    end = 0
    for span in spans:
        if span.header is not None and span.start >= end:
            places += calls(known, span.header.node, text)
            end = span.end
    _attribute(spans, sorted(places))
    rows = [_row(text, span, span.header) for span in spans if span.header is not None]
    return rows, found.errors, spans


def _spans(
    known: Grammar, text: bytes, functions: list[tree_sitter.Node], scopes: list[tree_sitter.Node]
) -> list[_Span]:
    """All functions, namespaces and classes in order of their start, with qualified names."""
    nodes = [(node.start_byte, -node.end_byte, 0, node) for node in scopes]
    nodes += [(node.start_byte, -node.end_byte, 1, node) for node in functions]
    nodes.sort(key=itemgetter(0, 1, 2))
    open_: list[_Span] = []
    spans = []
    for start, _, is_function, node in nodes:
        while open_ and open_[-1].end <= start:
            open_.pop()
        outer = open_[-1] if open_ else None
        span = (
            _function(known, text, node, outer) if is_function else _scope(known, text, node, outer)
        )
        if span is not None:
            spans.append(span)
            open_.append(span)
    return spans


def _scope(known: Grammar, text: bytes, node: tree_sitter.Node, outer: _Span | None) -> _Span:
    """A namespace or class; anonymous ones add nothing to the path."""
    name = node.child_by_field_id(known.fields.name)
    path = outer.path if outer else ()
    if name is not None:
        written = without_templates(text[name.start_byte : name.end_byte])
        path += tuple(part.strip() for part in written.split("::") if part.strip())
    is_class = node.kind_id != known.kinds.namespace
    return _Span(node.start_byte, node.end_byte, path, is_class)


def _function(
    known: Grammar, text: bytes, node: tree_sitter.Node, outer: _Span | None
) -> _Span | None:
    path = outer.path if outer else ()
    header = read_header(known, text, node, path, in_class=bool(outer and outer.is_class))
    if header is None:
        return None
    return _Span(node.start_byte, node.end_byte, path, False, header)


def _attribute(spans: list[_Span], places: list[Place]) -> None:
    """Give each call (or lambda, "") to the innermost function around it."""
    starts = [start for start, _ in places]
    names = [name for _, name in places]
    # Inner functions start after the outer ones, so they come first and take what is theirs.
    for span in reversed(spans):
        if span.header is not None:
            inside = slice(bisect_left(starts, span.start), bisect_left(starts, span.end))
            span.callees = [name for name in names[inside] if name]
            span.lambdas = inside.stop - inside.start - len(span.callees)
            del starts[inside], names[inside]


def _row(text: bytes, span: _Span, header: Header) -> Row:
    node = header.node
    body = hashlib.sha256(text[header.body_start : span.end]).hexdigest()[:16]
    parameters = [list(pair) for pair in header.parameters]
    lines = node.start_point[0] + 1, node.end_point[0] + 1
    shape = [header.name, header.kind, *lines, parameters, header.returns]
    return [*shape, span.callees, span.lambdas, body, int(node.has_error)]


def _as_source(
    expansions: list[Expansion], spans: list[_Span], text: bytes
) -> tuple[bytes, list[int]]:
    """The expansions as source, one per line inside their namespaces, and their lines in `text`."""
    scopes = [span for span in spans if span.header is None]
    parts, lines = [], []
    for expansion in expansions:
        around = [span for span in scopes if span.start <= expansion.offset < span.end]
        path = around[-1].path if around else ()
        opening = "".join(f"namespace {part} {{ " for part in path).encode()
        parts.append(opening + expansion.text + b" }" * len(path))
        lines.append(text.count(b"\n", 0, expansion.offset) + 1)
    return b"\n".join(parts), lines
