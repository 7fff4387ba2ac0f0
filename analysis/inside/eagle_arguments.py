"""What the arguments of a call, its tensors apart, tell: fractions, numbers below zero.

In: a `Pair` or a `Call`. Whole numbers of some dtype may not hold what floating ones do.
"""

import math

from eagle_compare import coarsest
from eagle_pairs import Call

PLACES = frozenset(("axis", "axes", "dim", "dims", "perm", "shape"))
"""Words of parameters of which a negative number counts from the end."""


def fractional(pair):
    """Whether whole numbers are given to a call with a fraction among its arguments."""
    whole = bool(pair.dtypes) and coarsest(pair.dtypes[:1]) is None
    return whole and pair.call is not None and holds_fraction(pair.call.args, pair.call.kwargs)


def holds_fraction(args, kwargs):
    """Whether there is a float, or a dtype of floats, among arguments.

    >>> holds_fraction([1, [2.5]], {}), holds_fraction([1], {"p": 2})
    (True, False)
    """

    def inner(value):
        if isinstance(value, (list, tuple)):
            return any(map(inner, value))
        return isinstance(value, (float, complex)) or "float" in str(value)

    return any(map(inner, args)) or any(map(inner, kwargs.values()))


def negative(call):
    """Whether a call is given a number below zero, which no unsigned dtype holds; whole numbers
    in a row are mostly dimensions."""

    def inner(value):
        if isinstance(value, (list, tuple)):
            return any(map(inner, value))
        return type(value) in (int, float) and value < 0

    fractions = [value for value in call.args if isinstance(value, float)]
    named = [value for key, value in call.kwargs.items() if not PLACES & set(key.split("_"))]
    return any(map(inner, [*fractions, *named]))


def truncated(call):
    """The call with the fractions of its arguments cut off, as whole numbers hold them.

    >>> truncated(Call("f", [-1.5, [2]], {"p": 0.5}, {})).text()
    'f(-1.0, [2], p=0.0)'
    """

    def cut(value):
        if isinstance(value, (list, tuple)):
            return type(value)(map(cut, value))
        finite = isinstance(value, float) and math.isfinite(value)
        return float(int(value)) if finite else value

    kwargs = {key: cut(value) for key, value in call.kwargs.items()}
    return Call(call.name, [cut(value) for value in call.args], kwargs, call.inputs, call.method)
