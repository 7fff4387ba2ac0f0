"""Hunts whose measurements are compared with another version: kept with the items, gone on with."""

import json
import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from citadel.hunt.enlist import enlist
from citadel.hunt.executor import Outcome
from citadel.hunt.hunt import Hunt, HuntRequest
from citadel.options import Options
from citadel.store import items
from citadel.store.database import open_to_write
from tests.citadel.cli import started
from tests.citadel.hunt import scripted

ROOT = Path(__file__).parents[3]
TORCH = ROOT / ".targets/torch/bin/python"
DEBIAN = "/usr/bin/python3"
SLOWER = """# torch.mm is much slower than in 1.13

```python
import time
import torch

x = torch.rand(50, 50)
started = time.perf_counter()
for _ in range(2000 if torch.__version__ >= "2" else 20):
    torch.mm(x, x)
print("took", time.perf_counter() - started)
```
"""


class Noting(nullcontext):
    """An executor that does a job at once, and notes with what it is to be compared."""

    slots = 1

    def __init__(self, folder):
        super().__init__(self)
        self._work = scripted.Scripted(str(folder))
        self._jobs = []
        self.noted = []

    def submit(self, job):
        self.noted.append((job.report.number, str(job.stage), job.where.baseline))
        self._jobs.append(job)

    def outcomes(self, _timeout):
        ended, self._jobs = self._jobs, []
        return [Outcome(item=job.item, seconds=0.1, answer=self._work(job)) for job in ended]


@pytest.fixture
def store(tmp_path):
    with open_to_write(tmp_path / "citadel.db") as opened:
        yield opened


def enlisted(store, bodies, baseline=""):
    found = (scripted.report(number, body) for number, body in enumerate(bodies, 1))
    reports = [replace(one, title="it is slow") if "slow" in one.body else one for one in found]
    return enlist(store, reports, scripted.OneBuild(), baseline=baseline)


def compared(store, folder):
    """What is done in a hunt, and what that is compared with."""
    executor = Noting(folder)
    request = HuntRequest(options=Options(), out=Path(folder, "cases"), retries=0)
    Hunt(store, executor, {scripted.KEY: scripted.SITE}, request).run()
    return sorted(set(executor.noted))  # what turns out to measure is done again, alone


def test_both_stages_of_an_item_are_compared_with_its_baseline(store, tmp_path):
    enlisted(store, ["measures finds 1"], "/1.13")
    enlisted(store, ["measures finds 1", "finds 1"])
    assert compared(store, tmp_path) == [
        (1, "propagate", "/1.13"),
        (1, "verify", "/1.13"),
        (2, "propagate", ""),
        (2, "verify", ""),
    ]


def test_what_was_measured_without_a_baseline_is_done_again_with_one(store, tmp_path):
    bodies = ["slow measures finds 1", "finds 1"]
    enlisted(store, bodies)
    assert len(compared(store, tmp_path)) == 4
    enlisted(store, bodies, "/1.13")
    again = [(1, "propagate", "/1.13"), (1, "verify", "/1.13")]
    assert compared(store, tmp_path) == again
    for baseline in ("/1.13", ""):
        enlisted(store, bodies, baseline)
        assert compared(store, tmp_path) == []
    enlisted(store, bodies, "/2.0")
    assert [baseline for *_, baseline in compared(store, tmp_path)] == ["/2.0", "/2.0"]


def test_a_hunt_that_goes_on_may_name_a_baseline_for_what_is_open(store, tmp_path):
    enlisted(store, ["measures finds 1"])
    allowed = HuntRequest(options=Options(), out=tmp_path, retries=0).allowed
    items.compare_open(store, allowed, ["another build"], "/2.0")
    items.compare_open(store, allowed, [scripted.KEY], "/1.13")
    assert {baseline for *_, baseline in compared(store, tmp_path)} == {"/1.13"}
    items.compare_open(store, allowed, [scripted.KEY], "/2.0")
    kept = store.db.execute("SELECT DISTINCT baseline FROM items").fetchall()
    assert kept == [("/1.13",)]


def hunted(folder, *arguments, status=0):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    done = started.run(("hunt", *arguments), cwd=folder, env=environment, timeout=900)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def test_a_baseline_that_is_no_interpreter_is_told_before_the_hunt(tmp_path, torch_target):
    (tmp_path / "slower.md").write_text(SLOWER)
    named = ("slower.md", "--python", torch_target.info.python, "--baseline", "missing")
    told = hunted(tmp_path, *named, status=2).stderr.splitlines()
    assert [line.split(":")[0] for line in told] == ["error", "hint"]
    assert "missing" in told[0]
    assert not (tmp_path / "citadel.db").exists()


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.torch113
@pytest.mark.alone
def test_a_real_hunt_compares_two_builds_and_goes_on_so(
    tmp_path, torch_target, torch113_target, index_of
):
    index_of(torch_target)
    (tmp_path / "slower.md").write_text(SLOWER)
    limits = ("--siblings", "4", "--jobs", "1")
    named = ("slower.md", "--python", str(TORCH), "--baseline", DEBIAN, "--budget", "1")
    hunted(tmp_path, *named, *limits)
    hunted(tmp_path, *limits, "--json", "hunt.json")
    told = json.loads((tmp_path / "hunt.json").read_text())
    found = [row for family in told["families"] for row in family["members"]]
    assert {"torch.Tensor.mm", "torch.ops.aten.mm"} <= {row["api"] for row in found}
    against = f"against torch {torch113_target.info.version}"
    assert all(against in row["headline"] for row in found)
