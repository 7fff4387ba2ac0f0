"""Known limits are told by general properties of what was seen, never by a name."""

import numpy as np
import pytest

from analysis.inside.eagle_limits import CONSTRAINTS, explained, refused


@pytest.mark.parametrize(
    "message",
    [
        "\"exp_cpu\" not implemented for 'Half'",
        "Expected all inputs to have the same dtype",
        "Sparse CSR tensors do not have strides",
        "addmm: Expected mat1 and mat2 to be of strided layout",
        "sub is only supported for dense tensors",
        "Detected unsupported operations when trying to compile graph",
        "'SymbolicTensor' object has no attribute 'numpy'",
        "view size is not compatible with input tensor's size and stride",
        "Value for attr 'T' of uint8 is not in the list of allowed values: half, float",
        "size: Tensor conversion requested dtype int32 for Tensor with dtype uint8",
        "TypeError: object of type 'RaggedTensor' has no len()",
        "unflatten(): incompatible function arguments. The following types are supported:",
    ],
)
def test_words_of_refusal(message):
    assert refused(["RuntimeError"], message) in CONSTRAINTS


@pytest.mark.parametrize(
    "message",
    [
        "self.has_storage() INTERNAL ASSERT FAILED at x, only supported for y",
        "Dimension -1 out of range. Expecting 0 <= dim < 3.",
        "'NoneType' object has no attribute 'shape', which is not supported",
        "The size of tensor a (2) must match the size of tensor b (3)",
        "object of type 'Tensor' has no len()",
    ],
)
def test_words_of_failure(message):
    assert refused(["RuntimeError"], message) == ""


def test_a_type_can_be_a_refusal():
    assert refused(["NotImplementedError", "RuntimeError"], "x") in CONSTRAINTS
    assert refused(["NotImplementedError"], "INTERNAL ASSERT FAILED") == ""


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({"unstable": True}, "run again"),
        ({"range": (0, 255), "largest": 300.0, "difference": 44.0}, "beyond the range"),
        ({"range": (0, 255), "smallest": -1.0, "largest": 3.0, "difference": 256.0}, "of -1 is"),
        ({"moved": 1.0, "difference": 5.0}, "ill-conditioned"),
        (
            {"unit": 2.0**-11, "largest": 100.0, "difference": 0.1, "shaken": 0.05},
            "rounding of an intermediate",
        ),
        ({"ties": True}, "indices"),
        ({"text": True}, "text of numbers"),
        ({"memory": True, "difference": 5.0}, "memory"),
    ],
)
def test_facts_that_explain(facts, word):
    assert word in explained(facts)


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"unstable": False, "difference": 1.0, "moved": 0.01},
        {"range": (0, 255), "largest": 255.0, "smallest": 0.0, "difference": 1.0},
        {"unit": 2.0**-24, "largest": 10.0, "difference": 1.0, "shaken": 1.0},
        {"unit": 2.0**-11, "largest": 100.0, "difference": 0.1, "shaken": 0.001},
    ],
)
def test_facts_that_explain_nothing(facts):
    assert explained(facts) == ""


def test_indices_are_alike_only_where_they_select_equal_elements(inside):
    alike = inside("eagle_results").select_alike
    rows = np.array([[1.0, 7.0, 7.0], [2.0, 3.0, 1.0]])
    assert alike(rows, np.array([1, 1]), np.array([2, 1]))
    assert not alike(rows, np.array([1, 1]), np.array([2, 0]))
    assert not alike(rows, np.array([9]), np.array([8]))
    assert alike(rows, np.array([[1, 2, 0]]), np.array([[2, 1, 0]]))


def test_fractions_among_arguments(inside):
    holds = inside("eagle_arguments").holds_fraction
    assert holds([1, (2, 0.5)], {})
    assert holds([], {"dtype": "torch.float32"})
    assert not holds([1, [2]], {"p": 3})


def test_numbers_below_zero_are_outside_of_unsigned_dtypes(inside):
    call, negative = inside("eagle_pairs").Call, inside("eagle_arguments").negative
    assert negative(call("f", [], {"low": -1}, {}))
    assert negative(call("f", [-0.5], {}, {}))
    assert not negative(call("f", [-1], {"axis": -1, "keep_dims": [-2]}, {}))


def test_fractions_of_arguments_are_cut_off(inside):
    call, truncated = inside("eagle_pairs").Call, inside("eagle_arguments").truncated
    assert truncated(call("f", [2.5, (-0.5, 3)], {"p": float("inf")}, {})).args == [2.0, (0.0, 3)]
    assert truncated(call("f", [], {"p": float("inf")}, {})).kwargs == {"p": float("inf")}


@pytest.mark.parametrize(
    ("found", "again", "alike"),
    [
        ([4 / 255], [4 * 256 / 65535], True),
        ([5], [5 * 256], True),
        ([5], [5], True),
        ([5, 0], [5 * 256 + 128, 0], True),
        ([5.5], [5 * 256], False),
        ([6], [5 * 256], False),
        ([4], [5 * 256], False),
        ([0], [0], False),
        ([np.inf], [np.inf], False),
    ],
)
def test_results_that_scale_with_the_range_of_the_dtype(inside, found, again, alike):
    sides = [[("any", np.array(numbers))] for numbers in (found, again)]
    assert inside("eagle_results").proportional(*sides, 256) is alike
