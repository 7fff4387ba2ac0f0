"""Rewrites a case so that each of its calls goes through the tracer.

In: Python source. Out: the same text, line by line, in which `f(x)` reads `__citadel__(7, f, x)`
and `a @ b` reads `__citadel__(8, __citadel_operators__.matmul, a, b)`. The number is the *site*,
the index of the node in `Instrumented.nodes`. What depends on the caller's frame is left alone;
what is compiled need not be one graph (`fullgraph=True`), since the tracer is none of it, and
TensorFlow's functions are traced as they stand (`analysis.target.graphs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import libcst as cst
import libcst.matchers as m

from analysis import parsing
from analysis.errors import CitadelError
from analysis.target.align import aligned
from analysis.target.graphs import (
    as_it_stands,
    decorated_as_it_stands,
    functions_of,
    may_make_functions,
    unchanged,
)
from analysis.target.operators import (
    NAMESPACE,
    Operation,
    Site,
    apart,
    operation,
    statement,
    stored,
)
from analysis.target.watch import Point, points_of

TRACER = "__citadel__"
WATCHER = "__citadel_watch__"
ENTERED = "__citadel_entered__"
FRAME_DEPENDENT = frozenset(
    ("super", "locals", "globals", "vars", "dir", "eval", "exec", "__import__", "breakpoint")
)
WHOLE = frozenset(("fullgraph", "nopython"))
"""Arguments by which compilers are forbidden to leave a call to Python."""

FRAME_DEPENDENT_ATTRIBUTES = frozenset(
    (
        "sys._getframe",
        "inspect.currentframe",
        "inspect.stack",
        "warnings.warn",
        "traceback.print_stack",
        "traceback.format_stack",
        "traceback.extract_stack",
    )
)


@dataclass(frozen=True, kw_only=True)
class Instrumented:
    """A parsed case: `nodes[site]` is the call or operation behind a site of the trace."""

    module: cst.Module
    nodes: tuple[Site, ...]
    straight: bool
    """Whether TensorFlow's functions are made of the Python as it stands."""

    @cached_property
    def sites(self) -> dict[int, int]:
        """The `id` of each node in `nodes` -> its site."""
        return {id(node): site for site, node in enumerate(self.nodes)}

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names of the functions that it defines."""
        return functions_of(self.module)

    @cached_property
    def traced(self) -> str:
        """The text in which each call goes through the tracer.

        Raises:
            CitadelError: when it is nested too deeply.
        """
        with _parsing():
            return self.module.visit(
                _Wrapper(self.sites, straight=self.straight, functions=self.functions)
            ).code


@dataclass(frozen=True, kw_only=True)
class Watched:
    """A case whose interesting expressions are watched: `points[k]` is what a watch event tells of.

    `text` has the points alone in it; in `traced` the calls go through the tracer as well. Of a
    rewritten case, `missing` are the numbers of the original's points that it has not.
    """

    case: Instrumented
    numbers: Mapping[int, int]
    """The `id` of each watched node -> the number of its point."""
    points: tuple[Point, ...]
    missing: frozenset[int] = frozenset()
    traced: str

    @cached_property
    def text(self) -> str:
        """The text with the points alone in it.

        Raises:
            CitadelError: when it is nested too deeply.
        """
        with _parsing():
            return self.case.module.visit(_Wrapper({}, self.numbers)).code


def instrument(code: str) -> Instrumented:
    """Parse, and find the sites.

    Raises:
        CitadelError: when the text is no Python that LibCST can parse.
    """
    with _parsing():
        _check(code)
        module = cst.parse_module(code)
        straight = may_make_functions(code) and unchanged(module)
        return Instrumented(module=module, nodes=sites_of(module), straight=straight)


@contextmanager
def _parsing() -> Iterator[None]:
    """Turn what parsers and walks of trees raise of strange text into a `CitadelError`."""
    try:
        yield
    except (cst.ParserSyntaxError, SyntaxError, RecursionError, MemoryError, ValueError) as problem:
        reason = getattr(problem, "message", None) or type(problem).__name__
        raise CitadelError(f"cannot parse the case: {reason}") from problem


def watched(case: Instrumented, original: Sequence[Point] | None = None) -> Watched:
    """Put the watcher around what a case shows, tests and compares.

    With the points of an `original`, of which this case was rewritten, they have its numbers; what
    this case has besides is not watched, and nobody asks where its values come from.

    Raises:
        CitadelError: when it is nested too deeply.
    """
    with _parsing():
        points = points_of(case.module, explained=original is None)
    known = {p.number: p.number for p in points} if original is None else aligned(original, points)
    numbers = {id(point.node): known[point.number] for point in points if point.number in known}
    found = {known[p.number]: p for p in points if p.number in known}
    with _parsing():
        wrapper = _Wrapper(case.sites, numbers, straight=case.straight, functions=case.functions)
        traced = case.module.visit(wrapper).code
    return Watched(
        case=case,
        numbers=numbers,
        points=tuple(found.get(p.number, p) for p in (points if original is None else original)),
        missing=frozenset() if original is None else frozenset(range(len(original))) - set(found),
        traced=traced,
    )


def sites_of(node: cst.CSTNode) -> tuple[Site, ...]:
    """The calls and operations in a tree that are traced, in the order of the text."""
    collector = _Collector()
    node.visit(collector)
    return tuple(collector.nodes)


def _check(code: str) -> None:
    """Python's own parser refuses text so deeply nested that LibCST's would crash on it."""
    parsing.module(code)


def _frame_dependent(call: cst.Call) -> bool:
    match call.func:
        case cst.Name(value=name):
            return name in FRAME_DEPENDENT
        case cst.Attribute(value=cst.Name(value=module), attr=cst.Name(value=name)):
            return f"{module}.{name}" in FRAME_DEPENDENT_ATTRIBUTES
    return False


class _Collector(cst.CSTVisitor):
    """Finds the sites, in the order of the text."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[Site] = []
        self._stored: set[int] = set()
        self._skipping = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._stored.update(id(part) for part in stored(node))
        if id(node) in self._stored:
            self._skipping += 1
        if isinstance(node, cst.Call):
            if not _frame_dependent(node):
                self.nodes.append(node)
        elif not self._skipping and operation(node) is not None:
            assert isinstance(node, Site)  # noqa: S101 - operations are
            self.nodes.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if id(original_node) in self._stored:
            self._skipping -= 1


class _Wrapper(cst.CSTTransformer):
    """Puts the tracer around sites, and the watcher around points (node's id -> number).

    `straight`: functions of TensorFlow are made of the Python as it stands; `functions` are the
    names of the case's own.
    """

    def __init__(
        self,
        sites: Mapping[int, int],
        points: Mapping[int, int] | None = None,
        *,
        straight: bool = False,
        functions: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self._sites = sites
        self._points = points or {}
        self._straight = straight
        self._functions = functions

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        made = self._traced(original_node, updated_node)
        point = self._points.get(id(original_node))
        if point is not None and isinstance(made, cst.BaseExpression):
            made = cast(cst.CSTNodeT, _watched(point, made))
        if made is updated_node or not isinstance(made, cst.BaseExpression):
            return made
        return cast(cst.CSTNodeT, apart(original_node, made))

    def _traced(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        site = self._sites.get(id(original_node))
        if self._straight and isinstance(updated_node, cst.Decorator):
            return cast(cst.CSTNodeT, decorated_as_it_stands(updated_node))
        if isinstance(original_node, cst.With) and isinstance(updated_node, cst.With):
            return cast(cst.CSTNodeT, self._entered(original_node, updated_node))
        if site is None:
            return super().on_leave(original_node, updated_node)
        if isinstance(updated_node, cst.Call):
            call: cst.Call = updated_node
            if self._straight:
                call = as_it_stands(call, self._functions)
            return cast(cst.CSTNodeT, _wrapped(site, call))
        found = operation(updated_node)
        if found is None:
            return updated_node
        call = _operated(site, found)
        if isinstance(updated_node, (cst.AugAssign, cst.Assign)):
            return cast(cst.CSTNodeT, statement(updated_node, call))
        assert isinstance(updated_node, cst.BaseExpression)  # noqa: S101 - the rest are
        kept = call.with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)
        return cast(cst.CSTNodeT, kept)

    def _entered(self, original: cst.With, updated: cst.With) -> cst.With:
        """The statement with contexts that tell how long they last, where calls make them."""
        if original.asynchronous is not None:
            return updated
        pairs = zip(original.items, updated.items, strict=True)
        sites = ((self._sites.get(id(one.item)), other) for one, other in pairs)
        items = [
            one if site is None else one.with_changes(item=apart(one.item, _within(site, one.item)))
            for site, one in sites
        ]
        return updated.with_changes(items=items)


def _within(site: int, context: cst.BaseExpression) -> cst.Call:
    return cst.Call(func=cst.Name(ENTERED), args=[_site(site), cst.Arg(context)])


def _watched(point: int, value: cst.BaseExpression) -> cst.Call:
    return cst.Call(func=cst.Name(WATCHER), args=[_site(point), _parenthesised(cst.Arg(value))])


def _site(site: int) -> cst.Arg:
    space = cst.SimpleWhitespace(" ")
    return cst.Arg(cst.Integer(str(site)), comma=cst.Comma(whitespace_after=space))


def _wrapped(site: int, call: cst.Call) -> cst.Call:
    args = [_parenthesised(_in_parts(arg, call)) for arg in call.args]
    function = cst.Arg(call.func)
    if args:
        # The line breaks behind the opening parenthesis stay where they were.
        space = call.whitespace_before_args
        function = function.with_changes(comma=cst.Comma(whitespace_after=space))
    none = cst.SimpleWhitespace("")
    return call.with_changes(
        func=cst.Name(TRACER),
        args=[_site(site), function, *args],
        whitespace_after_func=none,
        whitespace_before_args=none if args else call.whitespace_before_args,
    )


def _operated(site: int, found: Operation) -> cst.Call:
    function = cst.Attribute(value=cst.Name(NAMESPACE), attr=cst.Name(found.name))
    space = cst.SimpleWhitespace(" ")
    args = [_site(site), cst.Arg(function, comma=cst.Comma(whitespace_after=space))]
    *first, last = found.operands
    args += [_parenthesised(cst.Arg(operand, comma=found.comma)) for operand in first]
    return cst.Call(func=cst.Name(TRACER), args=[*args, _parenthesised(cst.Arg(last))])


def _in_parts(arg: cst.Arg, call: cst.Call) -> cst.Arg:
    """`fullgraph=False` for `fullgraph=True`: what is compiled as a whole cannot call a tracer."""
    name = "" if arg.keyword is None else arg.keyword.value
    export = m.matches(call.func, m.Name("export") | m.Attribute(attr=m.Name("export")))
    whole = name in WHOLE or (export and name == "strict")
    return arg.with_changes(value=cst.Name("False")) if whole else arg


def _parenthesised(arg: cst.Arg) -> cst.Arg:
    """A bare generator may be a call's only argument, but not one of several; a bare tuple would be
    several."""
    bare = isinstance(arg.value, cst.GeneratorExp | cst.Tuple | cst.Yield) and not arg.value.lpar
    if bare:
        value = arg.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return arg.with_changes(value=value)
    return arg
