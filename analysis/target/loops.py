"""The numbers that a loop goes through, where its text says so, as in `[1000, 10 ** 4]`."""

from __future__ import annotations

import operator
from collections.abc import Callable

import libcst as cst
import libcst.matchers as m

MOST_NUMBERS = 1000
MOST = 1e15
_OPERATORS: dict[type[cst.BaseBinaryOp], Callable[[float, float], float]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.FloorDivide: operator.floordiv,
    cst.Power: operator.pow,
    cst.LeftShift: lambda one, other: int(one) << int(other),
}


def loop_numbers(iterated: cst.BaseExpression) -> tuple[float, ...]:
    """What a loop over literal numbers goes through; nothing where the text does not tell."""
    try:
        return tuple(_numbers(iterated))
    except (ValueError, ArithmeticError, TypeError):
        return ()


def _numbers(node: cst.BaseExpression) -> list[float]:
    if isinstance(node, (cst.List, cst.Tuple)):
        return [_number(element.value) for element in node.elements]
    if m.matches(node, m.Call(func=m.Name("range"))):
        assert isinstance(node, cst.Call)  # noqa: S101 - just matched
        found = range(*(int(_number(arg.value)) for arg in node.args))
        if len(found) <= MOST_NUMBERS:
            return [float(one) for one in found]
    raise ValueError


def _number(node: cst.BaseExpression) -> float:
    match node:
        case cst.Integer() | cst.Float():
            if not abs(node.evaluated_value) <= MOST:
                raise ValueError
            return node.evaluated_value
        case cst.BinaryOperation(left=left, operator=sign, right=right):
            if type(sign) not in _OPERATORS:
                raise ValueError
            one, other = _number(left), _number(right)
            if abs(other) > 64 and isinstance(sign, (cst.Power, cst.LeftShift)):
                raise ValueError  # a hostile text's number would take for ever
            found = _OPERATORS[type(sign)](one, other)
            if isinstance(found, complex) or not abs(found) <= MOST:
                raise ValueError
            return found
    raise ValueError
