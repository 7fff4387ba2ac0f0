"""A fuzzer's output folder, which nobody vouches for: listed and read, never left.

In: a directory. Out: paths relative to it, in a fixed order, and the content of single files.
Links are not followed out of the folder, only regular files are opened, and not beyond a limit.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from analysis.errors import CitadelError
from harvest.report.text import clean

MAX_BYTES = 10 * 1024 * 1024
LOOKED_AT = 20_000
"""Files that are looked at to tell what a folder is."""


class Unreadable(Exception):
    """A file is no case: `path` is relative to the folder, `reason` says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """Size in bytes and time of change in nanoseconds: by which a file is known to be the same."""

    size: int
    changed: int


class Folder:
    """A directory and what is in it.

    Raises:
        CitadelError: when there is no such directory.
    """

    def __init__(self, root: Path) -> None:
        try:
            self.root = root.resolve(strict=True)
            known = self.root.is_dir()
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise CitadelError(
                f"{clean(str(root))} cannot be read: {reason}", "name the fuzzer's output folder"
            ) from None
        if not known:
            raise CitadelError(f"{clean(str(root))} is no folder", "name the one that holds it")

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.root.name

    def files(self) -> Iterator[str]:
        """Yield all files, folder by folder, each in the order of names; links are files, too."""
        for place, folders, names in os.walk(self.root):
            links = [name for name in folders if Path(place, name).is_symlink()]
            folders[:] = sorted(set(folders) - set(links))
            for name in sorted([*names, *links]):
                yield os.path.relpath(os.path.join(place, name), self.root)  # noqa: PTH118

    @cached_property
    def sample(self) -> tuple[str, ...]:
        """The first files, by which formats are told apart."""
        return tuple(itertools.islice(self.files(), LOOKED_AT))

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        return (self.root / path).is_file()

    def stamp(self, path: str) -> Stamp:
        """How a file is known again; zeros for what is not there."""
        try:
            found = (self.root / path).lstat()
        except (OSError, ValueError):
            return Stamp(size=0, changed=0)
        return Stamp(size=found.st_size, changed=found.st_mtime_ns)

    def read_bytes(self, path: str, *, limit: int = MAX_BYTES) -> bytes:
        """The content of a file.

        Raises:
            Unreadable: no regular file, behind a link that leads elsewhere, or too large.
        """
        place = self.root / path
        try:
            real = place.resolve(strict=True)
            if not real.is_relative_to(self.root):
                raise Unreadable(path, "a link out of the folder")
            # A named pipe would wait for a writer; O_NONBLOCK opens it at once.
            handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise Unreadable(path, "no regular file")
                data = file.read(limit + 1)
        except (OSError, ValueError, RuntimeError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem)
            raise Unreadable(path, f"cannot be read: {reason}") from None
        if len(data) > limit:
            raise Unreadable(path, f"larger than {limit // 1024 // 1024} MB")
        return data

    def read_text(self, path: str, *, limit: int = MAX_BYTES) -> str:
        """The text of a file, with plain line ends.

        Raises:
            Unreadable: as `read_bytes`, and for what is no text.
        """
        data = self.read_bytes(path, limit=limit)
        if b"\0" in data:
            raise Unreadable(path, "a binary file, not text")
        try:
            text = clean(data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise Unreadable(path, "not UTF-8 text") from None
        if not text.strip():
            raise Unreadable(path, "an empty file")
        return text
