"""A file of issues -> its JSON values, one after the other, however large the file is.

Read are arrays and single objects (exports of REST and of `gh issue list --json`), JSON lines, and
gzip of either (GH Archive's hourly dumps). A value that is broken or too long is told as such, and
reading goes on behind it where the file has lines.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from harvest.report.text import shorten

MAX_VALUE = 32 * 1024 * 1024
"""Bytes of one value."""
_CHUNK = 1024 * 1024
_File = IO[bytes] | gzip.GzipFile
_SPACE = b" \t\r\n"
_BETWEEN = re.compile(r"[\s,]*")
SUFFIXES = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A value that cannot be read, and why."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One JSON value; `single` tells that it is the whole file."""

    content: Any
    single: bool = False


def read_values(path: Path) -> Iterator[Value | Broken]:
    """Yield the values of a file; trouble with the file itself is a value, too."""
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if zipped:
                with gzip.open(raw) as file:
                    yield from _values(file)
            else:
                yield from _values(raw)
    except (OSError, EOFError, zlib.error) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        yield Broken(error=f"cannot be read: {reason}")


def _values(file: _File) -> Iterator[Value | Broken]:
    start = _first(file)
    if start == b"[":
        yield from _of_array(file)
    elif start:
        yield from _of_lines(file)
    else:
        yield Broken(error="the file is empty")


def _first(file: _File) -> bytes:
    """The first byte that means something; the file is behind it for an array, before it else."""
    while byte := file.read(1):
        if byte == b"\xef":
            file.read(2)  # a byte order mark
        elif byte not in _SPACE:
            if byte != b"[":
                file.seek(file.tell() - 1)
            return byte
    return b""


def _of_lines(file: _File) -> Iterator[Value | Broken]:
    """One value per line; a first line that is no value begins one object over many lines."""
    at = file.tell()
    for number, line in enumerate(_lines(file), 1):
        if isinstance(line, Broken):
            yield line
            continue
        if not line.strip():
            continue
        found = _parsed(line)
        if number == 1 and (isinstance(found, Broken) or not file.read(1)):
            file.seek(at)
            whole = _parsed(file.read(MAX_VALUE + 1))
            if isinstance(whole, Value):
                yield Value(content=whole.content, single=True)
                return
            file.seek(at + len(line))
            if isinstance(found, Broken) and not _is_value(file.readline(MAX_VALUE + 1)):
                yield whole  # no lines of JSON, but one broken object
                return
            file.seek(at + len(line))
        elif number == 1:
            file.seek(at + len(line))
        yield found


def _is_value(line: bytes) -> bool:
    return isinstance(_parsed(line), Value)


def _lines(file: _File) -> Iterator[bytes | Broken]:
    while line := file.readline(MAX_VALUE + 1):
        if len(line) <= MAX_VALUE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(_CHUNK)
        yield Broken(error=f"longer than {MAX_VALUE // 1024 // 1024} MB")


def _parsed(text: bytes) -> Value | Broken:
    if len(text) > MAX_VALUE:
        return Broken(error=f"longer than {MAX_VALUE // 1024 // 1024} MB")
    try:
        return Value(content=json.loads(text))
    except (ValueError, RecursionError) as problem:
        return Broken(error=f"not valid JSON: {shorten(str(problem))}")


def _of_array(file: _File) -> Iterator[Value | Broken]:
    """The elements of an array, of which only one at a time is in memory."""
    decoder = json.JSONDecoder()
    text, at, ended, wanted = "", 0, False, 1
    rest = b""
    while True:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if text.startswith("]", at):
            return
        if len(text) - at >= wanted or ended:
            try:
                content, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError) as problem:
                size = len(text) - at
                if ended or size > MAX_VALUE or isinstance(problem, RecursionError):
                    yield Broken(error=f"not valid JSON from here on: {shorten(str(problem))}")
                    return
                wanted = 2 * size + 1
            else:
                yield Value(content=content)
                wanted = 1
                continue
        chunk = file.read(max(_CHUNK, wanted))
        ended = not chunk
        whole = rest + chunk
        cut = len(whole) if ended else _whole_characters(whole)
        text, at = text[at:] + whole[:cut].decode("utf-8", "replace"), 0
        rest = whole[cut:]


def _whole_characters(data: bytes) -> int:
    """Where the last character begins that may be cut off."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if back >= length else len(data) - back
        if byte & 0x80 == 0:
            return len(data)
    return len(data)
