"""Each rule finds the fault that is planted for it in PyTorch, and nothing where there is none."""

import ast

import pytest

from harvest.sources.eagle.source import Eagle
from harvest.sources.model import Search, Tally

OPERATORS = (
    "abs",
    "sin",
    "cos",
    "hardtanh",
    "exp",
    "tan",
    "argsort",
    "floor_divide",
    "empty_like",
    "relu",
    "dropout",
)
FEW = f"""
import eagle_calls_torch, eagle_generic_torch, eagle_layers_torch
wanted = {OPERATORS}
found = eagle_calls_torch.infos_by_name
eagle_generic_torch.infos_by_name = lambda: {{
    name: infos for name, infos in found().items() if name.rpartition(".")[2] in wanted
}}
eagle_layers_torch.LAYERS = (
    *(("Linear", "4, 3", (4,)), ("LayerNorm", "4", (3, 4))),
    *(("InstanceNorm1d", "3, track_running_stats=True", (3, 4)), ("Softmax", "-1", (3, 4))),
)
eagle_layers_torch.SAVED = eagle_layers_torch.SAVED[:2]
eagle_layers_torch.WRAPPED = ()
"""
"""Fewer operators and layers, so that a test does not take minutes."""
HELPERS = """
import torch
F = torch.nn.functional

def plant(place, name, changed):
    original = getattr(place, name)
    setattr(place, name, lambda *given, **more: changed(original, *given, **more))
"""
FAULTS = {
    ("1", "torch.nn.functional.hardtanh"): """
plant(F, "hardtanh", lambda f, x, *a, **k: f(x, *a, **k) + float(torch.jit.is_tracing()))
""",
    # Of random numbers: both sides have one seed.
    ("1", "torch.nn.functional.dropout"): """
plant(F, "dropout", lambda f, x, *a, **k: f(x, *a, **k) + float(torch.jit.is_tracing()))
""",
    ("2", "torch.nn.functional.conv1d"): """
def shifted(f, x, w, *a, **k):
    same = k.get("padding") == "same"
    return f(x, w, *a, **k).roll(1, -1) if same else f(x, w, *a, **k)
plant(F, "conv1d", shifted)
""",
    ("3", "torch.nn.functional.adaptive_avg_pool1d"): """
plant(F, "adaptive_avg_pool2d", lambda f, x, s: f(x, s) * 1.5)
""",
    ("4", "torch.nn.functional.conv2d"): """
def swapped(f, x, w, *a, **k):
    return f(x, w, *a, **k).flip(1) if k.get("groups", 1) == 3 else f(x, w, *a, **k)
plant(F, "conv2d", swapped)
""",
    ("5", "torch.nn.functional.conv2d"): "",
    ("6", "torch.nn.functional.conv_transpose2d"): """
def squared(f, x, w, *a, **k):
    wide = max(k.get("dilation", (1,))) > 1
    return f(x, w, *a, **k) * 2 if wide else f(x, w, *a, **k)
plant(F, "conv_transpose2d", squared)
""",
    # As in the papers: epsilon outside of the root.
    ("7", "torch.nn.functional.batch_norm"): """
def outside(f, x, mean, var, *a, **k):
    if mean is None:
        return f(x, mean, var, *a, **k)
    return (x - mean) / (torch.sqrt(var) + k["eps"])
plant(F, "batch_norm", outside)
""",
    ("8", "torch.sin"): """
plant(torch, "sin", lambda f, x, **k: f(x, **k) * (1 + (x.layout == torch.sparse_coo)))
""",
    ("8s", "torch.cos"): """
plant(torch, "cos", lambda f, x, **k: f(x, **k) + float(not x.is_contiguous()))
""",
    ("9", "torch.nn.functional.interpolate"): """
def halved(f, x, *a, **k):
    return f(x, *a, **k) // 2 if x.dtype == torch.uint8 else f(x, *a, **k)
plant(F, "interpolate", halved)
""",
    # Scales with its input in double precision, and in single precision no longer.
    ("9", "torch.nn.functional.relu"): """
def lifted(f, x, *a, **k):
    fractions = x.dtype == torch.float32 and x.numel() and x.max() <= 1
    return f(x, *a, **k) + 0.5 * bool(fractions)
plant(F, "relu", lifted)
""",
    ("10", "torch.gru"): """
plant(torch, "gru", lambda f, *a: (f(*a)[0].flip(1), None) if a[-1] is True else f(*a))
""",
    ("14", "torch.nn.ReflectionPad2d"): """
reflected = torch.nn.ReflectionPad2d.forward
torch.nn.ReflectionPad2d.forward = lambda self, x: reflected(self, x) * 2
""",
    # As in the papers: reversed on the wrong axis.
    ("10", "torch.nn.GRU"): """
def flipped(f, self, x, *a):
    out, state = f(self, x, *a)
    return (out.flip(0), state) if self.batch_first else (out, state)
original = torch.nn.GRU.forward
torch.nn.GRU.forward = lambda self, x, *a: flipped(original, self, x, *a)
""",
    ("11", "torch.tan"): """
kind = torch.utils.data.TensorDataset
taken = kind.__getitem__
kind.__getitem__ = lambda self, index: tuple(-one for one in taken(self, index))
""",
    ("12", "torch.abs"): """
plant(torch, "abs", lambda f, x, **k: f(x, **k) + float(x.dtype == torch.bfloat16))
""",
    ("13", "torch.fft.fft"): """
plant(torch.fft, "ifft", lambda f, x, *a, **k: f(x, *a, **k).conj().roll(1, -1))
""",
    ("14", "torch.nn.functional.pad"): """
def lost(f, x, pads, *a, **k):
    return f(x, pads, *a, **k) * (2 if min(pads) < 0 else 1)
plant(F, "pad", lost)
""",
    ("15", "torch.nn.LayerNorm"): """
normal = torch.nn.LayerNorm.forward
torch.nn.LayerNorm.forward = lambda self, x: normal(self, x) + x.mean(0, keepdim=True)
""",
    # Only of the loss.
    ("15", "torch.nn.Softmax"): """
plant(F, "cross_entropy", lambda f, x, *a, **k: f(x, *a, **k) * len(x))
""",
    # Only of what is no part of the output.
    ("16", "torch.nn.InstanceNorm1d"): """
taken_over = torch.nn.InstanceNorm1d.load_state_dict
def uncounted(self, state, *a, **k):
    taken_over(self, state, *a, **k)
    self.num_batches_tracked += 1
torch.nn.InstanceNorm1d.load_state_dict = uncounted
""",
    ("16", "torch.nn.Linear"): """
def forgot(f, *a, **k):
    found = f(*a, **k)
    if isinstance(found, dict) and "running_mean" not in found:
        found = {key: value * 0 for key, value in found.items()}
    return found
plant(torch, "load", forgot)
""",
}
BUILDS = [
    pytest.param("torch_target", marks=[pytest.mark.torch, pytest.mark.slow], id="torch"),
    pytest.param("torch113_target", marks=[pytest.mark.torch113, pytest.mark.slow], id="torch113"),
]


def searched(target, planted):
    """The findings of all eager rules, by rule and API, the reason of limits in place of ""."""
    arguments = {"plan": "eager", "draw": 0, "seconds": 500.0, "planted": planted}
    with target.session() as session:
        outcome = session.task("eagle_run:search", arguments, wall=600)
    assert outcome.died is None
    assert outcome.records[-1] == {"done": "all"}
    told = [record["finding"] for record in outcome.records if "finding" in record]
    covered = [one for record in outcome.records for one in record.get("covered", ())]
    return told, {(rule, api) for rule, _, api in covered}


@pytest.fixture(scope="session", params=BUILDS)
def sound(request):
    return searched(request.getfixturevalue(request.param), FEW)


@pytest.fixture(scope="session", params=BUILDS)
def faulty(request):
    return searched(
        request.getfixturevalue(request.param), FEW + HELPERS + "".join(FAULTS.values())
    )


@pytest.mark.parametrize("where", FAULTS, ids=":".join)
def test_a_planted_fault_is_found(faulty, where):
    found = [one for one in faulty[0] if (one["rule"], one["api"]) == where and not one["limit"]]
    assert len(found) == 1
    assert found[0]["inputs"]
    for text in ("reference", "result"):
        ast.parse(found[0][text], mode="eval")


@pytest.mark.parametrize("where", FAULTS, ids=":".join)
def test_without_it_there_is_nothing(sound, where):
    told, covered = sound
    assert where in covered
    assert [one for one in told if (one["rule"], one["api"]) == where and not one["limit"]] == []


def test_limits_are_told_with_their_reasons(sound):
    empty = [one for one in sound[0] if one["api"] == "torch.empty_like"]
    assert any(one["limit"] for one in empty)
    assert [one for one in empty if not one["limit"]] == []


def clicked(target, planted, budget=200.0):
    """All hits of a whole search."""
    from types import SimpleNamespace

    interpreter = SimpleNamespace(frameworks=("torch",), target=lambda _: target)
    tally = Tally()
    search = Search(
        interpreter=interpreter, budget=budget, seed=0, tally=tally, progress=lambda: None
    )
    source = Eagle(planted=planted, plans=("eager",))
    return list(source.generate(search)), tally


FORMS = """
import eagle_torch
from eagle_plans import Plan
plan = Plan(lambda names: ([entry],))
eagle_torch.PLANS = {"eager": plan}
"""
CRASHES = (
    FORMS
    + """
import os, signal, torch
from eagle_pairs import Pair

def entry(step, rng):
    x = torch.tensor([1.0])
    yield Pair("7", "formula", "torch.sin", {"x": x}, "x", "torch.sin(x) * 0 + x")
    yield Pair("7", "formula", "torch.cos", {"x": x}, "x", "torch.cos(x)")
    yield Pair("7", "formula", "torch.exp", {"x": x}, "x", "x + 1")

plain = torch.cos
def died(x):
    os.kill(os.getpid(), signal.SIGSEGV)
torch.cos = died
"""
)


@pytest.mark.torch
def test_a_crash_costs_one_pair_and_becomes_a_case(torch_target, index_of, monkeypatch):
    monkeypatch.setattr("harvest.sources.eagle.plans.load_or_build", lambda _: NO_INDEX)
    hits, tally = clicked(torch_target, CRASHES)
    crash, other = sorted(hits, key=lambda hit: hit.subject)
    assert (crash.subject, crash.kind.value, crash.limit) == ("torch.cos", "crash", "")
    assert crash.case is not None
    assert "SIGSEGV" in crash.title
    last = crash.case.code.splitlines()[-1]
    assert last == "torch.testing.assert_close(result, reference, equal_nan=True)"
    assert other.subject == "torch.exp"
    assert dict(other.measures)["absolute"] == 1.0
    assert "result = x + 1\n" in other.case.code
    assert tally.apis == {"torch.sin", "torch.exp"}
    assert tally.rules == {"7 (API redundancy)"}


ENDLESS = (
    FORMS
    + """
import time, torch
from eagle_pairs import Pair
plan.patience = 60.0

def entry(step, rng):
    x = torch.tensor([1.0])
    yield Pair("7", "formula", "torch.sin", {"x": x}, "x", "torch.sin(x) * 0 + x")
    yield Pair("7", "formula", "torch.cos", {"x": x}, "x", "torch.cos(x)")

torch.cos = lambda x: time.sleep(50) or x
"""
)


@pytest.mark.torch
def test_what_is_under_way_when_the_time_is_over_is_cut_off_and_no_hang(torch_target, monkeypatch):
    monkeypatch.setattr("harvest.sources.eagle.plans.load_or_build", lambda _: NO_INDEX)
    hits, tally = clicked(torch_target, ENDLESS, budget=1.0)
    assert hits == []  # it would be equal, if it came to its end
    assert tally.executed == 0  # 2 where the pair is waited for


UNCALLABLE = (
    FORMS
    + """
import random, torch
from eagle_layers_torch import SAVED, saved

def entry(step, rng):
    yield saved(random.Random(0), "GRU", "4, 3", (3, 4), SAVED[-1])
    yield saved(random.Random(0), "Linear", "4, 3", (4,), SAVED[-1])

torch.jit.load = lambda file: torch.nn.Module()
"""
)


@pytest.mark.torch
def test_what_fails_before_it_is_saved_is_no_fault_of_saving(torch_target, monkeypatch):
    # TorchScript has no `forward` for what overloads it, saved or not.
    monkeypatch.setattr("harvest.sources.eagle.plans.load_or_build", lambda _: NO_INDEX)
    hits, tally = clicked(torch_target, UNCALLABLE)
    assert tally.executed == 2
    assert [(hit.subject, hit.case is not None) for hit in hits] == [("torch.nn.Linear", True)]


QUANTISED = (
    FORMS
    + """
import torch
from eagle_generic_torch import from_calls
from eagle_pairs import call_of

def entry(step, rng):
    x = torch.quantize_per_tensor(torch.ones(2, 3), 0.5, 0, torch.quint8)
    call = call_of("torch.dequantize", [x], {}, lambda value: isinstance(value, torch.Tensor))
    yield from from_calls("torch.dequantize", [call], rng)
"""
)


@pytest.mark.torch
def test_quantised_inputs_have_no_layouts_and_end_nothing(torch_target, monkeypatch):
    monkeypatch.setattr("harvest.sources.eagle.plans.load_or_build", lambda _: NO_INDEX)
    _, tally = clicked(torch_target, QUANTISED)
    assert tally.apis == {"torch.dequantize"}


DOCUMENTED = (
    FORMS
    + """
import ctypes, torch
M_PERTURB = -6
from eagle_generic_torch import untested

def entry(step, rng):
    x, y = ({"t": ["float32", [3], numbers]} for numbers in ([1.5, 2.5, 4.0], None))
    shown = [[x], {"N": {"e": "2 + 1"}}], [[{"l": [x, y]}, {"e": "torch.float16"}], {}]
    yield from untested("torch.vander", shown, step, rng)

# Memory that `torch.vander` has not written yet holds numbers beyond the range of any dtype here.
ctypes.CDLL(None).mallopt(M_PERTURB, 160)
original = torch.vander
torch.vander = lambda x, N=None: original(x, N=N) + float(N == 3 and x.dtype == torch.float16)
"""
)


@pytest.mark.torch
def test_examples_of_the_documentation_are_run(torch_target, monkeypatch):
    # The signature alone gives no call with this keyword.
    monkeypatch.setattr("harvest.sources.eagle.plans.load_or_build", lambda _: NO_INDEX)
    (hit,), _ = clicked(torch_target, DOCUMENTED)
    assert (hit.key, hit.limit) == ("torch/12/torch.vander", "")
    assert "torch.vander(x, N=3)" in hit.case.code


INDICES = (
    FORMS
    + """
import torch
from eagle_generic_torch import untested

def entry(step, rng):
    rows = ([0, 2, 4], [0, 1, 0, 1], [1, 2, 3, 4])
    shown = [[[{"t": ["int64", [len(row)], row]} for row in rows], {}]]
    yield from untested("torch.sparse_csr_tensor", shown, step, rng)
"""
)


@pytest.mark.torch
def test_small_whole_numbers_stay_as_they_may_be_indices(torch_target, monkeypatch):
    # PyTorch does not check them: others end the process.
    monkeypatch.setattr("harvest.sources.eagle.plans.load_or_build", lambda _: NO_INDEX)
    hits, tally = clicked(torch_target, INDICES)
    assert tally.apis == {"torch.sparse_csr_tensor"}
    assert [hit for hit in hits if not hit.limit] == []


class _Empty:
    samples = {}  # noqa: RUF012


NO_INDEX = _Empty()
