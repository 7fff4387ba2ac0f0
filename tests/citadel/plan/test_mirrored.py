"""Siblings at the other end: the least number for the greatest one, of negated numbers."""

from dataclasses import replace

import pytest

from analysis.catalog.model import ApiKind
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Step, Take

from .conftest import Book

NEGATED = (Step(name="negate"),)
IDS = "data: Tensor, segment_ids: Tensor, num_segments: int"


@pytest.fixture
def source(call, api, numbered):
    """`tf.math.unsorted_segment_max(data, ids, 2)`, or a function of the same parameters."""

    def made(name, dtype="float32", parameters=IDS):
        data, ids = (numbered(n, 4).value for n in (1, 2))
        given = (replace(data, dtype=dtype), replace(ids, dtype="int32"), 2)
        return invocation(call(name, *given), api(name, parameters), ())

    return made


def two_of_them(call, api, numbered, other, name="tf.maximum"):
    """`tf.maximum(x, other)`."""
    declared = api(name, "input: Tensor, other: Tensor")
    return invocation(call(name, numbered(1, 4), other), declared, ())


@pytest.mark.parametrize(
    ("other", "negated_too"), [(None, True), (2.0, False), ([1.0, 2.0, 3.0, 4.0], False)]
)
def test_both_of_two_are_negated_or_none(call, api, numbered, other, negated_too):
    source = two_of_them(call, api, numbered, numbered(2, 4) if other is None else other)
    found = mirrored(plans(source, api("tf.minimum", "input: Tensor, other: Tensor"), Book()))
    assert [negated(plan) for plan in found] == ([["arg:0", "arg:1"]] if negated_too else [])


def test_what_is_written_to_is_not_negated(call, api, numbered):
    declared = "input: Tensor, *, out: Tensor? = None"
    made = call("torch.ceil", numbered(1, 4), out=numbered(2, 4))
    source = invocation(made, api("torch.ceil", declared), ())
    assert mirrored(plans(source, api("torch.floor", declared), Book())) == []


def mirrored(found):
    return [plan for plan in found if plan.mirrored]


def negated(plan):
    taken = [slot.value for slot in plan.call if isinstance(slot.value, Take)]
    return [one.key for one in taken if one.steps == NEGATED]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("tf.math.unsorted_segment_max", "tf.math.unsorted_segment_min"),
        ("tf.math.unsorted_segment_min", "tf.raw_ops.UnsortedSegmentMax"),
        ("tf.maximum", "tf.minimum"),
        ("tf.math.ceil", "tf.math.floor"),
    ],
)
def test_the_dual_is_given_negated_numbers(source, api, name, target):
    found = plans(source(name), api(target, IDS), Book())
    (plan,) = mirrored(found)
    assert negated(plan) == ["arg:0"]
    assert plan.after == NEGATED
    assert "negated, of negated numbers" in plan.edits
    assert found[0].plausibility > plan.plausibility
    assert not found[0].mirrored


def test_a_method_is_called_on_negated_numbers(source, api):
    target = api("torch.Tensor.amin", "self: Tensor", kind=ApiKind.METHOD)
    (plan,) = mirrored(plans(source("torch.amax", parameters="input: Tensor"), target, Book()))
    assert plan.receiver == Take(key="arg:0", steps=NEGATED)
    assert plan.after == NEGATED


def test_places_are_the_same(source, api):
    (plan,) = mirrored(plans(source("torch.argmax"), api("torch.argmin", IDS), Book()))
    assert (negated(plan), plan.after) == (["arg:0"], ())
    assert "of negated numbers" in plan.edits


@pytest.mark.parametrize(
    ("name", "target", "dtype"),
    [
        ("tf.math.segment_max", "tf.math.segment_sum", "float32"),
        ("tf.math.segment_max", "tf.raw_ops.SegmentMax", "float32"),
        ("tf.math.segment_max", "tf.math.unsorted_segment_min", "float32"),
        ("tf.math.segment_max", "tf.math.segment_min", "uint8"),
        ("tf.math.segment_max", "tf.math.segment_min", "bool"),
        ("torch.softmax", "torch.softmin", "float32"),
        ("torch.clamp_max", "torch.clamp_min", "float32"),
        ("torch.ceil", "torch.floor_", "float32"),
    ],
)
def test_others_have_no_such_plan(source, api, name, target, dtype):
    assert mirrored(plans(source(name, dtype), api(target, IDS), Book())) == []
