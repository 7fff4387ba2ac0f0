"""A repository on GitHub -> pages of its issues, in the order in which they were updated last.

The position is a time: each request asks for what was updated since the last issue that we have,
not for "page 17". So a harvest neither loses nor repeats issues when others change, vanish or
appear meanwhile; it goes on after any interruption; and the next increment is the same request.
Only where more issues than fit into a page share one second is GitHub's own cursor used as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from analysis.errors import CitadelError
from harvest.tracker.client import Client, Missing
from harvest.tracker.pages import Entry, Page, Version, Wanted, to_line
from harvest.tracker.patience import Passing, Patience
from harvest.tracker.query import COMMENTS, EVENTS, QUERY, rest_issue

PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stream:
    """How far the issues with one label (None: all issues) are known."""

    label: str | None
    since: str | None
    cursor: str | None = None


@dataclass(slots=True)
class _Size:
    """Issues per request: half as many after trouble, then slowly more again."""

    issues: int = PAGE

    def shrink(self, trouble: Passing) -> None:
        if trouble.smaller:
            self.issues = max(1, self.issues // 2)

    def grow(self) -> None:
        self.issues = min(PAGE, self.issues + PAGE // 10)


class Remote:
    """The source. Each label is a stream of its own: GitHub can only ask for all of several."""

    def __init__(self, wanted: Wanted, client: Client, patience: Patience) -> None:
        self._wanted = wanted
        self._client = client
        self._patience = patience
        self._size = _Size()

    @property
    def identity(self) -> str:
        """The repository and what of it is asked for."""
        wanted = self._wanted
        labels = sorted(set(wanted.labels))
        return to_line(
            {
                "repository": wanted.repository.lower(),
                "since": wanted.since,
                "labels": labels,
                "state": wanted.state,
            }
        )

    def pages(self, position: str | None, seen: Mapping[Version, str]) -> Iterator[Page]:
        """Yield what was updated behind `position`.

        Raises:
            CitadelError: when there is no such repository, or GitHub refuses or stays silent.
        """
        streams = self._streams(position)
        for at in range(len(streams)):
            more = True
            while more:
                data = self._ask(streams[at])
                issues = data["issues"]
                nodes = [node for node in issues["nodes"] or () if node]
                streams[at], more = _behind(streams[at], nodes, issues["pageInfo"])
                entries = tuple(_new(nodes, data["nameWithOwner"], seen))
                yield Page(
                    entries=entries,
                    position=_written(streams),
                    total=len(seen) + len(entries) + max(issues["totalCount"] - len(nodes), 0),
                    withheld=len(issues["nodes"] or ()) - len(nodes),
                    points=data["points"],
                )

    def _streams(self, position: str | None) -> list[_Stream]:
        if position is not None:
            return [_Stream(**stream) for stream in json.loads(position)]
        labels: list[str | None] = [*sorted(set(self._wanted.labels))] or [None]
        return [_Stream(label=label, since=self._wanted.since) for label in labels]

    def _ask(self, stream: _Stream) -> dict[str, Any]:
        """The connection of issues behind a stream's position, with what it cost."""
        try:
            answer = self._patience.ask(lambda: self._request(stream), self._size.shrink)
        except Missing:
            answer = {"repository": None}
        found = answer["repository"]
        if found is None:
            raise CitadelError(
                f"GitHub has no repository {self._wanted.repository}",
                "is it spelled OWNER/REPO, and may your token read it?",
            )
        if not found["hasIssuesEnabled"]:
            raise CitadelError(f"{found['nameWithOwner']} has no issues", "does a fork have them?")
        self._size.grow()
        points = (answer.get("rateLimit") or {}).get("cost") or 0
        return {**found, "points": points}

    def _request(self, stream: _Stream) -> dict[str, Any]:
        owner, _, name = self._wanted.repository.partition("/")
        chosen: dict[str, Any] = {}
        if stream.since is not None:
            chosen["since"] = stream.since
        if stream.label is not None:
            chosen["labels"] = [stream.label]
        if self._wanted.state != "all":
            chosen["states"] = [self._wanted.state.upper()]
        answer = self._client.query(
            QUERY,
            {
                "owner": owner,
                "name": name,
                "first": self._size.issues,
                "after": stream.cursor,
                "filter": chosen,
                "comments": COMMENTS,
                "events": EVENTS,
            },
        )
        found = answer["repository"]
        if found is not None and not isinstance(found.get("issues"), dict):
            raise Passing("GitHub could not list the issues", smaller=True)
        return answer


def _behind(
    stream: _Stream, nodes: list[dict[str, Any]], page: dict[str, Any]
) -> tuple[_Stream, bool]:
    """The position behind a page, and whether there may be more.

    A page within one second leads on by cursor, any other by the time of its last issue; that one
    comes again, and so do others of the same second.
    """
    last = nodes[-1]["updatedAt"] if nodes else stream.since
    more = bool(page["hasNextPage"])
    if last != stream.since:
        return replace(stream, since=last, cursor=None), more
    if more:
        return replace(stream, cursor=page["endCursor"]), True
    return replace(stream, cursor=None), False


def _new(
    nodes: list[dict[str, Any]], repository: str, seen: Mapping[Version, str]
) -> Iterator[Entry]:
    """The issues that we do not have in this version."""
    for node in nodes:
        issue = (repository.lower(), node["number"])
        if seen.get(issue) != node["updatedAt"]:
            line = to_line(rest_issue(node, repository))
            yield Entry(issue=issue, updated_at=node["updatedAt"], line=line)


def _written(streams: list[_Stream]) -> str:
    return json.dumps([asdict(stream) for stream in streams], separators=(",", ":"))
