"""Files of issues -> pages: exports, GH Archive's dumps, directories of these.

The position says which files are done (by size and time) and how far the current one is, so that
new hours of an archive are all that the next run reads. Events of GH Archive carry their issue; a
comment of theirs becomes part of its thread. What a folder holds besides is counted, by kind.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from harvest.report.issue import read_issue
from harvest.report.model import BadInput, Report
from harvest.tracker.kept import refuse_part
from harvest.tracker.names import harvest_of, other_part
from harvest.tracker.pages import Entry, Page, Version, Wanted, to_line
from harvest.tracker.records import SUFFIXES, Broken, Value, read_values

PAGE = 500
EXPORTS = "an export of issues as JSON, a dump of GH Archive or a folder of these"
NO_NUMBER = "an issue without a number"
NO_ISSUE = "JSON without an issue"
NO_ACCESS = "without access"
_Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Which files are done, which of these hold no issue, how many values of the current one."""

    done: dict[str, _Stamp]
    current: str = ""
    items: int = 0
    others: tuple[str, ...] = ()


class Files:
    """The source. `wanted.repository` is empty where any repository is.

    `passed_over` counts the files of a folder that `pages` found to be none of issues: by suffix,
    or by what they are.
    """

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self._path = path
        self._wanted = wanted
        self.passed_over: Counter[str] = Counter()

    @property
    def identity(self) -> str:
        """The path and what of it is asked for."""
        wanted = self._wanted
        return to_line(
            {
                "files": str(self._path.resolve()),
                "repository": wanted.repository.lower(),
                "since": wanted.since,
                "labels": sorted(set(wanted.labels)),
                "state": wanted.state,
            }
        )

    def check(self) -> None:
        """Look whether there is an issue at all, before anything is written.

        Raises:
            CitadelError: when there is no such file, none of that kind in the folder, or nothing in
                them is an issue.
        """
        trouble = ""
        for path in self._files():
            for value in read_values(path):
                error = value.error if isinstance(value, Broken) else _refusal(value)
                if error is None:
                    return
                trouble = trouble or f"{path}: {error}"
        if trouble:
            raise CitadelError(trouble, f"give {EXPORTS}; citadel triage takes single reports")

    def pages(self, position: str | None, seen: Mapping[Version, str]) -> Iterator[Page]:
        """Yield what the files hold behind `position`.

        Raises:
            CitadelError: when there is no such file, or none of that kind in the folder.
        """
        place = _read_place(position)
        entries: list[Entry] = []
        for path in self._files():
            name, stamp = str(path.resolve()), _stamp(path)
            if place.done.get(name) == stamp:
                if name in place.others:
                    self.passed_over[NO_ISSUE] += 1
                continue
            before = self.passed_over[NO_ISSUE]
            skip = place.items if place.current == name else 0
            for items, found in self._of_file(path, skip, seen):
                entries += found
                if len(entries) >= PAGE:
                    place = replace(place, current=name, items=items)
                    yield Page(entries=tuple(entries), position=_written(place))
                    entries = []
            others = [other for other in place.others if other != name]
            others += [name] * (self.passed_over[NO_ISSUE] > before)
            place = _Place(done={**place.done, name: stamp}, others=tuple(others))
        yield Page(entries=tuple(entries), position=_written(place))

    def _files(self) -> list[Path]:
        if not self._path.is_dir():
            if not self._path.exists():
                raise CitadelError(f"{self._path} does not exist", "OWNER/REPO, a file or a folder")
            if _beside_harvest(self._path):
                refuse_part(self._path)
            return [self._path]
        found: list[Path] = []
        self.passed_over.clear()
        for folder, _, names in os.walk(self._path, onerror=self._closed):
            for name in names:
                path = Path(folder, name)
                if _beside_harvest(path):
                    self.passed_over[str(other_part(name))] += 1
                elif name.lower().endswith(SUFFIXES) and not name.startswith("."):
                    found.append(path)
                else:
                    self.passed_over[Path(name).suffix.lower() or "no suffix"] += 1
        if not found:
            raise CitadelError(
                f"no issues in {self._path}",
                f"exports end in {', '.join(SUFFIXES)}; citadel triage takes Markdown and scripts",
            )
        return sorted(found)

    def _closed(self, _problem: OSError) -> None:
        self.passed_over[NO_ACCESS] += 1

    def _of_file(
        self, path: Path, skip: int, seen: Mapping[Version, str]
    ) -> Iterator[tuple[int, list[Entry]]]:
        """Yield what each value holds, with the number of values that were read by then."""
        for at, value in enumerate(read_values(path), 1):
            if at > skip:
                single = isinstance(value, Value) and value.single
                source = path.name if single else f"{path.name}:{at}"
                yield at, list(self._entries(value, source, seen))

    def _entries(
        self, value: Value | Broken, source: str, seen: Mapping[Version, str]
    ) -> Iterator[Entry]:
        if isinstance(value, Broken):
            yield _unreadable(source, value.error)
            return
        for item in _items(value):
            yield from self._entry(item, value, source, seen)

    def _entry(
        self, item: Any, value: Value, source: str, seen: Mapping[Version, str]
    ) -> Iterator[Entry]:
        if _is_event(item) and not isinstance(item["payload"].get("issue"), dict):
            return  # about something else
        event = _issue_of_event(item) if _is_event(item) else item
        report = read_issue(event, source)
        if isinstance(report, BadInput):
            if value.single and self._path.is_dir():  # folders hold other things, too
                self.passed_over[NO_ISSUE] += 1
            else:
                yield _unreadable(source, report.error)
            return
        if report.number is None:
            yield _unreadable(source, NO_NUMBER)
            return
        repository = report.repository
        if repository is None:  # two files may mean two issues by one number
            repository = source.partition(":")[0]
            event = {**event, "repository": {"full_name": repository}}
        key = (repository.lower(), report.number)
        known = report.updated_at and seen.get(key) == report.updated_at and not _is_event(item)
        if self._is_wanted(report) and not known:
            yield Entry(issue=key, updated_at=report.updated_at, line=to_line(event))

    def _is_wanted(self, report: Report) -> bool:
        wanted = self._wanted
        moment = report.updated_at or report.created_at
        labels = {label.lower() for label in report.labels}
        return (
            wanted.repository.lower() in ("", (report.repository or "").lower())
            and (wanted.since is None or not moment or moment >= wanted.since)
            and (not wanted.labels or any(label.lower() in labels for label in wanted.labels))
            and wanted.state in ("all", report.state or wanted.state)
        )


def _beside_harvest(path: Path) -> bool:
    """Whether this is the queue, or the record of hits, of a harvest that lies beside it."""
    return other_part(path.name) is not None and path.with_name(harvest_of(path.name)).is_file()


def _items(value: Value) -> list[Any]:
    """The issues of one value: of an answer to a search all that it found."""
    found = value.content.get("items") if isinstance(value.content, dict) else None
    return found if isinstance(found, list) else [value.content]


def _refusal(value: Value) -> str | None:
    """Why nothing of a value is an issue, None where something is."""
    error = None
    for item in _items(value):
        if _is_event(item):
            return None
        report = read_issue(item, "")
        if isinstance(report, Report) and report.number is not None:
            return None
        error = report.error if isinstance(report, BadInput) else NO_NUMBER
    return error


def _is_event(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("payload"), dict)


def _issue_of_event(item: dict[str, Any]) -> dict[str, Any]:
    """The issue that an event of GH Archive is about, with the comment that it brings."""
    payload, repository = item["payload"], item.get("repo")
    name = repository.get("name") if isinstance(repository, dict) else None
    told = {"repository": {"full_name": name}} if isinstance(name, str) else {}
    comment = payload.get("comment")
    thread = {"thread": [comment]} if isinstance(comment, dict) else {}
    return {**told, **payload["issue"], **thread}


def _unreadable(source: str, error: str) -> Entry:
    return Entry(issue=None, updated_at="", line=to_line({"source": source, "error": error}))


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_size, found.st_mtime_ns)


def _read_place(position: str | None) -> _Place:
    if position is None:
        return _Place(done={})
    found = json.loads(position)
    done = {name: (size, time) for name, (size, time) in found["done"].items()}
    return _Place(
        done=done,
        current=found["current"],
        items=found["items"],
        others=tuple(found.get("others", ())),
    )


def _written(place: _Place) -> str:
    return json.dumps(asdict(place), separators=(",", ":"))
