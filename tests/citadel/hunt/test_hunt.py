"""Hunts with real processes and a real store: resumed, killed, interrupted, in budget, in order."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from analysis.errors import CitadelError
from citadel.hunt.executor import Outcome
from citadel.hunt.hunt import Hunt, HuntRequest
from citadel.options import Options
from citadel.store import reports
from citadel.store.database import open_to_read, open_to_write
from citadel.store.summary import yields
from citadel.store.texts import LARGE
from tests.citadel.hunt import scripted

ROOT = Path(__file__).parents[3]
BODIES = ["finds 3", "clean", "finds 5 flaky", "finds 2", "measures finds 1", "finds 4", "finds 0"]


@pytest.fixture
def store(tmp_path):
    with open_to_write(tmp_path / "citadel.db") as opened:
        yield opened


def states(store):
    rows = store.db.execute(
        "SELECT r.number, i.stage, i.state, i.attempts FROM items i"
        " JOIN reports r ON r.id = i.report ORDER BY 1, 2"
    )
    return [tuple(row) for row in rows]


def end_state(path):
    """All that a hunt leaves, without times, row numbers and what depends on the order of work."""
    with open_to_read(path) as store:
        queries = (
            "SELECT report, build, stage, state, topic, exclusive, reason FROM items",
            "SELECT report, build, api, kind, state, hits, replays, code FROM cases",
            "SELECT c.api, p.target, v.edits, v.code, d.kind, d.hits, d.replays FROM variants v"
            ' JOIN pairs p ON p.id = v.pair JOIN cases c ON c.id = v."case"'
            " JOIN verdicts d ON d.variant = v.id",
            "SELECT c.api, p.target, r.attempt, r.verdict, r.hits, r.replays FROM runs r"
            " JOIN variants v ON v.id = r.variant JOIN pairs p ON p.id = v.pair"
            ' JOIN cases c ON c.id = v."case"',
            "SELECT id, api, kind, state FROM findings",
            "SELECT finding, build, report FROM sightings",
            "SELECT * FROM tallies WHERE number",
        )
        rows = [sorted(store.db.execute(query).fetchall(), key=repr) for query in queries]
        parts = {}
        for finding, family in store.db.execute("SELECT id, family FROM findings"):
            parts.setdefault(family, set()).add(finding)
        assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.db.execute("PRAGMA foreign_key_check").fetchall() == []
    return rows, {frozenset(part) for part in parts.values()}


def begun(folder):
    lines = [line.split() for line in (folder / "log").read_text().splitlines()]
    return [(int(line[2]), line[3]) for line in lines if line[1] == "begin"]


def test_every_report_is_verified_once_and_what_reproduces_is_propagated(store, tmp_path):
    assert scripted.enlisted(store, BODIES).queued == len(BODIES)
    done = scripted.hunt(store, tmp_path, retries=0)
    assert (done.waiting, done.dropped) == (0, 0)
    found = states(store)
    assert [row for row in found if row[0] == 2] == [(2, "verify", "done", 1)]
    assert (3, "propagate", "flaky", 1) in found
    assert {row[2] for row in found} == {"done", "flaky"}
    counts = store.db.execute("SELECT count(*) FROM sightings").fetchone()[0]
    assert counts == 3 + 2 + 1 + 4
    assert (tmp_path / "cases/torch/case1/torch.sibling1.py").is_file()


def test_a_second_hunt_does_nothing_twice(store, tmp_path):
    scripted.enlisted(store, BODIES)
    scripted.hunt(store, tmp_path)
    before = len(begun(tmp_path))
    assert scripted.enlisted(store, BODIES).queued == 0
    assert scripted.hunt(store, tmp_path).done == 0
    assert len(begun(tmp_path)) == before


def test_what_is_flaky_is_tried_again_alone_and_its_runs_add_up(store, tmp_path):
    scripted.enlisted(store, ["finds 1 flaky", "finds 1"])
    scripted.hunt(store, tmp_path, retries=2)
    lines = (tmp_path / "log").read_text().splitlines()
    alone = [line.split()[4] for line in lines if " begin 1 propagate" in line]
    assert alone == ["0", "1", "1"]
    runs = store.db.execute("SELECT hits, replays FROM verdicts WHERE kind = 'flaky'").fetchall()
    assert runs == [(6, 9)]


@pytest.mark.slow
def test_what_was_cut_short_goes_on_where_there_is_more_time(store, tmp_path):
    scripted.enlisted(store, ["finds 3 cut", "finds 2"])
    assert scripted.hunt(store, tmp_path).found == 3
    assert [row.cut for row in yields(store)] == [1]
    again = scripted.hunt(store, tmp_path)
    assert (again.done, again.waiting) == (0, 0)
    more = scripted.hunt(store, tmp_path, seconds=200.0)
    assert (more.done, more.found, more.waiting) == (1, 2, 0)
    assert [row.cut for row in yields(store)] == [0]


@pytest.mark.slow
def test_what_measures_runs_while_nothing_else_does(store, tmp_path):
    bodies = ["finds 1 sleeps 0.2", "measures finds 1 sleeps 0.3", "finds 2 sleeps 0.2"] * 2
    scripted.enlisted(store, bodies)
    scripted.hunt(store, tmp_path, jobs=3)
    running, most = {}, 0
    for line in (tmp_path / "log").read_text().splitlines():
        _, event, number, _stage, exclusive = line.split()
        if event == "begin":
            running[number] = exclusive
            most = max(most, len(running))
            assert "1" not in running.values() or len(running) == 1, line
        else:
            del running[number]
    assert most > 1
    done = store.db.execute("SELECT count(*) FROM cases WHERE kind = 'performance'").fetchone()
    assert done == (2,)


@pytest.mark.slow
def test_a_worker_that_dies_costs_one_attempt(store, tmp_path):
    scripted.enlisted(store, ["dies once finds 1", "dies finds 1", "raises", "finds 1"])
    told = []
    scripted.hunt(store, tmp_path, told=told.append)
    found = {(row[0], row[1]): row[2:] for row in states(store)}
    assert found[1, "verify"] == ("done", 2)
    assert found[2, "verify"] == found[3, "verify"] == ("failed", 2)
    assert found[4, "propagate"] == ("done", 1)
    reasons = {ended.reason for ended in told if ended.state == "failed"}
    assert reasons == {"its worker was killed by SIGSEGV", "internal error: KeyError: 1"}


class Vanishing:
    """An executor whose machines go away with every job."""

    slots = 1

    def __init__(self):
        self._jobs = []

    def submit(self, job):
        self._jobs.append(job.item)

    def outcomes(self, _timeout):
        lost, self._jobs = self._jobs, []
        return [
            Outcome(item=item, seconds=1.0, died="its node is gone", lost=True) for item in lost
        ]


def test_what_takes_every_machine_down_fails_in_the_end(store, tmp_path):
    scripted.enlisted(store, ["finds 1"])
    request = HuntRequest(options=Options(), out=tmp_path / "cases", retries=0)
    done = Hunt(store, Vanishing(), {scripted.KEY: scripted.SITE}, request).run()
    assert (done.done, done.waiting) == (1, 0)
    row = store.db.execute("SELECT state, attempts, reason FROM items").fetchone()
    assert row == ("failed", 1, "its node is gone")


def test_a_report_whose_text_is_gone_costs_only_itself(store, tmp_path):
    scripted.enlisted(store, ["finds 1 " + "x" * LARGE, "finds 2"])
    (blob,) = (path for path in store.blobs.rglob("*") if path.is_file())
    blob.unlink()
    done = scripted.hunt(store, tmp_path, retries=0)
    assert (done.found, done.waiting) == (2, 0)
    reasons = [reason for (reason,) in store.db.execute("SELECT reason FROM items") if reason]
    assert len(reasons) == 1
    assert "cannot be read" in reasons[0]


def test_a_hunt_in_which_all_fails_stops(store, tmp_path):
    scripted.enlisted(store, ["raises"] * 40)
    with pytest.raises(CitadelError, match=r"20 items in a row failed.*KeyError"):
        scripted.hunt(store, tmp_path)
    waiting = store.db.execute("SELECT count(*) FROM items WHERE state = 'queued'").fetchone()[0]
    assert 18 <= waiting <= 20
    assert store.db.execute("SELECT 1 FROM items WHERE state = 'running'").fetchone() is None


@pytest.mark.slow
def test_a_budget_ends_a_hunt_and_the_next_one_goes_on(store, tmp_path):
    scripted.enlisted(store, ["finds 1 sleeps 0.1"] * 3)
    rounds = []
    while not rounds or rounds[-1].waiting:
        rounds.append(scripted.hunt(store, tmp_path, budget=0.01))
        assert rounds[-1].done  # however short the budget is
        assert len(rounds) <= 6
    assert len(rounds) > 1
    assert sum(one.done for one in rounds) == 6
    assert rounds[0].dropped <= 2
    assert store.db.execute("SELECT count(*) FROM runs").fetchone() == (3,)


def test_a_report_that_moved_or_got_a_label_is_the_same_work(store):
    assert scripted.enlisted(store, ["finds 1"]).queued == 1
    moved = scripted.report(1, "finds 1")
    again = moved.__class__(
        **{**{f: getattr(moved, f) for f in moved.__slots__}, "source": "x", "labels": ("bug",)}
    )
    result = scripted.enlist(store, [again, scripted.report(1, "finds 2")], scripted.OneBuild())
    assert result.queued == 1  # the one whose text changed


def test_reports_come_back_as_they_were(store):
    given = scripted.report(1, "finds 1")
    with store.transaction():
        key = reports.add_report(store, given, ())
    assert reports.report_of(store, key) == given


def start(path, jobs=2, budget=0):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.citadel.hunt.scripted", str(path), str(jobs), str(budget)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What starts the tests may ignore the signal, which is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def prepared(folder, bodies):
    folder.mkdir()
    path = folder / "citadel.db"
    with open_to_write(path) as store:
        scripted.enlisted(store, bodies)
    return path


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
def test_interrupted_it_puts_back_what_was_under_way(tmp_path):
    path = prepared(tmp_path / "h", ["finds 1 sleeps 30"] * 4)
    with start(path) as process:
        wait_for((path.parent / "log").exists)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert out.endswith("interrupted\n")
    with open_to_read(path) as store:
        assert {row[2:] for row in states(store)} == {("queued", 0)}


@pytest.mark.slow
def test_no_worker_outlives_a_killed_hunt(tmp_path):
    path = prepared(tmp_path / "h", ["finds 1 sleeps 60"] * 2)
    with start(path) as process:
        wait_for(lambda: len(_children(process.pid)) >= 2)
        wait_for((path.parent / "log").exists)
        workers = _children(process.pid)
        process.kill()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def _children(pid):
    """The processes that a process started, without helpers of the standard library."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            told = dict(line.split(":", 1) for line in status.read_text().splitlines())
            command = status.with_name("cmdline").read_bytes()
        except (OSError, ValueError):
            continue
        if int(told["PPid"]) == pid and b"resource_tracker" not in command:
            found.append(int(told["Pid"]))
    return found


@pytest.mark.slow
def test_killed_at_any_moment_it_comes_to_the_same_end(tmp_path):
    bodies = [f"{body} sleeps 0.02" for body in BODIES * 3]
    whole = prepared(tmp_path / "whole", bodies)
    with start(whole) as process:
        assert process.wait(120) == 0
    part = prepared(tmp_path / "part", bodies)
    chance = random.Random(11)
    log = part.parent / "log"
    kills = 0
    while True:
        seen = len(_lines(log))
        more = chance.randint(1, 12)
        with start(part) as process:
            while process.poll() is None and len(_lines(log)) < seen + more:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
            if process.wait() == 0:
                break
        kills += 1
        assert kills < 200
    assert kills >= 3
    assert end_state(part) == end_state(whole)


def _lines(log):
    return log.read_text().splitlines() if log.exists() else []
