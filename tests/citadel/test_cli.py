"""The command line, as a user meets it."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

ROOT = Path(__file__).parents[2]
TORCH = ROOT / ".targets" / "torch" / "bin" / "python"
GROUPS = """# conv2d with groups=0

```python
import torch
import torch.nn.functional as F
F.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=0)
```

RuntimeError: non-positive groups is not supported
"""
SLOW = """# exp hangs

```python
import time
import torch
time.sleep(300)
torch.exp(torch.rand(3))
```

It hangs forever.
"""


def run(*arguments, stdin=b"", cwd=None, timeout=120):
    command = [sys.executable, "-m", "citadel", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    done = subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=timeout
    )
    done.out, done.err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in done.err, done.err
    return done


def problem(*arguments, **options):
    """A run that ends in a user's error: one line that says what, one that says what to do."""
    done = run(*arguments, **options)
    assert done.returncode == 2, (done.returncode, done.err)
    lines = done.err.splitlines()
    starts = [line.split(": ")[0] for line in lines if line.startswith(("error: ", "hint: "))]
    assert starts == ["error", "hint"], done.err
    assert all(not line or line.startswith(("error: ", "hint: ")) for line in lines), done.err
    return done


@pytest.mark.parametrize("command", ["triage", "import", "index", "siblings", "doctor"])
def test_every_command_explains_itself(command):
    done = run(command, "--help")
    assert done.returncode == 0
    assert "--python" in done.out
    assert "Example" in done.out
    assert not done.err


def test_help_names_all_commands_and_the_version():
    done = run("--help")
    assert all(name in done.out for name in ("triage", "index", "siblings", "doctor"))
    assert run("--version").out.startswith("citadel ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], "no such command 'frobnicate'"),
        (["triage", "--jobs", "none", "x.md"], "'--jobs'"),
        (["triage", "--nonsense", "x.md"], "--nonsense"),
        (["triage", "--mode", "hard", "x.md"], "'--mode': 'hard' is not one of"),
        (["siblings", "torch.add", "torch.mul"], "torch.mul"),
        (["triage", "--mode\x1b[31m", "x.md"], "--mode"),
        (["siblings", "relu", "--framework", "caffe"], "--framework takes no caffe"),
        (["siblings", "relu", "--backend", "caffe"], "--backend takes no caffe"),
        (["doctor", "--python", "/missing"], "/missing"),
    ],
)
def test_wrong_usage_is_told_in_two_lines(arguments, words):
    done = problem(*arguments)
    assert words in done.err
    assert "\x1b" not in done.err


@pytest.mark.parametrize("command", [[], ["triage"], ["mine"], ["siblings"]])
def test_without_arguments_the_help_is_shown(command):
    done = run(*command)
    assert done.returncode == 2
    assert "Usage: citadel" in done.out
    assert not done.err


def test_help_says_what_each_command_takes_by_default():
    words = {name: " ".join(run(name, "--help").out.split()) for name in ("triage", "siblings")}
    assert "report" in words["triage"]
    assert "report" not in words["siblings"]


BAD_INPUTS = {
    "missing": None,
    "empty.md": b"",
    "truncated.json": b'{"title": "conv2d cr',
    "binary.json": bytes(range(256)),
    "list.json": b"[1, 2]",
    "folder": ...,
}


@pytest.mark.parametrize("name", BAD_INPUTS)
def test_inputs_without_a_report_are_a_users_error(tmp_path, name):
    content = BAD_INPUTS[name]
    path = tmp_path / name
    if content is ...:
        path.mkdir()
        (path / "notes.bin").write_bytes(b"no report")
    elif content is not None:
        path.write_bytes(content)
    done = problem("triage", path, "--python", TORCH, "--out", tmp_path / "out")
    assert name in done.err or content is ...
    assert not done.out
    assert not (tmp_path / "out").exists()


def test_nothing_on_standard_input_is_a_users_error(tmp_path):
    problem("triage", "-", "--python", TORCH, cwd=tmp_path)


def write(tmp_path, text=GROUPS, name="report.md"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("kind", ["missing", "no Python", "no framework", "a folder"])
def test_interpreters_that_will_not_do(tmp_path, kind):
    python = {
        "missing": tmp_path / "python",
        "no Python": "/bin/true",
        "no framework": sys.executable,
        "a folder": tmp_path,
    }[kind]
    done = problem("triage", write(tmp_path), "--python", python, cwd=tmp_path)
    assert str(python) in done.err


@pytest.mark.parametrize("siblings", ["0", "-3", "many", "1.5", ""])
def test_numbers_of_siblings_that_are_none(tmp_path, siblings):
    done = problem("triage", write(tmp_path), f"--siblings={siblings}", "--python", TORCH)
    assert "--siblings" in done.err


def test_fail_on_takes_bug_only(tmp_path):
    assert "--fail-on" in problem("triage", write(tmp_path), "--fail-on", "everything").err


@pytest.mark.parametrize("option", ["--out", "--json"])
@pytest.mark.parametrize("place", ["file/below", "missing/below"])
def test_places_that_cannot_be_written_are_told_before_the_work(tmp_path, option, place):
    (tmp_path / "file").write_text("regular")
    if option == "--out" and place.startswith("missing"):
        pytest.skip("the folder for cases is made")
    started = time.monotonic()
    problem("triage", write(tmp_path), option, tmp_path / place, "--python", TORCH, cwd=tmp_path)
    assert time.monotonic() - started < 10


pytest_torch = pytest.mark.torch


@pytest.fixture(scope="session")
def warm():
    """The index of the build, made once."""
    if not TORCH.exists():
        pytest.skip("PyTorch is not installed; run make torch")
    return run("index", "--python", TORCH, "--json", "-", timeout=300)


@pytest_torch
@pytest.mark.slow
def test_index_keeps_its_contract(warm):
    record = json.loads(warm.out)
    assert warm.returncode == 0
    assert set(record) >= {"schema", "target", "counts", "failures", "seconds"}
    assert set(record["counts"]) >= {
        "names",
        "objects",
        "signatures",
        "sampled",
        "profiled",
        "functions",
        "groups",
        "matched_apis",
        "pairs",
        "pairs_by_channel",
    }
    assert all(record["counts"].values()), record["counts"]
    assert record["counts"]["objects"] > 1500
    assert sum(record["coverage"].values()) == record["counts"]["profiled"]
    assert set(record["seconds"]) == {"catalog", "dynamic", "static", "match"}
    assert set(record["target"]) == {"python", "framework", "version", "devices", "sandbox"}


@pytest_torch
@pytest.mark.slow
def test_the_index_is_shown_and_exported(warm, tmp_path):
    graph = tmp_path / "pairs.graphml"
    done = run("index", "--python", TORCH, "--export", graph)
    for word in ("catalog", "profiled", "sources", "analogues", "pairs", "no result", "seconds"):
        assert word in done.out
    assert len(Xml.parse(graph).getroot()[-1]) > 8_000
    groups = run("index", "--python", TORCH, "--groups", "conv2d").out.splitlines()
    assert any("conv_transposeNd" in line for line in groups)
    assert any(".py:" in line for line in groups)


@pytest_torch
@pytest.mark.slow
def test_siblings_are_ranked(warm, tmp_path):
    table = tmp_path / "siblings.csv"
    api = "torch.nn.functional.conv2d"
    done = run("siblings", api, "--python", TORCH, "--siblings", "5", "--export", table)
    assert done.returncode == 0
    assert "other forms" in done.out
    assert "torch.nn.functional.conv3d" in done.out
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 5
    assert {row["source"] for row in rows} == {api}
    assert any("convolution" in row["shared"].split() for row in rows)


@pytest_torch
@pytest.mark.slow
def test_the_papers_siblings(warm):
    def found(*options):
        done = run(
            "siblings", "torch.nn.Conv2d", "--mode", "paper", "--siblings", "99", "--json", "-",
            "--python", TORCH, *options,
        )  # fmt: skip
        return {row["api"]: row for row in json.loads(done.out)["siblings"]}

    siblings = found()
    assert siblings["torch.nn.LazyConvTranspose2d"]["channels"]["context"] == 0.615
    assert all(row["channels"]["context"] > 0.6 for row in siblings.values())
    assert set(found("--threshold", "0.9")) < set(siblings) < set(found("--threshold", "0.3"))


@pytest_torch
@pytest.mark.slow
def test_stacks_show_what_runs_below_an_api(warm):
    done = run("siblings", "torch.nn.Conv2d", "--stacks", "--python", TORCH)
    assert done.returncode == 0
    text = done.out
    assert text.index("torch.nn.Conv2d: constructor") < text.index("torch.nn.Conv2d: forward")
    assert text.index("aten::conv2d") < text.index("ConvolutionBackward0")


@pytest_torch
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("siblings", "torch.nonsense"), "torch.nonsense is no API"),
        (("siblings", "torch.nn.conv2d"), "torch.nn.functional.conv2d"),
        (("siblings", "torch.conv3"), "perhaps torch.nn.Conv3d"),
        (("siblings", "torch.add", "--export", "x.txt"), "unknown format"),
        (("siblings", "torch.add", "--threshold", "2"), "--threshold"),
        (("index", "--export", "x.txt"), "unknown format"),
        (("index", "--source", "missing"), "missing"),
        (("index", "--precise", "a.cpp"), "--source"),
        (("index", "--source", ".", "--callees", "many"), "--callees"),
        (("index", "--source", ".", "--flags", "'"), "--flags"),
        (("index", "--callees", "0.5"), "--source"),
        (("index", "--groups", "conv", "--json", "-"), "--groups"),
        (("siblings", "torch.add", "--threshold", "0.5"), "--mode paper"),
        (("siblings", "torch.add", "--stacks", "--json", "-"), "--stacks"),
    ],
)
@pytest.mark.slow
def test_wrong_questions_get_one_line(warm, arguments, words):
    assert words in problem(*arguments, "--python", TORCH).err


@pytest_torch
@pytest.mark.slow
def test_doctor_says_what_works(warm, tmp_path):
    assert run("doctor", "--python", TORCH).returncode == 0
    problem("doctor", "--python", tmp_path / "python")


@pytest_torch
@pytest.mark.slow
def test_json_on_stdout_is_nothing_else_and_one_bad_report_is_a_row(warm, tmp_path):
    bad = write(tmp_path, "", "bad.md")
    good = write(tmp_path)
    done = run(
        "triage",
        bad,
        good,
        "--python",
        TORCH,
        "--json",
        "-",
        "--siblings",
        "12",
        "--runs",
        "1",
        "--fail-on",
        "bug",
        cwd=tmp_path,
    )
    record = json.loads(done.out)
    assert done.returncode == 1
    first, second = record["reports"]
    assert first["input"].endswith("bad.md")
    assert first["error"]
    assert first["case"] is None
    assert second["case"]["api"] == "torch.nn.functional.conv2d"
    assert second["case"]["reproduces"] is True
    bugs = [sibling for sibling in second["siblings"] if sibling["verdict"] == "bug"]
    assert len(bugs) >= 3
    assert all((tmp_path / bug["file"]).is_file() for bug in bugs)
    assert second["tried"] <= 12


@pytest_torch
@pytest.mark.slow
def test_standard_input_and_nothing_that_could_run(warm, tmp_path):
    done = run(
        "triage",
        "-",
        "--python",
        TORCH,
        "--json",
        "-",
        cwd=tmp_path,
        stdin=b"# How do I install it?\n\nNo code here.\n",
    )
    assert done.returncode == 3
    (report,) = json.loads(done.out)["reports"]
    assert report["skipped"]
    assert not (tmp_path / "generated_cases").exists()


@pytest_torch
@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_for_the_json_keeps_the_cases(warm, tmp_path):
    done = run(
        "triage",
        write(tmp_path),
        "--python",
        TORCH,
        "--json",
        "/dev/full",
        "--siblings",
        "6",
        "--runs",
        "1",
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert [line for line in done.err.splitlines() if line.startswith("error: cannot write")]
    assert list((tmp_path / "generated_cases").glob("torch/*/source.py"))
    assert "torch.nn.functional.conv2d" in done.out


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


@pytest_torch
@pytest.mark.slow
@pytest.mark.parametrize("moment", ["verifying", "probing"])
def test_ctrl_c_writes_what_was_finished_and_leaves_nothing_running(warm, tmp_path, moment):
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
        os.killpg(process.pid, signal.SIGINT)
        started = time.monotonic()
        _, errors = process.communicate(timeout=60)
        assert time.monotonic() - started < 30
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130, errors
    assert b"Traceback" not in errors, errors
    assert b"interrupted" in errors
    deadline = time.monotonic() + 10
    while any(alive(*one) for one in below) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [one for one in below if alive(*one)]
    reports = json.loads((tmp_path / "out.json").read_text())["reports"]
    assert [report["input"] for report in reports] == [str(finished)]


def wait_for(process, moment):
    """Until the second report is being run: its sandbox has a case; or a first finding is told."""
    if moment == "probing":
        for line in process.stderr:
            if line.startswith(b"found: "):
                return
        pytest.fail("no finding")
    process.stdout.readline()
    time.sleep(12)
