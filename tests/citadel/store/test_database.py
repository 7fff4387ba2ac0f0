"""Opening a store: one writer, foreign files, older and later versions, a full disk."""

import multiprocessing
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlite_utils import Database

from analysis.errors import CitadelError
from citadel.store import texts
from citadel.store.database import open_to_label, open_to_read, open_to_write
from citadel.store.lock import WriterLock
from citadel.store.schema import migrations

ROOT = Path(__file__).parents[3]


def test_all_tables_are_strict_and_the_journal_is_a_log(store):
    tables = [row for row in store.db.query("PRAGMA table_list") if row["type"] == "table"]
    own = [row for row in tables if not row["name"].startswith(("sqlite_", "_sqlite_"))]
    assert len(own) >= 18
    assert all(row["strict"] for row in own)
    assert store.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_second_writer_is_refused_with_the_first_ones_number(store, tmp_path):
    with pytest.raises(CitadelError, match=r"is being written by process \d+") as refused:
        open_to_write(tmp_path / "citadel.db")
    assert "--wait" in refused.value.hint


def _hold(path, ready, go):
    with open_to_write(path):
        ready.set()
        go.wait(60)


def test_one_that_waits_comes_after_the_first(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, go = context.Event(), context.Event()
    path = tmp_path / "citadel.db"
    other = context.Process(target=_hold, args=(path, ready, go))
    other.start()
    assert ready.wait(60)
    with pytest.raises(CitadelError, match=f"process {other.pid}"):
        open_to_write(path)
    go.set()
    with open_to_write(path, wait=True) as store:
        other.join()
        assert store.db.execute("SELECT count(*) FROM items").fetchone() == (0,)


def test_reading_goes_on_beside_the_writer(store):
    with open_to_read(store.path) as other:
        assert other.db.execute("SELECT count(*) FROM items").fetchone() == (0,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            other.db.execute("DELETE FROM items")


@pytest.mark.parametrize("how", ["read", "label", "write"])
def test_an_older_store_is_brought_up_to_date(tmp_path, how):
    path = tmp_path / "citadel.db"
    old = Database(sqlite3.connect(path))
    migrations.apply(old, stop_before="m002_bugs")
    old.execute("INSERT INTO families VALUES (1, 'torch', 'x')")
    old.execute("INSERT INTO symptoms (id, kind) VALUES ('s', 'raises')")
    old.execute(
        "INSERT INTO findings (id, framework, api, kind, state, symptom, family, added)"
        " VALUES ('f1', 'torch', 'a', 'status', 's', 's', 1, 0.5)"
    )
    old.execute(
        "INSERT INTO labels (finding, kind, note, added) VALUES ('f1', 'confirmed', '', 1.5)"
    )
    old.close()
    with WriterLock(path), pytest.raises(CitadelError, match="is being written"):
        open_to_read(path)
    opening = {"read": open_to_read, "label": open_to_label, "write": open_to_write}[how]
    with opening(path) as store:
        assert store.db.execute("SELECT id, plain FROM findings").fetchall() == [("f1", 1)]
        assert store.db.execute("SELECT count(*) FROM bugs").fetchone() == (0,)
        assert store.db.execute("SELECT finding, kind FROM labels").fetchall() == [
            ("f1", "confirmed")
        ]


def test_an_older_store_learns_which_findings_one_build_shows(tmp_path):
    path = tmp_path / "citadel.db"
    old = Database(sqlite3.connect(path))
    migrations.apply(old, stop_before="m009_only_build")
    old.execute("INSERT INTO families VALUES (1, 'torch', 'x')")
    old.execute("INSERT INTO symptoms (id, kind) VALUES ('s', 'raises')")
    seen = {"one": ("b1",), "twice": ("b1", "b1"), "both": ("b1", "b2"), "gone": ()}
    for finding, builds in seen.items():
        old.execute(
            "INSERT INTO findings (id, framework, api, kind, state, symptom, family, added)"
            " VALUES (?, 'torch', 'a', 'status', 's', 's', 1, 0.5)",
            [finding],
        )
        for number, build in enumerate(builds):
            values = [finding, build, f"r{number}", len(seen) * list(seen).index(finding) + number]
            old.execute("INSERT INTO sightings VALUES (?, ?, ?, ?)", values)
    old.close()
    with open_to_read(path) as store:
        kept = dict(store.db.execute("SELECT id, only_build FROM findings"))
    assert kept == {"one": "b1", "twice": "b1", "both": None, "gone": None}


def test_a_link_is_the_store_that_it_leads_to(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "there/citadel.db")
    with open_to_write(tmp_path / "link.db") as store:
        assert store.blobs.parent.name == "there"
        with pytest.raises(CitadelError, match="is being written"):
            open_to_write(tmp_path / "there/citadel.db")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["link.db"]


def test_files_are_found_from_wherever_the_store_is_read(store, monkeypatch):
    case = store.path.parent / "cases/a.py"
    assert store.kept(str(case)) == "cases/a.py"
    monkeypatch.chdir(store.path.parent.parent)
    assert store.found("cases/a.py") == f"{store.path.parent.name}/cases/a.py"
    assert store.found(None) is store.kept(None) is None


def test_a_later_store_is_left_alone(store):
    store.db["_sqlite_migrations"].insert(
        {"migration_set": "citadel", "name": "m999_later", "applied_at": "2030"}
    )
    with pytest.raises(CitadelError, match="later version"):
        open_to_read(store.path)


def test_foreign_files_are_refused_and_stay_as_they_are(tmp_path):
    text = tmp_path / "notes.db"
    text.write_text("my notes\n" * 200)
    foreign = tmp_path / "foreign.db"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE items (a)")
    connection.close()
    before = text.read_bytes(), foreign.read_bytes()
    for path in (text, foreign):
        for opening in (open_to_write, open_to_read):
            with pytest.raises(CitadelError, match=r"no store|not a database"):
                opening(path)
    assert (text.read_bytes(), foreign.read_bytes()) == before


def test_there_is_nothing_to_read_where_nobody_hunted(tmp_path):
    with pytest.raises(CitadelError, match="no store at"):
        open_to_read(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


FULL = """
import resource, sys
from pathlib import Path
from analysis.errors import CitadelError
from citadel.store import texts
from citadel.store.database import open_to_write
with open_to_write(Path(sys.argv[1])) as store:
    with store.transaction():
        texts.keep(store, "first")
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    try:
        for number in range(10_000):
            with store.transaction():
                texts.keep(store, str(number) * 3000)
    except CitadelError as problem:
        print(number, problem.message, "|", problem.hint)
"""


def test_a_full_disk_is_said_and_leaves_what_was_committed(tmp_path):
    path = tmp_path / "citadel.db"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    number, _, told = done.stdout.partition(" ")
    assert "disk" in told
    assert "|" in told
    with open_to_write(path) as store:
        assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.db.execute("SELECT count(*) FROM texts").fetchone() == (int(number) + 1,)
        with store.transaction():
            texts.keep(store, "goes on")


@pytest.mark.parametrize(
    "text", ["", "x = 1\n", "a\0b", "\ud800", "ü" * 40_000, "x" * (texts.LARGE - 1)]
)
def test_texts_come_back(store, text):
    with store.transaction():
        key = texts.keep(store, text)
        assert texts.keep(store, text) == key
    assert texts.read(store, key) == text.encode("utf-8", "backslashreplace").decode()
    kept = [path.name for path in store.blobs.rglob("*") if path.is_file()]
    assert kept == ([key] if len(text) > texts.LARGE - 1 or "\0" in text else [])


def test_a_text_whose_file_is_gone_is_said(store):
    with store.transaction():
        key = texts.keep(store, "x" * texts.LARGE)
    texts.place(store, key).unlink()
    with pytest.raises(CitadelError, match="cannot be read"):
        texts.read(store, key)
