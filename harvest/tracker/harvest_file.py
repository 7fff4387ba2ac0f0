"""The harvest on disk: one issue per line of JSON, and a checkpoint that says how far it goes.

A page is appended and synced before the checkpoint is replaced by one that counts it. Whatever
kills the process, what lies behind the checkpoint is cut off at the next start: at most one page is
fetched again, and the file ends up the same byte for byte. An issue that was updated is appended
again; `stored.read_harvest` puts its versions together.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from analysis.errors import CitadelError
from harvest.report.issue import read_issue
from harvest.report.model import Report
from harvest.tracker.pages import Page, Version

SCHEMA = 1
SUFFIX = ".checkpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """How far a harvest is: `size` bytes of the file count, `position` is the source's own.

    `identity` says what was asked for; `complete` that the source had no more at that time.
    """

    schema: int = SCHEMA
    identity: str
    position: str | None = None
    size: int = 0
    complete: bool = False


class HarvestFile:
    """A harvest being written; a context manager that holds the file's lock.

    `seen` tells the time of update of each issue that the file holds, `unreadable` how many lines
    say that something could not be read.
    """

    def __init__(self, path: Path, identity: str) -> None:
        self.path = path
        self._identity = identity
        self._file: IO[bytes]
        self._seen: dict[Version, str] = {}
        self._made: list[Path] = []
        self.unreadable = 0
        self.checkpoint = Checkpoint(identity=identity)

    @property
    def seen(self) -> Mapping[Version, str]:
        """The issues of the file, with the time of update of their latest version."""
        return self._seen

    def __enter__(self) -> Self:
        """Open, lock and mend the file.

        Raises:
            CitadelError: when it cannot be written, another process writes it, it is not a harvest
                or answers another question.
        """
        self._made = [one for one in self.path.parents if not one.exists()]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644), "r+b")
        except OSError as problem:
            raise _unwritable(self.path, problem) from problem
        try:
            self._lock()
            self._resume()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def remove(self) -> None:
        """Leave nothing of it: no file, and of the folders that were made for it no empty one."""
        self.path.unlink(missing_ok=True)
        checkpoint_path(self.path).unlink(missing_ok=True)
        for folder in self._made:
            with contextlib.suppress(OSError):  # others may have put something there
                folder.rmdir()

    def append(self, page: Page) -> None:
        """Keep a page: after this it is never fetched again."""
        data = b"".join(entry.line.encode() + b"\n" for entry in page.entries)
        try:
            if data:
                self._file.write(data)
                self._file.flush()
                os.fsync(self._file.fileno())
            size = self.checkpoint.size + len(data)
            self._commit(replace(self.checkpoint, position=page.position, size=size))
        except OSError as problem:
            raise _unwritable(self.path, problem) from problem
        for entry in page.entries:
            if entry.issue is None:
                self.unreadable += 1
            else:
                self._seen[entry.issue] = entry.updated_at

    def finish(self) -> None:
        """Note that the source has no more for now."""
        if not self.checkpoint.complete:
            self._commit(replace(self.checkpoint, complete=True))

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            raise CitadelError(
                f"{self.path} is being written by another process",
                "wait for it, or give this one a file of its own with --harvest",
            ) from problem

    def _resume(self) -> None:
        """Go on behind what the checkpoint counts; read what is there."""
        size = os.fstat(self._file.fileno()).st_size
        kept = read_checkpoint(self.path)
        if kept is None:
            if size and checkpoint_path(self.path).exists():
                raise CitadelError(f"the checkpoint of {self.path} is damaged", _ANEW)
            if size:
                raise CitadelError(f"{self.path} is there and is no harvest", _ANEW)
            self._commit(self.checkpoint)
            return
        if kept.identity != self._identity:
            raise CitadelError(
                f"{self.path} holds the answer to another question: {kept.identity}",
                "give another file with --harvest, or ask the same",
            )
        if size < kept.size:
            raise CitadelError(f"{self.path} is shorter than its checkpoint says", _ANEW)
        self._file.truncate(kept.size)
        self.checkpoint = replace(kept, complete=False)
        for line in self._file:
            found = read_issue(json.loads(line), "")
            if isinstance(found, Report) and found.number is not None:
                key = ((found.repository or "").lower(), found.number)
                self._seen[key] = max(found.updated_at, self._seen.get(key, ""))
            else:
                self.unreadable += 1

    def _commit(self, checkpoint: Checkpoint) -> None:
        place = checkpoint_path(self.path)
        beside = place.with_name(place.name + ".new")
        with beside.open("w", encoding="utf-8") as file:
            json.dump(asdict(checkpoint), file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(place)
        _sync_folder(place.parent)
        self.checkpoint = checkpoint


_ANEW = "move it away, or give another file with --harvest"


def checkpoint_path(path: Path) -> Path:
    """Where the checkpoint of a harvest lies: beside it."""
    return path.with_name(path.name + SUFFIX)


def read_checkpoint(path: Path) -> Checkpoint | None:
    """The checkpoint of the harvest at `path`; None where there is none that can be read."""
    try:
        content = json.loads(checkpoint_path(path).read_text(encoding="utf-8"))
        found = Checkpoint(**content)
    except (OSError, ValueError, TypeError):
        return None
    return found if found.schema == SCHEMA else None


def _sync_folder(folder: Path) -> None:
    """Make a rename last over a power cut, where the file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unwritable(path: Path, problem: OSError) -> CitadelError:
    return CitadelError(f"{path} cannot be written: {problem.strerror}", "choose another --harvest")
