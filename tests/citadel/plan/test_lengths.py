"""Lists of lengths: with more numbers for siblings of more dimensions, as one number, as a list."""

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.lexicon import Lexicon

from .conftest import Book

FFT = "input_tensor: Tensor, fft_length: Tensor? = None"


@pytest.fixture
def rfft(api, call):
    """`tf.signal.rfft(x, fft_length=...)`."""

    def made(length, shape):
        found = call("tf.signal.rfft", {shape}, fft_length=length)
        return invocation(found, api("tf.signal.rfft", FFT), ())

    return made


def steps(plan):
    return [[step.to_json() for step in slot.value.steps] for slot in plan.call]


@pytest.mark.parametrize(
    ("target", "shape", "expected"),
    [
        ("tf.signal.rfft2d", (2, 10), [[], [["extend", 1, 1, "2"]]]),
        ("tf.signal.rfft2d", (7, 2, 10), [[], [["extend", 1, 1, "2"]]]),
        (
            "tf.signal.rfft3d",
            (2, 10),
            [[["lead", 1]], [["extend", 1, 1, "2"], ["extend", 1, 2, "1"]]],
        ),
    ],
)
def test_further_dimensions_have_their_sizes(api, rfft, target, shape, expected):
    found = plans(rfft([5], shape), api(target, FFT))
    assert expected in [steps(plan) for plan in found[:2]]


def test_a_vector_has_no_further_dimensions(api, rfft):
    found = plans(rfft([5], (10,)), api("tf.signal.rfft2d", FFT))
    assert all("extend" not in str(steps(plan)) or "lift" in str(steps(plan)) for plan in found)


NUMBER, LIST = {"k": "int", "v": "3"}, {"k": "tensor", "shape": [1], "dtype": "int32"}


@pytest.mark.parametrize(
    ("length", "known", "expected"),
    [
        ([5], NUMBER, [["first"]]),
        ([5, 5], NUMBER, [["first"]]),
        ([5, 4], NUMBER, [["last", 1], ["first"]]),
        ([5, 4], LIST, [["last", 1]]),
        ([5, 4], {**LIST, "shape": [2]}, []),
        ([5, 4], {**LIST, "shape": [3]}, []),
        (5, LIST, [["list"]]),
        (5, NUMBER, []),
        ([5], LIST, []),
    ],
)
def test_as_many_numbers_as_valid_calls_have(api, rfft, length, known, expected):
    book = Book({"x": Value.from_json(LIST), "fft_length": Value.from_json(known)})
    target = api("tf.keras.ops.rfft", "x: Tensor, fft_length: Tensor? = None")
    assert steps(plans(rfft(length, (10,)), target, book)[0])[1] == expected


def test_a_list_where_a_number_is_wanted_may_be_the_bug(api, call):
    signature = "x: Tensor, groups: int"
    made = call("torch.f", {(2, 3)}, groups=[5])
    book = Book({"x": Value.from_json(LIST), "groups": Value.from_json(NUMBER)})
    source = invocation(made, api("torch.f", signature), ())
    assert steps(plans(source, api("torch.g", signature), book)[0])[1] == []


def test_operands_as_numpy_names_them():
    assert Lexicon().likeness("x", "x1") == Lexicon().likeness("other", "x2") > 0


def test_one_number_where_no_more_are_declared(api, rfft):
    target = api("tf.keras.ops.rfft", "x: Tensor, fft_length: int = None")
    (plan, *_) = plans(rfft([5, 0], (3, 10)), target)
    assert steps(plan)[1] == [["last", 1], ["first"]]
    assert "the last 1 of fft_length" in plan.edits
