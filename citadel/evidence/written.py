"""The control of a generated case as text: the same case, its call changed so that it goes well.

In: a case, and the changes that a run has made of its calls: `(site, key, expression)`, in which
`x` is the argument. Out: the text with these arguments changed; None where it does not show them.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import libcst.matchers as m

from analysis.errors import CitadelError
from analysis.target.instrument import instrument
from citadel.rewrite.pieces import replaced_in, replaced_in_module
from citadel.rewrite.steps import ATOMS, code_of

LEFT_OUT = "LEFT_OUT"
"""The expression of an argument that is not given."""
Made = tuple[int, str, str]
"""A site of the text, a key (see `analysis.inside.vary`), and an expression."""


def control_code(code: str, made: Sequence[Made]) -> str | None:
    """The text in which the arguments are changed.

    >>> control_code("f(a, dim=1)", [(0, "arg:0", "x.contiguous()"), (0, "kw:dim", "LEFT_OUT")])
    'f(a.contiguous())'
    >>> control_code("a.norm(b + c)", [(0, "recv", "x.double()"), (0, "arg:0", "abs(x)")])
    'a.double().norm(abs(b + c))'
    """
    try:
        case = instrument(code)
        calls: dict[int, cst.BaseExpression] = {}
        for site, key, text in made:
            node = calls.get(site, case.nodes[site] if site < len(case.nodes) else None)
            changed = _changed(node, key, text) if isinstance(node, cst.Call) else None
            if changed is None:
                return None
            calls[site] = changed
        nodes: dict[cst.CSTNode, cst.CSTNode] = {case.nodes[n]: new for n, new in calls.items()}
        return replaced_in_module(case.module, nodes).code
    except (CitadelError, cst.ParserSyntaxError, cst.CSTValidationError):
        return None


def _changed(call: cst.Call, key: str, text: str) -> cst.Call | None:
    """The call with one argument changed; None where it is not there as one."""
    if key == "recv":
        if not isinstance(call.func, cst.Attribute):
            return None
        made = _applied(text, call.func.value)
        if not isinstance(made, ATOMS) and not made.lpar:
            made = made.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return call.with_deep_changes(call.func, value=made)
    place = _place(call, key)
    if place is None:
        return None
    args = list(call.args)
    if text == LEFT_OUT:
        del args[place]
        if args and place == len(args):
            args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    else:
        args[place] = args[place].with_changes(value=_applied(text, args[place].value))
    return call.with_changes(args=args)


def _place(call: cst.Call, key: str) -> int | None:
    """Which argument a key means, where those before it are plain ones."""
    kind, _, name = key.partition(":")
    for place, arg in enumerate(call.args):
        if arg.star:
            return None
        if kind == "kw" and arg.keyword is not None and arg.keyword.value == name:
            return place
        if kind == "arg" and arg.keyword is None and str(place) == name:
            return place
    return None


def _applied(text: str, given: cst.BaseExpression) -> cst.BaseExpression:
    """The expression with what is given in the place of `x`."""
    made = cst.parse_expression(text)
    own = m.findall(made, m.Name("x"))
    bound = m.findall(made, m.CompFor(target=m.Name("x")))
    plain = isinstance(given, cst.Name)
    if bound or (len(own) > 1 and not plain):
        # What is given is to be evaluated once.
        return cst.parse_expression(f"(lambda x: {text})({code_of(given)})")
    inside = m.findall(made, m.Attribute(value=m.Name("x")) | m.Subscript(value=m.Name("x")))
    operations = m.findall(made, m.BinaryOperation() | m.UnaryOperation() | m.Comparison())
    wrapped = given
    if (inside or operations) and not isinstance(given, ATOMS) and not given.lpar:
        wrapped = given.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return replaced_in(made, dict.fromkeys(own, wrapped))
