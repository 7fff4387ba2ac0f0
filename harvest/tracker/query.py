"""The one GraphQL query of the harvest, and its issues in the shape of GitHub's REST API.

A page of 100 issues costs 3 of the 5,000 points that a user has per hour: one for each 100
connections that it opens (the issues themselves, then labels, comments and history of each).
"""

from __future__ import annotations

from typing import Any

QUERY = """
query Harvest($owner: String!, $name: String!, $first: Int!, $after: String, $filter: IssueFilters,
              $comments: Int!, $events: Int!) {
  rateLimit { cost }
  repository(owner: $owner, name: $name) {
    nameWithOwner
    hasIssuesEnabled
    issues(first: $first, after: $after, filterBy: $filter,
           orderBy: {field: UPDATED_AT, direction: ASC}) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        number title body url state stateReason createdAt updatedAt closedAt
        author { login }
        labels(first: 20) { nodes { name } }
        comments(first: $comments) {
          totalCount
          nodes { url body createdAt author { login } }
        }
        timelineItems(last: $events, itemTypes: [CLOSED_EVENT, CONNECTED_EVENT,
                                                 CROSS_REFERENCED_EVENT, REFERENCED_EVENT]) {
          nodes {
            __typename
            ... on ClosedEvent { createdAt closer { ...Pull ... on Commit { oid } } }
            ... on ConnectedEvent { createdAt subject { ...Pull ...Other } }
            ... on CrossReferencedEvent { createdAt willCloseTarget source { ...Pull ...Other } }
            ... on ReferencedEvent { createdAt commit { oid } }
          }
        }
      }
    }
  }
}
fragment Pull on PullRequest { __typename number url }
fragment Other on Issue { __typename number url }
"""
COMMENTS = 20
EVENTS = 30
_EVENTS = {
    "ClosedEvent": ("closed", "closer"),
    "ConnectedEvent": ("connected", "subject"),
    "CrossReferencedEvent": ("cross-referenced", "source"),
    "ReferencedEvent": ("referenced", "commit"),
}


def rest_issue(node: dict[str, Any], repository: str) -> dict[str, Any]:
    """Return a node of the query as REST spells it, with `thread` and `timeline` added."""
    reason = node["stateReason"]
    return {
        "repository": {"full_name": repository},
        "html_url": node["url"],
        "number": node["number"],
        "title": node["title"],
        "user": node["author"],
        "labels": [{"name": label["name"]} for label in _nodes(node["labels"])],
        "state": node["state"].lower(),
        "state_reason": reason and reason.lower(),
        "comments": node["comments"]["totalCount"],
        "created_at": node["createdAt"],
        "updated_at": node["updatedAt"],
        "closed_at": node["closedAt"],
        "body": node["body"],
        "thread": [_comment(comment) for comment in _nodes(node["comments"])],
        "timeline": [_event(event) for event in _nodes(node["timelineItems"])],
    }


def _nodes(connection: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The nodes of a connection; GitHub puts null where it may not or cannot show one."""
    return [node for node in (connection or {}).get("nodes") or () if node]


def _comment(node: dict[str, Any]) -> dict[str, Any]:
    return {
        "html_url": node["url"],
        "user": node["author"],
        "created_at": node["createdAt"],
        "body": node["body"],
    }


def _event(node: dict[str, Any]) -> dict[str, Any]:
    name, field = _EVENTS[node["__typename"]]
    event: dict[str, Any] = {"event": name, "created_at": node["createdAt"]}
    if node.get("willCloseTarget"):
        event["will_close_target"] = True
    source = node.get(field) or {}
    if "oid" in source:
        event["commit_id"] = source["oid"]
    elif "url" in source:
        issue = {"number": source["number"], "html_url": source["url"]}
        if source["__typename"] == "PullRequest":
            issue["pull_request"] = {"html_url": source["url"]}
        event["source"] = {"issue": issue}
    return event
