"""Values that many functions come to."""

import pytest

from analysis.values import Numbers, Value
from citadel.judge.coincidences import FEW_TRUTHS, plain, tells
from citadel.oracle.value import Spot

HERE = Spot(point=0)


def tensor(*numbers):
    dtype = "float32" if isinstance(numbers[0], float) else "int64"
    few = Numbers(count=len(numbers), few=numbers)
    return Value(kind="tensor", shape=(len(numbers),), dtype=dtype, numbers=few)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((1.0, 0.0, 0.0, 0.0), True),
        ((0.0, -1.0, 1.0), True),
        ((2.0, 2.0), True),
        ((1.0, 1.125, 0.0), False),
        ((1, 0, 0), False),  # places
        ((0.0, 1.0) * FEW_TRUTHS, False),
    ],
)
def test_a_slope_of_zeros_and_ones_tells_little(numbers, said):
    values = {HERE: tensor(*numbers)}
    assert tells(values, HERE) is not said
    assert plain(values, HERE) is (len(set(numbers)) == 1)
