"""Reports about memory and time, verified and judged by real runs; what is planted is large."""

from dataclasses import replace
from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.judge.performance import judge_performance
from citadel.model import BugKind, SymptomKind, VerdictKind
from citadel.oracle.quantities import Topic
from citadel.plan.model import Adaptation, Form
from citadel.rewrite.rewriter import Rewritten
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified, Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.alone]

SAVED = """
    import torch
    from torch.autograd.graph import saved_tensors_hooks

    def saved_bytes(layer):
        kept = {}

        def pack(tensor):
            kept[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
            return tensor

        x = torch.ones(64, 64, requires_grad=True)
        with saved_tensors_hooks(pack, lambda tensor: tensor):
            layer(x.exp())
        return sum(kept.values())

    plain = saved_bytes(torch.nn.ReLU(inplace=True))
    mine = saved_bytes(torch.nn.Hardtanh(0.0, 6.0, inplace=True))
    print("saved bytes", plain, mine, mine / plain)
"""
SLOW = """
    import time
    import torch
    x = torch.rand(200, 200)

    def seconds(work):
        started = time.perf_counter()
        for _ in range(50):
            work()
        return time.perf_counter() - started

    slow = seconds(lambda: [torch.sin(x) for _ in range(20)])
    fast = seconds(lambda: x.sin())
    print("slower by", slow / fast)
"""
PLAN = Adaptation(
    target="",
    form=Form.FUNCTION,
    receiver=None,
    new=(),
    call=(),
    edits=(),
    plausibility=1.0,
)


TIMED = """
    In [1]: import torch
    In [2]: x = torch.rand(200, 200)
    In [3]: %timeit [torch.erfinv(x) for _ in range(20)]
    9.1 ms ± 0.2 ms per loop (mean ± std. dev. of 7 runs, 100 loops each)
    In [4]: %timeit torch.abs(x)
    12 us ± 1 us per loop (mean ± std. dev. of 7 runs, 100 loops each)
"""


@pytest.fixture
def verified(bench, read):
    def check(title, code, text=""):
        return verify(
            read(title, code, text=text),
            bench.replays[0],
            bench.index.catalog,
            bench.target.info,
            runs=2,
            limits=Limits(wall=20.0),
        )

    return check


@pytest.fixture
def judged(bench):
    def check(found, code, target, *, close=True, references=False, **fields):
        return judge_performance(
            Rewritten(code=dedent(code), edits=(), sites={}, references=references),
            replace(PLAN, target=target, **fields),
            bench.index.catalog.resolve(target),
            found.measured,
            bench.replays[0],
            bench.index.catalog,
            close=close,
            limits=Limits(wall=20.0),
        )

    return check


def test_memory_that_a_report_counts(verified, judged):
    found = verified("Hardtanh(inplace=True) keeps extra memory", SAVED)
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.kind) == ("torch.nn.Hardtanh", BugKind.PERFORMANCE)
    assert found.case.symptom.kind is SymptomKind.MEMORY
    assert found.case.reproduces
    assert found.case.symptom.ratio == 2.0
    code = SAVED.replace("Hardtanh(0.0, 6.0, inplace=True)", "ReLU6(inplace=True)")
    verdict = judged(found, code, "torch.nn.ReLU6")
    assert (verdict.kind, verdict.samples) == (VerdictKind.BUG, (2.0, 2.0))
    assert any("process of its own" in guard for guard in verdict.guards)
    code = SAVED.replace("Hardtanh(0.0, 6.0, inplace=True)", "LeakyReLU(inplace=True)")
    clean = judged(found, code, "torch.nn.LeakyReLU")
    assert clean.kind is VerdictKind.CLEAN
    assert clean.guards[0] == "the sibling is called"
    code = SAVED.replace("Hardtanh(0.0, 6.0, inplace=True)", "SiLU(inplace=True)")
    verdict = judged(found, code, "torch.nn.SiLU")
    assert (verdict.kind, verdict.symptom.ratio) == (VerdictKind.EXPECTED, 2.0)
    assert any("log ratio between" in guard for guard in verdict.guards)
    assert "goes up and down" in verdict.reason


BESIDE = """
    import time
    import numpy as np
    import torch
    x = torch.rand(300, 300)
    a = x.numpy()

    def seconds(work):
        started = time.perf_counter()
        for _ in range(5):
            work()
        return time.perf_counter() - started

    slow = seconds(lambda: torch.erfinv(x))
    fast = seconds(lambda: np.negative(a))
    print("slower by", slow / fast)
"""


@pytest.mark.parametrize(
    ("call", "target", "kind"),
    [
        (
            "torch.special.ndtri((x + 1) / 2) / 2**0.5",
            "torch.special.ndtri",
            VerdictKind.NOT_ADAPTED,
        ),
        ("x.erfinv()", "torch.Tensor.erfinv", VerdictKind.BUG),
        ("torch.lgamma(x)", "torch.lgamma", VerdictKind.NOT_ADAPTED),
        ("torch.asinh(x * 0)", "torch.asinh", VerdictKind.NOT_ADAPTED),
    ],
)
def test_what_comes_to_the_same_should_be_as_fast(verified, judged, call, target, kind):
    found = verified("torch.erfinv is slower than NumPy", BESIDE)
    assert isinstance(found, Verified), found
    assert found.measured.referred
    code = BESIDE.replace("torch.erfinv(x)", call)
    assert judged(found, code, target, close=False).kind is kind


ONE_PLACE = """
    import time
    import torch
    x = torch.linspace(-1.0, 1.0, 20000)

    def seconds(f, n):
        started = time.perf_counter()
        for _ in range(3):
            f(x, n)
        return time.perf_counter() - started

    fast = seconds(torch.special.chebyshev_polynomial_t, 300)
    slow = seconds(torch.special.legendre_polynomial_p, 300)
    print("slower by", slow / fast)
"""


@pytest.mark.parametrize("target", ["torch.vander", "torch.special.multigammaln"])
def test_what_is_called_first_at_a_place_is_not_the_sibling(verified, judged, target):
    title = "legendre_polynomial_p is slower than chebyshev_polynomial_t"
    found = verified(title, ONE_PLACE)
    assert isinstance(found, Verified), found
    assert found.measured.referred
    code = ONE_PLACE.replace("torch.special.legendre_polynomial_p", target)
    verdict = judged(found, code, target, close=False)
    assert verdict.kind is VerdictKind.NOT_ADAPTED
    assert "need not be as fast" in verdict.reason


PROFILED = """
    import torch
    from torch.profiler import ProfilerActivity, profile
    F = torch.nn.functional
    x = torch.randn(500, 500)

    def run(f):
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as prof:
            f(x, inplace=True)
        return prof.key_averages()

    def used(f):
        return sum(max(e.self_cpu_memory_usage, 0) for e in run(f))

    {shown}
"""


@pytest.mark.parametrize(
    "shown",
    [
        'print("F", used(F.{0}), "relu", used(F.relu))',
        "assert used(F.{0}) <= used(F.relu)",
        'print(run(F.{0}).table(sort_by="self_cpu_memory_usage"), run(F.relu).table())',
    ],
)
@pytest.mark.parametrize(("function", "copies"), [("dropout", True), ("mish", False)])
def test_memory_that_a_profiler_tells(verified, shown, function, copies):
    """`mish` takes far longer than `relu`; in place, neither allocates anything."""
    code = PROFILED.replace("{shown}", shown.format(function))
    found = verified(f"F.{function} allocates more memory than F.relu", code)
    assert isinstance(found, Verified), found
    assert found.measured.oracle.topic is Topic.MEMORY
    assert (found.case.reproduces, found.measured.oracle.ratio > 1) == (copies, copies)


@pytest.mark.parametrize(
    ("target", "close", "renamed", "promises"),
    [
        ("torch.nn.Softsign", True, (), False),
        ("torch.nn.functional.hardtanh_", True, (), True),
        ("torch.nn.functional.hardtanh_", False, (), False),
        ("torch.nn.functional.hardtanh_", True, (("inplace", "min_val"),), False),
        ("torch.Tensor.__pow__", True, (), False),
    ],
)
def test_a_sibling_without_the_reports_flag_promises_nothing(
    verified, judged, target, close, renamed, promises
):
    found = verified("Hardtanh(inplace=True) keeps extra memory", SAVED)
    verdict = judged(found, SAVED, target, close=close, unset=("inplace",), renamed=renamed)
    assert verdict.kind is VerdictKind.NOT_ADAPTED  # the text is still the report's own
    assert ("has no inplace" in verdict.reason) is not promises


def test_time_that_a_report_measures(verified, judged):
    found = verified("torch.sin is much slower than the method", SLOW)
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.reproduces) == ("torch.sin", True)
    assert found.case.symptom.kind is SymptomKind.SLOW
    verdict = judged(found, SLOW.replace("torch.sin", "torch.cos"), "torch.cos")
    assert verdict.kind is VerdictKind.BUG
    fair = SLOW.replace("[torch.sin(x) for _ in range(20)]", "torch.cos(x)")
    assert judged(found, fair, "torch.cos").kind is not VerdictKind.BUG


REFERENCE = """
    import time
    import torch
    x = torch.rand(300, 300)

    def seconds(work):
        started = time.perf_counter()
        for _ in range(3):
            work()
        return time.perf_counter() - started

    print("slower by", seconds(lambda: torch.mode(x)) / seconds(lambda: torch.sort(x[:9])))
"""


@pytest.mark.parametrize(
    ("close", "given", "kind"),
    [
        (True, {}, VerdictKind.BUG),
        (False, {}, VerdictKind.NOT_ADAPTED),
        (True, {"edits": ("dropped dim",)}, VerdictKind.NOT_ADAPTED),
        (True, {"invented": ("dim",)}, VerdictKind.NOT_ADAPTED),
        (False, {"references": True}, VerdictKind.BUG),
        (False, {"references": True, "edits": ("dropped dim",)}, VerdictKind.NOT_ADAPTED),
    ],
)
def test_what_is_slow_beside_something_else_is_so_of_its_own_kind_only(
    verified, judged, close, given, kind
):
    """Nearly everything takes longer than something else, of other inputs."""
    found = verified("torch.mode is slower than sorting", REFERENCE)
    assert isinstance(found, Verified), found
    assert found.case.api == "torch.mode"
    assert found.measured.referred
    code = REFERENCE.replace("torch.mode", "torch.median")
    told = judged(found, code, "torch.median", close=close, **given)
    assert told.kind is kind


def test_of_two_that_the_title_names_the_slow_one_is_to_blame(verified):
    code = REFERENCE.replace("torch.sort(x[:9])", "x[:9].abs().sum()").replace("300", "1500")
    found = verified("abs().sum() leaves torch.mode(x) far behind", code)
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.reproduces) == ("torch.mode", True)


def test_what_is_measured_in_two_ways_is_no_reference_of_another_making(verified):
    found = verified("torch.sin is slow", SLOW.replace("x.sin()", "torch.sin(x)"))
    assert isinstance(found, Verified), found
    assert not found.measured.referred


def test_what_measures_nothing_is_no_case(verified):
    code = "import torch\ntorch.sin(torch.ones(3))\n"
    found = verified("torch.sin is very slow", code)
    assert isinstance(found, NotVerified)
    assert "measures" in found.reason


def test_what_ipython_times_is_measured(verified):
    found = verified("erfinv is much slower than abs", TIMED)
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.kind) == ("torch.erfinv", BugKind.PERFORMANCE)
    assert found.case.reproduces
    assert found.case.symptom.ratio > 5
    assert "timeit.timeit(lambda: torch.abs(x), number=20)" in found.case.code
