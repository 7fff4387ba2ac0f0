"""Recorded values: records back and forth, and source text that is safe to write into code."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.inside.values import describe
from analysis.values import Value

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=20),
    st.binary(max_size=20),
    st.just(...),
    st.builds(slice, st.none() | st.integers(-9, 9), st.integers(0, 9), st.just(2)),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


@given(values)
def test_the_literal_of_what_was_described_makes_it_again(thing):
    text = Value.from_json(describe(thing)).literal()
    assert text is not None
    assert repr(eval(text)) == repr(thing)


@given(values)
def test_records_go_back_and_forth(thing):
    value = Value.from_json(describe(thing))
    assert Value.from_json(value.to_json()) == value


def test_all_fields_of_a_tensor_survive():
    record = {
        "k": "tensor",
        "v": "torch.Tensor",
        "shape": [2, 0],
        "dtype": "float32",
        "layout": "strided",
        "device": "cpu",
        "grad": True,
    }
    assert Value.from_json(record).to_json() == record
    assert Value.from_json(record).literal() is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("int", "__import__('os').system('id')"),
        ("int", "1)\nprint(1"),
        ("float", "inf or exit()"),
        ("float", "1.0; exit()"),
        ("complex", "exit(1)"),
        ("bool", "exit"),
        ("str", "'a' + exit()"),
        ("str", "f'{exit()}'"),
        ("str", "b'a'"),
        ("bytes", "'a'"),
        ("dtype", "torch.os.system"),
        ("dtype", "torch.float32()"),
        ("device", "'cpu' if exit() else 'cpu'"),
        ("slice", "slice(exit(), None, None)"),
        ("shape", "tf.TensorShape(exit())"),
        ("spec", "tf.TensorSpec(shape=(2,), dtype=tf.float32, name=exit())"),
        ("spec", "tf.TensorSpec(shape=exec(bytes((49,))), dtype=tf.float32, name=None)"),
        ("int", "1 or exit()"),
        ("function", "os.system"),
        ("other", "1"),
    ],
)
def test_text_that_is_more_than_a_literal_makes_none(kind, text):
    assert Value(kind=kind, text=text).literal() is None
    assert Value(kind="list", items=(Value(kind=kind, text=text),)).literal() is None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("dtype", "torch.float32"),
        ("dtype", "tf.int8"),
        ("layout", "torch.sparse_csr"),
        ("memory_format", "torch.channels_last"),
        ("device", "'cuda:0'"),
        ("shape", "tf.TensorShape([None, 2])"),
        ("shape", "tf.TensorShape(None)"),
        ("spec", "tf.TensorSpec(shape=(2, None), dtype=tf.float32, name=None)"),
    ],
)
def test_plain_texts_are_kept(kind, text):
    assert Value(kind=kind, text=text).literal() == text
    ast.parse(text)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("int", "-0x1f", "-31"),
        ("int", "007", "7"),
        ("float", "-1e-05", "-1e-05"),
        ("float", "nan", 'float("nan")'),
        ("complex", "(nan+infj)", 'complex(float("nan"), float("inf"))'),
        ("str", "'x' # c", "'x'"),
    ],
)
def test_numbers_and_strings_are_written_anew(kind, text, expected):
    assert Value(kind=kind, text=text).literal() == expected


@pytest.mark.parametrize("thing", ["a" * 300, b"a" * 300, 1 << 2000, [0, "a" * 300]])
def test_what_was_cut_is_no_literal(thing):
    assert Value.from_json(describe(thing)).literal() is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["k", "v", "shape", "dtype", "items", "keys", "len", "grad"]), inner
            )
        ),
        max_leaves=12,
    )
)
def test_no_record_can_break_what_reads_it(record):
    value = Value.from_json(record)
    text = value.literal()
    assert text is None or ast.parse(text, mode="eval")
    assert Value.from_json(value.to_json()) == value
    assert value.rank is None or value.rank >= 0


@pytest.mark.parametrize("dtype", ['float32 if exec("1") else 0', "float32\n", 5, None])
def test_names_of_dtypes_are_names(dtype):
    assert Value.from_json({"k": "tensor", "dtype": dtype}).dtype is None


def test_what_is_deeper_or_longer_than_we_describe_is_cut():
    deep = {"k": "int", "v": "1"}
    for _ in range(5000):
        deep = {"k": "list", "items": [deep]}
    found = Value.from_json(deep)
    assert Value.from_json(found.to_json()) == found
    assert Value.from_json({"k": "list", "items": [{"k": "int", "v": "1"}] * 65}).items is None
    assert Value.from_json({"k": "tensor", "shape": [1] * 65}).shape is None
    assert Value.from_json({"k": "tensor", "data": [0] * 5000}).content is None


def test_numbers_of_single_precision_are_written_as_people_do():
    record = {"k": "tensor", "data": [[0.10000000149011612, 3], [True, 0.5]]}
    assert Value.from_json(record).content == "[[0.1, 3], [True, 0.5]]"


@pytest.mark.parametrize("numbers", [{"low": 10**400}, {"few": [10**400]}, {"few": [[10**400, 1]]}])
def test_forged_numbers_that_no_float_can_hold_are_left_out(numbers):
    record = {"k": "tensor", "dtype": "float32", "shape": [1], "n": {"count": 1, **numbers}}
    found = Value.from_json(record)
    assert (found.numbers.low, found.numbers.few) == (None, None)
