"""Cases that end where they take several results, or several numbers, for one."""

import pytest

from citadel.model import Verdict, VerdictKind
from citadel.oracle import status
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.propagate.results import as_many, as_one, gives_several, wants_one


@pytest.mark.parametrize(
    ("message", "several"),
    [
        ("'tuple' object has no attribute 'shape'", True),
        ("'torch.return_types.max' object has no attribute 'sum'", True),
        ("unsupported operand type(s) for -: 'Tensor' and 'tuple'", True),
        ("bad operand type for abs(): 'list'", True),
        ("neg(): argument 'input' (position 1) must be Tensor, not torch.return_types.max", True),
        ("'NoneType' object has no attribute 'shape'", False),
        ("unsupported operand type(s) for -: 'NoneType' and 'int'", False),
    ],
)
def test_several_results_where_one_is_taken(message, several):
    seen = status.raises("TypeError", message)
    verdict = Verdict(kind=VerdictKind.NOT_ADAPTED, runs=(0, 1), confidence=0.0, symptom=seen)
    assert gives_several(verdict) is several
    bug = Verdict(kind=VerdictKind.BUG, runs=(1, 1), confidence=0.9, symptom=seen)
    assert not gives_several(bug)


@pytest.mark.parametrize(
    ("message", "step"),
    [
        ("a Tensor with 3 elements cannot be converted to Scalar", "max"),
        ("only one element tensors can be converted to Python scalars", "max"),
        ("only length-1 arrays can be converted to Python scalars", "max"),
        ("only 0-dimensional arrays can be converted to Python scalars", "max"),
        ("grad can be implicitly created only for scalar outputs", "sum"),
        ("expected a scalar", ""),
        ("a Tensor with 0 elements cannot be converted to Scalar", ""),
    ],
)
@pytest.mark.parametrize("kind", [VerdictKind.NOT_ADAPTED, VerdictKind.DIFFERENT])
def test_several_numbers_where_one_is_taken(message, step, kind):
    seen = status.raises("RuntimeError", message)
    assert wants_one(Verdict(kind=kind, runs=(0, 1), confidence=0.0, symptom=seen)) == step
    bug = Verdict(kind=VerdictKind.BUG, runs=(1, 1), confidence=0.9, symptom=seen)
    assert not wants_one(bug)
    assert not wants_one(Verdict(kind=kind, runs=(0, 1), confidence=0.0))


def test_a_result_is_made_one_number_once(api, call):
    source = invocation(call("torch.sum", {(2,)}), api("torch.sum", "input: Tensor"), ())
    plan = plans(source, api("torch.exp", "input: Tensor"))[0]
    seen = status.raises("RuntimeError", "a Tensor with 3 elements cannot be converted to Scalar")
    verdict = Verdict(kind=VerdictKind.DIFFERENT, runs=(0, 1), confidence=0.0, symptom=seen)
    reduced = as_one(plan, verdict, None)
    assert reduced is not None
    assert reduced.edits[-1] == "took the max of its result"
    assert as_one(reduced, verdict, None) is None


@pytest.mark.parametrize(
    ("message", "edit"),
    [
        ("not enough values to unpack (expected 3, got 2)", "made 3 of its outputs"),
        ("too many values to unpack (expected 2)", "made 2 of its outputs"),
        ("too many values to unpack (expected 2, got 3)", "made 2 of its outputs"),
        ("too many values to unpack (expected 1)", None),
        ("not enough values to unpack (expected 999, got 2)", None),
        ("values to unpack", None),
    ],
)
def test_as_many_outputs_as_the_text_unpacks(api, call, message, edit):
    source = invocation(call("torch.sum", {(2,)}), api("torch.sum", "input: Tensor"), ())
    plan = plans(source, api("torch.exp", "input: Tensor"))[0]
    seen = status.raises("ValueError", message)
    verdict = Verdict(kind=VerdictKind.NOT_ADAPTED, runs=(0, 1), confidence=0.0, symptom=seen)
    made = as_many(plan, verdict)
    assert (made and made.edits[-1]) == edit
    if made is not None:
        assert as_many(made, verdict) is None
        assert as_many(plan.spread(2), verdict) is None
