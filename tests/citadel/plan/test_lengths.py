"""Lists of lengths: with more numbers for siblings of more dimensions, as one number, as a list."""

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation

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


@pytest.mark.parametrize(("default", "kept"), [("None", True), ("1", False)])
def test_so_they_have_where_both_names_have_numbers(api, call, default, kept):
    """`strides=1` is no size of the tensor."""
    declared = f"x: Tensor, lengths: int[2] = {default}"
    made = call("tf.signal.irfft2d", {(3, 16, 16)}, lengths=[16, 0])
    source = invocation(made, api("tf.signal.irfft2d", declared), ())
    found = plans(source, api("tf.signal.irfft3d", declared))
    assert ([[], [["extend", 1, 2, "3"]]] in [steps(plan) for plan in found]) is kept


def test_a_vector_has_no_further_dimensions(api, rfft):
    found = plans(rfft([5], (10,)), api("tf.signal.rfft2d", FFT))
    assert all("extend" not in str(steps(plan)) or "lift" in str(steps(plan)) for plan in found)


NUMBER, LIST = {"k": "int", "v": "3"}, {"k": "tensor", "shape": [1], "dtype": "int32"}


@pytest.mark.parametrize(
    ("length", "known", "expected"),
    [
        ([5], NUMBER, [["first"]]),
        ([5, 5], NUMBER, [["first"]]),
        ([5, 4], NUMBER, []),
        (5, LIST, [["list"]]),
        (5, NUMBER, []),
        ([5], LIST, []),
    ],
)
def test_as_many_numbers_as_valid_calls_have(api, rfft, length, known, expected):
    book = Book({"x": Value.from_json(LIST), "fft_length": Value.from_json(known)})
    target = api("tf.keras.ops.rfft", "x: Tensor, fft_length: Tensor? = None")
    assert steps(plans(rfft(length, (10,)), target, book)[0])[1] == expected


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("rfft2d", NUMBER, [["last", 1], ["first"]]),
        ("rfft2d", LIST, [["last", 1]]),
        ("rfft2d", {**LIST, "shape": [2]}, []),
        ("rfft2d", {**LIST, "shape": [3]}, []),
        ("rfft3d", LIST, []),  # it has three
        ("rfft", LIST, []),
    ],
)
def test_of_a_number_for_each_dimension_the_last_ones_are_kept(api, call, name, known, expected):
    made = call(f"tf.signal.{name}", {(3, 8, 8)}, fft_length=[5, 0])
    source = invocation(made, api(f"tf.signal.{name}", FFT), ())
    book = Book({"x": Value.from_json(LIST), "fft_length": Value.from_json(known)})
    target = api("tf.signal.other", "x: Tensor, fft_length: Tensor? = None")
    assert steps(plans(source, target, book)[0])[1] == expected


@pytest.mark.parametrize(
    ("name", "target", "expected"),
    [
        ("rfft2d", "rfft", [["last", 1]]),
        ("rfft2d", "irfft", [["last", 1]]),
        ("rfft2d", "fft", []),
        ("rfft2d", "stft", []),
    ],
)
def test_a_namesake_without_a_number_is_of_one_dimension(api, call, name, target, expected):
    made = call(f"tf.signal.{name}", {(3, 8, 8)}, fft_length=[5, 0])
    source = invocation(made, api(f"tf.signal.{name}", FFT), ())
    assert steps(plans(source, api(f"tf.signal.{target}", FFT))[0])[1] == expected


def test_one_number_where_no_more_are_declared(api, call):
    made = call("tf.signal.rfft2d", {(3, 10, 10)}, fft_length=[5, 0])
    target = api("tf.keras.ops.rfft", "x: Tensor, fft_length: int = None")
    (plan, *_) = plans(invocation(made, api("tf.signal.rfft2d", FFT), ()), target)
    assert steps(plan)[1] == [["last", 1], ["first"]]
    assert "the last 1 of fft_length" in plan.edits
