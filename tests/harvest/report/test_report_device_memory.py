"""What reports tell of a GPU's memory by a table of nvidia-smi, and what only names the driver."""

import dataclasses
import sys

import pytest

from harvest.report.device_memory import DETAIL
from harvest.report.model import ClaimKind, Need, Report
from harvest.report.understand import understand

CODE = """import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.rand(9, device=device)
for i in range(9):
    y = torch.nn.functional.pad(x, (1, 1))
"""
TABLE = """```
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 525.60.13    Driver Version: 525.60.13    CUDA Version: 12.0     |
|-------------------------------+----------------------+----------------------+
| 30%   50C    P2   110W / 350W |  12034MiB / 24576MiB |     98%      Default |
+-----------------------------------------------------------------------------+
```
"""
COLLECTED = """### Versions

```
PyTorch version: 2.1.0+cu118
GPU models and configuration: GPU 0: NVIDIA GeForce RTX 3090
Nvidia driver version: 525.60.13
```
"""
LEAKS = "pad leaks memory"


def read(title, *parts, code=CODE):
    body = "\n\n".join([f"```python\n{code}```", *parts])
    return understand(Report(source="r.md", title=title, body=body))


@pytest.mark.parametrize("title", [LEAKS, "pad takes it all"])
@pytest.mark.parametrize("code", [CODE, CODE.replace("device=device", "device='cuda'")])
def test_a_table_in_a_report_of_memory_is_a_claim_about_a_gpu(title, code):
    told = read(title, "What I see of the memory:", TABLE, COLLECTED, code=code)
    assert told.claims[0].kind is ClaimKind.PERFORMANCE
    assert {snippet.needs[0] for snippet in told.candidates} == {(Need.CUDA, DETAIL)}


@pytest.mark.parametrize(
    ("title", "parts", "code"),
    [
        (LEAKS, (COLLECTED,), CODE),
        (LEAKS, ("### Environment", TABLE), CODE),
        (LEAKS, ("nvidia-smi: driver 525.60.13",), CODE),
        (LEAKS, ("| NVIDIA-SMI 525.60.13  Driver Version: 525.60.13 |",), CODE),
        (LEAKS, (TABLE,), CODE.replace('"cuda" if torch.cuda.is_available() else ', "")),
        (LEAKS, (TABLE,), CODE + "import psutil\nprint(psutil.Process().memory_info().rss)\n"),
        ("pad leaks memory on CPU", (TABLE,), CODE),
        ("pad returns wrong values", ("The memory:", TABLE), CODE),
        ("pad is slow", (TABLE,), CODE),
        ("pad crashes with a segmentation fault", ("The memory:", TABLE), CODE),
        ("pad of a meta tensor", (TABLE,), CODE),
    ],
)
def test_all_other_reports_stay_as_they_are(monkeypatch, title, parts, code):
    told = read(title, *parts, code=code)
    monkeypatch.setattr(
        sys.modules[understand.__module__], "needing_device", lambda found, *rest: (found, rest[-1])
    )
    assert dataclasses.asdict(told) == dataclasses.asdict(read(title, *parts, code=code))
    assert all(detail != DETAIL for one in told.candidates for _, detail in one.needs)


def test_a_table_stands_in_the_report_and_not_among_its_versions():
    told = read(LEAKS, "### Versions", TABLE, "### What I see", TABLE)
    assert told.candidates[0].needs[0] == (Need.CUDA, DETAIL)
