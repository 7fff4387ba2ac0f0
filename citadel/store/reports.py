"""Reports and builds in the store: what is worked on, and on what.

In: reports as they were read, builds as they were asked. Out: rows, and the reports back as they
were, so that a hunt can go on without its inputs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

from citadel.store import texts
from citadel.store.codec import from_text, report_id, to_text
from citadel.store.database import Store
from citadel.store.texts import sound
from harvest.report.model import Report, Snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """A framework build, by the key of its index; `apis` is how many that knows."""

    key: str
    framework: str
    version: str
    python: str
    backend: str
    devices: tuple[str, ...]
    sandbox: str
    apis: int
    index: str
    """The name of the file that the index is kept in."""


def add_build(store: Store, build: Build) -> None:
    """Keep a build, or what has changed about it: another interpreter may hold an equal one."""
    store.db.execute(
        "INSERT INTO builds VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " python = excluded.python, sandbox = excluded.sandbox, apis = excluded.apis,"
        " pairs_index = excluded.pairs_index",
        [
            build.key,
            build.framework,
            build.version,
            build.python,
            build.backend,
            json.dumps(build.devices),
            build.sandbox,
            build.apis,
            build.index,
            time.time(),
        ],
    )


def add_report(store: Store, report: Report, snippets: Sequence[Snippet]) -> str:
    """Keep a report with its snippets, once; return its content id."""
    key = report_id(report)
    if has_report(store, key):
        return key
    content = texts.keep(store, to_text(report))
    store.db.execute(
        "INSERT INTO reports VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            key,
            sound(report.source),
            report.repository,
            report.number,
            sound(report.title),
            report.url,
            content,
            time.time(),
        ],
    )
    for position, snippet in enumerate(snippets):
        store.db.execute(
            "INSERT INTO snippets VALUES (?, ?, ?, ?)",
            [key, position, snippet.origin, texts.keep(store, snippet.code)],
        )
    return key


def has_report(store: Store, key: str) -> bool:
    """Whether a report is known by its content id."""
    return store.db.execute("SELECT 1 FROM reports WHERE id = ?", [key]).fetchone() is not None


def report_of(store: Store, key: str) -> Report:
    """A report as it came.

    Raises:
        CitadelError: where its text is gone.
    """
    (content,) = store.db.execute("SELECT content FROM reports WHERE id = ?", [key]).fetchone()
    return from_text(texts.read(store, content))


def sources(store: Store) -> frozenset[str]:
    """The names of all reports that are worked on."""
    return frozenset(source for (source,) in store.db.execute("SELECT source FROM reports"))


def add_refusal(store: Store, source: str, reason: str) -> None:
    """Note why something that was named is not worked on."""
    store.db.execute(
        "INSERT INTO refusals VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET reason = excluded.reason",
        [sound(source), sound(reason), time.time()],
    )


def drop_refusal(store: Store, source: str) -> None:
    """Forget the reason against something that is worked on by now."""
    store.db.execute("DELETE FROM refusals WHERE source = ?", [sound(source)])
