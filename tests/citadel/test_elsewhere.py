"""Cases in other ways to run them, on real builds."""

import pytest

from analysis.target.frameworks import COMPILER
from analysis.target.session import Limits
from citadel.elsewhere import Script, at, in_ways
from citadel.model import Symptom, SymptomKind
from citadel.oracle import status
from citadel.places import State

LIMITS = Limits(wall=30.0)
WRONG = Symptom(kind=SymptomKind.FALSE, where="y")
TORCH = {
    "wrong in all": (
        "torch.linalg.norm",
        "x = torch.full((2,), 1e20)\ny = torch.linalg.norm(x)\nassert y.isfinite()",
        {"eager": "bad", "aot_eager": "bad", "inductor": "bad"},
    ),
    "a layer": (
        "torch.nn.RMSNorm",
        "y = torch.nn.RMSNorm(2)(torch.full((2,), 1e20))\nassert y.any()",
        {"eager": "bad", "aot_eager": "bad", "inductor": "bad"},
    ),
    "under another name": (
        "torch.Tensor.norm",
        "y = torch.full((2,), 1e20).norm()\nassert y.isfinite()",
        {"eager": "bad", "aot_eager": "bad", "inductor": "bad"},
    ),
    "an operator and its overload": (
        "torch.ops.aten.linalg_vector_norm",
        "x = torch.full((2,), 1e20)\nf = torch.ops.aten.linalg_vector_norm\n"
        "assert f.default(x).equal(f(x))\nassert f(x).isfinite()",
        {"eager": "bad", "aot_eager": "bad", "inductor": "bad"},
    ),
    "wrong if compiled": (
        "torch.abs",
        "def f(x):\n    return torch.abs(x) + torch.compiler.is_compiling()\n"
        "y = torch.compile(f, backend='eager', fullgraph=True)(torch.zeros(2))\nassert not y.any()",
        {"eager": "good", "aot_eager": "bad", "inductor": "bad"},
    ),
    "compiled by a decorator": (
        "torch.abs",
        "@torch.compile(dynamic=True)\ndef f(x):\n    return x + torch.compiler.is_compiling()\n"
        "assert not f(torch.zeros(2)).any()",
        {"eager": "good", "aot_eager": "bad", "inductor": "bad"},
    ),
    "a reference, then compiled": (
        "torch.Tensor.abs",
        "def f(x):\n    return x.abs() + torch.compiler.is_compiling()\n"
        "x = torch.zeros(2)\nassert f(x).equal(torch.compile(f, backend='eager')(x))",
        {"eager": "good", "aot_eager": "bad", "inductor": "bad"},
    ),
    "its API is not called": ("torch.exp", "assert False", {"eager": "bad"}),
    "an object": ("torch.optim.SGD", "assert not torch.optim.SGD", {"eager": "bad"}),
}
TENSORFLOW = {
    "wrong in all": (
        "tf.norm",
        "y = tf.norm(tf.constant([1e20, 1e20]))\nassert y.numpy() < 1e30",
        {"eager": "bad", "graph": "bad", "xla": "bad"},
    ),
    "a reference, then compiled by XLA": (
        "tf.gather",
        "def accepted(call):\n    try:\n        call()\n"
        "    except tf.errors.InvalidArgumentError:\n        return False\n    return True\n"
        "def f():\n    return tf.gather(tf.constant([1, 2]), [7])\n"
        "assert accepted(f) == accepted(tf.function(f, jit_compile=True))",
        {"eager": "good", "graph": "good", "xla": "bad"},
    ),
    "a concrete function": (
        "tf.function",
        "f = tf.function(tf.abs, [tf.TensorSpec([])]).get_concrete_function()\nassert False",
        {"eager": "bad", "graph": "bad", "xla": "bad"},
    ),
    "wrong in graphs": (
        "tf.abs",
        "@tf.function(jit_compile=True)\ndef f(x):\n"
        "    return tf.abs(x) if tf.executing_eagerly() else x\n"
        "assert f(tf.constant(-1.0)) == 1.0",
        {"eager": "good", "graph": "bad", "xla": "bad"},
    ),
    "wrong if compiled by XLA": (
        "tf.gather",
        "try:\n    tf.gather(tf.constant([1, 2]), tf.constant([7]))\n"
        "except tf.errors.InvalidArgumentError:\n    pass\n"
        "else:\n    raise AssertionError('accepted')",
        {"eager": "good", "graph": "good", "xla": "bad"},
    ),
}


def script(api, code, control="", symptom=WRONG):
    root = {"torch": "import torch", "tf": "import tensorflow as tf"}[api.partition(".")[0]]
    control = control and f"{root}\n{control}\n"
    return Script(code=f"{root}\n{code}\n", control=control, api=api, symptom=symptom)


@pytest.fixture(scope="module")
def session(torch_target):
    with torch_target.session() as running:
        running.ask_for(COMPILER.variables, COMPILER.modules)
        yield running


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("name", TORCH)
def test_ways_of_torch(session, name):
    api, code, told = TORCH[name]
    found = in_ways(script(api, code), [api], "torch", session, LIMITS)
    assert {place.name: str(place.state) for place in found} == told


@pytest.mark.tf
@pytest.mark.slow
@pytest.mark.parametrize("name", TENSORFLOW)
def test_ways_of_tensorflow(tf_target, name):
    api, code, told = TENSORFLOW[name]
    with tf_target.session() as session:
        found = in_ways(script(api, code), [api], "tensorflow", session, LIMITS)
        assert {place.name: str(place.state) for place in found} == told


@pytest.mark.torch
def test_what_a_session_says(session):
    wrong = "assert torch.ones(1).isnan()"

    def state(*given, **more):
        return at("here", script("torch.ones", *given, **more), session, LIMITS).state

    assert state(wrong) is State.BAD
    assert state(wrong, control="pass") is State.BAD
    assert state(wrong, control="raise ValueError") is State.UNSURE
    assert state("pass") is State.GOOD
    assert state("raise ValueError('x')") is State.OTHERWISE
    raised = status.raises("ValueError", "x")
    assert state("raise ValueError('x')", symptom=raised) is State.BAD
    lacking = status.raises("AttributeError", "module 'torch' has no attribute 'ones'")
    assert state("raise AttributeError('no attribute ones')") is State.LACKS
    told = "raise AttributeError(\"module 'torch' has no attribute 'ones'\")"
    assert state(told, symptom=lacking) is State.BAD  # as it was recorded


class InTurns:
    """A session whose runs are of these scripts, one after the other, whatever is to be run."""

    def __init__(self, session, codes):
        self.session, self.codes = session, iter(codes)

    def run(self, _, limits, **_how):
        return self.session.run(next(self.codes), limits=limits)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("ends", "state"),
    [
        (["assert False"] * 2, State.BAD),
        (["pass"] * 2, State.GOOD),
        (["pass", "assert False", "assert False"], State.BAD),
        (["pass", "assert False", "pass"], State.GOOD),
        (["raise ValueError", "raise ValueError"], State.OTHERWISE),
        (["raise ValueError", "pass", "raise ValueError"], State.OTHERWISE),
        (["raise ValueError", "pass", "assert False"], State.UNSURE),
    ],
)
def test_of_what_is_measured_two_of_three_runs_agree(session, ends, state):
    slow = Symptom(kind=SymptomKind.SLOW, where="slow / fast", ratio=4.0)
    case = Script(code="assert False", control="", api="torch.ones", symptom=slow)
    runs = InTurns(session, ends)
    assert at("here", case, runs, LIMITS).state is state
