"""What the recorder keeps of a call: names by part, bodies, frames."""

SETUP = """
import json, torch
import recorder_torch
from recorder_torch import Recorder, framework_frames, kineto, legacy, nesting
x = torch.randn(2, 4, 6, 6, requires_grad=True)
w = torch.randn(3, 4, 3, 3, requires_grad=True)
"""


def test_forward_backward_and_bodies_are_told_apart(inside):
    found = inside(
        SETUP
        + """
recorder = Recorder()
forward, result = recorder.record(lambda: torch.conv2d(x, w))
backward = recorder.backward(result)
bodies, = [record["e"] for record in recorder.edges()]
again = recorder.record(lambda: torch.conv2d(x, w))
print(json.dumps([sorted(forward), sorted(backward), bodies, recorder.edges()]))
"""
    )
    forward, backward, bodies, again = found
    assert "aten::conv2d" in forward
    assert not any("Backward" in name for name in forward)
    assert {"ConvolutionBackward0", "aten::convolution_backward"} <= set(backward)
    assert bodies["aten::conv2d"] == [["aten::convolution"]]
    assert bodies["ConvolutionBackward0"] == [["aten::convolution_backward"]]
    assert again == []


def test_storing_gradients_and_the_engine_do_not_count(inside):
    backward = inside(
        SETUP
        + """
recorder = Recorder()
_, result = recorder.record(lambda: x * 2)
print(json.dumps(sorted(recorder.backward(result))))
"""
    )
    assert "MulBackward0" in backward
    assert not {"aten::detach", "detach", "aten::is_same_size"} & set(backward)
    assert not any(name.startswith(("autograd::", "torch::autograd")) for name in backward)


def test_kineto_and_the_light_hooks_see_the_same_operators(inside):
    """So that call sets of builds with and without CUDA can be compared."""
    different = inside(
        SETUP
        + """
F = torch.nn.functional
calls = {
    "conv2d": lambda: torch.conv2d(x, w), "add": lambda: x + 1, "matmul": lambda: x @ x,
    "softmax": lambda: F.softmax(x, 1), "max_pool2d": lambda: F.max_pool2d(x, 2),
    "median": lambda: torch.median(x), "sort": lambda: torch.sort(x),
    "cat": lambda: torch.cat([x, x]), "layer_norm": lambda: F.layer_norm(x, (6, 6)),
    "einsum": lambda: torch.einsum("abcd,abce->de", x, x),
    "cdist": lambda: torch.cdist(x, x), "interpolate": lambda: F.interpolate(x, scale_factor=2),
    "grad": lambda: torch.autograd.grad(torch.conv2d(x, w).sum(), [x, w]),
}
def names(hook, call):
    threads, _ = hook(call)
    return set().union(*(nesting(thread)[0] for thread in threads))
different = {}
for name, call in calls.items():
    call()
    light, full = names(legacy, call), names(kineto, call)
    if not light or light ^ full:
        different[name] = sorted(light ^ full)
print(json.dumps(different))
"""
    )
    assert different == {}


def test_frames_are_those_of_the_framework_without_imports(inside):
    frames = inside(
        SETUP
        + """
with framework_frames() as noted:
    import torch.utils.mobile_optimizer
    torch.nn.Conv2d(4, 3, 3)(x)
print(json.dumps(sorted(noted.names)))
"""
    )
    assert {"torch.nn.modules.conv.Conv2d.forward", "torch.nn.modules.conv.Conv2d.__init__"} <= set(
        frames
    )
    assert all(name.startswith("torch.") for name in frames)
    assert not any("<lambda>" in name or "mobile_optimizer" in name for name in frames)
