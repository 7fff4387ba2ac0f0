"""Dimensions in front: those that valid calls of a sibling have more than the report's call."""

from dataclasses import replace

import pytest

from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation

from .conftest import Book

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
