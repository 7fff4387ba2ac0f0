"""One file to what is kept of it; runs in the worker processes of `pool`.

In: a job (path, language, limit). Out: a `Parsed`, sent as the text that the cache keeps. A worker
that takes too long over a file is ended by the kernel (SIGALRM), whatever it is doing; one that is
killed by a file leaves the next files to its successor.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import resource
import signal
import stat
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from analysis.static import cpp, python, registrations
from analysis.static.model import Row, Skip, identify

MEMORY = 4 << 30
_SNIFFED = 8_192


class Job(NamedTuple):
    """A file to parse: its path on disk, language, greatest size in bytes, flags for libclang."""

    path: str
    language: str
    max_bytes: int
    flags: tuple[str, ...] = ()


class Parsed(NamedTuple):
    """What a file yields: its digest, rows of functions and registrations, or why nothing.

    `encoded` is all of this as one line of text, where it came as such.
    """

    digest: str
    rows: list[Row]
    errors: int
    registrations: list[list[Any]]
    skipped: Skip | None
    encoded: bytes = b""


def parse(job: Job) -> Parsed:
    """Read and parse one file; never raises for what the file holds."""
    try:
        text = read(Path(job.path), job.max_bytes)
    except OSError:
        return skipped(Skip.UNREADABLE)
    if isinstance(text, Skip):
        return skipped(text)
    digest = hashlib.sha256(text).hexdigest()
    if b"\0" in text[:_SNIFFED]:
        return skipped(Skip.BINARY, digest)
    if job.language == "python":
        return _python(text, digest)
    if job.language == "clang":
        return _clang(job, digest)
    if job.language == "yaml":
        return _yaml(text, digest)
    found = cpp.extract(text, job.language)
    registered = [list(entry) for entry in registrations.find(text)]
    return Parsed(digest, identify(found.rows), found.errors, registered, None)


def read(path: Path, max_bytes: int) -> bytes | Skip:
    """The bytes of a regular file, or why they are not read.

    Raises:
        OSError: when it cannot be read.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        return Skip.NOT_A_FILE
    if status.st_size > max_bytes:
        return Skip.TOO_LARGE
    return path.read_bytes()


def skipped(reason: Skip, digest: str = "") -> Parsed:
    """What is kept of a file that yields nothing."""
    return Parsed(digest, [], 0, [], reason)


_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False)


def encode(parsed: Parsed) -> bytes:
    """What a file yields as text without line breaks."""
    return _ENCODER.encode(parsed[:-1]).encode()


def decode(text: bytes) -> Parsed:
    """What a file yields, of the text that `encode` made.

    Raises:
        ValueError, TypeError, RecursionError: when it is another text.
    """
    digest, rows, errors, registrations, skipped = json.loads(text)
    return Parsed(digest, rows, errors, registrations, skipped and Skip(skipped), text)


def _python(text: bytes, digest: str) -> Parsed:
    try:
        return Parsed(digest, identify(python.extract(text)), 0, [], None)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return skipped(Skip.SYNTAX, digest)


def _clang(job: Job, digest: str) -> Parsed:
    from analysis.static.precise import extract  # an extra that most processes do without

    rows, errors = extract(job.path, job.flags)
    return Parsed(digest, identify(rows), errors, [], None)


def _yaml(text: bytes, digest: str) -> Parsed:
    from analysis.static.operators import read_entries  # and with it PyYAML, for a single file

    try:
        return Parsed(digest, [], 0, read_entries(text), None)
    except ValueError:
        return skipped(Skip.YAML, digest)


def serve(descriptor: int, seconds: int) -> None:
    """Answer batches of jobs on a connection until it is closed."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    gc.disable()  # syntax trees and rows have no cycles
    connection = Connection(descriptor)
    connection.send(os.getpid())
    while True:
        try:
            batch = connection.recv()
        except (EOFError, OSError):
            return
        try:
            found = [encode(_guarded(Job(*job), seconds)) for job in batch]
            connection.send_bytes(b"\n".join(found))
        except OSError:
            return


def _guarded(job: Job, seconds: int) -> Parsed:
    """What a file yields, whatever it does to the parser short of killing the process."""
    signal.alarm(seconds)
    try:
        return parse(job)
    except (MemoryError, RecursionError):
        return skipped(Skip.DIED)
    except Exception:  # one file must not cost the others; the counts show it
        return skipped(Skip.BUG)
    finally:
        signal.alarm(0)
