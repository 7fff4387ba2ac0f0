"""When recorded values are the same, and when they are what somebody wrote."""

import math

import pytest

from analysis.values import Numbers, Value
from citadel.oracle.numbers import is_literal, same


def tensor(*numbers, dtype="float32", shape=None):
    finite = [n for n in numbers if math.isfinite(n)]
    held = Numbers(
        count=len(numbers),
        nan=sum(map(math.isnan, numbers)),
        inf=sum(map(math.isinf, numbers)),
        low=min(finite, default=None),
        high=max(finite, default=None),
        few=tuple(numbers),
    )
    return Value(kind="tensor", dtype=dtype, shape=shape or (len(numbers),), numbers=held)


def number(value):
    return Value(kind=type(value).__name__, text=repr(value))


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (tensor(1.0), tensor(1.0 + 5e-7), True),
        (tensor(1.0), tensor(1.001), False),
        (tensor(1.0, dtype="bfloat16"), tensor(1.01), True),
        (tensor(1.0, dtype="float64"), tensor(1.0 + 1e-5, dtype="float64"), False),
        (tensor(math.nan), tensor(math.nan), True),
        (tensor(math.nan), tensor(1.0), False),
        (tensor(math.inf), tensor(-math.inf), False),
        (tensor(2.0, 2.0), number(2.0), True),
        (tensor(2.0, 3.0), number(2.0), False),
        (tensor(1, 2, dtype="int64"), tensor(1, 3, dtype="int64"), False),
        (tensor(1.0, 2.0), tensor(1.0, 2.0, shape=(1, 2)), False),
        (Value(kind="str", text="a"), tensor(1.0), None),
    ],
)
def test_same(one, other, agree):
    assert same(one, other) is agree
    assert same(other, one) is agree


@pytest.mark.parametrize(
    ("value", "written", "is_it"),
    [
        (tensor(0.7652), ("0.7652",), True),
        (tensor(0.765198), ("0.7652",), True),
        (tensor(0.7660), ("0.7652",), False),
        (tensor(1.0, 2.0), ("1", "2"), True),
        (tensor(1.0, 2.0), ("1", "2", "3"), False),
        (tensor(0.0, 0.0), ("0",), True),
        (tensor(math.nan), ("nan",), True),
        (tensor(math.inf), ("-inf",), False),
        (number(True), ("true",), True),
        (number(True), ("false",), False),
        (Value(kind="str", text="'3'"), ("3",), False),
    ],
)
def test_is_literal(value, written, is_it):
    assert is_literal(value, written) is is_it
