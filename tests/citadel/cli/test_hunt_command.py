"""`citadel hunt`, `report` and `label`, as a user meets them: wrong usage, a real small hunt."""

import contextlib
import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from citadel.cli.app import app
from citadel.commands import hunting
from citadel.commands.progress import Progress
from citadel.hunt.executor import Outcome
from citadel.hunt.hunt import HuntRequest
from citadel.match.matches import write_matches
from citadel.options import Options
from citadel.selection import Wish
from citadel.store import queries
from citadel.store.database import open_to_read, open_to_write
from citadel.store.queries import Filter
from harvest.importers.pairs import Equality, Pair
from tests.citadel.cli import started
from tests.citadel.hunt import scripted

ROOT = Path(__file__).parents[3]
TORCH = ROOT / ".targets/torch/bin/python"


def run(*arguments, cwd, status=0, timeout=900):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    done = started.run(arguments, cwd=cwd, env=environment, timeout=timeout)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def scripted_store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripted")
    with open_to_write(folder / "citadel.db") as store:
        scripted.enlisted(store, ["finds 3", "finds 2", "measures finds 1", "finds 2"])
        scripted.hunt(store, folder)
    return folder / "citadel.db"


@pytest.fixture
def hunted(scripted_store, tmp_path):
    """A store with what a scripted hunt found."""
    return Path(shutil.copy(scripted_store, tmp_path))


def findings(folder, *arguments):
    told = json.loads(run("report", *arguments, "--json", "-", cwd=folder).stdout)
    return [row for family in told["families"] for row in family["members"]]


@pytest.mark.parametrize(
    "arguments",
    [
        ("hunt", "nothing.json", "--python", sys.executable),
        ("hunt", ".", "--known", "missing.toml"),
        ("hunt", ".", "--framework", "theano"),
        ("hunt", "--store", "text.db"),
        ("hunt", "--store", "mistyped.db"),
        ("hunt", ".", "--siblings", "none"),
        ("hunt", ".", "--matches", "missing.jsonl"),
        ("hunt", ".", "--matches", "text.db"),
        ("report",),
        ("label", "ffff", "confirmed"),
        ("label", "ffff", "perhaps"),
    ],
)
def test_wrong_usage_is_one_error_and_one_hint(tmp_path, arguments):
    (tmp_path / "text.db").write_text("no database " * 100)
    lines = run(*arguments, cwd=tmp_path, status=2).stderr.splitlines()
    assert [line.split(":")[0] for line in lines] == ["error", "hint"]
    assert (tmp_path / "text.db").read_text().startswith("no database")
    assert not (tmp_path / "mistyped.db").exists()


def test_help_has_examples(tmp_path):
    for command in ("hunt", "report", "label"):
        assert "Examples" in run(command, "--help", cwd=tmp_path).stdout


def test_a_second_hunt_names_the_first_one(tmp_path):
    with open_to_write(tmp_path / "citadel.db"):
        told = run("hunt", cwd=tmp_path, status=2).stderr
    assert f"is being written by process {os.getpid()}" in told
    assert "--wait" in told


def test_tables_families_filters_and_labels(tmp_path, hunted):
    out = run("report", cwd=tmp_path).stdout
    rows = {" ".join(line.split()[:-6]): line.split()[-6:] for line in out.splitlines()[:4]}
    assert rows["torch status, plain"][:2] == ["7", "7"]
    assert rows["torch performance"][:2] == ["1", "1"]
    assert rows["all"][:2] == ["8", "8"]
    assert "family " in out
    (slow,) = findings(tmp_path, "--kind", "performance")
    told = run("label", slow["id"][:6], "rejected", "--note", "by design", cwd=tmp_path).stdout
    assert told.strip() == f"{slow['id']}: rejected"
    run("label", slow["id"], "fixed-in", "2.14.0", cwd=tmp_path)
    (again,) = findings(tmp_path, "--api", slow["api"].upper(), "--kind", "performance")
    assert [(one["kind"], one["note"]) for one in again["labels"]] == [
        ("rejected", "by design"),
        ("fixed-in", ""),
    ]
    assert len(findings(tmp_path, "--new")) == 7
    assert [row["id"] for row in findings(tmp_path, "--no-plain")] == [slow["id"]]
    assert "1 finding of" in run("report", "--kind", "performance", cwd=tmp_path).stdout
    assert run("report", "--api", "zzz", cwd=tmp_path).stdout == (
        "no findings, or none that was asked for\n"
    )
    assert findings(tmp_path, "--framework", "tensorflow") == []


def test_an_umbrella_list_takes_findings_out_of_the_new_ones(tmp_path, hunted):
    (tmp_path / "known.toml").write_text(
        "[[issue]]\nurl = 'https://example.org/1'\nmessage = 'group 1'\n"
    )
    out = run("report", "--known", "known.toml", cwd=tmp_path).stdout
    covered = [row for row in findings(tmp_path, "--known", "known.toml") if row["known"]]
    assert len(covered) == 5
    assert "5 further findings would be new, but for the umbrella list" in out
    assert "known: https://example.org/1" in out
    assert len(findings(tmp_path, "--known", "known.toml", "--new")) == 3


def test_hostile_reports_do_nothing_to_the_terminal(tmp_path, hunted):
    with sqlite3.connect(hunted) as db:
        db.execute("UPDATE symptoms SET message = ?", ["\x1b]0;owned\x07[red]x[/red]\u202e"])
        db.execute("UPDATE families SET root = ?", ["\x1b[31m[/]"])
        db.execute("UPDATE reports SET source = ?, number = NULL", ["\x1b[2J"])
    done = run("report", "--all", cwd=tmp_path)
    assert "\x1b" not in done.stdout + done.stderr
    assert "\u202e" not in done.stdout


@pytest.mark.torch
def test_reports_for_other_interpreters_are_named_and_nothing_else_is_run(
    tmp_path, torch_target, hunted
):
    (tmp_path / "other.md").write_text(
        "# fails\n\n```python\nimport tensorflow as tf\ntf.abs()\n```\n"
    )
    (tmp_path / "cut.json").write_text('{"title": "fails"')
    command = ["hunt", "other.md", "cut.json", "--python", torch_target.info.python]
    out = run(*command, cwd=tmp_path, status=3).stdout
    assert "not run 1: no interpreter has tensorflow" in out
    assert "not run 1: cut.json: not valid JSON" in out
    assert "nothing that can be run here" in out


@pytest.mark.torch
def test_without_reports_only_what_fits_the_interpreters_is_gone_on_with(
    tmp_path, torch_target, hunted
):
    python = torch_target.info.python
    out = run("hunt", "--python", python, cwd=tmp_path, status=3).stdout
    assert "name reports to run" in out
    assert "0 items" in run("hunt", cwd=tmp_path).stdout


@pytest.mark.parametrize("given", [True, False])
def test_pairs_of_equal_apis_reach_the_workers(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    pair = Pair(one="torch.a", other="torch.b", equality=Equality.VALUE)
    write_matches(Path("pairs.jsonl"), [pair])
    requests = []

    def hunted(request, *_):
        requests.append(request)
        return 0

    monkeypatch.setattr(hunting, "run_hunt", hunted)
    option = ["--matches", "pairs.jsonl"] if given else []
    done = CliRunner().invoke(app, ["hunt", ".", *option])
    assert done.exit_code == 0, done.output
    (request,) = requests
    pairs = request.hunt.options.matches.pairs
    assert list(pairs) == [pair] * given


class SlowBuilds(scripted.OneBuild):
    """The index of the one build takes a second."""

    def of(self, reading):
        if not Path("indexed").exists():
            Path("indexed").touch()
            time.sleep(1.0)
        return super().of(reading)


class Inline(contextlib.nullcontext):
    """An executor that starts no process: items end at once."""

    slots = 1

    def __init__(self, folder):
        super().__init__(self)
        self._work = scripted.Scripted(folder)
        self._jobs = []

    def submit(self, job):
        self._jobs.append(job)

    def outcomes(self, _timeout):
        ended, self._jobs = self._jobs, []
        return [Outcome(item=job.item, seconds=0.1, answer=self._work(job)) for job in ended]


@pytest.mark.parametrize(("budget", "done"), [(0.9, 1), (60.0, 6)])
def test_the_budget_is_of_the_whole_hunt(tmp_path, monkeypatch, budget, done):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hunting, "_builds", lambda *_: SlowBuilds())
    body = "finds 1\n\n```python\nimport torch\ntorch.source(1)\n```\n"
    issues = [{"number": n, "title": f"fails {n}", "body": body + "x" * n} for n in (1, 2, 3)]
    Path("reports.json").write_text(json.dumps(issues))
    request = hunting.HuntingRequest(
        inputs=("reports.json",),
        store=Path("citadel.db"),
        wait=False,
        pythons=(),
        no_sandbox=True,
        wish=Wish(),
        hunt=HuntRequest(options=Options(), out=Path("cases"), budget=budget),
        known=None,
        json=None,
    )
    hunting.run_hunt(request, lambda: Inline(str(tmp_path)), Progress())
    with open_to_read(Path("citadel.db")) as store:
        ended = store.db.execute("SELECT count(*) FROM items WHERE state = 'done'").fetchone()
    assert ended == (done,)


def test_what_cannot_be_read_leaves_no_store(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("missing.json", "empty"):
        run("hunt", name, "--store", "new.db", cwd=tmp_path, status=2)
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_a_store_that_nobody_can_write_is_read(hunted):
    with patch("os.access", lambda _path, mode: mode != os.W_OK), open_to_read(hunted) as store:
        assert len(list(queries.findings(store, Filter(), queries.latest_builds(store)))) == 8


def test_the_store_opens_in_datasette(hunted):
    def got(path):
        command = [sys.executable, "-m", "datasette", hunted.name, "--get", path]
        done = subprocess.run(
            command, cwd=hunted.parent, capture_output=True, check=True, text=True, timeout=120
        )
        return done.stdout

    rows = json.loads(got("/citadel/bugs.json?_shape=array"))
    assert {row["api"] for row in rows} == {row["api"] for row in findings(hunted.parent)}
    (item,) = json.loads(got("/citadel/items/1.json?_shape=array"))
    assert item["state"] == "done"
    assert item["report"] in got("/citadel/items/1")  # a page, with what it refers to


def write_reports(folder):
    folder.mkdir()
    (folder / "diagonal.md").write_text((ROOT / "examples/diagonal_scatter_csr.md").read_text())
    (folder / "words.md").write_text("# it is slow\n\nonly words\n")
    (folder / "title.md").write_text(
        "# \x1b]0;owned\x07 fails'); DROP TABLE items; --\n\n```python\nimport torch\n"
        "torch.ones(2).view(3)\n```\n"
    )


@pytest.mark.slow
@pytest.mark.torch
def test_a_real_hunt_is_interrupted_and_goes_on(tmp_path, torch_target, index_of):
    index_of(torch_target)
    write_reports(tmp_path / "reports")
    command = [sys.executable, "-m", "citadel", "hunt", "reports", "--python", str(TORCH)]
    command += ["--per-report", "10", "--jobs", "1"]
    main, other = pty.openpty()
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=other,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        os.close(other)
        seen = _until(main, b"left")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    os.close(main)
    assert process.returncode == 130
    assert b"items" in seen
    assert "not run 1: no code" in out.replace("\n", " ")
    done = run(*command[3:], "--json", "hunt.json", cwd=tmp_path)
    assert "0 new items" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    told = json.loads((tmp_path / "hunt.json").read_text())
    (build,) = told["builds"]
    assert (build["reports"], build["open"], build["failed"]) == (2, 0, 0)
    apis = {row["api"] for family in told["families"] for row in family["members"]}
    assert "torch.Tensor.diagonal_scatter" in apis
    files = [row["file"] for family in told["families"] for row in family["members"]]
    assert all((tmp_path / file).is_file() for file in files)
    assert "0 items" in run(*command[3:], cwd=tmp_path).stdout


def _until(terminal, wanted):
    """What a terminal shows until something wanted is there."""
    seen, end = b"", time.monotonic() + 300
    while wanted not in seen:
        assert time.monotonic() < end
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            break
    return seen
