"""The file of a harvest: what it survives, what it refuses, what is read back."""

import json
import os
import shutil

import pytest

from analysis.errors import CitadelError
from harvest.report.model import BadInput
from harvest.tracker.harvest_file import HarvestFile, checkpoint_path, read_checkpoint
from harvest.tracker.pages import Entry, Page, to_line
from harvest.tracker.stored import read_harvest


def entry(number, updated="2020", repository="some/where", **more):
    content = {
        "repository": {"full_name": repository},
        "number": number,
        "title": f"issue {number}",
        "body": "",
        "updated_at": updated,
        **more,
    }
    return Entry(issue=(repository, number), updated_at=updated, line=to_line(content))


def page(*entries, position="p"):
    return Page(entries=entries, position=position)


def keep(path, *pages, identity="q"):
    with HarvestFile(path, identity) as file:
        for one in pages:
            file.append(one)
        file.finish()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder/h.jsonl"


def test_pages_are_kept_with_their_position(path):
    keep(path, page(entry(1), entry(2), position="a"), page(entry(3), position="b"))
    kept = read_checkpoint(path)
    assert (kept.position, kept.size, kept.complete) == ("b", path.stat().st_size, True)
    with HarvestFile(path, "q") as file:
        assert dict(file.seen) == {("some/where", at): "2020" for at in (1, 2, 3)}
        assert not file.checkpoint.complete


@pytest.mark.parametrize("rest", [b"{", b'{"number": 9}\n{"num', b"\0" * 5000])
def test_what_lies_behind_the_checkpoint_is_cut_off(path, rest):
    keep(path, page(entry(1)))
    whole = path.read_bytes()
    with path.open("ab") as file:
        file.write(rest)
    keep(path)
    assert path.read_bytes() == whole


def test_a_kill_between_file_and_checkpoint_costs_one_page(path):
    """The checkpoint is that of the page before: the page is appended again."""
    keep(path, page(entry(1), position="a"))
    before = checkpoint_path(path).read_bytes()
    keep(path, page(entry(2), position="b"))
    whole = path.read_bytes()
    checkpoint_path(path).write_bytes(before)
    with HarvestFile(path, "q") as file:
        assert file.checkpoint.position == "a"
        file.append(page(entry(2), position="b"))
    assert path.read_bytes() == whole


def test_nothing_foreign_is_overwritten(path):
    path.parent.mkdir()
    path.write_text('[{"number": 1}]')
    with pytest.raises(CitadelError, match="no harvest"):
        keep(path)
    assert path.read_text() == '[{"number": 1}]'


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"schema": 99, "identity": "q"}'])
def test_a_damaged_checkpoint_is_told(path, damage):
    keep(path, page(entry(1)))
    checkpoint_path(path).write_text(damage)
    with pytest.raises(CitadelError, match="damaged"):
        keep(path)


def test_a_file_that_lost_bytes_is_told(path):
    keep(path, page(entry(1)))
    os.truncate(path, 5)
    with pytest.raises(CitadelError, match="shorter"):
        keep(path)


def test_another_question_needs_another_file(path):
    keep(path, page(entry(1)))
    with pytest.raises(CitadelError, match="another question"):
        keep(path, identity="r")


def test_two_writers_at_once_are_refused(path):
    with HarvestFile(path, "q"), pytest.raises(CitadelError, match="another process"):
        keep(path)


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "f").write_text("")
    with pytest.raises(CitadelError, match="cannot be written"):
        keep(tmp_path / "f/h.jsonl")


def test_a_copy_of_both_files_goes_on(path, tmp_path):
    keep(path, page(entry(1)))
    shutil.copytree(path.parent, tmp_path / "copy")
    with HarvestFile(tmp_path / "copy/h.jsonl", "q") as file:
        assert len(file.seen) == 1


def test_versions_are_put_together(path):
    old = entry(
        1,
        "2020",
        thread=[{"html_url": "a", "body": "first"}, {"html_url": "b", "body": "typo"}],
        timeline=[{"event": "referenced", "commit_id": "c"}],
    )
    new = entry(1, "2021", title="better", thread=[{"html_url": "b", "body": "mended"}])
    keep(path, page(new, entry(2)), page(old))
    first, second = read_harvest(path)
    assert (first.title, first.updated_at, second.number) == ("better", "2021", 2)
    assert [comment.body for comment in first.thread] == ["first", "mended"]
    assert len(first.links) == 1


def test_reports_come_in_the_order_of_repository_and_number(path):
    keep(path, page(entry(10), entry(9)), page(entry(11, repository="a/b"), entry(2)))
    found = [(report.repository, report.number) for report in read_harvest(path)]
    assert found == [("a/b", 11), ("some/where", 2), ("some/where", 9), ("some/where", 10)]


def test_what_could_not_be_read_stays_a_row(path):
    broken = json.dumps({"source": "x.json:3", "error": "not valid JSON"})
    keep(path, page(entry(1), Entry(issue=None, updated_at="", line=broken)))
    bad, _ = read_harvest(path)
    assert bad == BadInput(source="x.json:3", error="not valid JSON")


def test_no_such_harvest(tmp_path):
    with pytest.raises(CitadelError, match="cannot be read"):
        list(read_harvest(tmp_path / "none.jsonl"))


def test_files_beside_a_harvest_are_those_of_its_own_folder(path):
    mine, gone = "0123456789abcdef.svg", "fedcba9876543210.svg"
    names = [mine, gone, "../h.jsonl", "/etc/passwd", f"sub/{mine}", 3]
    keep(path, page(entry(1, files=names), entry(2, files="x"), entry(3, body='"files"')))
    drawn = path.with_name("h.files") / mine
    drawn.parent.mkdir()
    drawn.write_text("<svg/>")
    assert [one.files for one in read_harvest(path)] == [(str(drawn),), (), ()]
