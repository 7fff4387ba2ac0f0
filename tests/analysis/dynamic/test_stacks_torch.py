"""Stacks that people look at."""

import json
import re

import pytest

from analysis.target.observation import Outcome

FUNCTIONS = {
    "torch.nn.functional.max_pool2d": ("aten::max_pool2d_with_indices", "MaxPool2DWithIndices"),
    "torch.median": ("aten::median", "MedianBackward"),
    "torch.Tensor.clamp_": ("aten::clamp_", "ClampBackward"),
    "torch.distributions.Gamma": ("aten::_standard_gamma", "StandardGammaBackward"),
}
ALL = """
import json
from stacks_torch import stacks
asked = [dict(name=name) for name in NAMES] + [dict(name="torch.median", depth=2)]
for one in asked:
    rows = [row for row in stacks(**one) if "part" in row]
    print(json.dumps({"asked": one, "lines": rows}))
"""


@pytest.fixture(scope="module")
def told(session):
    """name and depth -> lines, asked for in one process: the samples take long to import."""
    names = [*FUNCTIONS, "torch.nn.functional.interpolate"]
    done = session.run(ALL.replace("NAMES", repr(names)))
    assert done.outcome is Outcome.OK, done.stderr
    rows = map(json.loads, filter(None, done.stdout.splitlines()))
    return {tuple(row["asked"].values()): row["lines"] for row in rows}


def part(lines, wanted):
    return [line for line in lines if line["part"] == wanted]


def test_a_layer_from_its_constructor_to_the_kernels(task):
    found = [r for r in task("stacks_torch:stacks", name="torch.nn.Conv2d") if "part" in r]
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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_methods_and_other_classes(told, name):
    found, (operator, node) = told[name,], FUNCTIONS[name]
    assert operator in {line["name"] for line in part(found, "forward")}
    nodes = [line["name"] for line in part(found, "backward") if line["kind"] == "backward node"]
    assert any(name.startswith(node) for name in nodes)
    assert "CloneBackward0" not in nodes or name != "torch.Tensor.clamp_"


def test_nothing_of_the_profiler_or_of_us_and_no_addresses(told):
    assert told["torch.nn.functional.interpolate",]
    for line in told["torch.nn.functional.interpolate",]:
        assert "0x" not in line["name"]
        assert not line["name"].startswith(("autograd::engine", "torch::autograd"))
        assert line["file"] is None or re.match(r"torch/(?!profiler|testing)", line["file"])


def test_no_line_is_deeper_than_wanted(told):
    assert {line["depth"] for line in told["torch.median", 2]} == {0, 1}


def test_a_name_that_is_none_has_no_stacks(task):
    assert task("stacks_torch:stacks", name="torch.no_such_thing") == ()
