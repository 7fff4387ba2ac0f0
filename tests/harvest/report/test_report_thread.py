"""Code in comments and behind links; issues as `gh` and the harvest spell them."""

import ast

import pytest

from harvest.report.inputs import from_bytes, load
from harvest.report.issue import read_issue
from harvest.report.model import (
    BadInput,
    Comment,
    Link,
    LinkedCode,
    LinkKind,
    Report,
)
from harvest.report.syntax import source_of
from harvest.report.thread import MAX_ANSWERS
from harvest.report.understand import understand

LONG = """```python
import torch
import torch.nn as nn
model = nn.Sequential(nn.Conv2d(4, 4, 3), nn.ReLU())
x = torch.rand(1, 4, 8, 8)
print(torch.nn.functional.conv2d(x, torch.rand(4, 4, 3, 3), groups=0))
```"""
SHORT = """Smaller:
```python
import torch
torch.nn.functional.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=0)
```"""


def reading(body, *comments, title="conv2d fails", **options):
    thread = tuple(Comment(key=str(at), author="a", body=text) for at, text in enumerate(comments))
    report = Report(source="x", title=title, body=body, thread=thread, **options)
    return understand(report)


def origins(found):
    return [snippet.origin for snippet in found.candidates]


def test_the_shortest_that_stands_on_its_own_comes_first():
    assert origins(reading(LONG, "Thanks!", SHORT)) == ["comment 2, fence 1", "fence 1"]


def test_a_longer_one_comes_later():
    assert origins(reading(SHORT, LONG)) == ["fence 1", "comment 1, fence 1"]


def test_a_thread_may_have_the_only_code():
    found = reading("conv2d fails with groups=0", SHORT)
    assert origins(found) == ["comment 1, fence 1"]
    assert found.skipped is None


@pytest.mark.parametrize(
    "comment",
    [
        "```python\nimport torch\ntorch.fft.fft(torch.rand(3))\n```",  # about something else
        "```python\nimport torch\ntorch.nn.functional.conv2d(inputs, weights)\n```",  # incomplete
        "As a workaround:\n" + SHORT,
        "> quoted\n" + LONG,  # what the report says itself
        "Use `torch.nn.functional.conv2d(torch.rand(3), 1)`",
        "x" * 60_000 + SHORT,
    ],
)
def test_other_code_in_comments_is_left_alone(comment):
    assert origins(reading(LONG, comment)) == ["fence 1"]


def test_without_any_code_the_reason_is_the_reports_own():
    assert reading("words", "more words").skipped == "no code"


def test_code_from_behind_a_link():
    linked = (
        LinkedCode(url="https://gist.github.com/a/1", code="", error="deleted"),
        LinkedCode(url="https://gist.github.com/a/2", code="import torch\ntorch.rand(3)\n"),
    )
    found = reading("https://gist.github.com/a/2", linked_code=linked)
    assert origins(found) == ["link 2"]


def test_an_issue_as_gh_lists_it():
    found = read_issue(
        {
            "number": 7,
            "title": "f fails",
            "body": "text",
            "url": "https://github.com/some/where/issues/7",
            "state": "CLOSED",
            "stateReason": "COMPLETED",
            "createdAt": "2024-01-01T00:00:00Z",
            "updatedAt": "2024-01-02T00:00:00Z",
            "labels": [{"name": "bug"}],
            "comments": [
                {"author": {"login": "b"}, "body": "me too", "url": "u"},
                {"author": None, "body": ""},
            ],
            "closedByPullRequestsReferences": [{"url": "https://github.com/some/where/pull/8"}],
        },
        "x",
    )
    assert (found.repository, found.number, found.labels) == ("some/where", 7, ("bug",))
    assert (found.state, found.state_reason, found.comments) == ("closed", "completed", 2)
    assert (found.created_at[:10], found.updated_at[:10]) == ("2024-01-01", "2024-01-02")
    assert found.thread == (Comment(key="u", author="b", body="me too"),)
    closer = "https://github.com/some/where/pull/8"
    assert found.links == (Link(kind=LinkKind.PULL_REQUEST, target=closer, closes=True),)
    assert not found.pull_request


def pointing(event, source=None, **more):
    return {"event": event, **({"source": {"issue": source}} if source else {}), **more}


@pytest.mark.parametrize(
    ("event", "link"),
    [
        (pointing("closed", commit_id="abc"), (LinkKind.COMMIT, "abc", True)),
        (pointing("referenced", commit_id="abc"), (LinkKind.COMMIT, "abc", False)),
        (
            pointing("closed", {"html_url": "p", "pull_request": {}, "number": 1}),
            (LinkKind.ISSUE, "p", False),
        ),
        (
            pointing("closed", {"html_url": "p", "pull_request": {"url": "q"}}),
            (LinkKind.PULL_REQUEST, "p", True),
        ),
        (pointing("cross-referenced", {"html_url": "i"}), (LinkKind.ISSUE, "i", False)),
        (
            pointing(
                "cross-referenced",
                {"html_url": "p", "pull_request": {"url": "q"}},
                will_close_target=True,
            ),
            (LinkKind.PULL_REQUEST, "p", True),
        ),
    ],
)
def test_the_history_as_rest_tells_it(event, link):
    found = read_issue({"number": 1, "title": "t", "timeline": [event, {"event": "labeled"}]}, "x")
    kind, target, closes = link
    assert found.links == (Link(kind=kind, target=target, closes=closes),)


def test_pull_requests_are_known_by_either_sign():
    plain = {"number": 1, "title": "t", "body": ""}
    assert read_issue({**plain, "pull_request": {"url": "u"}}, "x").pull_request
    assert read_issue({**plain, "url": "https://github.com/a/b/pull/1"}, "x").pull_request


@pytest.mark.parametrize(
    "odd",
    [
        {"thread": [3, {"body": 4}], "timeline": [None, {"event": 3, "source": 4}]},
        {"thread": {"a": 1}, "comments": [[]], "linked_code": [{"url": 3}]},
        {"labels": {"name": "x"}, "timeline": [{"source": {"issue": {"html_url": 3}}}]},
    ],
)
def test_odd_values_are_no_errors(odd):
    found = read_issue({"number": 1, "title": "t", "body": "", **odd}, "x")
    assert (found.thread, found.links, found.linked_code, found.labels) == ((), (), (), ())


@pytest.mark.parametrize(
    ("argument", "asked"),
    [
        ("pytorch/pytorch#12", ("pytorch/pytorch", 12)),
        ("https://github.com/some/re.po/issues/7", ("some/re.po", 7)),
        ("https://github.com/some/where/issues/7#issuecomment-1", ("some/where", 7)),
        ("some/where#0", None),
        ("some/where", None),
        ("some/where#7x", None),
        ("https://example.com/some/where/issues/7", None),
    ],
)
def test_references_to_a_tracker_are_fetched(argument, asked):
    calls = []

    def fetch(repository, number):
        calls.append((repository, number))
        return BadInput(source="", error="")

    list(load([argument], fetch=fetch))
    assert calls == ([asked] if asked else [])


def test_a_file_of_that_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some").mkdir()
    (tmp_path / "some/where#7").write_text("# f fails")
    found = list(load(["some/where#7"], fetch=pytest.fail))
    assert [report.title for report in found] == ["f fails"]


def test_from_bytes_takes_arrays_of_gh():
    text = b'[{"number": 1, "title": "t", "body": "", "createdAt": "2024"}]'
    assert [report.created_at for report in from_bytes(text, source="x")] == ["2024"]


def test_long_threads_are_not_read_to_their_end():
    code = "\n".join(f"```python\nimport torch\ntorch.conv2d({n})\n```" for n in range(90))
    found = reading("conv2d", *[code.replace("conv2d(", f"conv2d({at}, ") for at in range(5)])
    assert len(found.candidates) == MAX_ANSWERS


@pytest.mark.parametrize(
    "code", ["x = f(1)", "if x:\n  y = [\n 1,\n  'é', z]\n", "é = 'ü'; print(é, 'ö')", "f'{f(x)}'"]
)
def test_the_text_of_a_node_is_what_python_says(code):
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.stmt):
            assert source_of(code.split("\n"), node) == ast.get_source_segment(code, node)
