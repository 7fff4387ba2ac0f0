"""Calls that are made from types: what they reach, and that a crash names its attempt."""

import pytest

# Each attempt has a time limit of its own, which a busy core does not keep.
pytestmark = [pytest.mark.slow, pytest.mark.alone]


def profiled(task, *names):
    records = task("synthesis_torch:profile", names=[[name] for name in names])
    return {record["n"]: record for record in records if "n" in record}


@pytest.mark.parametrize(
    ("name", "part", "operator"),
    [
        ("torch.hstack", "forward", "aten::hstack"),
        ("torch.Tensor.addcmul_", "backward", "AddcmulBackward0"),
        ("torch.ops.aten.threshold_backward", "forward", "aten::threshold_backward"),
        ("torch.nn.functional.conv_transpose2d", "backward", "ConvolutionBackward0"),
        ("torch.ao.nn.quantized.functional.linear", "forward", "quantized::linear"),
        ("torch.ops.quantized.add", "forward", "quantized::add"),
        ("torch.HalfTensor", "forward", "aten::lift_fresh"),
        ("torch.nn.Bilinear", "constructor", "aten::uniform_"),
        ("torch.nn.Bilinear", "forward", "aten::bilinear"),
        ("torch.optim.Adagrad", "forward", "aten::addcdiv_"),
        ("torch.optim.SparseAdam", "forward", "aten::sparse_mask"),
        ("torch.distributions.Gamma", "forward", "aten::_standard_gamma"),
        ("torch.distributions.Dirichlet", "backward", "aten::_dirichlet_grad"),
        ("torch.distributions.TanhTransform", "forward", "aten::tanh"),
        ("torch.ao.quantization.MinMaxObserver", "forward", "aten::aminmax"),
    ],
)
def test_apis_of_all_kinds_are_called(task, name, part, operator):
    record = profiled(task, name)[name]
    assert record["v"] == "synthesis"
    assert operator in record["s"][part]
    assert record["x"]


def test_gradients_and_losses_are_not_the_optimisers_own(task):
    sets = profiled(task, "torch.optim.SGD")["torch.optim.SGD"]["s"]
    assert "aten::add_" in sets["forward"]
    assert not {"aten::ones_like", "aten::sum", "aten::to_sparse"} & set(sets["forward"])


def test_calls_without_operators_do_not_count(task):
    record = profiled(task, "torch.Tensor.dim")["torch.Tensor.dim"]
    assert record["f"] == "runs no operator"


def test_samples_of_classes_have_their_constructor(task):
    (sample, *_) = profiled(task, "torch.nn.Hardsigmoid")["torch.nn.Hardsigmoid"]["x"]
    assert sample["a"][0]["k"] == "tensor"
    assert sample["c"] == {"a": [], "k": {}}


def test_an_attempt_can_be_repeated_and_is_announced(task):
    first, second = (
        task("synthesis_torch:profile", names=[["torch.hstack"]], skip=["torch.hstack#synthesis0"])
        for _ in range(2)
    )
    assert first == second
    announced = [record["at"] for record in first if "at" in record]
    assert announced[0] == "torch.hstack#synthesis1"


def test_an_api_that_keeps_crashing_is_left_alone(task):
    skip = ["torch.hstack#synthesis0", "torch.hstack#synthesis1"]
    assert [
        record
        for record in task("synthesis_torch:profile", names=[["torch.hstack"]], skip=skip)
        if "entry" not in record
    ] == []


def test_one_attempt_alone_tells_its_values_before_it_runs(task):
    announced, *rest = task("synthesis_torch:attempt", name="torch.hstack", number=0)
    assert announced["at"] == "torch.hstack#synthesis0"
    assert [item["shape"] for item in announced["call"]["a"][0]["items"]] == [[4, 4], [4, 4]]
    assert rest[0]["x"] == [announced["call"]]


@pytest.mark.parametrize("name", ["torch.ops.aten._transform_bias_rescale_qkv"])
def test_a_crash_is_the_attempts_own(session, name):
    """A division by a number of heads that is 0: no version so far checks that."""
    outcome = session.task("synthesis_torch:attempt", {"name": name, "number": 1}, wall=60)
    assert outcome.died == "signal SIGFPE"
    assert outcome.records[-1]["at"] == name + "#synthesis1"


def test_messages_that_show_tensors_add_no_operators(task):
    """Overloads that do not fit are refused with a text about the tensors given."""
    sets = profiled(task, "torch.ops.aten.less_equal_")["torch.ops.aten.less_equal_"]["s"]
    assert "aten::less_equal_" in sets["forward"]
    assert not {"aten::ceil", "aten::isfinite", "aten::masked_select"} & set(sets["forward"])


def test_an_attempt_finds_what_only_an_alias_shows(task):
    names = ["torch.no_such_function", "torch.hstack"]
    announced, *rest = task("synthesis_torch:attempt", name=names, number=0)
    assert announced["at"] == "torch.no_such_function#synthesis0"
    assert rest[0]["x"] == [announced["call"]]
    for gone in ("torch.no_such_function", ["torch.no_such_function", "torch.none.such"]):
        (record,) = task("synthesis_torch:attempt", name=gone, number=0)
        assert record["n"] == "torch.no_such_function"
        assert record["f"] == "not reachable"


@pytest.mark.parametrize(("clock", "made"), [("monotonic", 4), ("process_time", 1)])
def test_a_machine_under_load_learns_no_less(inside, clock, made):
    """A clock that leaps between calls: the budget is of CPU time."""
    script = f"""
import itertools, json, time
leaps = itertools.count(1, 1000)
time.{clock} = lambda: float(next(leaps))
import torch
from recorder_torch import Recorder
from tested_torch import Tested
tested = Tested("torch.abs", torch.abs, Recorder(), "test")
calls = [((torch.ones(n + 1),), {{}}, None) for n in range(4)]
list(tested.run(calls, ()))
print(json.dumps(tested.worked))
"""
    assert inside(script) == made
