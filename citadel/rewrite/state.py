"""A layer with given parameters: the lines in front of its call that make it and fill it.

`y = F.conv2d(x, w)` becomes `conv2d = nn.Conv2d(2, 3, 3)`, `conv2d.load_state_dict({"weight": w})`
and `y = conv2d(x)`. Keras: `conv2d.build(x.shape)` and `conv2d.kernel.assign(w)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import libcst as cst
import libcst.matchers as m

from citadel.rewrite.source import Source
from citadel.rewrite.steps import ATOMS, code_of

WIDE = 80
"""Characters that a line of values may have before it becomes several."""
_ELSEWHERE = (cst.Lambda, cst.BaseComp, cst.IfExp, cst.BooleanOperation)
"""What is in these is not evaluated once, and in its place."""
_BINDING = m.NamedExpr() | m.Await() | m.Yield()
"""What the rest of a line may depend on, or wait for."""
_BOUNDARY = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z]{2})|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})")


def line_of(source: Source) -> cst.SimpleStatementLine | None:
    """The line of the call, where other lines can come in front of it and mean the same."""
    for node in source.tree.above(source.call):
        if isinstance(node, _ELSEWHERE):
            return None
        if isinstance(node, cst.SimpleStatementLine) and m.findall(node, _BINDING):
            return None
        if isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            line = node if isinstance(node, cst.SimpleStatementLine) else None
            return line if line is not None and len(line.body) == 1 else None
    return None


def variable(source: Source, target: str) -> str | None:
    """A free name for a layer: `layer_norm` for `LayerNorm`, or with a word more."""
    name = _BOUNDARY.sub("_", target.rpartition(".")[2]).lower()
    free = (one for one in (name, f"{name}_layer") if not source.scopes.bound(one))
    return next(free, None)


def moded(made: cst.BaseExpression, training: cst.BaseExpression | None) -> cst.BaseExpression:
    """A new layer, which trains, in the mode that it is to have."""
    text = "True" if training is None else code_of(training)
    if text == "True":
        return made
    method, args = (
        ("eval", ()) if text == "False" else ("train", (cst.Arg(cst.parse_expression(text)),))
    )
    return cst.Call(cst.Attribute(value=made, attr=cst.Name(method)), args=args)


def loaded(name: str, state: Mapping[str, cst.BaseExpression], quote: str) -> list[str]:
    """The line that loads parameters and buffers of a layer of PyTorch, or lines of one."""
    pairs = [f"{quote}{key}{quote}: {code_of(value)}" for key, value in state.items()]
    line = f"{name}.load_state_dict({{{', '.join(pairs)}}})"
    if len(line) <= WIDE:
        return [line]
    return [f"{name}.load_state_dict({{", *(f"    {pair}," for pair in pairs), "})"]


def assigned_each(
    name: str, given: cst.BaseExpression, state: Mapping[str, cst.BaseExpression]
) -> list[str] | None:
    """The lines that make the variables of a layer of Keras for what it is `given`, and assign
    them; None where that would be made twice."""
    if m.findall(given, m.Call()) or isinstance(given, (cst.List, cst.Tuple)):
        return None
    values = [f"{name}.{key}.assign({code_of(value)})" for key, value in state.items()]
    return [f"{name}.build({enclosed(given)}.shape)", *values]


def enclosed(node: cst.BaseExpression) -> str:
    """The text of an expression, in parentheses unless it stands for itself."""
    text = code_of(node)
    return text if isinstance(node, ATOMS) and "\n" not in text else f"({text})"


def lines_of(texts: Sequence[str]) -> cst.Module | None:
    """The lines as a module; None where they are none of Python."""
    try:
        return cst.parse_module("\n".join(texts))
    except cst.ParserSyntaxError:
        return None
