"""Issues from files: exports, dumps, folders, broken ones."""

import gzip
import json

import pytest

from analysis.errors import CitadelError
from harvest.report.model import BadInput, Report
from harvest.tracker import records
from harvest.tracker.files import PAGE, Files
from harvest.tracker.gather import gather
from harvest.tracker.pages import Wanted
from harvest.tracker.records import Broken, Value, read_values
from harvest.tracker.stored import read_harvest


def issue(number, repository="some/where", **more):
    return {
        "number": number,
        "title": f"issue {number}",
        "body": "text",
        "html_url": f"https://github.com/{repository}/issues/{number}",
        "updated_at": f"2020-01-{number % 28 + 1:02}T00:00:00Z",
        **more,
    }


def event(number, kind="IssuesEvent", comment=None, **more):
    payload = {"action": "opened", "issue": issue(number, **more)}
    if comment is not None:
        payload["comment"] = comment
    return {"type": kind, "repo": {"name": "some/where"}, "payload": payload}


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values).encode()


@pytest.fixture
def mined(tmp_path):
    def mine(name, data, **wanted):
        path = tmp_path / "in" / name
        path.parent.mkdir()
        path.write_bytes(data)
        wanted = Wanted(**{"repository": "", **wanted})
        gather(Files(path, wanted), tmp_path / "h.jsonl")
        return list(read_harvest(tmp_path / "h.jsonl"))

    return mine


def numbers(found):
    return [report.number for report in found if isinstance(report, Report)]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps([issue(1), issue(2)]).encode(),
        json.dumps([issue(1), issue(2)], indent=2).encode(),
        b"\xef\xbb\xbf " + json.dumps([issue(1), issue(2)]).encode() + b"\n",
        json.dumps({"total_count": 2, "items": [issue(1), issue(2)]}, indent=1).encode(),
        lines(issue(1), issue(2)),
        lines(issue(1)) + b"\n\n" + lines(issue(2)),
        lines(event(1), {"type": "PushEvent", "payload": {}}, event(2)),
        gzip.compress(lines(event(1), event(2))),
        gzip.compress(json.dumps([issue(1), issue(2)]).encode()),
    ],
)
def test_forms(mined, data):
    assert numbers(mined("a.json", data)) == [1, 2]


@pytest.mark.parametrize("data", [lines(issue(1)), json.dumps(issue(1), indent=1).encode()])
def test_a_single_issue(mined, data):
    assert numbers(mined("a.json", data)) == [1]


def test_comments_of_an_archive_become_the_thread(mined):
    first = {"html_url": "u1", "body": "one", "user": {"login": "a"}}
    second = {"html_url": "u2", "body": "two"}
    data = lines(
        event(1),
        event(1, "IssueCommentEvent", first),
        event(1, "IssueCommentEvent", second, updated_at="2020-02-01T00:00:00Z", title="renamed"),
    )
    (found,) = mined("2020-01-01-0.json.gz", gzip.compress(data))
    assert found.title == "renamed"
    assert [comment.body for comment in found.thread] == ["one", "two"]


def test_equal_numbers_of_files_that_name_no_repository_are_different_issues(tmp_path):
    for name in ("a", "b"):
        told = {"number": 7, "title": f"{name} fails", "body": "x"}
        (tmp_path / f"{name}.json").write_text(json.dumps([told]))
    path = tmp_path / "out.jsonl"
    for _ in range(2):
        gather(Files(tmp_path, Wanted(repository="")), path)
    found = [item for item in read_harvest(path) if isinstance(item, Report)]
    assert [(one.repository, one.number, one.title) for one in found] == [
        ("a.json", 7, "a fails"),
        ("b.json", 7, "b fails"),
    ]


def test_an_issue_of_an_archive_knows_its_repository(mined):
    told = event(1)
    del told["payload"]["issue"]["html_url"]
    (found,) = mined("a.json", lines(told))
    assert found.repository == "some/where"


@pytest.mark.parametrize(
    ("data", "kept", "errors"),
    [
        (b"", [], ["empty"]),
        (b"   \n", [], ["empty"]),
        (b'[{"number": 1, "title": "t", "body": ""}, {"num', [1], ["not valid JSON from here on"]),
        (b'{"number": 1,\n "title": "cut', [], ["not valid JSON"]),
        (lines(issue(1)) + b"{broken\n" + lines(issue(2)), [1, 2], ["not valid JSON"]),
        (b"{broken\n" + lines(issue(2), issue(3)), [2, 3], ["not valid JSON"]),
        (b"[" * 10_000, [], ["not valid JSON"]),
        (lines(issue(1), 3, "x", None, {"a": 1}), [1], ["not an issue"] * 4),
        (lines({"title": "t", "body": ""}, issue(1)), [1], ["without a number"]),
        (gzip.compress(lines(issue(1), issue(2)))[:-9], [1, 2], ["cannot be read"]),
        (b"\x1f\x8b\x00garbage", [], ["cannot be read"]),
    ],
)
def test_broken_files_are_rows(mined, data, kept, errors):
    found = mined("a.json", data)
    assert numbers(found) == kept
    told = [item.error for item in found if isinstance(item, BadInput)]
    assert len(told) == len(errors)
    assert all(word in error for word, error in zip(errors, told, strict=True))


def test_values_that_are_too_long_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MAX_VALUE", 1000)
    path = tmp_path / "a.jsonl"
    path.write_bytes(lines(issue(1), issue(2, body="x" * 5000), issue(3)))
    first, second, third = read_values(path)
    assert (first.content["number"], third.content["number"]) == (1, 3)
    assert second == Broken(error="longer than 0 MB")


@pytest.mark.parametrize("text", ["é" * 700_000, "\N{GRINNING FACE}" * 400_000, "x" * 3_000_000])
def test_arrays_are_read_in_pieces(tmp_path, text):
    path = tmp_path / "a.json"
    content = [{"n": at, "text": text} for at in range(3)]
    path.write_text(json.dumps(content, ensure_ascii=False))
    assert [value.content for value in read_values(path)] == content
    assert all(isinstance(value, Value) for value in read_values(path))


def test_a_folder_is_read_and_what_is_no_issue_is_passed_over(tmp_path):
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "in/b.json").write_text(json.dumps([issue(2)]))
    (tmp_path / "in/deep/a.json").write_text(json.dumps(issue(1)))
    (tmp_path / "in/expected.json").write_text(json.dumps({"1": {"api": "f"}}))
    (tmp_path / "in/notes.txt").write_text("no")
    run(tmp_path / "in", tmp_path / "h.jsonl")
    assert [item.number for item in read_harvest(tmp_path / "h.jsonl")] == [1, 2]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    for at in range(3):
        part = [issue(number) for number in range(at * 600 + 1, at * 600 + 601)]
        (tmp_path / f"in/{at}.jsonl").write_bytes(lines(*part))
    return tmp_path / "in"


def run(folder, path, **wanted):
    return gather(Files(folder, Wanted(**{"repository": "", **wanted})), path)


def test_a_harvest_of_files_goes_on_anywhere(folder, tmp_path):
    whole = tmp_path / "whole.jsonl"
    run(folder, whole)
    for stop in range(1, 4):
        part = tmp_path / f"part{stop}.jsonl"
        source = Files(folder, Wanted(repository=""))

        class Killed(Exception):
            pass

        def prepare(page, left=[stop]):  # noqa: B006
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return page

        with pytest.raises(Killed):
            gather(source, part, prepare=prepare)
        before = part.stat().st_size
        assert 0 < before < whole.stat().st_size
        run(folder, part)
        assert part.read_bytes() == whole.read_bytes()
    assert PAGE < 600


def test_new_files_are_all_that_is_read_again(folder, tmp_path):
    path = tmp_path / "h.jsonl"
    assert run(folder, path).issues == 1800
    assert run(folder, path).fetched == 0
    (folder / "0a.jsonl").write_bytes(lines(issue(5000)))
    done = run(folder, path)
    assert (done.issues, done.fetched) == (1801, 1)


def test_what_is_wanted(folder, tmp_path):
    (folder / "3.jsonl").write_bytes(
        lines(
            issue(
                5001, labels=[{"name": "Bug"}], state="closed", updated_at="2024-01-01T00:00:00Z"
            ),
            issue(5002, labels=["bug"], state="open", updated_at="2024-01-01T00:00:00Z"),
            issue(5003, repository="other/where", updated_at="2024-01-01T00:00:00Z"),
        )
    )

    def found(name, **wanted):
        run(folder, tmp_path / name, **wanted)
        return [report.number for report in read_harvest(tmp_path / name)]

    assert found("a", since="2023-01-01T00:00:00Z") == [5003, 5001, 5002]
    assert found("b", labels=("bug", "crash")) == [5001, 5002]
    assert found("c", labels=("bug",), state="open") == [5002]
    assert found("d", repository="Other/where") == [5003]


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_nothing_to_read(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CitadelError):
        run(tmp_path / name, tmp_path / "h.jsonl")
