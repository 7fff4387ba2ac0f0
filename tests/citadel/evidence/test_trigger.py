"""What brings a bug about, and what becomes of a sibling under the same cure, on real PyTorch."""

import pytest

from analysis.target.session import Limits
from citadel.evidence.trigger import find_trigger, plan_key, reruns_of
from citadel.experiment import Class, Under
from citadel.model import Road
from citadel.options import Options
from citadel.plan.invocation import invocation
from citadel.propagate.walk import Walk
from citadel.spread.derive import relations_of
from citadel.triage import triage, verify_on
from citadel.verify.verified import Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow]

OPTIONS = Options(runs=1, limits=Limits(wall=20.0))
TRIGGERS = {
    "dtype of the input": (
        "torch.fft.rfft2 fails for half precision",
        "x = torch.ones(4, 4, dtype=torch.float16)\nprint(torch.fft.rfft2(x))",
        "RuntimeError: Unsupported dtype Half",
        [("wider", "arg:0"), ("float32", "arg:0")],
    ),
    "layout": (
        "torch.Tensor.view fails for a transposed tensor",
        "x = torch.ones(2, 3).t()\nprint(x.view(6))",
        "RuntimeError: view size is not compatible with input tensor's size and stride",
        [("contiguous", "recv")],
    ),
    "one argument of two": (
        "torch.gather fails for a large index",
        "x = torch.ones(3)\ni = torch.tensor([99])\nprint(torch.gather(x, 0, i))",
        "RuntimeError: index 99 is out of bounds for dimension 0 with size 3",
        [("small", "arg:2"), ("first-index", "arg:2")],
    ),
    "of the construction": (
        "torch.nn.PixelShuffle(0) fails",
        "x = torch.ones(1, 4, 2, 2)\nprint(torch.nn.PixelShuffle(0)(x))",
        "RuntimeError: pixel_shuffle expects a positive upscale_factor, but got 0",
        [("nonzero", "new:0")],
    ),
    "a value": (
        "torch.linalg.vector_norm overflows",
        "x = torch.full((4,), 1e30)\ny = torch.linalg.vector_norm(x)\nassert torch.isfinite(y), y",
        "AssertionError: tensor(inf)",
        [("wider", "arg:0"), ("small", "arg:0")],
    ),
    "a value of which only that it is wrong is told": (
        "torch.nn.functional.normalize gives zeros for large numbers",
        "v = torch.tensor([[3.0, 4.0]]) * 1e25\nprint(torch.nn.functional.normalize(v))",
        "tensor([[0., 0.]])",
        [("wider", "arg:0")],
    ),
    "several facts together": (
        "torch.nn.functional.max_pool1d overflows",
        "x = torch.ones(1, 8)\nhuge = 2 ** 63\n"
        "print(torch.nn.functional.max_pool1d(x, [huge], [huge]))",
        "TypeError: max_pool1d(): argument 'kernel_size' failed to unpack",
        [("small", "arg:1"), ("small", "arg:2")],
    ),
}


def reading_of(read, title, code, text):
    return read(title, f"import torch\n{code}", text=f"```\n{text}\n```")


def examined(bench, reading):
    """The case, its trigger, and the use of the API that is blamed."""
    verified = verify_on(reading, bench, OPTIONS)
    assert isinstance(verified, Verified), verified
    use = invocation(verified.call, verified.api, verified.observation.calls)
    session = bench.replays[0]
    again = reruns_of(verified, use, session, bench.catalog, OPTIONS.limits)
    return verified, find_trigger(again, use, verified.api, verified.observation.wall), use


def trigger_of(bench, reading):
    return examined(bench, reading)[1]


@pytest.mark.parametrize("name", TRIGGERS)
def test_a_trigger_is_found(bench, read, name):
    title, code, text, wanted = TRIGGERS[name]
    trigger = trigger_of(bench, reading_of(read, title, code, text))
    found = {(one.variation, one.key) for cure in trigger.cures for one in cure.changes}
    assert found >= set(wanted)
    assert trigger.tried <= 40


def test_the_trigger_is_told_in_one_line(bench, read):
    title, code, text, _ = TRIGGERS["layout"]
    trigger = trigger_of(bench, reading_of(read, title, code, text))
    assert trigger.sentence == "`self` is not contiguous (contiguous: works)"
    assert trigger.to_json()["variations"] == ["contiguous"]


def test_what_nothing_cures_has_no_trigger(bench, read):
    code = "x = torch.ones(3)\nassert torch.sum(x).item() == 4.0"
    reading = reading_of(read, "torch.sum gives 3 instead of 4", code, "AssertionError")
    assert trigger_of(bench, reading).cures == ()


SWALLOWED = "x = torch.tensor([float('nan'), 1.0])\nprint(torch.sign(x))"


@pytest.mark.parametrize(
    ("title", "code", "text", "guessed"),
    [
        (*TRIGGERS["a value"][:3], False),
        (*TRIGGERS["layout"][:3], False),
        ("torch.sign gives a wrong value for NaN", SWALLOWED, "tensor([0., 1.])", True),
    ],
)
def test_a_fact_that_cures_nothing_is_a_guess(bench, read, title, code, text, guessed):
    verified, trigger, use = examined(bench, reading_of(read, title, code, text))
    asked = [one for one in relations_of(verified, trigger, use) if one.infections]
    first = next(one for one in asked if one.infections[0].given.fact.name != "is")
    assert first.guessed is guessed, str(first)


UNCURED = {
    "a layer that can be built in another way is not cured by that": (
        "torch.nn.Linear fails for other features",
        "m = torch.nn.Linear(20, 3)\nprint(m(torch.ones(2, 7)))",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x7 and 20x3)",
        "new:0",
    ),
    "what an in-place call writes to a copy is not seen": (
        "torch.Tensor.sinh_ gives inf",
        "x = torch.full((3,), 1000.0)\nx.sinh_()\nassert torch.isfinite(x).all()",
        "AssertionError",
        "recv",
    ),
}


@pytest.mark.parametrize("name", UNCURED)
def test_what_proves_nothing_is_no_cure(bench, read, name):
    title, code, text, key = UNCURED[name]
    trigger = trigger_of(bench, reading_of(read, title, code, text))
    found = {(one.variation, one.key) for cure in trigger.cures for one in cure.changes}
    assert (("small", key) in found or ("wider", key) in found) is False


def test_findings_have_controls(bench, read):
    title, code, text, _ = TRIGGERS["dtype of the input"]
    options = Options(road=Road.CALL, walk=Walk(siblings=40), runs=1, limits=Limits(wall=20.0))
    done = triage(reading_of(read, title, code, text), bench, options)
    assert "float16" in done.case.trigger.sentence
    one = next(found for found in done.bugs if found.api == "torch.fft.fft2")
    assert one.evidence.kind is Class.CONTROLLED
    assert {control.outcome for control in one.evidence.controls} == {Under.CURED}
    assert one.evidence.same_job is True
    assert "torch.fft.fft2(x.to(torch.float64))" in one.evidence.control.code
    assert one.verdict.confidence > 0.5


SLOW = """
import time
torch.set_num_threads(1)
def best(step):
    step()
    times = []
    for _ in range(5):
        started = time.perf_counter()
        step()
        times.append(time.perf_counter() - started)
    return min(times)
u, v = torch.rand(384, 384), torch.rand(384, 384)
dense = best(lambda: torch.mm(u, v))
us = u.to_sparse()
sparse = best(lambda: torch.mm(us, v))
print(f"sparse is {sparse / dense:.1f} times slower")
"""


@pytest.mark.alone
def test_of_a_slow_call_a_change_that_pays_is_the_trigger_and_the_control(bench, read):
    """A busy machine hides it now and then, and must never say the contrary."""
    title = "torch.mm of a full sparse tensor is much slower than of the dense one"
    reading = reading_of(read, title, SLOW, "sparse is 12.0 times slower")
    tried = (trigger_of(bench, reading) for _ in range(4))
    cure = next(trigger.cures[0] for trigger in tried if trigger.cures)
    assert cure.sentence.endswith("(dense: faster, change included)")
    assert cure.gain > 1.15
    options = Options(road=Road.CALL, walk=Walk(siblings=30), runs=1, limits=Limits(wall=60.0))
    done = triage(reading, bench, options)
    one = next(found for found in done.bugs if found.api == "torch.matmul")
    assert Under.SHOWN not in {control.outcome for control in one.evidence.controls}


@pytest.mark.parametrize(
    ("stage", "key", "own"), [("new", "kw:bias", "newkw:bias"), ("call", "recv", "recv")]
)
def test_keys_of_plans(stage, key, own):
    assert plan_key(stage, key) == own
