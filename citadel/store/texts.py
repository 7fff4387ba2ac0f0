"""Code and reports as text: in the store where they are short, as files named by digest if large.

In: a text. Out: its id, the sha256 of its UTF-8 form; and back. A file is written before the row
that names it is committed, so that a kill leaves a file too many at worst.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from analysis.errors import CitadelError
from citadel.report.files import unwritable, write_atomically
from citadel.store.database import Store

LARGE = 32 * 1024
"""Bytes from which on a text is a file."""


def keep(store: Store, text: str) -> str:
    """Store a text, once however often it comes; return its id.

    Lone surrogates, which no file could hold, become escapes.

    Raises:
        CitadelError: where the file cannot be written.
    """
    data = text.encode("utf-8", "backslashreplace")
    digest = hashlib.sha256(data).hexdigest()
    known = store.db.execute("SELECT 1 FROM texts WHERE id = ?", [digest]).fetchone()
    if known is None:
        body = data.decode("utf-8")
        # SQLite's functions end a text at a zero.
        apart = len(data) >= LARGE or "\0" in body
        if apart:
            _write(place(store, digest), body)
        row = [digest, len(data), None if apart else body]
        store.db.execute("INSERT INTO texts VALUES (?, ?, ?)", row)
    return digest


def read(store: Store, digest: str) -> str:
    """The text of an id.

    Raises:
        CitadelError: where its file is gone.
    """
    row = store.db.execute("SELECT body FROM texts WHERE id = ?", [digest]).fetchone()
    if row is not None and row[0] is not None:
        return str(row[0])
    path = place(store, digest)
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as problem:
        raise CitadelError(
            f"{path} cannot be read: {problem.strerror}",
            f"{store.blobs} belongs to {store.path}: move both together",
        ) from problem


def place(store: Store, digest: str) -> Path:
    """Where a large text lies."""
    return store.blobs / digest[:2] / digest


def sound(text: str) -> str:
    """A short text as SQLite takes it: lone surrogates and zeros are shown as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise unwritable(path, problem) from problem
    if not path.exists():
        write_atomically(path, text)
