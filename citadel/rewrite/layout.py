"""The layout of a rewritten call: that of the call which it replaces, as far as arguments agree."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

LONGEST = 100
"""Characters that a line may have where the report has none that is longer."""
_NONE = cst.SimpleWhitespace("")
_SEPARATOR = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def laid_out(
    function: cst.BaseExpression, args: Sequence[cst.Arg], base: cst.CSTNode | None
) -> cst.Call:
    """A call whose brackets and last comma stand as in `base`; arguments keep their own commas."""
    if isinstance(base, cst.Call) and base.args and args:
        return base.with_changes(func=function, args=_separated(args, base.args[-1]))
    call = cst.Call(func=function, args=_separated(args, None))
    if not isinstance(base, cst.BaseExpression):
        return call
    return call.with_changes(lpar=base.lpar, rpar=base.rpar)


def _separated(args: Sequence[cst.Arg], end: cst.Arg | None) -> list[cst.Arg]:
    """The arguments with commas between them, and behind the last one what stands behind `end`."""
    placed = []
    for index, arg in enumerate(args):
        if index < len(args) - 1:
            own = arg.comma
            between = isinstance(own, cst.Comma) and (end is None or own is not end.comma)
            placed.append(
                arg if between else arg.with_changes(comma=_SEPARATOR, whitespace_after_arg=_NONE)
            )
        elif end is None:
            none = cst.MaybeSentinel.DEFAULT
            placed.append(arg.with_changes(comma=none, whitespace_after_arg=_NONE))
        else:
            space = end.whitespace_after_arg
            placed.append(arg.with_changes(comma=end.comma, whitespace_after_arg=space))
    return placed


def shortened(node: cst.CSTNode) -> cst.CSTNode:
    """A call with one argument per line; anything else as it is."""
    if not isinstance(node, cst.Call) or not node.args or "\n" in _code(node):
        return node
    inside = _line("    ")
    args = [arg.with_changes(comma=cst.Comma(whitespace_after=inside)) for arg in node.args]
    last = args[-1].with_changes(comma=cst.Comma(whitespace_after=_line("")))
    return node.with_changes(whitespace_before_args=inside, args=[*args[:-1], last])


def _line(indent: str) -> cst.ParenthesizedWhitespace:
    return cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(indent))


def _code(node: cst.CSTNode) -> str:
    return cst.Module(body=()).code_for_node(node)
