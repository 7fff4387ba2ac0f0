"""Tensors and numbers that are made up have the sizes that valid calls show."""

import pytest

from analysis.values import Value
from citadel.plan.analogy import MOST_ELEMENTS, Analogy


def tensor(*shape, dtype="float32"):
    return Value(kind="tensor", shape=shape, dtype=dtype)


def number(value):
    return Value(kind="int", text=str(value))


CONV = (
    {"input": tensor(2, 4, 7, 7), "weight": tensor(6, 4, 3, 3), "groups": number(3)},
    {"input": tensor(1, 5, 9, 9), "weight": tensor(8, 5, 3, 3), "groups": number(1)},
)


def analogy(*samples, shape=(3, 16, 32, 32), dtype="float32"):
    return Analogy(samples=samples, main="input", shape=shape, dtype=dtype)


def test_sizes_follow_the_main_tensor_where_they_do_so_in_all_samples():
    assert analogy(*CONV).tensor("weight") == ((6, 16, 3, 3), "float32", None)


def test_sizes_that_the_main_tensor_has_not_are_those_of_others_that_are_given():
    samples = [{**s, "bias": tensor(s["weight"].shape[0])} for s in CONV]
    shape = (3, 16, 32, 32)
    alone = Analogy(samples=samples, main="input", shape=shape)
    assert alone.tensor("bias") == ((6,), "float32", None)
    beside = Analogy(samples=samples, main="input", shape=shape, others={"weight": (64, 16, 5, 5)})
    assert beside.tensor("bias") == ((64,), "float32", None)


def test_floating_tensors_take_after_the_main_one_indices_do_not():
    sample = {
        "input": tensor(2, 3),
        "other": tensor(2, 3),
        "index": tensor(7, dtype="int64"),
        "mask": tensor(2, 3, dtype="bool"),
    }
    found = analogy(sample, shape=(4, 5), dtype="float64")
    assert found.tensor("other") is None
    assert found.tensor("index") == ((7,), "int64", None)
    assert found.tensor("mask") == ((4, 5), "bool", None)


def test_a_single_call_may_say_how_many_whole_numbers_there_are():
    ids = Value(kind="tensor", shape=(3,), dtype="int32", content="[0, 1, 0]")
    sample = {"input": tensor(3, 4), "ids": ids}
    plain = analogy(sample, shape=(2, 5))
    assert plain.tensor("ids") == ((3,), "int32", "[0, 1, 0]")
    sized = Analogy(samples=[sample], main="input", shape=(2, 5), sized=True)
    assert sized.tensor("ids") == ((2,), "int32", None)


def test_sizes_are_counted_from_the_end_where_that_holds():
    samples = [
        {"input": tensor(2, 5), "weight": tensor(7, 5)},
        {"input": tensor(2, 3, 6), "weight": tensor(7, 6)},
    ]
    assert analogy(*samples, shape=(8, 9, 10, 11)).tensor("weight") == ((7, 11), "float32", None)


def test_elements_are_those_of_a_valid_call_of_the_same_shape():
    bits = Value(kind="tensor", shape=(), dtype="int32", content="8")
    ends = Value(kind="tensor", shape=(2,), dtype="int64", content="[0, 1]")
    found = analogy({"input": tensor(2, 3), "bits": bits, "ends": ends}, shape=(4, 5))
    assert found.tensor("bits") == ((), "int32", "8")
    assert found.tensor("ends") == ((2,), "int64", "[0, 1]")


def test_many_real_numbers_are_not_spelled_out():
    few = Value(kind="tensor", shape=(2,), dtype="float32", content="[0.5, 2.0]")
    many = Value(kind="tensor", shape=(5,), dtype="float32", content="[1.0, 2.0, 3.0, 4.0, 5.0]")
    found = analogy({"input": tensor(3, 7), "few": few, "many": many}, shape=(8, 9))
    assert found.tensor("few") == ((2,), "float32", "[0.5, 2.0]")
    assert found.tensor("many") == ((5,), "float32", None)


def test_numbers_that_are_sizes():
    layers = [{"in_features": number(5), "input": tensor(2, 5)}]
    assert analogy(*layers, shape=(3, 8)).number("in_features") == 8
    assert analogy(*CONV).number("groups") is None


@pytest.mark.parametrize(
    ("samples", "shape"),
    [
        ((), (2, 3)),
        (({"input": tensor(2, 3)},), (2, 3)),
        (({"weight": tensor(2, 3)},), (2, 3)),
        (({"input": tensor(2, 3), "weight": tensor(2, 3)},), (4, 5)),
        (({"input": tensor(2, 3), "weight": tensor(2, 3, dtype="resource")},), (4, 5)),
        (({"input": tensor(2, 3), "weight": tensor(2, 2)},), (MOST_ELEMENTS, 5)),
        (
            (
                {
                    "input": tensor(2, 3),
                    "weight": tensor(
                        3,
                    ),
                },
            ),
            None,
        ),
    ],
    ids=["no sample", "other names", "no main", "like the main one", "handle", "huge", "unknown"],
)
def test_where_nothing_is_made(samples, shape):
    assert analogy(*samples, shape=shape).tensor("weight") is None


def per(numbers, *shape, listed=True):
    """A valid call on a tensor of this shape, with these numbers in a list or in a tensor."""
    if listed:
        return {"input": tensor(*shape), "n": Value(kind="list", items=tuple(map(number, numbers)))}
    found = Value(kind="tensor", shape=(len(numbers),), dtype="int32", content=str(list(numbers)))
    return {"input": tensor(*shape), "n": found}


@pytest.mark.parametrize(
    ("numbers", "shape", "found"),
    [
        ([1, 2], (4, 4, 4, 1), (1, 1, 1, 2)),
        ([0, 1, 0], (4, 4), (1, 0)),  # what is there last stays
        ([1, 0], (2, 3, 4), (0, 2, 1)),  # an order of the dimensions
        ([2, 0, 1], (2, 3), (0, 1)),
        ([-2, -1], (2, 3, 4), None),  # the same axis again
        ([1, 2], (5, 6), None),  # as it is
        ([1, 2, 3], (2, 3, 4), None),
    ],
)
@pytest.mark.parametrize("listed", [True, False])
def test_numbers_for_each_dimension_are_as_many_as_there_are(numbers, shape, found, listed):
    sample = per(numbers, *range(2, 2 + len(numbers)), listed=listed)
    sample["multiples"] = sample.pop("n")
    made = analogy(sample, shape=shape).per_dimension("multiples")
    dtype = None if listed else "int32"
    assert made == (None if found is None else (found, dtype))


def test_calls_on_tensors_of_several_ranks_tell_without_a_name():
    two = [per([1, 2], 3, 3), per([1, 2, 2], 3, 3, 3)]
    assert analogy(*two, shape=(4, 4, 4, 4)).per_dimension("n") == ((1, 1, 1, 2), None)


@pytest.mark.parametrize(
    "samples",
    [
        [per([8, 9], 3, 3)],  # a seed, say
        [per([1, 2], 3, 3, 3)],  # of the last two
        [per([1, 2], 3, 3), per([1, 2], 3, 3, 3)],
        [{"input": tensor(2, 3), "n": number(2)}],
        [{"input": tensor(2, 3), "n": tensor(2)}],
        [{"input": tensor(2, 3)}],
        [],
    ],
)
def test_other_numbers_are_not_for_each_dimension(samples):
    assert analogy(*samples, shape=(4, 4, 4, 4)).per_dimension("n") is None
