"""The performance oracle on equal code, on planted slowdowns and on planted waste of memory.

usage: python -m benchmarks.performance [--trials N] [--framework torch|tensorflow] [PYTHON]
"""

import argparse
import statistics
import time
from collections import Counter
from pathlib import Path

from analysis.target.instrument import instrument, watched
from analysis.target.session import Session
from analysis.target.target import Target, probe
from citadel.oracle import metering
from citadel.oracle.performance import Judged, NoOracle, PerformanceOracle
from citadel.oracle.samples import Decision
from harvest.report.model import Report
from harvest.report.understand import understand

TRIALS = {"torch": 200, "tensorflow": 20}
"""A/A trials; a run of TensorFlow takes ten times as long."""
PLANTED, MEMORY = 4, 20
"""So many times fewer trials with planted slowdowns, and with planted waste of memory."""
SLOWDOWN = 1.3

SETUP = {
    "torch": "import torch\nx = torch.rand(100, 100)\n",
    "tensorflow": "import tensorflow as tf\nx = tf.random.uniform((100, 100))\n",
}
CALLS = {
    "torch": ("x + x", "torch.mm(x, x)", "torch.sort(x)", "torch.softmax(x, 1)"),
    "tensorflow": ("x + x", "tf.matmul(x, x)", "tf.sort(x)", "tf.nn.softmax(x)"),
}
TIMED = """import time
{setup}
def took(count):
    started = time.perf_counter()
    for _ in range(count):
        {call}
    return time.perf_counter() - started

slow, fast = min(took({slow}) for _ in range(3)), min(took({fast}) for _ in range(3))
print("ratio", slow / fast)
"""
LEAK = """import resource
import torch
kept = []
for step in range(12):
    kept.append(torch.ones({elements}))
    {clear}
    print(step, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
COPY = """import torch
from torch.autograd.graph import saved_tensors_hooks

def saved_bytes(layer):
    kept = {{}}
    def pack(t):
        kept[t.data_ptr()] = t.numel() * t.element_size()
        return t
    x = torch.rand(2, 3, 32, 32)
    with saved_tensors_hooks(pack, lambda t: t):
        for _ in range(3):
            x = layer(torch.nn.Conv2d(3, 3, 3)(x))
    return sum(kept.values())

plain, other = saved_bytes(lambda t: t.relu_()), saved_bytes(lambda t: {layer})
print(plain, other, other / plain)
"""
COPY_OF_NONE = """import torch
from torch.profiler import ProfilerActivity, profile
x = torch.rand(500, 500)

def allocated(call):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as found:
        call(x)
    return sum(max(event.self_cpu_memory_usage, 0) for event in found.key_averages())

print("relu_", allocated(lambda t: t.relu_()), "other", allocated(lambda t: {call}))
"""
SLOW = "one way is slower than the other"
WASTE = "memory is wasted"


def measure(target: Target, trials: int | None = None) -> None:
    framework = target.info.framework
    trials = trials or TRIALS[framework]
    with target.session() as session:
        session.start()
        _equal(session, framework, trials)
        _planted(session, framework, max(1, trials // PLANTED))
        if framework == "torch":
            _memory(session, max(1, trials // MEMORY))


def timed(framework: str, trial: int, *, slow: int, fast: int) -> str:
    calls = CALLS[framework]
    call = calls[trial % len(calls)]
    return TIMED.format(setup=SETUP[framework], call=call, slow=slow, fast=fast)


def established(session: Session, title: str, code: str) -> PerformanceOracle | NoOracle:
    body = f"```python\n{code}```\n"
    reading = understand(Report(source="benchmark", title=title, body=body))
    return metering.establish(_case(code), reading, session)


def _case(code: str) -> metering.Case:
    return metering.Case(code=code, watched=watched(instrument(code)))


def _equal(session: Session, framework: str, trials: int) -> None:
    found: Counter[str] = Counter()
    for trial in range(trials):
        oracle = established(session, SLOW, timed(framework, trial, slow=20, fast=20))
        found[str(getattr(oracle, "decision", "no oracle"))] += 1
    print(f"equal code: {found[Decision.BUG]} alarms in {trials} A/A trials ({_said(found)})")


def _planted(session: Session, framework: str, trials: int) -> None:
    """Each trial judges a sibling by the oracle of a source with the same slowdown."""
    found: Counter[str] = Counter()
    seconds: list[float] = []
    slow = round(20 * SLOWDOWN)
    for trial in range(trials):
        oracle = _judgeable(session, SLOW, timed(framework, trial, slow=slow, fast=20))
        if oracle is None:
            found["source missed"] += 1
            continue
        started = time.perf_counter()
        judged = _judged(session, oracle, timed(framework, trial + 1, slow=slow, fast=20))
        seconds.append(time.perf_counter() - started)
        found[str(judged.decision)] += 1
    print(
        f"planted {SLOWDOWN}x slowdown: {found[Decision.BUG]} of {trials} found ({_said(found)}); "
        f"{statistics.median(seconds):.1f} s per verdict, at most {max(seconds):.1f} s"
    )


def _memory(session: Session, trials: int) -> None:
    leak = LEAK.format(elements=1_000_000, clear="pass")
    plants = {
        "leak": (leak, LEAK.format(elements=500_000, clear="pass")),
        "plugged leak": (leak, LEAK.format(elements=1_000_000, clear="kept.clear()")),
        "in-place copy": (
            COPY.format(layer="t.square().relu_()"),
            COPY.format(layer="t.sin().relu_()"),
        ),
        "copy beside none": (
            COPY_OF_NONE.format(call="t.square().relu_()"),
            COPY_OF_NONE.format(call="t.sin().relu_()"),
        ),
        "none beside none": (
            COPY_OF_NONE.format(call="t.square().relu_()"),
            COPY_OF_NONE.format(call="t.sigmoid_()"),
        ),
        "no copy": (COPY.format(layer="t.square().relu_()"), COPY.format(layer="t.sigmoid_()")),
    }
    for name, (source, sibling) in plants.items():
        found: Counter[str] = Counter()
        for _ in range(trials):
            oracle = _judgeable(session, WASTE, source)
            judged = None if oracle is None else _judged(session, oracle, sibling)
            found["source missed" if judged is None else str(judged.decision)] += 1
        print(f"planted {name}: {_said(found)} in {trials} trials")


def _judgeable(session: Session, title: str, code: str) -> PerformanceOracle | None:
    found = established(session, title, code)
    return found if isinstance(found, PerformanceOracle) and found.reproduces else None


def _judged(session: Session, oracle: PerformanceOracle, code: str) -> Judged:
    return metering.judge(oracle, _case(code), session)


def _said(found: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in found.most_common())


if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="The performance oracle on planted cases.")
    parser.add_argument("--trials", type=int, help="A/A trials (default: 200, TensorFlow: 20)")
    parser.add_argument("--framework", choices=tuple(TRIALS), default="torch")
    parser.add_argument("python", nargs="?", help="interpreter under test")
    given = parser.parse_args()
    python = given.python or str(root / f".targets/{given.framework}/bin/python")
    measure(probe(python, framework=given.framework), given.trials)
