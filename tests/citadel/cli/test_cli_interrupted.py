"""Ctrl-C: what was finished is written, and nothing goes on running."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.citadel.cli.command import GROUPS, ROOT, TORCH, write

pytestmark = [pytest.mark.torch, pytest.mark.slow]
SLOW = """# exp hangs

```python
import time
import torch
time.sleep(300)
torch.exp(torch.rand(3))
```

It hangs forever.
"""


def descendants(root):
    """Process ids below `root`, with their start times."""
    parents, starts = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.parent.name)] = int(fields[1])
        starts[int(entry.parent.name)] = fields[19]
    found, queue = set(), [root]
    while queue:
        parent = queue.pop()
        below = [pid for pid, its in parents.items() if its == parent]
        found.update((pid, starts[pid]) for pid in below)
        queue += below
    return found


def alive(pid, start):
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return fields[0] != "Z" and fields[19] == start


@pytest.mark.parametrize(
    ("moment", "kill"),
    [
        ("verifying", lambda pid: os.killpg(pid, signal.SIGINT)),
        ("probing", lambda pid: os.killpg(pid, signal.SIGINT)),
        ("probing", lambda pid: os.kill(pid, signal.SIGTERM)),  # as `timeout` does
    ],
)
def test_ctrl_c_writes_what_was_finished_and_leaves_nothing_running(warm, tmp_path, moment, kill):
    finished = write(tmp_path, "# Question\n\nHow?\n", "a.md")
    running = write(tmp_path, SLOW if moment == "verifying" else GROUPS, "b.md")
    last = write(tmp_path, GROUPS, "c.md")
    command = [
        sys.executable,
        "-m",
        "citadel",
        "triage",
        finished,
        running,
        last,
        "--python",
        TORCH,
        "--json",
        tmp_path / "out.json",
        "--timeout",
        "250",
        "--budget",
        "250",
    ]
    process = subprocess.Popen(
        [str(part) for part in command],
        # A shell that runs the tests in the background has them ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        wait_for(process, moment)
        below = descendants(process.pid)
        assert below
        kill(process.pid)
        started = time.monotonic()
        _, errors = process.communicate(timeout=60)
        assert time.monotonic() - started < 30
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors, errors
    assert b"interrupted" in errors
    kept = moment == "probing"
    said = b"this report has the siblings found by now" if kept else b"in progress is not kept"
    assert said in errors
    deadline = time.monotonic() + 10
    while any(alive(*one) for one in below) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [one for one in below if alive(*one)]
    reports = json.loads((tmp_path / "out.json").read_text())["reports"]
    told = [str(finished), *([str(running)] if kept else [])]
    assert [report["input"] for report in reports] == told
    if kept:
        bugs = [one for one in reports[1]["siblings"] if one["verdict"] == "bug"]
        assert bugs
        assert all((tmp_path / one["file"]).exists() for one in bugs)


def wait_for(process, moment):
    """Until the second report is being run: its sandbox has a case; or a first finding is told."""
    if moment == "probing":
        for line in process.stderr:
            if line.startswith(b"found: "):
                return
        pytest.fail("no finding")
    process.stdout.readline()
    time.sleep(12)
