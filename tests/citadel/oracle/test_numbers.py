"""When recorded values are the same, and when they are what somebody wrote."""

import math

import pytest

from analysis.target.watch import Check
from analysis.values import Numbers, Value
from citadel.oracle.numbers import (
    distance,
    elements,
    error_of,
    finite,
    is_literal,
    layout,
    of_kind,
    same,
)
from citadel.oracle.value import truth


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


def large(low=0.0, high=1.0, mean=0.5, norm=0.6, digest="", dtype="float32"):
    held = Numbers(count=100, low=low, high=high, mean=mean, norm=norm, digest=digest)
    return Value(kind="tensor", text="torch.Tensor", dtype=dtype, shape=(100,), numbers=held)


def unread(kind="tensor"):
    return Value(kind=kind, text="torch.Tensor", dtype="float8_e4m3fn", shape=(2,))


def pair(*items):
    return Value(kind="tuple", items=items)


def number(value):
    return Value(kind=type(value).__name__, text=repr(value))


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (tensor(1.0), tensor(1.0 + 5e-7), True),
        (tensor(1.0), tensor(1.001), False),
        (tensor(1.0, dtype="bfloat16"), tensor(1.01), True),
        (tensor(1.0, dtype="float64"), tensor(1.0 + 1e-5, dtype="float64"), False),
        (tensor(1e-17, dtype="float64"), tensor(0.0, dtype="float64"), True),
        (tensor(1e-6, dtype="float64"), tensor(0.0, dtype="float64"), False),
        (tensor(math.nan), tensor(math.nan), True),
        (tensor(math.nan), tensor(1.0), False),
        (tensor(math.inf), tensor(-math.inf), False),
        (tensor(2.0, 2.0), number(2.0), True),
        (tensor(2.0, 3.0), number(2.0), False),
        (tensor(1, 2, dtype="int64"), tensor(1, 3, dtype="int64"), False),
        (tensor(1.0, 2.0), tensor(1.0, 2.0, shape=(1, 2)), False),
        (Value(kind="str", text="a"), tensor(1.0), None),
        (Value(kind="str", text="a"), Value(kind="str", text="a"), True),
        (unread(), unread(), None),
        (pair(large(digest="a"), number(1)), pair(large(digest="a"), number(1)), True),
        (pair(large(digest="a"), unread()), pair(large(mean=0.4), unread()), False),
        (pair(large(digest="a"), unread()), pair(large(digest="a"), unread()), None),
        (pair(large(digest="a")), pair(large(digest="a"), number(1)), False),
        (unread("other"), unread("other"), None),
        (large(digest="a"), large(digest="b"), True),
        (large(digest="a"), large(mean=0.4), False),
        # A range may end far beyond the norm: rounding there is no disagreement.
        (large(high=1e6, norm=1e3, digest="a"), large(high=1e6 + 0.0625, norm=1e3), True),
        (large(high=1e6, norm=1e3, digest="a"), large(high=1e6 + 100, norm=1e3), False),
        # The squares of these do not fit.
        (large(high=1e200, norm=math.inf, digest="a"), large(high=5e200, norm=math.inf), False),
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


@pytest.mark.parametrize(
    ("check", "low", "high", "outcome"),
    [
        (Check.NAN, 0.0, 1.0, True),
        (Check.NAN, 0.0, 0.0, False),
        (Check.UNEQUAL, 0.0, 1.0, True),
        (Check.CLOSE, 0.0, 1.0, False),
        (Check.CLOSE, 1.0, 1.0, True),
    ],
)
def test_outcomes_of_many_elements(check, low, high, outcome):
    assert truth(large(low=low, high=high, dtype="bool"), check) is outcome


def test_numbers_that_no_float_can_hold_are_none():
    huge, forged = Value(kind="int", text="1" * 400), Value(kind="shape", text="1" * 5000)
    assert finite(huge) is None
    assert same(huge, number(1.0)) is None
    assert is_literal(huge, ("1",)) is False
    assert elements(forged) is not None
    far = complex(1.7e308, 1.7e308)
    assert distance(tensor_of(far), tensor_of(0j)) == math.inf
    assert same(tensor_of(far), tensor_of(-far)) is False
    assert is_literal(number(0.0), ("0e999",))
    assert is_literal(number(0.0), ("0e" + "9" * 5000,))


def tensor_of(number):
    held = Numbers(count=1, few=(number,))
    return Value(kind="tensor", dtype="complex128", shape=(1,), numbers=held)


@pytest.mark.parametrize(("one", "other"), [(math.nan, 0.5), (1.0, math.inf)])
def test_what_is_not_finite_in_one_of_two_is_infinitely_far(one, other):
    assert distance(tensor(one, 0.01), tensor(other, 0.01)) == math.inf


@pytest.mark.parametrize(
    ("numbers", "outcome"), [((0.0, 1.0), True), ((1.0, math.nan), False), ((math.inf,), False)]
)
def test_what_is_asserted_to_be_finite_is_handed_on(numbers, outcome):
    assert truth(tensor(*numbers), Check.FINITE) is outcome


@pytest.mark.parametrize(
    ("value", "written", "meant"),
    [
        (Value(kind="int", text="1"), ("nan",), False),
        (Value(kind="int", text="1"), ("2",), True),
        (Value(kind="float", text="1.0"), ("nan",), True),
        (Value(kind="tensor", dtype="int64", shape=()), ("inf",), False),
        (Value(kind="tensor", dtype="uint8", shape=()), ("-inf",), False),
        (Value(kind="tensor", dtype="float32", shape=()), ("inf",), True),
    ],
)
def test_no_whole_number_is_meant_to_be_nan(value, written, meant):
    """A sentence about the index of a NaN does not say that the index should be one."""
    assert of_kind(value, written) is meant


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (tensor(1.0, 2.0, shape=(1, 2)), (1, 2)),
        (pair(number(1), number(2)), (2,)),
        (pair(pair(number(1)), pair(number(2))), (2, 1)),
        (pair(tensor(1.0, 2.0), tensor(3.0, 4.0)), (2, 2)),
        (pair(), (0,)),
        (pair(number(1), pair(number(2))), None),  # ragged
        (pair(Value(kind="str", text="a")), None),
        (number(1), None),
    ],
)
def test_nested_lists_have_a_shape_where_they_could_be_a_tensor(value, shape):
    assert layout(value) == shape


@pytest.mark.parametrize(
    ("seen", "right", "share"),
    [
        (number(1.5), number(2.0), 0.25),
        (number(1e200), number(1e-200), None),  # no float is as large
        (number(math.inf), number(1.0), None),
        (number(1.0), number(0.0), None),
        (number(3), number(4), None),
        (number(True), number(False), None),
    ],
)
def test_how_far_a_value_is_off(seen, right, share):
    assert error_of(seen, right) == share
