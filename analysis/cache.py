"""Keep what was learnt about a build on disk: files that are whole or absent.

A file holds a line with the digest of the rest, then JSON. It is written beside its place and
renamed, so that a reader never sees half of it and two writers do no harm.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

ENVIRONMENT = "CITADEL_CACHE"


def folder() -> Path:
    """Where caches live: outside the repository, and where the user says if they say so."""
    chosen = os.environ.get(ENVIRONMENT)
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("citadel"))


def read(path: Path) -> dict[str, Any] | None:
    """The stored object; None where there is none or it is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, _, body = data.partition(b"\n")
    if digest != _digest(body):
        return None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def write(path: Path, content: dict[str, Any]) -> None:
    """Store an object.

    Raises:
        OSError: when the place cannot be written.
    """
    body = json.dumps(content, separators=(",", ":")).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=path.name + ".", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(body) + b"\n" + body)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()
