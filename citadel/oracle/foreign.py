"""Whose a value is, by the names of what was called on the way: the framework's, or another one's.

In: watched expressions with their origins. Out: whether NumPy and such have computed them.
"""

from __future__ import annotations

import libcst as cst
import libcst.helpers as h
import libcst.matchers as m
import numpy as np

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
    name = point.origin.call.rpartition(".")[2]
    if point.origin.library in REFERENCES and name not in MAKERS:
        return True
    others = {one for one in point.origin.functions if one.partition(".")[0] not in REFERENCES}
    made = all(one.rpartition(".")[2] in MAKERS | _OF_ARRAYS for one in others)
    return (
        made
        and not has_gradient(point)
        and isinstance(point.node, cst.BinaryOperation)
        and _has_computed(point)
    )


def is_apart(point: Point) -> bool:
    """Whether another library alone has computed a value, by the names of all that was called."""
    functions = point.origin.functions
    theirs = {one for one in functions if one.partition(".")[0] in REFERENCES}
    others = {one.rpartition(".")[2] for one in functions - theirs} - MAKERS
    return bool(theirs) and all(hasattr(np.ndarray, name) for name in others)


def has_gradient(point: Point) -> bool:
    """Whether a gradient is read: `backward` makes that."""
    return bool(m.findall(point.node, m.Attribute(attr=m.Name("grad"))))


def _has_computed(point: Point) -> bool:
    """Whether all that the expression itself calls is another library's, and not mere makers."""
    own = [h.get_full_name_for_node(call) or "" for call in m.findall(point.node, m.Call())]
    theirs = all(one.partition(".")[0] in REFERENCES for one in own)
    return theirs and any(one.rpartition(".")[2] not in MAKERS for one in own)
