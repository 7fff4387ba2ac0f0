"""Stacks that people look at."""

import re

import pytest


@pytest.fixture
def lines(task):
    def find(name):
        return [r for r in task("stacks_torch:stacks", name=name) if "part" in r]

    return find


def part(lines, wanted):
    return [line for line in lines if line["part"] == wanted]


def test_a_layer_from_its_constructor_to_the_kernels(lines):
    found = lines("torch.nn.Conv2d")
    assert {line["part"] for line in found} == {"constructor", "forward", "backward"}
    module, *rest = part(found, "forward")
    assert (module["name"], module["kind"], module["depth"]) == ("Conv2d", "module", 0)
    by_name = {line["name"]: line for line in rest}
    assert re.fullmatch(r"torch/nn/modules/conv\.py:\d+", by_name["_conv_forward"]["file"])
    convolution = by_name["aten::convolution"]
    assert convolution["kind"] == "operator"
    assert (
        convolution["depth"] > by_name["aten::conv2d"]["depth"] > by_name["_conv_forward"]["depth"]
    )
    assert re.match(r"\[\d+, \d+, \d+, \d+\], \[", convolution["shapes"])
    node, gradient, *_ = part(found, "backward")
    assert (node["name"], node["kind"]) == ("ConvolutionBackward0", "backward node")
    assert (gradient["name"], gradient["depth"]) == ("aten::convolution_backward", 1)


@pytest.mark.parametrize(
    ("name", "operator", "node"),
    [
        ("torch.nn.functional.max_pool2d", "aten::max_pool2d_with_indices", "MaxPool2DWithIndices"),
        ("torch.median", "aten::median", "MedianBackward"),
        ("torch.Tensor.clamp_", "aten::clamp_", "ClampBackward"),
        ("torch.distributions.Gamma", "aten::_standard_gamma", "StandardGammaBackward"),
    ],
)
def test_functions_methods_and_other_classes(lines, name, operator, node):
    found = lines(name)
    assert operator in {line["name"] for line in part(found, "forward")}
    nodes = [line["name"] for line in part(found, "backward") if line["kind"] == "backward node"]
    assert any(name.startswith(node) for name in nodes)
    assert "CloneBackward0" not in nodes or name != "torch.Tensor.clamp_"


def test_nothing_of_the_profiler_or_of_us_and_no_addresses(lines):
    for line in lines("torch.nn.functional.interpolate"):
        assert "0x" not in line["name"]
        assert not line["name"].startswith(("autograd::engine", "torch::autograd"))
        assert line["file"] is None or re.match(r"torch/(?!profiler|testing)", line["file"])


def test_no_line_is_deeper_than_wanted(task):
    found = [r for r in task("stacks_torch:stacks", name="torch.median", depth=2) if "part" in r]
    assert {line["depth"] for line in found} == {0, 1}


def test_a_name_that_is_none_has_no_stacks(task):
    assert task("stacks_torch:stacks", name="torch.no_such_thing") == ()
