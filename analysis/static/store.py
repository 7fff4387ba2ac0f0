"""What was parsed, kept on disk by content, so that unchanged files are not parsed again.

One file per source root, with one entry per digest and language. It is written whole or not at
all (`analysis.cache`), also from time to time during long runs: a run that is killed resumes
there. Of two processes that write at once the last one wins, which costs the other's work and
nothing else. A change of the extractors or of the grammars makes a new file.
"""

from __future__ import annotations

import hashlib
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
        name = f"{root.resolve().name or 'root'}-{place[:12]}-{extractor_version()}.json"
        self.path = cache.folder() / "static" / name
        stored = cache.read(self.path) or {}
        files = stored.get("files")
        self._files: dict[str, str] = files if isinstance(files, dict) else {}
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
            cache.write(self.path, {"files": self._files})
        except OSError as problem:
            return f"{problem}; set {cache.ENVIRONMENT} to a writable folder"
        self._new = False
        self._saved = time.monotonic()
        return None
