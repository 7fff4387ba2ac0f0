"""One issue as JSON -> a `Report`, or what is wrong with it.

Three spellings of the same are read: GitHub's REST API, `gh issue list --json` (camel case,
comments as a list), and what Citadel harvests: REST with the comments as `thread`, the history as
`timeline` in REST's own shapes, code from behind links as `linked_code`, and as `code` the script
of a case that was imported.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from harvest.report.model import BadInput, Comment, Link, LinkedCode, LinkKind, Report
from harvest.report.text import clean

ISSUE = "an issue is an object with title, body and number, as GitHub's REST API returns it"
_REPOSITORY = re.compile(r"https?://(?:api\.)?github\.com/(?:repos/)?([\w.-]+/[\w.-]+)(?:/|$)")
_PULL = re.compile(r"https?://[^/]+/[^/]+/[^/]+/pull/\d+")


def read_issue(content: Any, source: str) -> Report | BadInput:
    """Read one issue; any JSON has an answer."""
    if not isinstance(content, dict):
        what = type(content).__name__
        return BadInput(source=source, error=f"JSON, but not an issue: {what}", hint=ISSUE)
    title, body = content.get("title"), content.get("body")
    if not isinstance(title, str) or not ("body" in content or "number" in content):
        return BadInput(source=source, error="JSON, but not an issue", hint=ISSUE)
    if body is not None and not isinstance(body, str):
        error = f"the issue's body is not text but {type(body).__name__}"
        return BadInput(source=source, error=error, hint=ISSUE)
    urls = [url for key in ("html_url", "url") if isinstance(url := content.get(key), str)]
    told = content.get("comments")
    return Report(
        source=source,
        title=clean(title),
        body=clean(body or ""),
        repository=_repository(content, urls),
        number=_integer(content.get("number")),
        labels=_labels(content.get("labels")),
        state=_string(content.get("state")).lower(),
        state_reason=_either(content, "state_reason", "stateReason").lower(),
        comments=len(told) if isinstance(told, list) else _integer(told) or 0,
        created_at=_either(content, "created_at", "createdAt"),
        updated_at=_either(content, "updated_at", "updatedAt"),
        url=clean(urls[0]) if urls else None,
        pull_request=bool(content.get("pull_request")) or bool(urls and _PULL.match(urls[0])),
        thread=tuple(_thread(content)),
        links=tuple(dict.fromkeys(_links(content))),
        linked_code=tuple(_linked_code(content.get("linked_code"))),
        code=_string(content.get("code")) or None,
    )


def _repository(content: dict[str, Any], urls: list[str]) -> str | None:
    told = content.get("repository")
    if isinstance(told, dict) and (name := _string(told.get("full_name"))):
        return name
    return next((found[1] for url in urls if (found := _REPOSITORY.match(url))), None)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _thread(content: dict[str, Any]) -> Iterator[Comment]:
    for item in [*_objects(content.get("thread")), *_objects(content.get("comments"))]:
        body = _string(item.get("body"))
        if not body.strip():
            continue
        address = _either(item, "html_url", "url")
        author = _string(
            (_objects([item.get("user") or item.get("author")]) or [{}])[0].get("login")
        )
        told = f"{_either(item, 'created_at', 'createdAt')}\0{author}\0{body}"
        key = address or hashlib.sha256(told.encode()).hexdigest()
        yield Comment(key=key, author=author, body=body)


def _links(content: dict[str, Any]) -> Iterator[Link]:
    for event in _objects(content.get("timeline")):
        yield from _of_event(event)
    for pull in _objects(content.get("closedByPullRequestsReferences")):
        if target := _string(pull.get("url")):
            yield Link(kind=LinkKind.PULL_REQUEST, target=target, closes=True)


def _of_event(event: dict[str, Any]) -> Iterator[Link]:
    """What one event of the timeline points at, if it points at anything."""
    name = event.get("event")
    closes = name == "closed" or event.get("will_close_target") is True
    if commit := _string(event.get("commit_id")):
        yield Link(kind=LinkKind.COMMIT, target=commit, closes=closes)
    source = event.get("source")
    issue = source.get("issue") if isinstance(source, dict) else None
    if isinstance(issue, dict) and (target := _string(issue.get("html_url"))):
        pull = bool(issue.get("pull_request"))
        kind = LinkKind.PULL_REQUEST if pull else LinkKind.ISSUE
        yield Link(kind=kind, target=target, closes=closes and pull)


def _linked_code(value: object) -> Iterator[LinkedCode]:
    for item in _objects(value):
        url, code, error = (_string(item.get(key)) for key in ("url", "code", "error"))
        if url:
            yield LinkedCode(url=url, code=code, error=error)


def _integer(value: object) -> int | None:
    """A number that databases take, too."""
    fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    return value if fits and isinstance(value, int) else None


def _string(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def _either(content: dict[str, Any], first: str, second: str) -> str:
    return _string(content.get(first)) or _string(content.get(second))


def _labels(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    names = [item.get("name") if isinstance(item, dict) else item for item in value]
    return tuple(clean(name) for name in names if isinstance(name, str))
