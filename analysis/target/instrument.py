"""Rewrites a case so that each of its calls goes through the tracer.

In: Python source. Out: the same text, line by line, in which `f(x)` reads `__citadel__(7, f, x)`;
7 is the call's *site*, its index in `call_sites`. What depends on the caller's frame is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from analysis.errors import CitadelError

TRACER = "__citadel__"
FRAME_DEPENDENT = frozenset(
    ("super", "locals", "globals", "vars", "dir", "eval", "exec", "__import__", "breakpoint")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrumented:
    """A parsed case: `calls[site]` is the node behind a site of the trace."""

    module: cst.Module
    calls: tuple[cst.Call, ...]
    traced: str


def instrument(code: str) -> Instrumented:
    """Parse and instrument.

    Raises:
        CitadelError: when the text is no Python that LibCST can parse.
    """
    try:
        module = cst.parse_module(code)
    except (cst.ParserSyntaxError, RecursionError, ValueError) as problem:
        reason = getattr(problem, "message", None) or type(problem).__name__
        raise CitadelError(f"cannot parse the case: {reason}") from problem
    collector = _Collector()
    module.visit(collector)
    wrapper = _Wrapper({id(call): site for site, call in enumerate(collector.calls)})
    traced = module.visit(wrapper).code
    return Instrumented(module=module, calls=tuple(collector.calls), traced=traced)


def _frame_dependent(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Name) and call.func.value in FRAME_DEPENDENT


class _Collector(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[cst.Call] = []

    def visit_Call(self, node: cst.Call) -> None:
        if not _frame_dependent(node):
            self.calls.append(node)


class _Wrapper(cst.CSTTransformer):
    def __init__(self, sites: dict[int, int]) -> None:
        super().__init__()
        self._sites = sites

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        site = self._sites.get(id(original_node))
        if site is None:
            return updated_node
        args = [_parenthesised(arg) for arg in updated_node.args]
        function = cst.Arg(updated_node.func)
        if args:
            # The line breaks behind the opening parenthesis stay where they were.
            space = updated_node.whitespace_before_args
            function = function.with_changes(comma=cst.Comma(whitespace_after=space))
        number = cst.Arg(
            cst.Integer(str(site)),
            comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")),
        )
        return updated_node.with_changes(
            func=cst.Name(TRACER),
            args=[number, function, *args],
            whitespace_after_func=cst.SimpleWhitespace(""),
            whitespace_before_args=cst.SimpleWhitespace("")
            if args
            else updated_node.whitespace_before_args,
        )


def _parenthesised(arg: cst.Arg) -> cst.Arg:
    """A bare generator may be a call's only argument, but not one of several."""
    if isinstance(arg.value, cst.GeneratorExp) and not arg.value.lpar:
        value = arg.value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return arg.with_changes(value=value)
    return arg
