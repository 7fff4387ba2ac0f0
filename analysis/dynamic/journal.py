"""What a build of the index has learnt so far, on disk: a killed build goes on where it was.

A journal is a file of JSON lines, each `[phase, part, record]`; the first line says what is being
built. Lines are only ever appended, so a process that is killed loses at most its last line. One
process writes a journal at a time; another one that wants the same index waits for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self

Record = dict[str, Any]

FORGOTTEN = -1
"""In the place of the part: nothing that was recorded of the phase before holds any more."""


class Journal:
    """Context manager around the file; `discard` it once the index is stored.

    Only the process that holds the lock reads, writes or removes it. `waiting` is called once if
    another process holds it.
    """

    def __init__(self, path: Path, build: str, waiting: Callable[[], None] = lambda: None) -> None:
        self._path = path
        self._build = build
        self._waiting = waiting
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._past: dict[tuple[str, int], list[Record]] = defaultdict(list)

    def __enter__(self) -> Self:
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = self._path.open("a+b")
            try:
                self._take(file)
                self._read(file)
                self._file = file
            except OSError:
                file.close()
        return self

    def _take(self, file: IO[bytes]) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._waiting()
            fcntl.flock(file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def past(self, phase: str, part: int) -> list[Record]:
        """What an earlier process has recorded of one part of a phase, in order."""
        return self._past[phase, part]

    def forget(self, phase: str) -> None:
        """Do as if nothing had been recorded of a phase whose work has changed since."""
        self._drop(phase)
        self._write([phase, FORGOTTEN, {}])

    def add(self, phase: str, part: int, record: Record) -> None:
        """Append one record. A disk that is full costs the resumption, not the build."""
        self._write([phase, part, record])

    def _drop(self, phase: str) -> None:
        for known in [key for key in self._past if key[0] == phase]:
            del self._past[known]

    def _write(self, content: list[Any]) -> None:
        line = json.dumps(content, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.write(line)
                self._file.flush()
            except OSError:
                with contextlib.suppress(OSError):
                    self._file.close()
                self._file = None

    def restart(self) -> None:
        """Forget everything that was recorded."""
        with self._lock:
            self._past.clear()
            if self._file is not None:
                self._file.truncate(len(self._head()) + 1)

    def discard(self) -> None:
        """Remove the file: everything in it is stored elsewhere."""
        with self._lock, contextlib.suppress(OSError):
            if self._file is not None:
                self._path.unlink()

    def _read(self, file: IO[bytes]) -> None:
        """Take over what was recorded of the same build; drop half a line at the end."""
        file.seek(0)
        lines = file.read().split(b"\n")
        whole = 0
        if lines[0] == self._head():
            whole = len(lines[0]) + 1
            for line in lines[1:-1]:
                try:
                    phase, part, record = json.loads(line)
                    if part == FORGOTTEN:
                        self._drop(phase)
                    else:
                        self._past[str(phase), int(part)].append(dict(record))
                except (ValueError, TypeError, RecursionError):
                    break
                whole += len(line) + 1
        file.truncate(whole)
        file.seek(0, os.SEEK_END)
        if not whole:
            file.write(self._head() + b"\n")
            file.flush()

    def _head(self) -> bytes:
        return json.dumps({"build": self._build}).encode()
