"""A fuzzer's folder -> pages of a harvest: one line per case, one per file that is none.

The source of `harvest.tracker.gather`, so that an import survives anything and goes on where it
was; a second one reads what is new or has changed. Cases are numbered as they are found, and the
position remembers each file's number, size and time.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from harvest.importers.folder import Folder, Stamp, Unreadable
from harvest.importers.model import Case, Importer, Lead, Unpickle
from harvest.report.model import BadInput, Report
from harvest.report.text import clean, shorten
from harvest.tracker.pages import Entry, Page, Version, to_line

PAGE = 500
SECONDS = 30.0
"""What is lost at most when an import is killed: pickles take seconds each."""
LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()
"""File systems know later times than Python does."""
_UNSAFE = re.compile(r"[^\w.-]+")
_Known = list[int]
"""Size, time of change, number (0: it never was a case)."""


class FuzzerFolder:
    """The source. At most `limit` cases are in the harvest afterwards."""

    def __init__(
        self, importer: Importer, folder: Folder, unpickle: Unpickle, *, limit: int | None = None
    ) -> None:
        self._importer = importer
        self._folder = folder
        self._unpickle = unpickle
        self._limit = limit

    @property
    def repository(self) -> str:
        """What stands in the place of OWNER/REPO: the format and the folder's own name."""
        name = _UNSAFE.sub("-", clean(self._folder.name)).strip("-.")
        return f"{self._importer.name}/{name or 'folder'}"

    @property
    def identity(self) -> str:
        """The format and the folder."""
        return to_line({"import": self._importer.name, "folder": clean(str(self._folder.root))})

    def pages(self, position: str | None, seen: Mapping[Version, str]) -> Iterator[Page]:
        """Yield what the folder holds behind `position`."""
        done: dict[str, _Known] = json.loads(position) if position else {}
        count = max((number for _, _, number in done.values()), default=0)
        entries: list[Entry] = []
        started = time.monotonic()
        for found in self._importer.find(self._folder):
            stamp = self._folder.stamp(found.path)
            before = done.get(found.path)
            if before is not None and before[:2] == [stamp.size, stamp.changed]:
                continue
            number = before[2] if before is not None and before[2] else count + 1
            entry = self._entry(found, number, stamp)
            if entry.issue is not None and number > count:
                if self._limit is not None and number > self._limit:
                    break
                count = number
            entries.append(entry)
            # A number is never given twice, not even that of a file that is no case any more.
            named = entry.issue is not None or (before is not None and before[2])
            done[found.path] = [stamp.size, stamp.changed, number if named else 0]
            if len(entries) >= PAGE or time.monotonic() - started > SECONDS:
                yield Page(entries=tuple(entries), position=json.dumps(done))
                entries, started = [], time.monotonic()
        yield Page(entries=tuple(entries), position=json.dumps(done))

    def _entry(self, found: Lead | Unreadable, number: int, stamp: Stamp) -> Entry:
        try:
            if isinstance(found, Unreadable):
                raise found
            case = self._importer.read(self._folder, found, self._unpickle)
        except Unreadable as problem:
            told = {"source": clean(problem.path or found.path), "error": clean(problem.reason)}
            return Entry(issue=None, updated_at="", line=to_line(told))
        except Exception as problem:  # a bug of ours costs one file, not the others
            error = f"internal error: {type(problem).__name__}: {problem}"
            told = {"source": clean(found.path), "error": clean(shorten(error))}
            return Entry(issue=None, updated_at="", line=to_line(told))
        seconds = min(stamp.changed / 1e9, LATEST)
        moment = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")
        issue = self._issue(found.path, case, number, moment)
        key = (self.repository.lower(), number)
        return Entry(issue=key, updated_at=moment, line=to_line(issue))

    def _issue(self, path: str, case: Case, number: int, moment: str) -> dict[str, Any]:
        return {
            "number": number,
            "title": clean(case.title),
            "body": clean(case.body),
            "code": clean(case.code),
            "repository": {"full_name": self.repository},
            "url": clean(str(PurePath(self._folder.name, path))),
            "updated_at": moment,
        }


def skipped(items: Iterable[Report | BadInput]) -> Counter[str]:
    """How many files of a harvest are no case, by reason."""
    return Counter(item.error for item in items if isinstance(item, BadInput))
