"""One report of a file by its number: `harvest.jsonl#16`, `issues.json#16`."""

import json

import pytest

from harvest.report.filters import Preset, choose
from harvest.report.model import BadInput, Report
from harvest.tracker.numbered import is_numbered, numbered_reports, ranges
from harvest.tracker.queue import read_queue, write_queue


def issue(number, repository="some/where", **more):
    url = f"https://github.com/{repository}/issues/{number}"
    return {"number": number, "title": f"issue {number}", "body": "", "html_url": url, **more}


@pytest.fixture
def harvest(tmp_path):
    rows = [issue(1), issue(2), issue(2, "else/where"), issue(5), issue(2, body="edited")]
    path = tmp_path / "found.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "issues.json"
    path.write_text(json.dumps([issue(7), issue(16)]))
    return path


def test_the_report_of_that_number(harvest, export):
    (found,) = numbered_reports(f"{harvest}#5")
    assert (found.number, found.title) == (5, "issue 5")
    (found,) = numbered_reports(f"{export}#16")
    assert found.title == "issue 16"


def test_a_number_that_several_repositories_have_in_its_latest_version(harvest):
    found = {one.repository: one.body for one in numbered_reports(f"{harvest}#2")}
    assert found == {"some/where": "edited", "else/where": ""}


def test_a_report_that_the_queue_drops_is_there_by_its_number(harvest):
    write_queue(harvest, choose(Preset.WIDE, (), ()))
    assert not list(read_queue(harvest))  # without code nothing is worth running
    (found,) = numbered_reports(f"{harvest}#5")
    assert isinstance(found, Report)


@pytest.mark.parametrize(
    ("ending", "error", "hint"),
    [
        ("#4", "no report has the number 4", "there are 1 to 2, 5"),
        ("#0", "0 is no number of a report", "FILE#N"),
        ("#", "nothing is no number of a report", "FILE#N"),
        ("#one", "one is no number of a report", "FILE#N"),
        ("#" + "9" * 5000, "is no number of a report", "FILE#N"),
    ],
)
def test_numbers_that_are_not_there(harvest, ending, error, hint):
    (found,) = numbered_reports(str(harvest) + ending)
    assert isinstance(found, BadInput)
    assert error in found.error
    assert hint in found.hint


def test_files_that_have_no_numbers_or_cannot_be_read(tmp_path):
    text = tmp_path / "report.md"
    text.write_text("# conv2d\n\nfails\n")
    (found,) = numbered_reports(f"{text}#3")
    assert (found.error, "have no numbers" in found.hint) == ("no report has the number 3", True)
    (found,) = numbered_reports(f"{tmp_path}/missing.jsonl#3")
    assert found.error == "no such file or directory"
    broken = tmp_path / "broken.json"
    broken.write_text('[{"title": "cut o')
    (found,) = numbered_reports(f"{broken}#3")
    assert "not valid JSON" in found.error


def test_what_is_a_file_and_what_an_issue_of_a_repository(tmp_path, monkeypatch, harvest):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd#3.md").write_text("# odd\n")
    numbered = ["found.jsonl#3", "harvests/gone.jsonl#16", "gone.json#16"]
    others = ["pytorch/pytorch#16", "odd#3.md", "found.jsonl", "#3", "-", "x" * 5000 + "#3"]
    assert [is_numbered(one) for one in numbered] == [True] * len(numbered)
    assert [is_numbered(one) for one in others] == [False] * len(others)


def test_many_numbers_are_told_in_short():
    assert ranges([1, 2, 3, 5, 8, 9]) == "1 to 3, 5, 8 to 9"
    assert ranges(list(range(0, 60, 2))) == "0, 2, 4, 6, 8, 10, 12, 14, ..."
