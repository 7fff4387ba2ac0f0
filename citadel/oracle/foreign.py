"""Whose a value is, as it is written: the framework's, or that of what it is compared with.

In: watched expressions with their origins. Out: whether NumPy and such have computed them.
"""

from __future__ import annotations

import libcst as cst
import libcst.helpers as h
import libcst.matchers as m

from analysis.target.watch import Point

REFERENCES = frozenset(("numpy", "np", "scipy", "math", "cmath", "mpmath", "jax", "statistics"))
"""Libraries whose results a framework is compared with."""
MAKERS = frozenset(
    (
        *("tensor", "constant", "array", "asarray", "as_tensor", "from_numpy", "Variable", "float"),
        *("zeros", "ones", "full", "eye", "arange", "convert_to_tensor", "Tensor", "Parameter"),
        *("reshape", "view", "requires_grad_", "float64", "float32", "complex", "int64"),
        *("numpy", "tolist", "item", "detach", "cpu"),
        *("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "BoolTensor"),
        *("ByteTensor", "CharTensor", "ShortTensor", "IntTensor", "LongTensor"),
    )
)
"""Calls that make values of what is written in the text, or read them. Those that compute a value,
as `linspace` does, may be what is wrong."""
_OF_ARRAYS = frozenset(("copy", "astype"))
"""Methods of NumPy's arrays that tensors do not have."""


def is_foreign(point: Point) -> bool:
    """Whether another library, which results are compared with, has computed a value.

    So it has `np.prod(hi) - np.prod(lo)`, where nothing else computes `hi` and `lo`.
    """
    return _is_theirs(point) or (isinstance(point.node, cst.BinaryOperation) and _of_theirs(point))


def has_gradient(point: Point) -> bool:
    """Whether a gradient is read: `backward` makes that."""
    return bool(m.findall(point.node, m.Attribute(attr=m.Name("grad"))))


def _is_theirs(point: Point) -> bool:
    name = point.origin.call.rpartition(".")[2]
    return point.origin.library in REFERENCES and name not in MAKERS


def _of_theirs(point: Point) -> bool:
    """Whether all that operators put together are numbers and results of another library, of what
    the framework at most makes, and hands over."""
    functions = point.origin.functions
    others = (one for one in functions if one.partition(".")[0] not in REFERENCES)
    if not all(one.rpartition(".")[2] in MAKERS | _OF_ARRAYS for one in others):
        return False
    waiting: list[cst.BaseExpression] = [point.node]
    called: list[str] = []
    while waiting:
        match waiting.pop():
            case cst.BinaryOperation(left=left, right=right):
                waiting += [left, right]
            case cst.UnaryOperation(expression=inner):
                waiting.append(inner)
            case cst.BaseNumber():
                pass
            case cst.Call(func=function):
                called.append(h.get_full_name_for_node(function) or "")
            case _:
                return False
    theirs = all(name.partition(".")[0] in REFERENCES for name in called)
    computed = any(name.rpartition(".")[2] not in MAKERS for name in called)
    of_whatever = m.findall(point.node, m.Arg(value=m.BinaryOperation()))
    return theirs and computed and not of_whatever
