"""The command line, as a user meets it: help, wrong usage, bad input."""

import subprocess
import sys
import time

import pytest

from tests.citadel.cli.command import ROOT, TORCH, problem, run, write


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
    command = [sys.executable, "-m", "citadel", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert (done.returncode, done.stdout[:8], done.stderr) == (0, "citadel ", "")


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


def test_a_number_that_a_file_does_not_have_is_a_users_error(tmp_path):
    path = write(tmp_path, '{"number": 3, "title": "conv2d", "body": ""}\n', "found.jsonl")
    done = problem("triage", f"{path}#16\x1b[31m")
    assert "is no number of a report" in done.err
    assert "\x1b" not in done.err
    done = problem("triage", f"{path}#16")
    assert "found.jsonl#16: no report has the number 16" in done.err
    assert "there is 3" in done.err


def test_a_harvest_without_a_case_is_named(tmp_path):
    path = write(tmp_path, "", "found.jsonl")
    done = problem("triage", path)
    assert "found.jsonl" in done.err
    assert ".jsonl" in done.err.splitlines()[-1]


def test_nothing_on_standard_input_is_a_users_error(tmp_path):
    problem("triage", "-", "--python", TORCH, cwd=tmp_path)


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


@pytest.mark.parametrize("option", ["--out", "--json", "--html"])
@pytest.mark.parametrize("place", ["file/below", "missing/below"])
def test_places_that_cannot_be_written_are_told_before_the_work(tmp_path, option, place):
    (tmp_path / "file").write_text("regular")
    if option == "--out" and place.startswith("missing"):
        pytest.skip("the folder for cases is made")
    started = time.monotonic()
    problem("triage", write(tmp_path), option, tmp_path / place, "--python", TORCH, cwd=tmp_path)
    assert time.monotonic() - started < 10


COMMANDS = {
    "triage": ["triage", "report.md", "--python", "/missing"],
    "fuzz": ["fuzz", "eagle", "--python", "/missing"],
    "mine": ["mine", "missing.json"],
    "import": ["import", "freefuzz", "missing"],
    "hunt": ["hunt", "report.md", "--python", "/missing"],
    "report": ["report", "--store", "missing.db"],
    "index": ["index", "--python", "/missing"],
    "siblings": ["siblings", "torch.add", "--python", "/missing"],
}


@pytest.mark.parametrize("place", ["missing/told.json", "file/told.json", "folder", "/proc/told"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_first_that_json_cannot_be_written(tmp_path, command, place):
    write(tmp_path)
    (tmp_path / "file").write_text("regular")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = problem(*COMMANDS[command], "--json", place, cwd=tmp_path)
    assert f"error: cannot write {place}: " in done.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("command", "option", "place"),
    [
        ("triage", "--out", "file/cases"),
        ("fuzz", "--out", "folder"),
        ("fuzz", "--out", "file/h.jsonl"),
        ("hunt", "--out", "file/cases"),
        ("index", "--export", "missing/pairs.csv"),
        ("siblings", "--export", "missing/pairs.csv"),
        ("import", "--match", "missing/pairs.jsonl"),
    ],
)
def test_every_command_tells_first_what_else_cannot_be_written(tmp_path, command, option, place):
    write(tmp_path)
    (tmp_path / "file").write_text("regular")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    given = ["import", "deeprel", "missing"] if command == "import" else COMMANDS[command]
    done = problem(*given, option, place, cwd=tmp_path)
    assert "error: cannot write " in done.err
    assert sorted(tmp_path.rglob("*")) == before
