"""What was parsed, kept on disk by content, so that unchanged files are not parsed again.

One file per source root: a digest of all that follows it, then a line per file of the sources,
"digest.language" and what it yielded as `worker.encode` has it. Lines are kept as they came from
the workers, and read only when asked for. The file is written whole or not at all, also from time
to time during long runs: a run that is killed resumes there. Of two processes that write at once
the last one wins, which costs the other's work and nothing else. A change of the extractors or of
the grammars makes a new file.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Iterable
from functools import cache as once
from importlib.metadata import version
from pathlib import Path

from analysis import cache
from analysis.static.worker import Parsed, decode

CHECKPOINT_SECONDS = 15.0
_CODE = (
    "blank", "cpp", "grammar", "header", "macros", "model", "names", "operators", "python",
    "registrations", "tree", "worker",
)  # fmt: skip
_GRAMMARS = ("tree-sitter", "tree-sitter-cpp", "tree-sitter-cuda")


@once
def extractor_version() -> str:
    """Changes with the code that extracts and with the grammars."""
    digest = hashlib.sha256()
    for name in _CODE:
        digest.update(Path(__file__).with_name(name + ".py").read_bytes())
    for name in _GRAMMARS:
        digest.update(f"{name}={version(name)}\n".encode())
    return digest.hexdigest()[:16]


class Store:
    """The cache of one source root."""

    def __init__(self, root: Path) -> None:
        place = hashlib.sha256(str(root.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
        name = f"{root.resolve().name or 'root'}-{place[:12]}-{extractor_version()}.lines"
        self.path = cache.folder() / "static" / name
        self._files = _read(self.path)
        self._new = False
        self._saved = time.monotonic()

    @property
    def empty(self) -> bool:
        """Whether nothing is known yet."""
        return not self._files

    def get(self, digest: str, language: str) -> Parsed | None:
        """What a file of this content yielded, or None where that is not known."""
        try:
            return decode(self._files[f"{digest}.{language}"])
        except (KeyError, ValueError, TypeError, RecursionError):
            return None

    def put(self, language: str, parsed: Parsed) -> None:
        """Keep what a file yielded; saves what there is now and then."""
        self._files[f"{parsed.digest}.{language}"] = parsed.encoded
        self._new = True
        if time.monotonic() - self._saved > CHECKPOINT_SECONDS:
            self.save()

    def save(self, keep: Iterable[str] | None = None) -> str | None:
        """Write the cache, reduced to the entries `keep` ("digest.language") where given.

        Returns why not, where it cannot be written: a cache is no reason to fail.
        """
        if keep is not None:
            wanted = set(keep)
            self._new = self._new or not wanted >= self._files.keys()
            self._files = {key: entry for key, entry in self._files.items() if key in wanted}
        if not self._new:
            return None
        try:
            _write(self.path, self._files)
        except OSError as problem:
            return f"{problem}; set {cache.ENVIRONMENT} to a writable folder"
        self._new = False
        self._saved = time.monotonic()
        return None


def _read(path: Path) -> dict[str, bytes]:
    """The lines by their key; none where there is no file or it is damaged."""
    try:
        digest, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return {}
    if digest != hashlib.sha256(body).hexdigest().encode():
        return {}
    parted = (line.partition(b" ") for line in body.splitlines())
    return {key.decode("utf-8", "replace"): text for key, _, text in parted}


def _write(path: Path, files: dict[str, bytes]) -> None:
    """Write beside the place and rename, so that a reader never sees half of it.

    Raises:
        OSError: when the place cannot be written.
    """
    body = b"".join([b"%b %b\n" % (key.encode(), text) for key, text in files.items()])
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=path.name + ".", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).hexdigest().encode() + b"\n")
            file.write(body)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise
