"""Weights of a window: pooling has the window's sizes where convolutions have weights."""

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.lexicon import Lexicon
from citadel.plan.model import Fill, Step, Take

from .conftest import Book, first

WINDOWS = Lexicon(windows=("ksize", "strides", "dilations", "kernel_size", "stride"))
POOL = "input: Tensor, ksize: int, strides: int, padding: string, dilations: int = 1"
CONV = "input, filters, strides, padding, data_format = 'NDHWC'"


def whole(number):
    return Value(kind="int", text=str(number))


def numbers(*each):
    return Value(kind="list", items=tuple(map(whole, each)))


def floats(*shape):
    return Value(kind="tensor", shape=shape, dtype="float32")


def valid(name="filters", **more):
    sides = {"input": floats(2, 2, 2, 2, 2), name: floats(2, 2, 2, 2, 2)}
    return {**sides, "strides": numbers(1, 1, 1, 1, 1), **more}


def pooled(call, api, *shape, name="tf.nn.avg_pool3d", **given):
    return invocation(call(name, {shape}, **given, padding="SAME"), api(name, POOL), ())


def weights(plan):
    (made,) = (
        slot.value for slot in plan.call if isinstance(slot.value, Fill) and slot.value.tensor
    )
    return made.text


@pytest.mark.parametrize("ksize", [2, [2, 2, 2], [1, 2, 2, 2, 1]])
def test_weights_are_as_long_as_the_window(call, api, ksize):
    source = pooled(call, api, 1, 6, 5, 4, 3, ksize=ksize, strides=3)
    plan = first(plans(source, api("tf.nn.conv3d", CONV), Book(valid()), WINDOWS))
    assert weights(plan) == "tf.ones([2, 2, 2, 3, 3], dtype=tf.float32)"
    assert plan.edits == ("renamed to tf.nn.conv3d", "filters as long as ksize")
    assert (plan.drops, plan.loses, plan.invented) == (False, False, ())


@pytest.mark.parametrize("name", ["strides", "dilations"])
def test_what_no_valid_call_has_is_like_the_window_that_they_have(call, api, name):
    """`tf.nn.pool` calls `ksize` the `window_shape`, and all of its valid calls know but that."""
    source = pooled(call, api, 1, 6, 5, 4, 3, ksize=[1, 2, 2, 2, 1], **{name: [1, 2, 3, 2, 1]})
    target = api("tf.nn.pool", f"input, window_shape, {name} = None, padding = 'VALID'")
    padding = Value(kind="str", text="'SAME'")
    known = Book({"input": floats(2, 4, 4, 3), "window_shape": numbers(1, 1), "padding": padding})
    windows = WINDOWS.windows | {"padding"}
    synonyms = Lexicon((("ksize", "window_shape"),), windows=windows)
    plan = first(plans(source, target, known, synonyms))
    taken = {slot.name: slot.value for slot in plan.call if isinstance(slot.value, Take)}
    inner = (Step(name="inner"),)
    assert (taken["window_shape"].steps, taken[name].steps) == (inner, inner)


def test_a_number_becomes_the_list_of_valid_calls(call, api):
    source = pooled(call, api, 1, 6, 5, 4, 3, ksize=1, strides=3)
    plan = first(plans(source, api("tf.nn.conv3d", CONV), Book(valid()), WINDOWS))
    strides = Take(key="kw:strides", steps=(Step(name="ends", amount=3),))
    assert strides in [slot.value for slot in plan.call]


def test_no_length_of_a_window_stands_for_a_tensor(call, api):
    source = pooled(call, api, 1, 6, 5, 4, 3, ksize=1, strides=3)
    for known in (valid(), {"input": floats(2, 2), "filters": floats(2, 3)}):
        found = plans(source, api("tf.nn.conv3d", CONV), Book(known), WINDOWS)
        given = [(slot.name, slot.value) for plan in found for slot in plan.call]
        assert ("filters", Take(key="kw:ksize")) not in given


def test_weights_in_front_are_pytorchs(call, api):
    pool = "input: Tensor, kernel_size: int[2], stride: int[2] = 1"
    name = "torch.nn.functional.avg_pool2d"
    source = invocation(call(name, {(1, 3, 6, 5)}, (2, 1), stride=3), api(name, pool), ())
    target = api("torch.nn.functional.conv2d", "input: Tensor, weight: Tensor, stride: int[2] = 1")
    known = {"input": floats(1, 4, 5, 5), "weight": floats(8, 4, 3, 3)}
    plan = first(plans(source, target, Book(known), WINDOWS))
    assert weights(plan) == "torch.ones([3, 3, 2, 1], dtype=torch.float32)"


@pytest.mark.parametrize(
    ("signature", "known"),
    [
        ("input, other", {"input": floats(2, 3, 4, 5, 6), "other": floats(2, 3, 4, 5, 6)}),
        (CONV, {"input": floats(2, 3, 4, 5, 6), "filters": floats(6)}),
    ],
)
def test_what_has_no_weights_is_filled_as_ever(call, api, signature, known):
    """Nothing else of the window's dimensions is handed on, or its tensors have fewer of them."""
    source = pooled(call, api, 1, 6, 5, 4, 3, ksize=2, strides=3)
    for plan in plans(source, api("tf.plus", signature), Book(known), WINDOWS):
        assert not any("as long as" in edit for edit in plan.edits)
