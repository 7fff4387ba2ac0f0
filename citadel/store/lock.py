"""One writer: an advisory lock beside the store, which ends with the process that holds it.

In: the store's path. Out: a held lock, or a refusal that names the process. The lock is the
kernel's, so that no kill leaves a stale one; the file only says who holds it.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from analysis.errors import CitadelError
from citadel.report.files import unwritable

PAUSE = 0.2


class WriterLock:
    """Context manager; with `wait` it waits for the other writer, else it refuses."""

    def __init__(self, store: Path, *, wait: bool = False) -> None:
        self.path = store.with_name(store.name + ".lock")
        self._store = store
        self._wait = wait
        self._file: IO[str]

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            CitadelError: when another process has it, or the place cannot be written.
        """
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        except OSError as problem:
            raise unwritable(self.path, problem) from problem
        self._file = os.fdopen(handle, "r+", encoding="ascii", errors="replace")
        try:
            while not self._taken():
                if not self._wait:
                    raise CitadelError(
                        f"{self._store} is being written by {self._holder()}",
                        "wait for it with --wait, or name another file with --store",
                    )
                time.sleep(PAUSE)
            self._say_who()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def _taken(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _holder(self) -> str:
        self._file.seek(0)
        told = self._file.read(20).strip()
        return f"process {told}" if told.isdigit() else "another process"

    def _say_who(self) -> None:
        try:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(f"{os.getpid()}\n")
            self._file.flush()
        except OSError as problem:
            raise unwritable(self.path, problem) from problem
