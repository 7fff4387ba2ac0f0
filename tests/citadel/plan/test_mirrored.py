"""Siblings at the other end: the least number for the greatest one, of negated numbers."""

import pytest

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
        from dataclasses import replace

        data, ids = (numbered(n, 4).value for n in (1, 2))
        given = (replace(data, dtype=dtype), replace(ids, dtype="int32"), 2)
        return invocation(call(name, *given), api(name, parameters), ())

    return made


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
    ],
)
def test_others_have_no_such_plan(source, api, name, target, dtype):
    assert mirrored(plans(source(name, dtype), api(target, IDS), Book())) == []
