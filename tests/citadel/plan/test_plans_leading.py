"""Dimensions in front: those that valid calls of a sibling have more than the report's call."""

from dataclasses import replace

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Obstacle, Step

from .conftest import Book, written

PARAMETERS = "input: Tensor, other: Tensor, *, out: Tensor = None"


@pytest.mark.parametrize(
    ("second", "steps"),
    [((5, 5, 5), {"arg:0": "lead", "arg:1": "lead", "kw:out": "lead"}), ((5,), {"arg:0": "lead"})],
)
def test_tensors_of_one_rank_here_and_there_get_them_together(api, call, second, steps):
    """`torch.bmm` of what `torch.mm` is given; the index of `index_select` stays what it is."""
    made = call("torch.f", {(3, 3)}, {(3, 3)}, out={(3, 3)})
    made = replace(made, result=made.arguments[0])
    sample = {
        "input": Value(kind="tensor", shape=(5, 5, 5)),
        "other": Value(kind="tensor", shape=second),
    }
    source, target = api("torch.f", PARAMETERS), api("torch.g", PARAMETERS)
    found = plans(invocation(made, source, ()), target, Book(sample))
    best = next(plan for plan in found if any(slot.value.steps for slot in plan.call))
    changed = {slot.value.key: slot.value.steps for slot in best.call if slot.value.steps}
    assert {key: step.name for key, (step,) in changed.items()} == steps
    assert [step.name for step in best.after] == (["behead"] if len(steps) > 1 else [])


def changes(plan):
    given = {slot.value.key: slot.value for slot in plan.call if hasattr(slot.value, "steps")}
    return {
        key: [(step.name, step.amount) for step in value.steps]
        for key, value in given.items()
        if value.steps
    }


def shaped(**shapes):
    return {name: Value(kind="tensor", shape=shape) for name, shape in shapes.items()}


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ([shaped(input=(5, 10), other=(10,))], {"arg:1": [("behead", 1)]}),
        (
            [shaped(input=(5, 5, 10), other=(5, 5, 5)), shaped(input=(1,), other=(4, 5, 5))],
            {"arg:0": [("lead", 1)], "arg:1": [("lead", 1)]},  # (1,) is broadcast
        ),
        ([shaped(input=(5, 10), other=(3, 5, 5))], {"arg:1": [("lead", 1)]}),
    ],
    ids=["mv", "baddbmm", "addbmm"],
)
def test_each_tensor_has_the_rank_that_its_parameter_has_in_valid_calls(
    api, call, samples, expected
):
    made = call("torch.mm", {(3, 3)}, {(3, 3)})
    source = api("torch.mm", "input: Tensor, mat2: Tensor")
    target = api("torch.g", "input: Tensor, other: Tensor")
    found = plans(invocation(made, source, ()), target, Book(*samples))
    assert changes(found[0]) == {}, "as it is, first"
    assert expected in [changes(plan) for plan in found]


@pytest.mark.parametrize(
    "samples",
    [
        [shaped(input=(5, 5), other=(5, 5))],  # as the report's are
        [shaped(input=(5,), other=(5,)), shaped(input=(4, 5), other=(4, 5))],  # of any
    ],
)
def test_what_takes_any_rank_or_the_reports_own_changes_none(api, call, samples):
    made = call("torch.mm", {(3, 3)}, {(3, 3)})
    source = api("torch.mm", "input: Tensor, mat2: Tensor")
    target = api("torch.g", "input: Tensor, other: Tensor")
    found = plans(invocation(made, source, ()), target, Book(*samples))
    assert [changes(plan) for plan in found] == [{}]


def numbers(*items):
    return Value(kind="list", items=tuple(Value(kind="float", text=str(item)) for item in items))


def test_lists_of_numbers_stand_for_tensors_in_tensorflow(api, call):
    """`tf.searchsorted([1.0, 2.0], [0.5])` is `LowerBound` of two matrices of one row."""
    made = call("tf.searchsorted", numbers(1.0, 2.0), numbers(0.5))
    source = api("tf.searchsorted", "sorted_sequence, values")
    target = api("tf.raw_ops.LowerBound", "sorted_sequence, values", kind=ApiKind.OP)
    matrices = shaped(sorted_sequence=(2, 3), values=(2, 3))
    found = plans(invocation(made, source, ()), target, Book(matrices, matrices))
    lifted = next(plan for plan in found if changes(plan))
    assert changes(lifted) == {"arg:0": [("list", 0)], "arg:1": [("list", 0)]}
    assert lifted.after == (Step(name="behead", amount=1),), "which it loses again"
    vectors = shaped(sorted_sequence=(3,), values=(3,))
    found = plans(invocation(made, source, ()), target, Book(vectors, vectors))
    assert [changes(plan) for plan in found] == [{}]


@pytest.mark.parametrize(("framework", "expected"), [("tf", [("lead", 1)]), ("torch", None)])
def test_an_array_is_what_a_call_of_tensorflow_works_on(api, call, framework, expected):
    made = call(f"{framework}.f", Value(kind="array", shape=(2, 3), dtype="float32"))
    source, target = (api(f"{framework}.{name}", "x: Tensor") for name in "fg")
    found = plans(
        invocation(made, source, ()), target, Book(shaped(x=(4, 5, 6)), shaped(x=(1, 2, 2)))
    )
    assert changes(found[-1]).get("arg:0") == expected


@pytest.mark.parametrize(
    ("valid", "framework", "known"),
    [
        (numbers(1.0, 2.5), "tf", True),
        (Value(kind="list", items=(numbers(1, 2), numbers(3, 4))), "tf", True),
        (Value(kind="list", items=(Value(kind="int", text="1"),)), "tf", False),  # axes, say
        (numbers(1.0, 2.5), "torch", False),
    ],
)
def test_what_is_given_numbers_in_valid_calls_takes_tensors(api, call, valid, framework, known):
    """`tf.sort(values=[1.0, 2.5])` says that `values` is a tensor, which `input` may be."""
    made = call(f"{framework}.math.top_k", {(3,)}, 1)
    source = api(f"{framework}.math.top_k", "input: Tensor, k: int")
    target = api(f"{framework}.sort", "values, direction: str = 'UP'")
    found = plans(invocation(made, source, ()), target, Book({"values": valid}))
    given = [] if isinstance(found, Obstacle) else written(found[0].call)
    assert ("arg:0" in given) is known


def test_a_signal_gets_dimensions_together_with_the_list_of_its_lengths(api, call):
    """`rfft(x, [4])` is `rfft2d` of one row: neither alone would do."""
    lengths = Value(kind="list", items=(Value(kind="int", text="4"),))
    made = call("tf.signal.rfft1d", {(4,)}, lengths)
    source = api("tf.signal.rfft1d", "input: Tensor, fft_length: int[]")
    target = api("tf.signal.rfft2d", "input: Tensor, fft_length: int[]")
    found = plans(invocation(made, source, ()), target)
    both = {"arg:0": [("lead", 1)], "arg:1": [("resize", 2)]}
    assert both in [changes(plan) for plan in found]


def test_what_is_written_to_gets_the_dimensions_of_the_result(api, call):
    made = call("torch.mm", {(3, 3)}, {(3, 3)}, out={(3, 3)})
    source, target = (api(f"torch.{name}", PARAMETERS) for name in ("mm", "g"))
    sample = shaped(input=(4, 5, 6), other=(4, 6, 5))
    found = plans(invocation(made, source, ()), target, Book(sample, sample))
    whole = {key: [("lead", 1)] for key in ("arg:0", "arg:1", "kw:out")}
    lifted = [changes(plan) for plan in found if len(changes(plan)) > 1]
    assert lifted == [whole] * len(lifted)
    assert lifted


@pytest.mark.parametrize(
    ("shapes", "known", "is_one"),
    [
        (((2, 3), (3,)), [(4, 5), (5, 6)], True),
        (((7, 2, 3), (7, 3)), [(4, 5), (5, 6)], True),
        (((2, 3), (2,)), [(4, 5), (5, 6)], False),
        (((2, 3), (3,)), [(4, 5), (5,)], False),
        (((3,), (3,)), [(4, 5), (5, 6)], False),
    ],
)
def test_a_vector_is_a_column_where_two_matrices_are_taken(api, call, shapes, known, is_one):
    source = invocation(
        call("tf.f", *({one} for one in shapes)), api("tf.f", "a: Tensor, b: Tensor"), ()
    )
    samples = [shaped(a=known[0], b=known[1]), shaped(a=(2, *known[0]), b=(2, *known[1]))]
    found = plans(source, api("tf.g", "a: Tensor, b: Tensor"), Book(*samples))
    told = [plan for plan in found if "a vector as a column" in plan.edits]
    assert bool(told) is is_one
    if told:
        assert changes(told[0]) == {"arg:1": [("lift", 1)]}
        assert [(step.name, step.amount) for step in told[0].after] == [("lower", 1)]
