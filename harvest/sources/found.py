"""The hits of a source -> pages of a harvest, and a record of all of them beside it.

Hits that carry a case go to the harvest, one page each, so that whatever kills a search loses none;
cases are numbered as they are found. The record, `NAME.hits.jsonl`, has a line for every hit, also
for those that are no case, with the reason. Both say with which versions it was found. A second
search adds what has another key.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from harvest.report.text import clean
from harvest.sources.model import CaseSource, Hit, Search
from harvest.tracker.names import files_path, hits_path
from harvest.tracker.pages import Entry, Page, Version, to_line

SCHEMA = 1


class Hits:
    """The source of `harvest.tracker.gather`: one search. `hits` are those of this search so far.

    `new` counts those of them that no earlier search had recorded; `numbers` are those of the
    cases in the harvest, of earlier searches too, by the keys of their hits.
    """

    def __init__(self, source: CaseSource, search: Search, harvest: Path) -> None:
        self._source = source
        self._search = search
        self._harvest = harvest
        self.hits: list[Hit] = []
        self.numbers: dict[str, int] = {}
        self.new = 0

    @property
    def repository(self) -> str:
        """What stands in the place of OWNER/REPO."""
        return f"fuzz/{self._source.name}"

    @property
    def identity(self) -> str:
        """The source: searches with other seeds and budgets add to one harvest."""
        return to_line({"fuzz": self._source.name})

    def pages(self, position: str | None, seen: Mapping[Version, str]) -> Iterator[Page]:
        """Search, and yield a page for each hit that is a case of a new key.

        Raises:
            CitadelError: when the source cannot work, or the record not be written.
        """
        numbers = self.numbers
        numbers.update(json.loads(position) if position else {})
        recorded = read_hits(hits_path(self._harvest))
        for hit in self._source.generate(self._search):
            self.hits.append(hit)
            if hit.case is not None and hit.key not in numbers:
                numbers[hit.key] = max((0, *numbers.values(), *(one for _, one in seen))) + 1
                entry = self._entry(hit, numbers[hit.key])
                yield Page(entries=(entry,), position=json.dumps(numbers))
            before = recorded.get(hit.key)
            number = numbers.get(hit.key)
            if before is None or (number is not None and before.get("case") is None):
                self.new += before is None
                recorded[hit.key] = self._record(hit, number)

    def _entry(self, hit: Hit, number: int) -> Entry:
        assert hit.case is not None  # noqa: S101 - the caller looked
        moment = _now()
        issue: dict[str, Any] = {
            "number": number,
            "title": clean(hit.case.title),
            "body": clean(hit.case.body),
            "code": clean(hit.case.code),
            "repository": {"full_name": self.repository},
            "url": clean(f"{self._source.name}: {hit.origin}"),
            "updated_at": moment,
            "versions": self._search.interpreter.versions,
        }
        if hit.files:
            issue["files"] = [path.name for path in files_of(hit, self._harvest)]
        key = (self.repository.lower(), number)
        return Entry(issue=key, updated_at=moment, line=to_line(issue))

    def _record(self, hit: Hit, number: int | None) -> dict[str, Any]:
        """Append a hit to the record and write its files."""
        row = {
            "schema": SCHEMA,
            **described(hit),
            "case": number,
            "files": [],
            "seed": self._search.seed,
            "versions": self._search.interpreter.versions,
            "found_at": _now(),
        }
        path = hits_path(self._harvest)
        try:
            row["files"] = [str(one) for one in self._written(hit)]
            with path.open("ab") as file:
                file.write(to_line(row).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            told = f"{path} cannot be written: {problem.strerror}"
            raise CitadelError(told, "choose another --out") from problem
        return row

    def _written(self, hit: Hit) -> Iterator[Path]:
        """Write the files of a hit."""
        for path, (_, text) in zip(files_of(hit, self._harvest), hit.files, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(clean(text), encoding="utf-8")
            yield path


def files_of(hit: Hit, harvest: Path) -> list[Path]:
    """Where a hit's files are: the names are hashes, so that none can lead away."""
    names = [
        (hashlib.sha256(f"{hit.key}\0{ending}".encode()).hexdigest()[:16], ending)
        for ending, _ in hit.files
    ]
    return [
        files_path(harvest) / (name + "." + "".join(filter(str.isalnum, ending)))
        for name, ending in names
    ]


def described(hit: Hit) -> dict[str, Any]:
    """A hit as JSON, without its case and its files."""
    return {
        "key": clean(hit.key),
        "kind": hit.kind.value,
        "subject": clean(hit.subject),
        "title": clean(hit.title),
        "origin": clean(hit.origin),
        "measures": {name: _number(value) for name, value in hit.measures},
        "limit": clean(hit.limit),
        "no_case": clean(hit.no_case),
    }


def read_hits(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of a record by key; of several with one key the last one, which knows most.

    A line that a kill cut off counts as none, and is ended: the next one begins behind it.

    Raises:
        CitadelError: when the file cannot be read.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes() if path.exists() else b""
        if data and not data.endswith(b"\n"):
            with path.open("ab") as file:
                file.write(b"\n")
    except OSError as problem:
        told = f"{path} cannot be read: {problem.strerror}"
        raise CitadelError(told, "choose another --out") from problem
    rows: dict[str, dict[str, Any]] = {}
    for line in data.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("key"), str):
            rows[row["key"]] = row
    return rows


def _number(value: float) -> float | str:
    """JSON has neither NaN nor infinity."""
    return value if value - value == 0 else str(value)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
