import io
import json

import pytest

from harvest.report import load
from harvest.report.inputs import MAX_BYTES
from harvest.report.model import BadInput, Report

ISSUE = {
    "number": 7,
    "title": "f fails",
    "body": "text\r\nmore",
    "labels": [{"name": "module: nn"}, "bug"],
    "state": "open",
    "comments": 3,
    "created_at": "2024-01-01T00:00:00Z",
    "url": "https://api.github.com/repos/some/where/issues/7",
    "html_url": "https://github.com/some/where/issues/7",
}


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def one(arguments, stdin=None):
    found = list(load(arguments, stdin=None if stdin is None else io.BytesIO(stdin)))
    assert len(found) == 1
    return found[0]


def test_an_issue_as_github_returns_it(tmp_path):
    path = write(tmp_path, "a.json", json.dumps(ISSUE))
    assert one([path]) == Report(
        source=path,
        title="f fails",
        body="text\nmore",
        repository="some/where",
        number=7,
        labels=("module: nn", "bug"),
        state="open",
        comments=3,
        created_at="2024-01-01T00:00:00Z",
        url="https://github.com/some/where/issues/7",
    )


def test_the_repository_is_known_from_the_api_address_too(tmp_path):
    issue = {key: value for key, value in ISSUE.items() if key != "html_url"}
    assert one([write(tmp_path, "a.json", json.dumps(issue))]).repository == "some/where"


def test_a_body_may_be_null(tmp_path):
    assert one([write(tmp_path, "a.json", json.dumps({**ISSUE, "body": None}))]).body == ""


def test_an_array_yields_each_issue_and_each_error(tmp_path):
    path = write(tmp_path, "a.json", json.dumps([ISSUE, 3, ISSUE]))
    first, second, third = load([path])
    assert isinstance(first, Report)
    assert first.source == f"{path}[0]"
    assert isinstance(second, BadInput)
    assert isinstance(third, Report)


def test_search_results_are_a_list_of_issues(tmp_path):
    path = write(tmp_path, "a.json", json.dumps({"total_count": 1, "items": [ISSUE]}))
    assert one([path]).number == 7


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("# f fails\n\nbody\n", "f fails", "body\n"),
        ("some text\n\n## f fails\nbody", "f fails", "some text\n\n## f fails\nbody"),
        ("```\n# no heading\n```\ntext", "text", "```\n# no heading\n```\ntext"),
    ],
)
def test_markdown(tmp_path, text, title, body):
    report = one([write(tmp_path, "a.md", text)])
    assert (report.title, report.body, report.code) == (title, body, None)


@pytest.mark.parametrize(
    ("code", "title", "body"),
    [
        ('"""f fails.\n\nIt should not.\n"""\nimport torch\n', "f fails.", "It should not."),
        ("#!/usr/bin/env python\n# f fails\n# again\nimport torch\n", "f fails", "again"),
        ("import torch\n", "a", ""),
        ("print 'two'\n", "a", ""),
    ],
)
def test_a_script_is_one_snippet(tmp_path, code, title, body):
    report = one([write(tmp_path, "a.py", code)])
    assert (report.title, report.body, report.code) == (title, body, code)


@pytest.mark.parametrize(
    ("data", "attribute", "value"),
    [
        (json.dumps(ISSUE).encode(), "number", 7),
        (b"# f fails\n```\nimport torch\n```\n", "title", "f fails"),
        (b"import torch\ntorch.ones(2)\n", "code", "import torch\ntorch.ones(2)\n"),
        (b"[link](http://a) text", "title", "[link](http://a) text"),
        (b"\xef\xbb\xbf# f fails", "title", "f fails"),
    ],
)
def test_standard_input_is_sniffed(data, attribute, value):
    assert getattr(one(["-"], data), attribute) == value


def test_a_directory_is_read_in_order_without_what_is_no_issue(tmp_path):
    write(tmp_path, "b.json", json.dumps(ISSUE))
    write(tmp_path, "a/z.md", "# z")
    write(tmp_path, "a/y.py", "import torch")
    write(tmp_path, "expected.json", '{"7": {"api": "f"}}')
    write(tmp_path, "list.json", "[1, 2]")
    write(tmp_path, "notes.rst", "no")
    write(tmp_path, ".git/x.md", "no")
    names = [item.source.rpartition("/")[2] for item in load([str(tmp_path)])]
    assert names == ["b.json", "y.py", "z.md"]


def test_a_broken_file_in_a_directory_is_told(tmp_path):
    write(tmp_path, "b.json", json.dumps(ISSUE)[:-9])
    assert isinstance(one([str(tmp_path)]), BadInput)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.json", b"", "empty"),
        ("a.json", b'{"title": "x", "bo', "not valid JSON"),
        ("a.json", b"[" * 100_000, "not valid JSON"),
        ("a.json", b"1" * 10_000, "not valid JSON"),
        ("a.json", b'{"7": {"api": "f"}}', "not an issue"),
        ("a.json", b"3", "not an issue"),
        ("a.json", b"[]", "without an issue"),
        ("a.json", b'{"title": "x", "body": 3}', "body is not text"),
        ("a.md", b"\xff\xfe\xfa", "not UTF-8"),
        ("a.md", b"a\x00b", "binary"),
        ("a.py", b" " * (MAX_BYTES + 1) + b"x", "larger than 10 MB"),
        ("a.md", b"x" * (MAX_BYTES + 1), "larger than 10 MB"),
    ],
)
def test_bad_input_is_a_value(tmp_path, name, data, words):
    path = write(tmp_path, name, data)
    bad = one([path])
    assert isinstance(bad, BadInput)
    assert bad.source == path
    assert words in bad.error


@pytest.mark.parametrize("argument", ["missing.json", "a\0b", "x" * 5000, "\ud800", ""])
def test_names_that_lead_nowhere(argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert isinstance(one([argument]), BadInput)


def test_an_empty_directory_and_no_standard_input(tmp_path):
    assert isinstance(one([str(tmp_path)]), BadInput)
    assert isinstance(one(["-"]), BadInput)


def test_one_bad_input_among_several(tmp_path):
    good = write(tmp_path, "a.json", json.dumps(ISSUE))
    found = list(load([good, "missing.md", good]))
    assert [type(item) for item in found] == [Report, BadInput, Report]


def test_lone_surrogates_and_nul_do_not_travel(tmp_path):
    text = '{"title": "a\\ud800b", "body": "x\\u0000y", "number": 1}'
    report = one([write(tmp_path, "a.json", text)])
    (report.title + report.body).encode()
    assert "\0" not in report.body
