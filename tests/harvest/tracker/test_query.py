"""The query of the harvest against GitHub's own schema."""

import random

import pytest
from graphql import parse, validate

from harvest.report.issue import read_issue
from harvest.report.model import Link, LinkKind
from harvest.tracker.query import QUERY, rest_issue
from tests.harvest.tracker import synthetic
from tests.harvest.tracker.schema import query_schema, whole_schema


@pytest.mark.slow
def test_the_query_is_valid():
    schema = whole_schema()
    assert validate(schema, parse(QUERY)) == []
    assert validate(schema, parse(QUERY.replace("stateReason", "stateReasons")))


def test_what_the_fake_executes_is_part_of_that_schema():
    assert validate(query_schema(), parse(QUERY)) == []
    assert validate(query_schema(), parse(QUERY.replace("closedAt", "closedWhen")))


def node(**changes):
    found = {
        "number": 7,
        "title": "t",
        "body": "b",
        "url": "https://github.com/some/where/issues/7",
        "state": "CLOSED",
        "stateReason": "COMPLETED",
        "createdAt": "2020",
        "updatedAt": "2021",
        "closedAt": "2021",
        "author": None,
        "labels": {"nodes": [{"name": "bug"}, None]},
        "comments": {"totalCount": 30, "nodes": []},
        "timelineItems": {"nodes": []},
    }
    return {**found, **changes}


def test_a_node_becomes_an_issue_as_rest_has_it():
    report = read_issue(rest_issue(node(), "some/where"), "x")
    assert (report.repository, report.number, report.labels) == ("some/where", 7, ("bug",))
    assert (report.state, report.state_reason, report.comments) == ("closed", "completed", 30)


@pytest.mark.parametrize(
    ("kind", "fields", "link"),
    [
        ("ClosedEvent", {"closer": {"__typename": "Commit", "oid": "c"}}, ("commit", "c", True)),
        (
            "ClosedEvent",
            {"closer": {"__typename": "PullRequest", "number": 1, "url": "p"}},
            ("pull request", "p", True),
        ),
        ("ClosedEvent", {"closer": None}, None),
        (
            "CrossReferencedEvent",
            {
                "willCloseTarget": False,
                "source": {"__typename": "PullRequest", "number": 1, "url": "p"},
            },
            ("pull request", "p", False),
        ),
        (
            "CrossReferencedEvent",
            {"willCloseTarget": True, "source": {"__typename": "Issue", "number": 1, "url": "i"}},
            ("issue", "i", False),
        ),
        ("ReferencedEvent", {"commit": None}, None),
        ("ReferencedEvent", {"commit": {"oid": "c"}}, ("commit", "c", False)),
    ],
)
def test_the_history_says_who_closed_it(kind, fields, link):
    events = {"nodes": [{"__typename": kind, "createdAt": "2020", **fields}]}
    report = read_issue(rest_issue(node(timelineItems=events), "some/where"), "x")
    expected = (
        () if link is None else (Link(kind=LinkKind(link[0]), target=link[1], closes=link[2]),)
    )
    assert report.links == expected


def test_made_up_issues_are_always_the_same():
    assert synthetic.issues(5) == synthetic.issues(5)
    assert synthetic.code(random.Random(1)) == synthetic.code(random.Random(1))
