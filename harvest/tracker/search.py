"""Which issues of a harvest are about an API and a symptom: full-text search (SQLite's FTS5).

In: the file of a harvest. Out: for an API and what it shows, the likeliest issues. The index is
made once per version of the file, and kept in the cache.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database

from analysis import cache
from analysis.errors import CitadelError
from harvest.report.model import BadInput, Report
from harvest.tracker.issue import Issue
from harvest.tracker.stored import read_harvest

MOST_TEXT = 20_000
"""Characters of an issue and its comments that are searched."""
MOST_WORDS = 12
"""Words of a symptom that are searched for."""
LEAST = 0.5
"""Likeness from which on an issue is told."""
_LOOKED_AT = 50
"""Issues whose likeness is computed: those that match best (BM25)."""
_BATCH = 500
_IN_TITLE = 4.0
"""How much more a word in a title counts than one in the text."""
_WORD = re.compile(r"[A-Za-z_]\w{3,}")
_TOKENS = "unicode61 tokenchars '_'"


class Tracker:
    """The issues of a harvest, to be searched; a context manager."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = Database(path)

    def __enter__(self) -> Tracker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index."""
        self._db.close()

    def about(self, api: str, framework: str, symptom: str, *, most: int = 3) -> list[Issue]:
        """The likeliest issues, the best first; none that do not name the API and its framework.

        Args:
            api: its public name; issues may use the last part alone.
            framework: what it is called in issues ("tensorflow"), beside the name's first part.
            symptom: what it shows, in words: an exception's message, say.
            most: how many at most.

        Raises:
            CitadelError: when the index is damaged.
        """
        root, _, leaf = api.lower().rpartition(".")
        if not (leaf.isidentifier() and api.isascii()):
            return []
        names = tuple(dict.fromkeys((leaf, leaf.strip("_") or leaf)))
        words = words_of(symptom, leaf)
        known = {word for word in (root.partition(".")[0], framework) if word.isidentifier()}
        parts = (known or {leaf}, names, (*names, *words))
        asked = " AND ".join(map(_any_of, parts))
        try:
            rows = self._db.execute(
                "SELECT repository, number, title, state, text FROM issues"
                " WHERE issues MATCH ? ORDER BY bm25(issues, 0, 0, ?, 0, 1.0), number LIMIT ?",
                [f"{{title text}} : ({asked})", _IN_TITLE, _LOOKED_AT],
            ).fetchall()
        except sqlite3.Error as problem:
            raise CitadelError(
                f"{self.path} is damaged: {problem}", "remove it: it is made anew"
            ) from problem
        found = [
            Issue(
                place=f"{repository}#{number}",
                title=title,
                state=state,
                likeness=_likeness(names, words, title, text),
            )
            for repository, number, title, state, text in rows
        ]
        return sorted(found, key=lambda one: -one.likeness)[:most]


def _any_of(words: Iterable[str]) -> str:
    """Quoted, so that no word is an operator of FTS5."""
    quoted = (f'"{word}"' for word in words)
    return f"({' OR '.join(quoted)})"


def words_of(symptom: str, leaf: str = "") -> tuple[str, ...]:
    """The words of a symptom that are worth searching for, in their order, each once.

    >>> words_of("RuntimeError: size -3 is negative, size is negative")
    ('runtimeerror', 'size', 'negative')
    """
    found = (word.lower() for word in _WORD.findall(symptom))
    return tuple(word for word in dict.fromkeys(found) if word != leaf)[:MOST_WORDS]


def _likeness(names: Sequence[str], words: Sequence[str], title: str, text: str) -> float:
    has = {word.lower() for word in re.findall(r"\w+", f"{title} {text}")}
    in_title = {word.lower() for word in re.findall(r"\w+", title)}
    named = 0.25 if in_title.isdisjoint(names) else 0.5
    return round(named + (0.5 * len(has & set(words)) / len(words) if words else 0.0), 3)


def open_tracker(harvest: Path) -> Tracker:
    """The issues of a harvest, indexed; of 5,000 that took two seconds the first time.

    Raises:
        CitadelError: when the file cannot be read, or holds no issue.
    """
    try:
        known = harvest.stat()
    except OSError as problem:
        raise CitadelError(
            f"{harvest} cannot be read: {problem.strerror}", "name the harvest of `citadel mine`"
        ) from problem
    version = f"{harvest.resolve()}\n{known.st_size}\n{known.st_mtime_ns}"
    place = cache.folder() / "trackers" / f"{hashlib.sha256(version.encode()).hexdigest()[:24]}.db"
    if not place.exists():
        _make(harvest, place)
    return Tracker(place)


def _make(harvest: Path, place: Path) -> None:
    """Write the index beside its place, then there: it is whole or absent."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            path = Path(folder) / place.name
            with closing(Database(path)) as db:
                db.execute(
                    "CREATE VIRTUAL TABLE issues USING fts5("
                    "repository UNINDEXED, number UNINDEXED, title, state UNINDEXED, text,"
                    f' tokenize="{_TOKENS}")'
                )
                db.table("issues").insert_all(_rows(harvest), batch_size=_BATCH)
                empty = not db.table("issues").count
            if empty:
                raise CitadelError(f"{harvest} has no issues", "name the harvest of `citadel mine`")
            path.replace(place)
    except (OSError, sqlite3.Error) as problem:
        raise CitadelError(
            f"the index of {harvest} cannot be written: {problem}", "CITADEL_CACHE names a folder"
        ) from problem


def _rows(harvest: Path) -> Iterator[dict[str, object]]:
    for one in read_harvest(harvest):
        if isinstance(one, BadInput) or one.number is None or one.pull_request:
            continue
        yield {
            "repository": one.repository or "",
            "number": one.number,
            "title": one.title,
            "state": one.state,
            "text": _text(one),
        }


def _text(report: Report) -> str:
    parts = (report.body, *(comment.body for comment in report.thread))
    return "\n\n".join(parts)[:MOST_TEXT]
