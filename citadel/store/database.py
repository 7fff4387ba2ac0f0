"""Opening the store: for the one writer, or for reading beside it.

In: a path. Out: a `Store`, whose `db` the other modules of this room use. What SQLite complains of
(a full disk, a foreign or damaged file) becomes a user's error.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlite_utils import Database

from analysis.errors import CitadelError
from citadel.report.files import creatable
from citadel.store.lock import WriterLock
from citadel.store.schema import migrations

BUSY_SECONDS = 30.0
_HINTS = (
    ("disk is full", "free some space: what is there is whole, and the same command goes on"),
    ("disk I/O error", "is the disk full or gone? what is there is whole"),
    ("not a database", "name another file with --store"),
    ("malformed", "move it away: a new one is made"),
    ("readonly", "check the permissions or name another file with --store"),
    ("locked", "is another program writing it? end that first"),
)


class Store:
    """A context manager around an open store; `blobs` is where large texts lie."""

    def __init__(self, path: Path, db: Database, stack: contextlib.ExitStack) -> None:
        self.path = path
        self.db = db
        self.blobs = path.with_name(path.name + ".blobs")
        self._stack = stack

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.close()

    def kept(self, file: str | None) -> str | None:
        """A file's path as the store keeps it: relative to the store, so that both can move."""
        return None if file is None else os.path.relpath(file, self.path.parent)

    def found(self, file: str | None) -> str | None:
        """A path that the store keeps, as it is reached from here."""
        return None if file is None else os.path.relpath(self.path.parent / file)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Database]:
        """All of what is written inside, or nothing of it.

        Raises:
            CitadelError: when it cannot be written.
        """
        with mending(self.path):
            # At once for writing: a transaction that begins by reading may not be allowed to write
            # any more when another process, such as one that labels, has written meanwhile.
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                self.db.rollback()
                raise


def open_to_write(path: Path, *, wait: bool = False) -> Store:
    """Open a store for its one writer, made or brought up to date where that is needed.

    Raises:
        CitadelError: when another process writes it, it is no store or cannot be written.
    """
    path = _followed(path)
    creatable(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(WriterLock(path, wait=wait))
        with mending(path):
            db = _connected(path, stack)
            _check(path, db, empty=True)
            db.execute("PRAGMA journal_mode = WAL").fetchone()
            db.execute("PRAGMA synchronous = FULL")
            migrations.apply(db)
        return Store(path, db, stack.pop_all())


def open_to_label(path: Path) -> Store:
    """Open a store for a short remark beside a hunt that may be writing it: SQLite takes turns.

    Raises:
        CitadelError: when it is not there, no store, or of an older version and being written.
    """
    return _existing(path)


def open_to_read(path: Path) -> Store:
    """Open a store for questions; a hunt may go on writing meanwhile.

    Raises:
        CitadelError: when it is not there, no store, or of an older version and being written.
    """
    store = _existing(path)
    store.db.execute("PRAGMA query_only = 1")
    return store


def existing(path: Path) -> Path:
    """The file of a store that must be there.

    Raises:
        CitadelError: when it is not.
    """
    if not path.is_file():
        raise CitadelError(f"no store at {path}", "`citadel hunt` makes one; see --store")
    return _followed(path)


def _followed(path: Path) -> Path:
    """The file itself: by a link's name there would be a second lock, and other blobs."""
    return path.resolve() if path.is_symlink() else path


def discard_if_empty(path: Path) -> None:
    """Remove a store that holds no item, as it was made for nothing."""
    with contextlib.suppress(CitadelError, OSError):
        with open_to_write(path) as store:
            kept = store.db.execute("SELECT EXISTS (SELECT 1 FROM items)").fetchone()[0]
        if not kept:
            for suffix in ("", "-wal", "-shm", ".lock"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)


def _existing(path: Path) -> Store:
    path = existing(path)
    with contextlib.ExitStack() as stack, mending(path):
        # In a folder that cannot be written nobody writes the store either, nor its log.
        fixed = not os.access(path.parent, os.W_OK)
        db = _connected(path, stack, fixed=fixed)
        _check(path, db, empty=False)
        if migrations.pending(db):
            # No hunt of this version is at work on it: that one would have seen to it.
            with WriterLock(path):
                migrations.apply(db)
        return Store(path, db, stack.pop_all())


@contextlib.contextmanager
def mending(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into a user's error.

    Raises:
        CitadelError: in place of `sqlite3.OperationalError` and `sqlite3.DatabaseError`.
    """
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # a bug of ours
    except sqlite3.DatabaseError as problem:
        told = str(problem)
        hint = next((hint for words, hint in _HINTS if words in told), "is the disk all right?")
        raise CitadelError(f"{path}: {told}", hint) from problem


def _connected(path: Path, stack: contextlib.ExitStack, *, fixed: bool = False) -> Database:
    options = "?mode=ro&immutable=1" if fixed else ""
    address = path.absolute().as_uri() + options
    connection = sqlite3.connect(address, timeout=BUSY_SECONDS, uri=True)
    stack.callback(connection.close)
    db = Database(connection, execute_plugins=False)
    db.execute("PRAGMA foreign_keys = ON")
    return db


def _check(path: Path, db: Database, *, empty: bool) -> None:
    """Refuse what is another program's database, or a later Citadel's."""
    names = set(db.table_names())
    if not names and empty:
        return
    known = {one.name for one in migrations._migrations}
    applied = {one.name for one in migrations.applied(db)} if "items" in names else set()
    if not applied and (names - {migrations.migrations_table} or not empty):
        raise CitadelError(f"{path} is no store of Citadel", "name another file with --store")
    if applied - known:
        raise CitadelError(f"{path} is of a later version of Citadel", "use that version for it")
