"""What is seen of a traced run on PyTorch: calls, values, layers, the call that never returned."""

import re

import pytest

from analysis.target.instrument import instrument
from analysis.target.observation import Outcome


@pytest.fixture
def trace(torch_session):
    def run(code, **given):
        return torch_session.run(code, traced=instrument(code).traced, **given)

    return run


def test_calls_with_their_values(trace):
    seen = trace("import torch\nx = torch.ones(2, 3)\ny = torch.sum(x, dim=1, keepdim=True)\n")
    ones, total = seen.calls
    assert (ones.name, ones.form, ones.site) == ("torch.ones", "function", 0)
    assert [argument.value.text for argument in ones.arguments] == ["2", "3"]
    assert (total.arguments[0].value.shape, total.arguments[0].value.dtype) == ((2, 3), "float32")
    assert total.arguments[0].id == ones.result.id
    assert {name: value.value.text for name, value in total.keywords} == {
        "dim": "1",
        "keepdim": "True",
    }
    assert total.result.value.shape == (2, 1)
    assert total.finished


def test_methods_and_in_place_results(trace):
    seen = trace("import torch\nx = torch.zeros(2)\ny = x.add_(1)\nz = torch.Tensor.mul(x, 2)\n")
    added, multiplied = seen.calls[1:]
    assert (added.name, added.form) == ("torch.Tensor.add_", "method")
    assert added.receiver.id == added.result.id == seen.calls[0].result.id
    assert (multiplied.name, multiplied.form) == ("torch.Tensor.mul", "unbound")
    assert multiplied.result.id != multiplied.receiver


def test_layers_and_their_construction(trace):
    seen = trace(
        "import torch\nlayer = torch.nn.Linear(2, 3, bias=False)\ny = layer(torch.ones(1, 2))\n"
    )
    made = next(call for call in seen.calls if call.form == "class")
    assert made.name.endswith("Linear")
    called = next(call for call in seen.calls if call.form == "module")
    assert called.receiver.id == made.result.id
    assert called.receiver.value.items[0].shape == (3, 2)
    assert called.result.value.shape == (1, 3)


@pytest.mark.parametrize("method", ["__len__", "__getitem__", "__iter__"])
def test_lists_of_the_cases_own_are_read_without_their_methods(trace, method):
    seen = trace(
        f"import torch\nclass L(list):\n    def {method}(self, *_):\n"
        "        raise ValueError('touched')\n"
        "x = torch.ones(2)\nheld = L([x])\ny = torch.floor(x)\n"
    )
    assert seen.outcome is Outcome.OK
    assert [call.name for call in seen.calls if call.form == "function"] == [
        "torch.ones",
        "torch.floor",
    ]


def test_the_call_that_never_returned(trace):
    seen = trace(
        "import os, torch\nclass F(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x): os.abort()\n"
        "print('on')\nF.apply(torch.ones(1))\n"
    )
    assert (seen.outcome, seen.signal, seen.stdout) == (Outcome.SIGNAL, "SIGABRT", "on\n")
    assert [call.finished for call in seen.calls] == [True, False]


def test_the_call_that_raised(trace):
    seen = trace("import torch\ndef f(x):\n    return x.view(7)\nf(torch.ones(2))\n")
    assert seen.outcome is Outcome.EXCEPTION
    assert seen.exception.types[:2] == ("RuntimeError", "Exception")
    assert [(frame.file, frame.line) for frame in seen.exception.frames] == [
        ("case.py", 4),
        ("case.py", 3),
    ]
    failed = [call for call in seen.calls if call.raised is not None]
    assert failed[-1].name == "torch.Tensor.view"
    assert failed[-1].raised.message == seen.exception.message


def test_long_loops_stay_small(trace):
    seen = trace("import torch\nx = torch.zeros(1)\nfor _ in range(100_000): x.dim()\nx.view(5)\n")
    assert seen.exception.type == "RuntimeError"
    assert len(seen.calls) < 1000
    assert seen.calls[-1].name == "torch.Tensor.view"
    assert seen.peak < 600 << 20


def test_tracing_changes_no_result(torch_session):
    code = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = (model(torch.randn(5, 4)) ** 2).mean()
    loss.backward()
    optimizer.step()
x = torch.arange(6).reshape(2, 3); x[0] += 1; x[:, 1:] = -x[:, :2] @ torch.ones(2, 2).long()
print(loss.item(), x.tolist(), x.T.shape, (x > 1).sum(), x[..., None].size())
"""
    plain = torch_session.run(code, seed=3)
    seen = torch_session.run(code, traced=instrument(code).traced, seed=3)
    assert plain.outcome is Outcome.OK, plain
    assert seen.stdout == plain.stdout


FAILING = "import torch\nfrom torch import nn\nx = torch.tensor([1j])\n"


@pytest.mark.parametrize(
    ("code", "name", "form", "arguments"),
    [
        ("list(map(torch.floor, [x]))", "torch.floor", "handed", 1),
        ("list(map(torch.Tensor.floor, [x]))", "torch.Tensor.floor", "handed", 1),
        ("from torch.utils.checkpoint import checkpoint\n"
         "checkpoint(torch.floor, x, use_reentrant=False)", "torch.floor", "handed", 1),
        ("sorted([x], key=torch.floor)", "torch.floor", "handed", 1),
        ("list(map(nn.Softmax(7), [x]))", "torch.nn.modules.activation.Softmax", "inner", 1),
        ("from functools import partial\npartial(torch.sum, x)(9)", "torch.sum", "function", 2),
        ("nn.Softmax(7).forward(x)", "torch.nn.modules.activation.Softmax", "module", 1),
        ("class A(nn.Softmax): pass\nA(7)(x)", "torch.nn.modules.activation.Softmax", "module", 1),
    ],
)  # fmt: skip
def test_calls_that_the_text_does_not_make_itself(trace, code, name, form, arguments):
    seen = trace(f"{FAILING}{code}\n")
    failed = [call for call in seen.calls if call.raised is not None]
    found = max(failed, key=lambda call: (call.depth, call.number))
    assert (found.name, found.form, len(found.arguments)) == (name, form, arguments)


def test_what_wraps_a_method_that_is_handed_over_has_its_name(trace):
    """Then what it is given is known to be the method's, and can be changed for it."""
    if trace("import torch; print(torch.__version__)").stdout.startswith("1."):
        pytest.skip("torch.vmap tells of no call before 2.0")
    seen = trace("import torch\ntorch.vmap(torch.Tensor.abs)(torch.ones(3))\n")
    assert any(re.match(r"torch\..*TensorBase\.abs$", call.name) for call in seen.calls), seen.calls


def test_what_torchscript_was_made_from_tells_which_call_failed(trace):
    if trace("import torch; print(torch.__version__)").stdout.startswith("1."):
        pytest.skip("the source of a scripted function is known from 2.0 on")
    seen = trace(f"{FAILING}@torch.jit.script\ndef f(t):\n    return torch.floor(t)\nf(x)\n")
    whole, inner = (call for call in seen.calls if call.raised is not None)
    assert (inner.name, inner.depth) == ("torch.floor", whole.depth + 1)
    assert inner.raised.message in whole.raised.message == seen.exception.message


def test_the_construction_of_a_class_that_is_derived(trace):
    code = """
class Pool(nn.MaxPool2d):
    def __init__(self, size):
        super().__init__(size, stride=0)
Pool(2)(torch.rand(1, 1, 4, 4))
"""
    seen = trace(FAILING + code)
    built, called = (call for call in seen.calls if call.name.endswith("MaxPool2d"))
    assert (built.form, [a.value.text for a in built.arguments]) == ("class", ["2"])
    assert (called.form, called.receiver.id) == ("module", built.result.id)
    assert called.raised is not None


@pytest.mark.parametrize(
    "code",
    [
        "print(map, isinstance(nn.ReLU(), nn.ReLU), callable(torch.abs), torch.abs.__name__)",
        "d = dict(f=torch.abs); l = []; l.append(torch.abs); print(d['f'] is torch.abs is l[0])",
        "from functools import partial, wraps\nprint(partial(torch.abs).func is torch.abs)",
        "import inspect; print(inspect.isbuiltin(torch.abs))",
        "import copy; print(copy.copy(torch.abs) is torch.abs)",
        "print(hash(torch.abs) == hash(torch.abs), {torch.abs: 1}.get(torch.abs))",
        "print(list(map(torch.abs, [torch.ones(1)])), max([-1, 1], key=abs))",
        "print(torch.jit.script(torch.nn.ReLU())(torch.ones(1)))",
    ],
)
def test_functions_that_are_handed_over_stay_what_they_are(torch_session, code):
    code = f"{FAILING}{code}\n"
    plain = torch_session.run(code)
    seen = torch_session.run(code, traced=instrument(code).traced)
    assert plain.outcome is Outcome.OK, plain
    assert seen.stdout == plain.stdout


def test_a_run_may_end_where_an_api_is_reached(trace):
    code = "import torch\nx = torch.ones(2)\ny = torch.exp(x)\nz = torch.log(y)\nprint(z)\n"
    seen = trace(code, entry="reached:run", arguments={"names": ["torch.exp"]})
    assert [(call.name, call.finished) for call in seen.calls] == [
        ("torch.ones", True),
        ("torch.exp", False),
    ]
    assert (seen.outcome, seen.stdout) == (Outcome.EXIT, "")
    whole = trace(code, entry="reached:run", arguments={"names": ["torch.sin"]})
    assert (len(whole.calls), whole.outcome) == (4, Outcome.OK)


def test_compilers_leave_the_tracers_own_frames_alone(trace, torch_session):
    """A graph ends at each call of the tracer; what runs then must not be compiled in its turn."""
    if trace("import torch; print(torch.__version__)").stdout.startswith("1."):
        pytest.skip("no torch.compile before 2.0")
    code = """
import torch
from torch._dynamo.utils import counters
def add(t):
    return torch.nn.functional.silu(t.expand(4) + 1)
print(torch.compile(add, backend="eager")(torch.ones(1)).shape)
print("frames", counters["frames"]["total"])
"""
    torch_session.ask_for({}, ["torch._dynamo"])
    try:
        seen = trace(code)
    finally:
        torch_session.ask_for({})
    assert {"torch.nn.functional.silu", "torch.Tensor.expand"} <= {call.name for call in seen.calls}
    frames = int(seen.stdout.split("frames")[1])
    assert frames <= 6, seen.stdout  # those of `add`, in pieces
    assert not seen.stderr


def test_what_runs_in_a_compiled_function_is_known(trace):
    if trace("import torch; print(torch.__version__)").stdout.startswith("1."):
        pytest.skip("no torch.compile before 2.0")
    seen = trace(
        "import torch\ndef f(x):\n    return torch.exp(x)\n"
        "f(torch.ones(2))\ntorch.compile(f, backend='eager')(torch.ones(2))\n"
    )
    calls = [call for call in seen.calls if call.name == "torch.exp"]
    assert [call.compiled for call in calls] == [False, True]
    assert not any(call.compiled for call in seen.calls if call.name == "torch.ones")
