"""Real searches that are killed or interrupted: nothing is lost, and nothing is done twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harvest.sources.packing import unpack
from harvest.tracker.queue import read_queue
from tests.citadel.cli.test_import import ROOT, TORCH
from tests.harvest.sources.conftest import KERAS

pytestmark = pytest.mark.slow
PATIENCE = 300


def start(folder, source, python, *more):
    """A search as a user starts it."""
    command = (sys.executable, "-m", "citadel", "fuzz", source, "--python", str(python))
    return subprocess.Popen(
        [*command, *more, "--out", "h.jsonl", "--json", "told.json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def told(folder, *search):
    """What a search told that came to its end."""
    with start(folder, *search) as process:
        _, problems = process.communicate(timeout=2 * PATIENCE)
    assert process.returncode == 0, problems
    return json.loads((folder / "told.json").read_text())


def stopped(folder, how, when, *search):
    """Start a search, and stop it as soon as its notes are as wanted; the exit status."""
    with start(folder, *search) as process:
        end = time.monotonic() + PATIENCE
        while process.poll() is None and not when(state(folder)):
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(how)
        _, problems = process.communicate(timeout=60)
    assert b"Traceback" not in problems
    return process.returncode


def state(folder):
    notes = folder / "h.search"
    return unpack(json.loads(notes.read_text())["state"]) if notes.exists() else None


def recorded(folder):
    path = folder / "h.hits.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def of_cases(rows):
    """The keys of cases by their numbers, of which each is there once."""
    found = {row["case"]: row["key"] for row in rows if row["case"] is not None}
    assert sorted(found) == [*range(1, len(found) + 1)]
    return found


def skip_without(python: Path):
    if not python.exists():
        pytest.skip(f"{python} is not there")


@pytest.mark.keras
def test_killed_twice_a_search_comes_to_the_same_end(tmp_path):
    skip_without(KERAS)
    search = ("lemon", KERAS, "--mutants", "1", "--budget", "600")
    for name in ("whole", "part"):
        (tmp_path / name).mkdir()
    whole = told(tmp_path / "whole", *search)
    assert whole["counts"]["hits"] >= 1
    part = tmp_path / "part"
    for models in (4, 7):  # with the third one comes the first bug
        wanted = lambda now, models=models: now and len(now["pools"]) >= models  # noqa: E731
        assert stopped(part, signal.SIGKILL, wanted, *search) == -signal.SIGKILL
    last = told(part, *search)
    assert last["resumed"]
    assert last["executed"] < whole["executed"]
    rows = recorded(part)
    keys = [row["key"] for row in rows]
    assert len(keys) == len(set(keys))
    assert set(keys) == {row["key"] for row in recorded(tmp_path / "whole")}
    assert of_cases(rows).keys() == {report.number for report in read_queue(part / "h.jsonl")}
    assert state(part) is None  # it is complete: the next search starts over


@pytest.mark.keras
def test_networks_that_have_run_before_a_kill_do_not_run_again(tmp_path):
    skip_without(KERAS)
    search = ("cradle", KERAS, "--budget")
    four = lambda now: now and now["next"] >= 4  # noqa: E731
    assert stopped(tmp_path, signal.SIGKILL, four, *search, "600") == -signal.SIGKILL
    before, rows = state(tmp_path)["next"], recorded(tmp_path)
    assert rows
    last = told(tmp_path, *search, "8")
    assert state(tmp_path)["next"] == before + last["executed"] > before
    assert not {row["key"] for row in rows} & {hit["key"] for hit in last["hits"]}
    assert recorded(tmp_path)[: len(rows)] == rows
    assert len(of_cases(recorded(tmp_path))) == last["counts"]["harvest"]


@pytest.mark.torch
def test_pairs_that_have_run_before_an_interruption_do_not_run_again(
    tmp_path, torch_target, index_of
):
    index_of(torch_target)
    search = ("eagle", TORCH, "--framework", "torch", "--budget")
    some = lambda now: now and len(now["torch"]["told"]) >= 2  # noqa: E731
    assert stopped(tmp_path, signal.SIGINT, some, *search, "100") == 130
    before, rows = state(tmp_path)["torch"]["plans"]["eager"], recorded(tmp_path)
    assert {row["key"] for row in rows} >= state(tmp_path)["torch"]["told"]
    last = told(tmp_path, *search, "15")
    after = state(tmp_path)["torch"]["plans"]["eager"]
    assert after["place"] > before["place"]
    assert after["told"][: len(before["told"])] == before["told"]
    again = {hit["key"] for hit in last["hits"] if not hit["limit"]}
    assert not again & {row["key"] for row in rows if not row["limit"]}
    keys = [row["key"] for row in recorded(tmp_path) if not row["limit"]]
    assert len(keys) == len(set(keys))
    assert last["counts"]["harvest"] == len(of_cases(recorded(tmp_path)))
