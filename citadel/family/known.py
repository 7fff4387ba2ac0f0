"""Issues that are known: an umbrella list, which its user writes as TOML.

In: a file of `[[issue]]` tables with `url` and patterns for `api` and `message`. Out: for a
finding, the issue that it belongs to, if any. A file that cannot be used is refused with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.errors import CitadelError

_KEYS = frozenset(("url", "framework", "api", "message", "note"))
_PATTERNS = ("api", "message")
_HEADER = re.compile(r"\s*\[\[\s*issue\s*\]\]")
_EXAMPLE = "[[issue]] with url, and api or message as regular expressions; see docs/hunting.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One issue: findings that it covers match all patterns that it has."""

    url: str
    framework: str | None = None
    api: re.Pattern[str] | None = None
    message: re.Pattern[str] | None = None
    note: str = ""
    done: bool = False
    """Whether it is said to be fixed: what shows it by now is news."""

    def covers(self, framework: str, api: str, message: str) -> bool:
        """Whether a finding is of this issue. An API matches as a whole, a message in part."""
        return (
            self.framework in (None, framework)
            and (self.api is None or self.api.fullmatch(api) is not None)
            and (self.message is None or self.message.search(message) is not None)
        )


def known_issue(issues: Sequence[Known], framework: str, api: str, message: str) -> str | None:
    """The address of the first issue that covers a finding."""
    found = (issue.url for issue in issues if issue.covers(framework, api, message))
    return next(found, None)


def read_known(path: Path) -> tuple[Known, ...]:
    """Read an umbrella list.

    Raises:
        CitadelError: when it cannot be read or holds a mistake; the line is named.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as problem:
        raise CitadelError(f"{path} cannot be read: {problem.strerror}", _EXAMPLE) from problem
    except UnicodeDecodeError as problem:
        raise CitadelError(f"{path} is not UTF-8 text", _EXAMPLE) from problem
    except tomllib.TOMLDecodeError as problem:
        raise CitadelError(f"{path}: {problem}", _EXAMPLE) from problem
    places = _Places(path, text)
    for key in content:
        if key != "issue":
            raise places.refusal(f"{key} means nothing here", None, key)
    entries = content.get("issue", [])
    if not isinstance(entries, list):
        raise places.refusal("issue is written with two brackets: [[issue]]", None, "issue")
    return tuple(_known(entry, number, places) for number, entry in enumerate(entries))


class _Places:
    """Where things stand in the text, as far as a search for them can tell."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()
        self._headers = [n for n, line in enumerate(self._lines) if _HEADER.match(line)]

    def refusal(self, told: str, number: int | None, key: str = "") -> CitadelError:
        """The error about a key of the issue with this number, or of the whole file."""
        start, end = 0, len(self._lines)
        if number is not None and number < len(self._headers):
            start = self._headers[number]
            end = self._headers[number + 1] if number + 1 < len(self._headers) else end
        wanted = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}\b") if key else _HEADER
        found = (n for n in range(start, end) if wanted.match(self._lines[n]))
        line = next(found, start) + 1
        return CitadelError(f"{self._path}: {told} (at line {line})", _EXAMPLE)


def _known(entry: object, number: int, places: _Places) -> Known:
    if not isinstance(entry, dict):
        raise places.refusal("an issue is a table", number)
    for key, value in entry.items():
        if key not in _KEYS:
            raise places.refusal(f"{key} means nothing here", number, key)
        if not isinstance(value, str) or not value:
            raise places.refusal(f"{key} is no text", number, key)
    if "url" not in entry:
        raise places.refusal("an issue needs its url", number)
    patterns: dict[str, re.Pattern[str]] = {}
    for key in _PATTERNS:
        if key in entry:
            try:
                patterns[key] = re.compile(entry[key])
            except re.error as problem:
                told = f"{key} is no regular expression: {problem}"
                raise places.refusal(told, number, key) from None
    if not patterns:
        raise places.refusal("an issue needs api or message", number)
    return Known(
        url=entry["url"],
        framework=entry.get("framework"),
        api=patterns.get("api"),
        message=patterns.get("message"),
        note=entry.get("note", ""),
    )
