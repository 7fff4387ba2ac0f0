"""What ran within the failing call is called as it was called there."""

from dataclasses import replace

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Fill

from .conftest import written

RFFT = "input: Tensor, fft_length: Tensor, Tcomplex: dtype = tf.complex64, name: str = None"
LENGTH = {"k": "array", "shape": [1], "dtype": "int32", "data": [0]}


@pytest.fixture
def rfft(api, call):
    """`tf.signal.rfft(x)`, which has run `tf.raw_ops.RFFT`; what that was given is yet to say."""

    def run(signature="input_tensor: Tensor, fft_length: Tensor? = None", *, given, **keywords):
        made = call("tf.signal.rfft", {(1, 4)}, **keywords)
        source = invocation(made, api("tf.signal.rfft", signature), ())
        values = {name: Value.from_json(record) for name, record in given.items()}
        return replace(source, within={"tf.raw_ops.RFFT": values})

    return run


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (LENGTH, "[0]"),
        (
            {**LENGTH, "dtype": "int64"},
            "tf.constant([0], dtype=tf.int64)",
        ),
        ({"k": "int", "v": "0"}, "0"),
    ],
)
def test_what_the_source_hands_on_is_no_guess(api, rfft, given, expected):
    exact = plans(rfft(given={"fft_length": given}), api("tf.raw_ops.RFFT", RFFT))[0]
    assert expected in written(exact.call)
    assert not exact.filled
    assert "fft_length as the report's API hands it on" in exact.edits


def test_what_the_source_makes_of_its_own_argument_comes_first(api, rfft):
    source = rfft(given={"fft_length": LENGTH}, fft_length=0)
    texts = [written(plan.call) for plan in plans(source, api("tf.raw_ops.RFFT", RFFT))]
    assert texts[-1][-1] == "[0]"
    assert texts[0][-1] == "kw:fft_length"


def test_modes_that_the_source_sets_are_set(api, rfft):
    given = {"fft_length": LENGTH, "fast": {"k": "bool", "v": "True"}, "name": {"k": "none"}}
    target = api("tf.raw_ops.RFFT", "input: Tensor, fft_length: Tensor, fast: bool = False")
    exact = plans(rfft(given=given), target)[0]
    assert "fast=True" in written(exact.call)
    told = {"fft_length": LENGTH, "fast": {"k": "bool", "v": "False"}}
    exact = plans(rfft(given=told), target)[0]
    assert "fast=False" not in written(exact.call)


def test_what_cannot_be_written_is_filled(api, rfft):
    for record in ({"k": "tensor", "shape": [99], "dtype": "int32"}, {"k": "other", "v": "x.Y"}):
        found = plans(rfft(given={"fft_length": record}), api("tf.raw_ops.RFFT", RFFT))[0]
        assert found.filled
        assert not any(isinstance(one.value, Fill) and one.value.implied for one in found.call)
