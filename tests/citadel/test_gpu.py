"""Performance on a GPU: the paper's memory case, grouped convolution, and what leads there."""

import time
from textwrap import dedent
from types import SimpleNamespace

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.session import Limits
from citadel.model import BugKind, SymptomKind
from citadel.oracle.metering import Settings
from citadel.plan.model import Adaptation, Form, Slot, Take
from citadel.propagate.probe import ProbeOutcome
from citadel.propagate.walk import probed
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow]

IN_PLACE = """
    import torch

    def peak(layer):
        x = torch.randn(64, 1024, 1024, device="cuda", requires_grad=True)
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        layer(x + 1).sum().backward()
        return torch.cuda.max_memory_allocated() - before

    plain = peak(torch.nn.ReLU(inplace=True))
    mine = peak(torch.nn.Hardtanh(inplace=True))
    print("bytes", plain, mine, mine / plain)
"""
GROUPED = """
    import time
    import torch
    x = torch.randn(8, 256, 32, 32, device="cuda")
    grouped = torch.nn.Conv2d(256, 256, 3, groups=128, device="cuda")
    plain = torch.nn.Conv2d(256, 256, 3, device="cuda")

    def seconds(layer):
        torch.cuda.synchronize()
        started = time.time()
        for _ in range(20):
            layer(x)
        torch.cuda.synchronize()
        return time.time() - started

    slow = seconds(grouped)
    fast = seconds(plain)
    print("grouped against plain:", slow / fast)
"""
NAN = """
    import torch

    x = torch.tensor([float("nan"), 1.5, -2.5])
    print(x.int())
    print(x.cuda().int())
"""
BY_ZERO = """
    import torch

    a = torch.tensor([1, 2, 3], device="cuda")
    b = torch.tensor([1, 0, 2], device="cuda")
    print(torch.floor_divide(a, b))
"""

OUT_OF_RANGE = """
    import torch
    x = torch.randn(4, 5, device="cuda")
    index = torch.tensor([[0, 1], [2, 7]], device="cuda")
    y = torch.gather(x, 1, index)
    torch.cuda.synchronize()
"""


@pytest.fixture
def on_gpu(bench, read):
    """Verify a report on the build under test, if that has a GPU."""

    def check(title, code):
        if not any(device.startswith("cuda") for device in bench.target.info.devices):
            pytest.skip(f"PyTorch {bench.target.info.version} here sees no CUDA device")
        return verify(
            read(title, code),
            bench.replays[0],
            bench.index.catalog,
            bench.target.info,
            runs=2,
            limits=Limits(wall=120.0),
        )

    return check


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("title", "code", "api"),
    [
        ("Hardtanh(inplace=True) needs more GPU memory than ReLU", IN_PLACE, "torch.nn.Hardtanh"),
        ("Conv2d with groups is slower than without", GROUPED, "torch.nn.Conv2d"),
    ],
)
def test_a_case_is_measured_on_the_gpu(on_gpu, title, code, api):
    found = on_gpu(title, dedent(code))
    assert isinstance(found, Verified)
    assert (found.case.api, found.case.kind) == (api, BugKind.PERFORMANCE)
    assert found.observation.on_gpu
    assert found.measured.oracle.gpu


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("title", "code", "api", "symptom"),
    [
        (
            "NaN becomes 0 in Tensor.int() on CUDA but INT_MIN on CPU",
            NAN,
            "torch.Tensor.int",
            SymptomKind.DISAGREES,
        ),
        (
            "torch.floor_divide accepts integer zeros as divisor on CUDA",
            BY_ZERO,
            "torch.floor_divide",
            SymptomKind.ACCEPTS,
        ),
    ],
)
def test_values_on_the_gpu(on_gpu, title, code, api, symptom):
    found = on_gpu(title, dedent(code))
    assert isinstance(found, Verified)
    assert (found.case.api, found.case.reproduces) == (api, True)
    assert found.case.symptom.kind is symptom


@pytest.mark.gpu
def test_a_kernel_that_fails_breaks_one_process_of_the_probe(bench, on_gpu):
    found = on_gpu("torch.gather fails on CUDA for an index", dedent(OUT_OF_RANGE))
    assert isinstance(found, Verified)
    assert (found.case.api, found.case.reproduces) == ("torch.gather", True)
    keys = ("arg:0", "arg:1", "arg:2")
    given = {"torch.gather": keys, "torch.exp": keys[:1], "torch.cat": keys[1:2]}
    tried = [
        Adaptation(
            target=target,
            form=Form.FUNCTION,
            receiver=None,
            new=(),
            call=tuple(Slot(name="a", keyword=False, value=Take(key=key)) for key in taken),
            edits=(),
            plausibility=0.5,
        )
        for target, taken in given.items()
    ]
    named = (SimpleNamespace(api=SimpleNamespace(name=plan.target)) for plan in tried)
    entries = [(candidate, (plan,)) for candidate, plan in zip(named, tried, strict=True)]
    deadline = time.monotonic() + 60.0
    seen = probed(found, entries, bench.probes[0], deadline=deadline, limits=Limits())
    assert {(one.candidate.api.name, one.outcome) for one in seen} == {
        ("torch.gather", ProbeOutcome.HIT),
        ("torch.exp", ProbeOutcome.CLEAN),
        ("torch.cat", ProbeOutcome.NOT_ADAPTED),
    }


def test_clocks_can_wait_for_a_device_that_is_not_there(bench):
    """The way that measures on a GPU measures wall time elsewhere."""
    code = "import time\nstarted = time.time()\ntime.sleep(0.05)\nprint(time.time() - started)"
    settings = Settings(wall=True, gpu=True)
    seen = bench.replays[0].run(
        code,
        traced=watched(instrument(code)).text,
        limits=Limits(),
        entry="measure:run",
        arguments={"warm": False, "wall": settings.wall, "gpu": settings.gpu, "points": None},
    )
    assert 0.05 <= float(seen.stdout) < 5
