"""The journal of a build: what survives a kill, what is not believed."""

import json
import threading

import pytest

from analysis.dynamic.journal import Journal


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.journal"


def written(path, build="a", records=(1, 2, 3)):
    with Journal(path, build) as journal:
        for number in records:
            journal.add("samples", number % 2, {"entry": number})


def read(path, build="a"):
    with Journal(path, build) as journal:
        return {part: journal.past("samples", part) for part in (0, 1)}


def test_what_was_added_is_there_next_time(path):
    written(path)
    assert read(path) == {0: [{"entry": 2}], 1: [{"entry": 1}, {"entry": 3}]}


def test_further_records_go_behind_what_is_there(path):
    written(path)
    written(path, records=(5,))
    assert read(path)[1] == [{"entry": 1}, {"entry": 3}, {"entry": 5}]


def test_half_a_line_at_the_end_is_dropped_and_the_rest_kept(path):
    written(path)
    path.write_bytes(path.read_bytes()[:-4])
    assert read(path) == {0: [{"entry": 2}], 1: [{"entry": 1}]}
    written(path, records=(7,))
    assert read(path)[1] == [{"entry": 1}, {"entry": 7}]


@pytest.mark.parametrize(
    "line",
    [b"\x00\xff", b"[1]", b'{"a": 1}', b'["samples", "x", {}]', b'["samples", 0, 5]', b"[" * 9999],
)
def test_nothing_behind_a_damaged_line_is_believed(path, line):
    written(path)
    with path.open("ab") as file:
        file.write(line + b"\n" + json.dumps(["samples", 1, {"entry": 9}]).encode() + b"\n")
    assert read(path)[1] == [{"entry": 1}, {"entry": 3}]


@pytest.mark.parametrize("content", [b"", b"\x00" * 50, b"no journal\n", b'{"build": "b"}\n[]\n'])
def test_the_journal_of_something_else_is_begun_anew(path, content):
    path.write_bytes(content)
    assert read(path) == {0: [], 1: []}
    written(path)
    assert read(path)[0] == [{"entry": 2}]


def test_a_second_build_waits_for_the_first(path):
    waiting, seen = threading.Event(), []

    def second():
        with Journal(path, "a", waiting.set) as journal:
            seen.extend(journal.past("samples", 0))
            journal.add("samples", 0, {"entry": 2})

    thread = threading.Thread(target=second)
    with Journal(path, "a") as first:
        first.add("samples", 0, {"entry": 0})
        thread.start()
        assert waiting.wait(30)
        first.add("samples", 0, {"entry": 1})
        assert seen == []
    thread.join(30)
    assert seen == [{"entry": 0}, {"entry": 1}]
    assert read(path)[0] == [{"entry": 0}, {"entry": 1}, {"entry": 2}]


def test_an_unwritable_place_costs_only_the_resumption(tmp_path):
    (tmp_path / "file").write_text("")
    with Journal(tmp_path / "file" / "x.journal", "a") as journal:
        journal.add("samples", 0, {"entry": 0})
        assert journal.past("samples", 0) == []


def test_a_phase_whose_work_changed_is_forgotten_for_good(path):
    written(path)
    with Journal(path, "a") as journal:
        journal.forget("samples")
        assert journal.past("samples", 1) == []
        journal.add("samples", 1, {"entry": 7})
    assert read(path) == {0: [], 1: [{"entry": 7}]}
    assert read(path) == {0: [], 1: [{"entry": 7}]}


def test_a_journal_that_is_restarted_is_empty(path):
    written(path)
    with Journal(path, "a") as journal:
        journal.restart()
        journal.add("samples", 0, {"entry": 4})
    assert read(path) == {0: [{"entry": 4}], 1: []}


def test_only_its_writer_removes_a_journal(path):
    with Journal(path, "a") as first:
        first.add("samples", 0, {"entry": 0})
    first.discard()
    assert read(path)[0] == [{"entry": 0}]
    with Journal(path, "a") as again:
        again.discard()
    assert not path.exists()
