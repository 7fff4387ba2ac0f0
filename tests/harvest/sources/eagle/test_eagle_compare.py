"""Two executions are compared by the paper's tolerance and by that of their dtype."""

import numpy as np
import pytest

from analysis.inside.eagle_compare import coarsest, compare


def leaf(values, dtype="float32"):
    return [(dtype, np.asarray(values, dtype))]


@pytest.mark.parametrize(
    ("found", "wanted", "dtype", "kind", "paper"),
    [
        ([1.0], [1.005], "float32", "value", False),  # below the paper's 1e-2, far from float32
        ([1.0], [1.02], "float32", "value", True),
        (
            [1000.0],
            [1000.02],
            "float32",
            "",
            True,
        ),  # 1e-2 + 1e-5 * 1000 is 0.02: beyond by rounding
        ([1.0], [1.001], "float16", "", False),
        ([1.0], [1.0 + 1e-6], "float64", "value", False),
        ([np.nan, np.inf], [np.nan, np.inf], "float32", "", False),
        ([np.nan], [1.0], "float32", "finite", True),
        ([np.inf], [-np.inf], "float32", "finite", True),
        ([0.0], [-0.0], "float32", "", False),
        ([3], [4], "int32", "value", True),
        ([True], [False], "bool", "value", True),
    ],
)
def test_each_tolerance_says_its_own(found, wanted, dtype, kind, paper):
    difference = compare(leaf(found, dtype), leaf(wanted, dtype))
    assert (difference.kind, difference.paper) == (kind, paper)


def test_the_coarsest_dtype_decides():
    assert coarsest(["float64", "bfloat16", "float16", "int64"]) == "bfloat16"
    assert coarsest(["int64", "bool"]) is None
    one, other = leaf([1.0], "float64"), leaf([1.01], "float64")
    assert compare(one, other).kind == "value"
    assert compare(one, other, dtypes=("bfloat16",)).kind == ""


def test_a_rule_that_rounds_says_by_how_much():
    one, other = leaf([101], "uint8"), leaf([100.5])
    assert compare(one, other).kind == "value"
    assert compare(one, other, least=1.001).kind == ""


@pytest.mark.parametrize(
    ("found", "wanted", "kind"),
    [
        (leaf([[1.0]]), leaf([1.0]), "shape"),
        (leaf([1.0]), [*leaf([1.0]), *leaf([2.0])], "structure"),
        ([("str", np.array([b"a"], object))], [("str", np.array([b"b"], object))], "value"),
        ([("str", np.array([b"a"], object))], [("str", np.array([b"a"], object))], ""),
    ],
)
def test_shapes_structures_and_texts(found, wanted, kind):
    assert compare(found, wanted).kind == kind


def test_the_leaf_that_differs_is_told():
    pairs = [*leaf([1.0]), *leaf([2.0, 3.0])], [*leaf([1.0]), *leaf([2.0, 4.0])]
    difference = compare(*pairs)
    assert difference.index == 1
    assert difference.places.tolist() == [False, True]
    assert difference.absolute == 1.0
    assert difference.relative == 0.25


def test_large_whole_numbers_stay_exact():
    assert compare(leaf([2**60], "int64"), leaf([2**60 + 1], "int64")).kind == "value"
