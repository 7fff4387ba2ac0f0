"""Operators as calls: which function an expression such as `a @ b` or `x[i]` amounts to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

NAMESPACE = "__citadel_operators__"
"""What the functions are called through in a traced case; see `analysis/inside/trace_calls.py`."""

_BINARY: dict[type[cst.BaseBinaryOp], str] = {
    cst.Add: "add",
    cst.Subtract: "sub",
    cst.Multiply: "mul",
    cst.Divide: "truediv",
    cst.FloorDivide: "floordiv",
    cst.Modulo: "mod",
    cst.Power: "pow",
    cst.MatrixMultiply: "matmul",
    cst.LeftShift: "lshift",
    cst.RightShift: "rshift",
    cst.BitAnd: "and_",
    cst.BitOr: "or_",
    cst.BitXor: "xor",
}
_UNARY: dict[type[cst.BaseUnaryOp], str] = {
    cst.Minus: "neg",
    cst.Plus: "pos",
    cst.BitInvert: "invert",
}
_COMPARISON: dict[type[cst.BaseCompOp], str] = {
    cst.Equal: "eq",
    cst.NotEqual: "ne",
    cst.LessThan: "lt",
    cst.LessThanEqual: "le",
    cst.GreaterThan: "gt",
    cst.GreaterThanEqual: "ge",
}


_IN_PLACE: dict[type[cst.BaseAugOp], str] = {
    cst.AddAssign: "iadd",
    cst.SubtractAssign: "isub",
    cst.MultiplyAssign: "imul",
    cst.DivideAssign: "itruediv",
    cst.FloorDivideAssign: "ifloordiv",
    cst.ModuloAssign: "imod",
    cst.PowerAssign: "ipow",
    cst.MatrixMultiplyAssign: "imatmul",
    cst.LeftShiftAssign: "ilshift",
    cst.RightShiftAssign: "irshift",
    cst.BitAndAssign: "iand",
    cst.BitOrAssign: "ior",
    cst.BitXorAssign: "ixor",
}

Site = cst.BaseExpression | cst.AugAssign | cst.Assign
"""What a site of the trace may be: a call, an operation, or a statement that is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`name` of the function in Python's `operator` module, and its operands in order.

    `comma` keeps the line breaks around a binary operator.
    """

    name: str
    operands: tuple[cst.BaseExpression, ...]
    comma: cst.Comma


_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def operation(node: cst.CSTNode) -> Operation | None:
    """The operation behind an expression or statement, or None where none is traced."""
    if isinstance(node, (cst.AugAssign, cst.Assign)):
        return _statement(node)
    if isinstance(node, cst.BinaryOperation):
        name = _BINARY.get(type(node.operator))
        return _two(name, node.left, node.operator, node.right)
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        target = node.comparisons[0]
        name = _COMPARISON.get(type(target.operator))
        return _two(name, node.left, target.operator, target.comparator)
    if isinstance(node, cst.UnaryOperation):
        name = _UNARY.get(type(node.operator))
        if name is None or isinstance(node.expression, (cst.Integer, cst.Float)):
            return None  # -1 is a literal to people, and to the rewriter
        return Operation(name=name, operands=(node.expression,), comma=_COMMA)
    if isinstance(node, cst.Subscript):
        index = _index(node.slice)
        if index is not None:
            return Operation(name="getitem", operands=(node.value, index), comma=_COMMA)
    return None


def _statement(node: cst.AugAssign | cst.Assign) -> Operation | None:
    """`x += y` where `x` is a name, and `x[i] = y`."""
    if isinstance(node, cst.AugAssign):
        name = _IN_PLACE.get(type(node.operator))
        if name is None or not isinstance(node.target, cst.Name):
            return None
        return Operation(name=name, operands=(node.target, node.value), comma=_COMMA)
    target = node.targets[0].target
    if len(node.targets) > 1 or not isinstance(target, cst.Subscript):
        return None
    index = _index(target.slice)
    if index is None:
        return None
    return Operation(name="setitem", operands=(target.value, index, node.value), comma=_COMMA)


def apart(original: cst.CSTNode, made: cst.BaseExpression) -> cst.BaseExpression:
    """What takes an expression's place, in parentheses where a keyword may touch what stood there:
    `assert(x) == 1`, `return-x`."""
    begins = cst.Module([]).code_for_node(original)[:1]
    if made.lpar or begins.isidentifier():
        return made
    return made.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def statement(
    node: cst.AugAssign | cst.Assign, value: cst.BaseExpression
) -> cst.BaseSmallStatement:
    """The statement in which `value` stands in for the operation of `node`."""
    if isinstance(node, cst.AugAssign):
        return cst.Assign(
            targets=[cst.AssignTarget(node.target)], value=value, semicolon=node.semicolon
        )
    return cst.Expr(value, semicolon=node.semicolon)


def _two(
    name: str | None,
    left: cst.BaseExpression,
    operator: cst.BaseBinaryOp | cst.BaseCompOp,
    right: cst.BaseExpression,
) -> Operation | None:
    if name is None:
        return None
    space = cst.SimpleWhitespace(" ")
    comma = cst.Comma(
        whitespace_before=getattr(operator, "whitespace_before", space),
        whitespace_after=getattr(operator, "whitespace_after", space),
    )
    return Operation(name=name, operands=(left, right), comma=comma)


def _index(elements: Sequence[cst.SubscriptElement]) -> cst.BaseExpression | None:
    """The index as an expression, slices spelled out."""
    parts: list[cst.BaseExpression] = []
    for element in elements:
        if isinstance(element.slice, cst.Slice):
            parts.append(_spelled(element.slice))
        elif isinstance(element.slice, cst.Index) and element.slice.star is None:
            parts.append(element.slice.value)
        else:
            return None
    if len(parts) == 1 and not isinstance(elements[0].comma, cst.Comma):
        return parts[0]
    return cst.Tuple(
        elements=[cst.Element(part, comma=_COMMA) for part in parts],
        lpar=[cst.LeftParen()],
        rpar=[cst.RightParen()],
    )


def _spelled(node: cst.Slice) -> cst.BaseExpression:
    none = cst.Name("None")
    bounds = [node.lower or none, node.upper or none, node.step or none]
    function = cst.Attribute(value=cst.Name(NAMESPACE), attr=cst.Name("slice"))
    return cst.Call(func=function, args=[cst.Arg(bound) for bound in bounds])


def stored(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The subtrees of a statement that are assigned to, deleted or mere annotations."""
    if isinstance(node, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor)):
        yield node.target
    if isinstance(node, (cst.Annotation,)):
        yield node
    if isinstance(node, cst.NamedExpr):
        yield node.target
    if isinstance(node, cst.Del):
        yield node.target
    if isinstance(node, cst.AsName):
        yield node.name
