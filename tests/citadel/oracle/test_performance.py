"""The performance oracle on real runs: differences that are huge, or counts that do not vary."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.session import Baseline
from citadel.oracle import metering
from citadel.oracle.measure import Form
from citadel.oracle.performance import NoOracle
from citadel.oracle.samples import Decision
from harvest.report.model import Report
from harvest.report.understand import understand

pytestmark = pytest.mark.torch

TIMED = """
import time
import torch
x = torch.rand(100, 100)

def took(repeat):
    started = time.perf_counter()
    for _ in range(repeat):
        torch.CALL
    return time.perf_counter() - started

print("ratio", took({slow}) / took({fast}))
"""
SAVED = """
import torch
from torch.autograd.graph import saved_tensors_hooks

def saved_bytes(layer):
    kept = {}
    def pack(t):
        kept[t.data_ptr()] = t.numel() * t.element_size()
        return t
    torch.manual_seed(0)
    x = torch.rand(2, 3, 8, 8)
    with saved_tensors_hooks(pack, lambda t: t):
        for _ in range(3):
            x = layer(torch.nn.Conv2d(3, 3, 3)(x))
    return sum(kept.values())

plain = saved_bytes(lambda t: torch.relu_(t))
other = saved_bytes(lambda t: LAYER)
print(plain, other, other / plain)
"""
LEAK = """
import resource
import torch
kept = []
for step in range(12):
    kept.append(torch.ones(1_000_000))
    KEEP
    print(step, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.fixture(scope="module")
def session(torch_target):
    with torch_target.session() as made:
        yield made


def case(code):
    code = dedent(code)
    return metering.Case(code=code, watched=watched(instrument(code)))


def established(session, title, code, **given):
    reading = understand(Report(source="r.md", title=title, body=f"```python{code}```\n"))
    return metering.establish(case(code), reading, session, **given)


def timed(call, slow, fast):
    return TIMED.replace("CALL", call).format(slow=slow, fast=fast)


def test_a_slow_way_and_siblings_that_share_it_or_not(session):
    oracle = established(session, "mm is slow", timed("mm(x, x)", 400, 10))
    assert oracle.reproduces
    assert (oracle.where, oracle.wall) == ("took(400) / took(10)", False)
    assert oracle.ratio > 8
    slow = metering.judge(oracle, case(timed("matmul(x, x)", 400, 10)), session)
    assert slow.decision is Decision.BUG
    assert slow.hits == slow.runs >= 2
    even = metering.judge(oracle, case(timed("matmul(x, x)", 20, 20)), session)
    assert even.decision is Decision.CLEAN


def test_equal_code_does_not_reproduce(session):
    oracle = established(session, "mm is slow", timed("mm(x, x)", 50, 50))
    assert not oracle.reproduces


def test_two_runs_of_the_reports_case_are_made_however_long_they_take(session):
    oracle = established(session, "mm is slow", timed("mm(x, x)", 400, 4), seconds=0.001)
    assert len(oracle.logs) == 2
    assert oracle.reproduces


STEPS = """
import time
import torch
for n in (100, 200, 400, 800):
    started = time.perf_counter()
    for _ in range(COUNT):
        torch.ones(1)
    print(n, time.perf_counter() - started)
"""


def test_quadratic_time_and_siblings_that_are_proportional(session):
    # A hundred calls take as long as what else a step does once: the smallest n makes 1,000.
    source = STEPS.replace("COUNT", "n * n // 10")
    oracle = established(session, "ones takes quadratic time", source)
    assert oracle.reproduces
    assert (oracle.measure.form, oracle.measure.upper.occurrence) == (Form.SCALING, 4)
    # 8 times n: proportional time is 1, quadratic 8, cubic 64. Between the halves is quadratic.
    assert 8**0.5 < oracle.ratio < 8**1.5
    assert metering.judge(oracle, case(source), session).decision is Decision.BUG
    straight = STEPS.replace("COUNT", "10 * n")
    assert metering.judge(oracle, case(straight), session).decision is Decision.CLEAN
    assert not established(session, "ones takes quadratic time", straight).reproduces


REGRESSED = """
import os
import time
import torch
x = torch.rand(50, 50)
started = time.perf_counter()
for _ in range(COUNT):
    torch.mm(x, x)
print("took", time.perf_counter() - started)
"""
BY_BUILD = "{{'1': {there}}}.get(os.getenv('OTHER'), {here})"


@pytest.fixture
def two_builds(torch_target):
    """A session with a baseline: the same build, which an environment variable tells apart."""
    with torch_target.session() as made, torch_target.session() as other:
        other.ask_for({"OTHER": "1"})
        made.baseline = Baseline(session=other, name="torch 1.0")
        yield made


@pytest.mark.slow
def test_one_version_against_another(two_builds):
    title = "mm is much slower than in 1.0"
    source = REGRESSED.replace("COUNT", BY_BUILD.format(here=400, there=20))
    oracle = established(two_builds, title, source)
    assert oracle.reproduces
    assert (oracle.measure.form, oracle.ratio > 5) == (Form.VERSIONS, True)
    assert oracle.where == "time.perf_counter() - started, against torch 1.0"
    assert metering.judge(oracle, case(source), two_builds).decision is Decision.BUG
    even = REGRESSED.replace("COUNT", "400")
    assert metering.judge(oracle, case(even), two_builds).decision is Decision.CLEAN
    turned = REGRESSED.replace("COUNT", BY_BUILD.format(here=20, there=400))
    assert not established(two_builds, title, turned).reproduces
    gone = REGRESSED.replace("COUNT", BY_BUILD.format(here=20, there=None))
    refused = established(two_builds, title, gone)
    assert isinstance(refused, NoOracle)
    assert refused.reason.startswith("the code does not run through on torch 1.0: TypeError: ")
    lost = metering.judge(oracle, case(gone), two_builds)
    assert lost.decision is Decision.UNREACHED


@pytest.mark.slow
def test_the_own_comparison_of_a_report_needs_no_baseline(two_builds):
    oracle = established(two_builds, "mm is slow", timed("mm(x, x)", 400, 10))
    assert oracle.measure.form is Form.RATIO
    single = established(
        two_builds, "mm is slow", REGRESSED.replace("COUNT", BY_BUILD.format(here=400, there=20))
    )
    assert single.measure.form is Form.VERSIONS


def test_bytes_kept_for_backward(session):
    source = SAVED.replace("LAYER", "t.square().relu_()")
    oracle = established(session, "an extra copy is kept in memory", source)
    assert oracle.reproduces
    assert len(oracle.logs) == 2
    for layer, decision in (("t.sin().relu_()", Decision.BUG), ("t.sigmoid_()", Decision.CLEAN)):
        judged = metering.judge(oracle, case(SAVED.replace("LAYER", layer)), session)
        assert (judged.decision, judged.runs) == (decision, 2)


def test_a_leak_below_a_high_water_mark(session):
    oracle = established(session, "memory leak in ones", LEAK.replace("KEEP", "pass"))
    assert oracle.reproduces
    assert (oracle.measure.form, oracle.warm) == (Form.GROWTH, False)
    assert 3000 < oracle.ratio < 5000
    smaller = LEAK.replace("KEEP", "pass").replace("1_000_000", "500_000")
    assert metering.judge(oracle, case(smaller), session).decision is Decision.BUG
    plugged = LEAK.replace("KEEP", "kept.clear()")
    assert metering.judge(oracle, case(plugged), session).decision is Decision.CLEAN


def test_waiting_is_measured_by_the_wall_clock(session):
    code = """
import select, time, torch
a = time.time()
select.select([], [], [], 0.12)
b = time.time()
select.select([], [], [], 0.01)
print("long:", b - a, "short:", time.time() - b)
"""
    oracle = established(session, "it waits for too long", code)
    assert oracle.wall
    assert oracle.ratio > 5


def test_code_that_runs_only_once(session):
    code = "import torch\ntorch.already = hasattr(torch, 'already')\nassert_no = 1 / (1 - "
    code = f"\n{code}torch.already)\nprint(torch.ones(1))\n"
    oracle = established(session, "it is slow", code)
    assert isinstance(oracle, NoOracle)
    assert "measures" in oracle.reason


def test_a_sibling_that_fails_is_not_reached(session):
    oracle = established(session, "mm is slow", timed("mm(x, x)", 400, 10))
    judged = metering.judge(oracle, case(timed("mm(x, 1)", 400, 10)), session)
    assert judged.decision is Decision.UNREACHED


def test_time_that_is_up_ends_in_noise(session):
    oracle = established(session, "mm is slow", timed("mm(x, x)", 400, 10))
    judged = metering.judge(oracle, case(timed("mm(x, x)", 400, 10)), session, seconds=0)
    assert judged.decision is Decision.NOISY
    assert judged.runs < 5


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize(
    ("slow", "quick", "warm"),
    [
        ("0.45", "0.05", False),
        ("0.1", "0.02", True),  # too short to be worth it
        ("0.45 if warm else 0.15", "0.05", True),  # the first run is another one
    ],
)
def test_long_runs_do_without_warming_up_where_that_changes_nothing(
    session, slow, quick, warm, monkeypatch
):
    monkeypatch.setattr(metering, "LONG", 0.5)
    code = f"""
    import builtins, time, torch
    warm = getattr(builtins, "warm", False)
    builtins.warm = True

    def took(seconds):
        started = time.perf_counter()
        time.sleep(seconds)
        return time.perf_counter() - started

    print("ratio", took({slow}) / took({quick}))
    """
    found = established(session, "sin is slow, a ratio of 9", code)
    assert found.reproduces
    assert found.warm is warm
