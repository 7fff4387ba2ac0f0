"""One issue by its number, and code behind links."""

import base64
import json

import pytest
import requests

from harvest.report.model import BadInput
from harvest.tracker.client import Client
from harvest.tracker.links import Follower
from harvest.tracker.pages import Entry, Page, to_line
from harvest.tracker.patience import Patience
from harvest.tracker.single import fetch_issue
from tests.harvest.tracker import fake, faults, synthetic


@pytest.fixture
def tracker(monkeypatch, tmp_path):
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))  # no `gh`
    repository = fake.Repository(synthetic.issues(5))
    with fake.FakeGitHub(repository) as server:
        yield server


PATIENT = Patience(sleep=lambda _seconds: None, longest_limit=60)


def fetched(server, number, repository="some/where"):
    return fetch_issue(repository, number, Client(endpoint=server.endpoint), PATIENT)


def test_an_issue_and_its_comments_without_a_token(tracker):
    issue = tracker.repository.issues[3]
    issue["thread"] = [f"comment {at}" for at in range(130)]
    found = fetched(tracker, 3)
    assert (found.source, found.number, found.title) == ("some/where#3", 3, issue["title"])
    assert [comment.body for comment in found.thread] == issue["thread"]
    assert tracker.tokens == {None}
    assert len(tracker.requests) == 3


def test_comments_are_only_asked_for_where_there_are_some(tracker):
    tracker.repository.issues[3]["thread"] = []
    assert fetched(tracker, 3).thread == ()
    assert len(tracker.requests) == 1


def test_a_transferred_issue_is_followed(tracker):
    tracker.repository.moved[4] = "/repos/some/where/issues/5"
    found = fetched(tracker, 4)
    assert (found.number, found.url) == (5, "https://github.com/some/where/issues/5")
    assert len(found.thread) == len(tracker.repository.issues[5]["thread"])


def test_a_server_elsewhere_is_not_followed_and_gets_no_token(tracker):
    with fake.FakeGitHub(tracker.repository) as other:
        elsewhere = other.endpoint.replace("127.0.0.1", "localhost")
        tracker.repository.moved[4] = f"{elsewhere}/repos/some/where/issues/5"
        client = Client(endpoint=tracker.endpoint, token="secret")
        found = fetch_issue("some/where", 4, client, PATIENT)
        assert other.tokens == set()
    assert tracker.tokens == {"token secret"}
    assert isinstance(found, BadInput)
    assert "moved out of sight" in found.error


def test_what_is_not_there_is_a_row(tracker):
    tracker.repository.deleted.add(2)
    gone, unknown = fetched(tracker, 2), fetched(tracker, 99)
    assert isinstance(gone, BadInput)
    assert "deleted" in gone.error
    assert isinstance(unknown, BadInput)
    assert "no such issue" in unknown.error


def test_trouble_passes_here_too(tracker):
    tracker.faults = {1: faults.bad_gateway, 2: faults.truncated, 3: faults.secondary("5")}
    assert fetched(tracker, 3).number == 3


def test_nobody_waits_an_hour_for_one_issue(tracker):
    tracker.faults = {1: faults.used_up(3000)}
    found = fetched(tracker, 3)
    assert isinstance(found, BadInput)
    assert "rate limit" in found.error
    assert "GITHUB_TOKEN" in found.hint


NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": "# words"},
            {"cell_type": "code", "source": ["import torch\n", "x = torch.rand(3)\n"]},
            {"cell_type": "code", "source": "torch.sort(x)"},
        ]
    }
)
GIST = "https://gist.github.com/someone/0123456789abcdef"
CODE = "```python\nimport torch\ntorch.rand(3)\n```\n"


def followed(server, body, download=None):
    content = {"number": 1, "title": "t", "body": body}
    entry = Entry(issue=("a/b", 1), updated_at="", line=to_line(content))
    follower = Follower(
        client=Client(endpoint=server.endpoint), patience=PATIENT, download=download or pytest.fail
    )
    (found,) = follower.follow(Page(entries=(entry,), position=None)).entries
    return json.loads(found.line).get("linked_code")


def test_gists(tracker):
    files = {"a.py": {"content": "import torch\n"}, "readme.md": {"content": "words"}}
    tracker.repository.gists["0123456789abcdef"] = files
    (found,) = followed(tracker, f"see {GIST} please")
    assert found["url"] == GIST
    assert found["code"].strip() == "import torch"


def test_notebooks_on_drive(tracker):
    asked = []

    def download(identifier):
        asked.append(identifier)
        return NOTEBOOK.encode()

    link = "https://colab.research.google.com/drive/1AbC-dEf_0123456789?usp=sharing"
    (found,) = followed(tracker, link, download)
    assert found["code"] == "import torch\nx = torch.rand(3)\n\n\ntorch.sort(x)"
    assert asked == ["1AbC-dEf_0123456789"]


def test_notebooks_on_github(tracker):
    data = {"content": base64.b64encode(NOTEBOOK.encode()).decode()}
    tracker.faults = {1: faults.as_json(200, data)}
    link = "https://colab.research.google.com/github/some/repo/blob/main/a/b.ipynb"
    (found,) = followed(tracker, link)
    assert "torch.sort(x)" in found["code"]
    assert tracker.requests[0][0] == "/repos/some/repo/contents/a/b.ipynb?ref=main"


def offline(_identifier):
    raise requests.ConnectionError


@pytest.mark.parametrize(
    ("body", "download"),
    [
        (GIST, None),
        ("https://colab.research.google.com/drive/1AbCdEf012345", lambda _: b"<html>"),
        ("https://colab.research.google.com/drive/1AbCdEf012345", lambda _: b"\xff\xfe"),
        ("https://colab.research.google.com/drive/1AbCdEf012345", lambda _: b'{"cells": [3]}'),
        ("https://colab.research.google.com/drive/1AbCdEf012345", lambda _: b'{"cells": []}'),
        ("https://colab.research.google.com/drive/1AbCdEf012345", offline),
    ],
)
def test_links_that_lead_nowhere_say_so(tracker, body, download):
    (found,) = followed(tracker, body, download)
    assert found["error"]
    assert "code" not in found


@pytest.mark.parametrize(
    "body",
    [
        CODE + GIST,  # has code of its own
        "https://evil.example/gist.github.com/a/0123456789abcdef",
        "https://gist.github.com.evil.example/a/0123456789abcdef",
        "http://169.254.169.254/latest",
        "x" * 300_000 + GIST,
    ],
)
def test_nothing_else_is_asked(tracker, body):
    assert followed(tracker, body) is None
    assert tracker.requests == []


def test_no_more_than_three_links(tracker):
    links = [f"https://gist.github.com/a/{at:08x}" for at in range(9)]
    assert len(followed(tracker, "\n".join(links))) == 3
