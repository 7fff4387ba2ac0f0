"""A harvest file -> its reports, each issue once, in the order of repositories and numbers.

Versions of one issue are put together: the latest one counts, comments of all of them are kept. The
file may be larger than memory: where its lines begin is all that is remembered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

from analysis.errors import CitadelError
from harvest.report.issue import read_issue
from harvest.report.model import BadInput, Comment, Report
from harvest.tracker.names import files_path
from harvest.tracker.pages import Entry

_HINT = "is this the file of a harvest?"
_FILE = re.compile(r"[0-9a-f]{16}\.[a-z0-9]{1,8}")
"""What files beside a harvest are called, so that no name leads elsewhere."""
_Key = tuple[str, int, int]
"""Repository, number and, for what has no number, the place in the file."""


def read_harvest(path: Path) -> Iterator[Report | BadInput]:
    """Yield every issue of a harvest and every thing that could not be read.

    Raises:
        CitadelError: when the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            places = _places(file)
            for key in sorted(places):
                versions = [_read(file, place, path) for place in places[key]]
                yield _put_together(versions)
    except OSError as problem:
        raise CitadelError(f"{path} cannot be read: {problem.strerror}", _HINT) from problem


def read_versions(path: Path) -> Iterator[tuple[Entry, list[bytes]]]:
    """Yield, for every issue of a harvest, the version that counts and the lines of all of them.

    The file may grow meanwhile: what is appended is not read.

    Raises:
        CitadelError: when the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            places = _places(file)
            for repository, number, rest in sorted(places):
                if rest or not number:
                    continue  # something that could not be read
                lines = [_line(file, place) for place in places[repository, number, rest]]
                moments = [str(json.loads(line).get("updated_at") or "") for line in lines]
                moment, at = max((moment, at) for at, moment in enumerate(moments))
                line = lines[at].decode().rstrip("\n")
                yield Entry(issue=(repository, number), updated_at=moment, line=line), lines
    except OSError as problem:
        raise CitadelError(f"{path} cannot be read: {problem.strerror}", _HINT) from problem


def count_issues(path: Path) -> int:
    """How many issues a harvest holds.

    Raises:
        CitadelError: when the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return sum(number > 0 for _, number, _ in _places(file))
    except OSError as problem:
        raise CitadelError(f"{path} cannot be read: {problem.strerror}", _HINT) from problem


def _places(file: IO[bytes]) -> dict[_Key, tuple[int, ...]]:
    """Where the versions of each issue begin."""
    places: dict[_Key, tuple[int, ...]] = {}
    at = 0
    for line in file:
        found = _parsed(line, at)
        if isinstance(found, Report) and found.number is not None:
            key = ((found.repository or "").lower(), found.number, 0)
        else:
            key = ("", 0, at)
        places[key] = (*places.get(key, ()), at)
        at += len(line)
    return places


def _read(file: IO[bytes], place: int, harvest: Path) -> Report | BadInput:
    line = _line(file, place)
    found = _parsed(line, place)
    if isinstance(found, BadInput):
        return found
    return replace(found, files=tuple(_files(line, harvest)))


def _line(file: IO[bytes], place: int) -> bytes:
    file.seek(place)
    return file.readline()


def _parsed(line: bytes, place: int) -> Report | BadInput:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        return BadInput(source=f"byte {place}", error="not valid JSON")
    if isinstance(content, dict) and isinstance(content.get("error"), str):
        return BadInput(source=str(content.get("source")), error=content["error"])
    source = f"{path_of(content)}" if isinstance(content, dict) else f"byte {place}"
    return read_issue(content, source)


def _files(line: bytes, harvest: Path) -> Iterator[str]:
    """Where the files that an issue names lie; what is not there (any more) is left out."""
    content = json.loads(line) if b'"files"' in line else {}
    names = content.get("files")
    folder = files_path(harvest.absolute())
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and _FILE.fullmatch(name) and (folder / name).is_file():
            yield str(folder / name)


def path_of(content: dict[str, object]) -> str:
    """What to call an issue: its address, else its number."""
    url = content.get("html_url") or content.get("url")
    return url if isinstance(url, str) else f"issue {content.get('number')}"


def _put_together(versions: list[Report | BadInput]) -> Report | BadInput:
    reports = [version for version in versions if isinstance(version, Report)]
    if len(reports) < 2:
        return versions[-1]
    latest = max(reversed(reports), key=lambda report: report.updated_at)
    ordered = sorted(reports, key=lambda report: (report.updated_at, report is latest))
    thread: dict[str, Comment] = {}
    for report in ordered:
        thread.update((comment.key, comment) for comment in report.thread)
    links = dict.fromkeys(link for report in ordered for link in report.links)
    linked = {one.url: one for report in ordered for one in report.linked_code}
    return replace(
        latest,
        thread=tuple(thread.values()),
        links=tuple(links),
        linked_code=tuple(linked.values()),
    )
