"""Coarse types and the likeness of names."""

import pytest

from analysis.values import Value
from citadel.plan.lexicon import LIKE_NAME, SAME_NAME, SAME_WORDS, Lexicon
from citadel.plan.types import accepted, fits, kind_of, takes_tensor

INT = Value(kind="int", text="3")
FLOAT = Value(kind="float", text="0.5")
TENSOR = Value(kind="tensor", shape=(2, 3), dtype="float32", layout="strided")
NONE = Value(kind="none", text="None")


def sequence(*items, kind="list"):
    return Value(kind=kind, items=items)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("Tensor", {"tensor"}),
        ("Tensor?", {"tensor", "none"}),
        ("Optional[Tensor]", {"tensor", "none"}),
        ("torch.Tensor | None", {"tensor", "none"}),
        ("Tensor[]", {"tensors"}),
        ("Tensor?[]", {"tensors", "none"}),
        ("List[Tensor]", {"tensors"}),
        ("int", {"int"}),
        ("SymInt", {"int"}),
        ("int[2]", {"int", "ints"}),
        ("SymInt[]?", {"ints", "none"}),
        ("BroadcastingList2[int]", {"int", "ints"}),
        ("_size_2_t", {"int", "ints"}),
        ("Union[int, tuple[int, int]]", {"int", "ints"}),
        ("float", {"float", "int"}),
        ("float[]?", {"floats", "none"}),
        ("Scalar", {"int", "float", "bool"}),
        ("bool", {"bool"}),
        ("str", {"str"}),
        ("ScalarType?", {"dtype", "none"}),
        ("torch.dtype", {"dtype"}),
        ("Device?", {"device", "none"}),
        ("Layout", {"layout"}),
        ("Generator?", {"other", "none"}),
        ("Callable", {"function"}),
        ("func", {"function"}),
        ("string", {"str"}),
        ("string{SAME,VALID}", {"str"}),
        ("string[]", {"other"}),
        ("type{int32,int64}", {"dtype", "str"}),
        ("type{bool,float32}", {"dtype", "str"}),
        ("type{bool,int32}[]", {"other"}),
        ("string{int,str}", {"str"}),
        ("type[]", {"other"}),
        ("shape", {"ints", "int", "other"}),
        ("shape[]", {"ints", "other"}),
        ("Tensor{string}", {"tensor"}),
        (None, {"any"}),
        ("", {"any"}),
        ("None", {"any"}),
        ("SomethingElse", {"any"}),
    ],
)
def test_accepted(declared, expected):
    assert accepted(declared) == expected


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (TENSOR, "tensor"),
        (sequence(TENSOR, TENSOR), "tensors"),
        (sequence(TENSOR, NONE, kind="tuple"), "tensors"),
        (sequence(INT, INT), "ints"),
        (sequence(), "ints"),
        (sequence(INT, FLOAT), "floats"),
        (sequence(sequence(INT)), "other"),
        (sequence(INT, TENSOR), "other"),
        (Value(kind="list", length=5000), "ints"),
        (Value(kind="bool", text="True"), "bool"),
        (Value(kind="complex", text="1j"), "float"),
        (Value(kind="module", text="torch.nn.ReLU"), "function"),
        (Value(kind="array", shape=(2,)), "other"),
        (Value(kind="dict"), "other"),
        (NONE, "none"),
    ],
)
def test_kind_of(value, kind):
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("value", "declared", "takes"),
    [
        (INT, "float", True),
        (FLOAT, "int", False),
        (INT, "int[2]", True),
        (sequence(INT), "int", False),
        (NONE, "Tensor?", True),
        (NONE, "Tensor", False),
        (TENSOR, "Tensor[]", False),
        (TENSOR, None, True),
        (Value(kind="str", text="'same'"), "int[2]", False),
        (Value(kind="bool", text="True"), "int", False),
    ],
)
def test_fits(value, declared, takes):
    assert fits(value, declared) is takes


def test_takes_tensor():
    assert takes_tensor("Tensor?")
    assert not takes_tensor("Tensor[]")
    assert not takes_tensor(None)


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("groups", "groups", SAME_NAME),
        ("input", "self", SAME_NAME),
        ("dim", "axis", SAME_NAME),
        ("other", "mat2", SAME_NAME),
        ("in1_features", "in2_features", SAME_WORDS),
        ("kernel_size", "kernel_size2", SAME_WORDS),
        ("size", "output_size", LIKE_NAME),
        ("kernel_size", "output_size", LIKE_NAME / 2),
        ("stride", "padding", 0.0),
        ("x", "y", 0.0),
        ("p", "q", 0.0),
        ("min_val", "max_val", 0.0),
        ("dim", "other", 0.0),
        ("#0", "#0", SAME_NAME),
        ("#0", "#1", 0.0),
    ],
)
def test_name_likeness(one, other, likeness):
    assert Lexicon().likeness(one, other) == likeness
    assert Lexicon().likeness(other, one) == likeness


def test_a_flag_is_no_dtype():
    flag = Value(kind="bool", text="True")
    assert not fits(flag, "type{bool,float32}")
    assert fits(flag, "bool")
    assert fits(Value(kind="dtype", text="bool"), "type{bool,float32}")
