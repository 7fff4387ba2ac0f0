"""Rounding explains a difference only where it makes one: faults beside large numbers are found."""

import pytest

ENTRY = """
import eagle_{framework}
from eagle_pairs import Pair
from eagle_plans import Plan

def entry(step, rng):
    for api, reference, result in PAIRS:
        yield Pair("7", "formula", api, {{"x": X}}, reference, result)
    for api, reference, result in NARROW:
        yield Pair("12", "bfloat16", api, {{"x": WIDE}}, reference, result, dtypes=("bfloat16",))
    for api, reference, result in WHOLE:
        yield Pair("12", "int64", api, {{"x": WIDE}}, reference, result, dtypes=("int64",))
    for api, reference, result in QUOTIENTS:
        both = {{"x": WIDE[1:], "y": TENTH}}
        yield Pair("12", "bfloat16", api, both, reference, result, dtypes=("bfloat16",))
    for api, reference, result in IMAGES:
        yield Pair("12", "int16", api, {{"x": WIDE[1:]}}, reference, result, dtypes=("int16",))

eagle_{framework}.PLANS = {{"eager": Plan(lambda names: ([entry],))}}
"""
PAIRS = """
PAIRS = [
    # What is added has no digits left for x.
    ("rounds", "(x + 1e6) - 1e6", "x"),
    # The large number has no part in the result.
    ("beside", "(x * 1e6, x)[1]", "x + 0.01"),
    ("agrees", "(x * 1e6, x)[1]", "x + 0"),
]
"""
TORCH = """
X, WIDE = torch.tensor([1.01, 2.03]), torch.tensor([9.0, 1.0], dtype=torch.float64)
TENTH = torch.tensor([0.1001], dtype=torch.float64)
QUOTIENTS = [
    # 9.99 is 10 with the digits of bfloat16, 9.51 is not: x and y are not moved alike.
    ("edge", "torch.floor(x / y)", "torch.floor(x / y) + 1"),
    ("within", "torch.floor(x / (y * 1.05))", "torch.floor(x / (y * 1.05)) + 1"),
]
def narrowed(x):
    if x.is_floating_point():
        return (x * 127).to(torch.int8)
    return (x // (torch.iinfo(x.dtype).max // 127)).to(torch.int8)
torch.narrowed = narrowed
IMAGES = [
    # What is 1 of 32,767 is nothing of 127.
    ("scales", "torch.narrowed(x)", "torch.narrowed(x.to(torch.int16))"),
    ("clears", "torch.narrowed(x)", "torch.zeros_like(torch.narrowed(x.to(torch.int16)))"),
]
NARROW = [
    # An element that is wrong has nothing to do with the large one in another place.
    ("apart", "torch.abs(x)", "torch.abs(x.to(torch.bfloat16)) + 0.1 * (x < 2)"),
    # A sum has.
    ("summed", "x[:1] * 1.01 + x - x[:1] * 1.01", "x.to(torch.bfloat16) + 0.1 * (x < 2)"),
]
def mean(x):
    return torch.nn.functional.avg_pool1d(x[None], 2)
torch.mean_of = mean
WHOLE = [
    # The mean of 9 and 2 has lost its half before it is doubled.
    ("floors", "torch.mean_of(x + (x < 2)) * 2", "torch.mean_of((x + (x < 2)).long()) * 2"),
    ("adds", "torch.mean_of(x * 2)", "torch.mean_of(x.long() * 2) + 1"),
]
"""
TENSORFLOW = """
X, WIDE = tf.constant([1.01, 2.03]), tf.constant([9.0, 1.0], tf.float64)
TENTH = tf.constant([0.1001], tf.float64)
QUOTIENTS = [
    ("edge", "tf.floor(x / y)", "tf.floor(x / y) + 1"),
    ("within", "tf.floor(x / (y * 1.05))", "tf.floor(x / (y * 1.05)) + 1"),
]
IMAGES = [
    ("scales", "tf.image.convert_image_dtype(x, tf.int8)",
     "tf.image.convert_image_dtype(tf.cast(x, tf.int16), tf.int8)"),
    ("clears", "tf.image.convert_image_dtype(x, tf.int8)",
     "tf.zeros_like(tf.image.convert_image_dtype(tf.cast(x, tf.int16), tf.int8))"),
]
small = "0.1 * tf.cast(x < 2, tf.float64)"
NARROW = [
    ("apart", "tf.abs(x)", "tf.cast(tf.cast(x, tf.bfloat16), tf.float64) + " + small),
    ("summed", "x[:1] * 1.01 + x - x[:1] * 1.01",
     "tf.cast(tf.cast(x, tf.bfloat16), tf.float64) + " + small),
]
WHOLE = [
    ("floors", "tf.reduce_mean(x - [0, 1]) * 2",
     "tf.reduce_mean(tf.cast(x, tf.int64) - [0, 1]) * 2"),
    ("adds", "tf.reduce_mean(x * 2)", "tf.reduce_mean(tf.cast(x, tf.int64) * 2) + 1"),
]
"""


@pytest.mark.parametrize(
    ("fixture", "framework", "values"),
    [
        pytest.param("torch_target", "torch", TORCH, marks=pytest.mark.torch),
        pytest.param("tf_target", "tensorflow", TENSORFLOW, marks=pytest.mark.tf),
    ],
)
def test_only_what_rounding_changes_as_much_is_rounding(request, fixture, framework, values):
    planted = PAIRS + values + ENTRY.format(framework=framework)
    arguments = {"plan": "eager", "draw": 0, "seconds": 60.0, "planted": planted}
    with request.getfixturevalue(fixture).session() as session:
        outcome = session.task("eagle_run:search", arguments, wall=200)
    assert outcome.died is None, outcome
    found = [record["finding"] for record in outcome.records if "finding" in record]
    limits = {one["api"]: one["limit"] for one in found}
    explained = {"rounds", "summed", "floors", "edge", "scales"}
    assert set(limits) == explained | {"beside", "apart", "adds", "within", "clears"}
    assert {api for api, limit in limits.items() if limit} == explained
    assert limits["rounds"].startswith("rounding of an intermediate value")
    assert "ill-conditioned" in limits["summed"] or "rounding" in limits["summed"]
    assert limits["floors"] == "whole numbers cannot hold the fractions of an intermediate value"
    assert "ill-conditioned" in limits["edge"]
    assert "scales by the range" in limits["scales"]
