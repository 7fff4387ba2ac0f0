"""What does not need an index does not wait for one; corrections that a run has to bear out."""

import json

import pytest

from tests.citadel.cli.command import GROUPS, TORCH, problem, run, write

pytestmark = [pytest.mark.torch, pytest.mark.slow]
FINE = "# torch.ones returns nan\n\n```python\nimport torch\nprint(torch.ones(3))\n```\n"
INFINITE = """# torch.bmm is odd

I call torch.bmm and something is wrong.

```python
import torch
x = torch.full((2, 2), float("inf"))
z = torch.ones(2, 2)
y = torch.nn.functional.softsign(x)
w = torch.bmm(z, z)
```
"""


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """A cache without an index."""
    monkeypatch.setenv("CITADEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def only(report, *more):
    return run("triage", report, "--python", TORCH, "--only-reproduce", *more)


def test_a_report_is_reproduced_without_an_index(cold, tmp_path):
    done = only(write(tmp_path), "--json", tmp_path / "found.json", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "API: torch.nn.functional.conv2d" in done.out
    assert "reproduces: 3 of 3 runs" in done.out
    assert "sibling" not in done.out.replace(str(tmp_path), "")
    (report,) = json.loads((tmp_path / "found.json").read_text())["reports"]
    assert report["cut"] == "only-reproduce"
    assert {one["alias_of"] for one in report["siblings"]} == {report["case"]["api"]}
    assert not list(cold.rglob("*.json"))


def test_what_shows_nothing_is_not_indexed_for(cold, tmp_path):
    done = run("triage", write(tmp_path, FINE), "--python", TORCH)
    assert (done.returncode, "skipped: " in done.out) == (3, True)
    assert not list(cold.rglob("*.json"))


def test_a_misread_report_is_corrected_by_its_line_and_symptom(cold, tmp_path):
    report = write(tmp_path, INFINITE)
    read = only(report)
    assert "softsign" not in read.out
    told = only(report, "--line", "4", "--symptom", "nonfinite", "--out", tmp_path / "out")
    assert "API: torch.nn.functional.softsign" in told.out
    assert "reproduces: 3 of 3 runs" in told.out
    asserted = only(report, "--line", "4", "--expect", "(y == 1).all()")
    assert "API: torch.nn.functional.softsign" in asserted.out
    assert "reproduces: 3 of 3 runs" in asserted.out


def test_an_api_that_is_not_to_blame_is_not_blamed(cold, tmp_path):
    done = only(write(tmp_path), "--api", "torch.add")
    assert done.returncode == 3
    assert "torch.add is not called in the code that ran" in done.out
    unknown = problem("triage", write(tmp_path), "--python", TORCH, "--api", "torch.conv4d")
    assert "torch.conv4d is no API in this torch build" in unknown.err
    kept = write(tmp_path, GROUPS + "<!-- citadel: api=torch.add -->", "kept.md")
    assert "torch.add is not called" in only(kept).out
