"""The index of real builds."""

import pytest

from analysis.catalog.model import ApiKind
from analysis.dynamic.joined import KEPT_SAMPLES
from analysis.index import load_or_build

pytestmark = pytest.mark.slow


def test_the_frameworks_samples_reach_most_apis(index):
    assert index.counts["profiled"] >= 1400
    assert index.counts["sampled"] >= 1400
    kinds = [index.catalog.apis[name].kind for name in index.call_sets]
    functions_and_layers = [kind for kind in kinds if kind is not ApiKind.OP]
    assert len(functions_and_layers) >= 1050
    assert not any("unavailable" in reason for reason in index.failures)


def test_call_sets_tell_forward_and_backward(index):
    conv = index.call_sets["torch.nn.functional.conv2d"]
    assert {"convNd", "convolution", "ConvolutionBackward"} <= conv
    assert not {name for name in conv if name.startswith(("autograd", "torch", "__"))}
    assert "CloneBackward" not in index.call_sets["torch.Tensor.clamp_"]


def test_the_harness_adds_nothing_of_its_own(index):
    assert {"abs", "AbsBackward"} <= index.call_sets["torch.abs"]
    assert not index.call_sets["torch.abs"] & {"sum", "ones_like", "expand", "clone"}


@pytest.mark.parametrize(
    "name", ["torch.clip", "torch.Tensor.clip_", "torch.Tensor.__add__", "torch.ops.aten.add"]
)
def test_all_forms_of_an_api_are_run(index, name):
    assert index.call_sets[name]


def test_samples_are_real_calls(index):
    sample = index.samples["torch.nn.functional.conv2d"][0]
    assert sample.constructor is None
    assert [value.rank for value in sample.call.arguments[:2]] == [4, 4]
    layer = index.samples["torch.nn.Conv2d"][0]
    assert layer.constructor is not None
    assert len(layer.constructor.arguments) + len(layer.constructor.keywords) >= 3
    assert layer.call.arguments[0].is_tensor
    assert all(1 <= len(kept) <= KEPT_SAMPLES for kept in index.samples.values())


def test_wrapped_samples_are_recorded_as_the_api_itself_takes_them(index):
    weight, indices = (sample for sample in _operands(index, "torch.nn.functional.embedding"))
    assert weight.dtype == "int64"
    assert indices.rank == 2


def _operands(index, name):
    sample = index.samples[name][0].call
    return (*sample.arguments, *sample.keywords.values())[:2]


def test_a_warm_start_builds_nothing(target, index):
    """`index` was built from nothing in this run, and left in its cache."""
    stages = []
    loaded = load_or_build(target, progress=lambda stage, *_: stages.append(stage))
    assert stages == []
    assert loaded.call_sets == index.call_sets
    assert loaded.samples == index.samples
