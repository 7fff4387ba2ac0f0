"""What the oracle makes of a device's memory that words alone tell of."""

import pytest

from citadel.oracle import performance
from citadel.oracle.measure import Form
from citadel.oracle.performance import NoOracle, PerformanceOracle
from citadel.oracle.quantities import Topic
from harvest.report.model import Report
from harvest.report.understand import understand

from .captured import points_of, run_of

CODE = """import torch
x = torch.rand(9).cuda()
for i in range(9):
    y = torch.nn.functional.pad(x, (1, 1))
"""


def captured(text, numbers):
    body = f"```python\n{CODE}```\n\n{text}"
    reading = understand(Report(source="r.md", title="pad is greedy", body=body))
    (snippet,) = reading.candidates
    (counter,) = (p.text for p in points_of(snippet.code) if "memory_allocated" in p.text)
    runs = [run_of(snippet.code, {counter: (numbers, "B")})] * 2
    return performance.capture(points_of(snippet.code), runs, reading, snippet.code)


@pytest.mark.parametrize(("step", "there"), [(1024, True), (0, False)])
def test_memory_that_grows_by_nvidia_smi_is_a_leak_per_step(step, there):
    numbers = [1 << 20] * 9 if not step else [(1 << 20) + step * n for n in range(9)]
    oracle = captured("In nvidia-smi the memory grows and grows.", numbers)
    if not there:
        assert isinstance(oracle, NoOracle)
        return
    assert isinstance(oracle, PerformanceOracle)
    assert (oracle.measure.form, oracle.topic) == (Form.GROWTH, Topic.MEMORY)
    assert oracle.reproduces
    assert oracle.ratio == step


def test_one_amount_has_nothing_beside_it():
    oracle = captured("In nvidia-smi I see 12 GiB used.", 1 << 20)
    assert oracle == NoOracle(reason="the report shows nothing that it compares")
