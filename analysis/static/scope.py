"""Which files of a source tree are looked at, and why others are not.

In: the root of a checkout or of an installed package. Out: candidates with a language, and counts
of what is left out. Left out are tests and benchmarks, vendored code, build tooling,
Objective-C++ (no grammar), generated wrappers (which are analogous to each other by
construction), private Python packages, and headers of installed packages, whose inline functions
are accessors.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analysis.errors import CitadelError
from analysis.static.model import Skip
from analysis.static.operators import locate

LANGUAGES = {
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hh", ".hxx"), "cpp"),
    **dict.fromkeys((".cu", ".cuh"), "cuda"),
    ".py": "python",
}
_OBJECTIVE_C = (".mm", ".m")

LAYOUTS = (
    ("aten/src/ATen", ("aten", "c10", "torch", "functorch")),
    ("tensorflow/core/kernels", ("tensorflow/core", "tensorflow/python")),
)
"""A folder that tells a framework's checkout, and the folders in it that hold the framework."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEST_FOLDERS = _words(
    """
    test tests testing bench benchmark benchmarks microbenchmarks unittest unittests example
    examples testdata testlib conformance
    """
)
_FOREIGN_FOLDERS = _words(
    """
    third_party third-party vendor _vendor external extern node_modules build cmake docs doc tools
    scripts android ios objc binaries __pycache__ site-packages dist-packages
    """
)
_PRIVATE_KEPT = frozenset({"_refs", "_decomp", "_prims", "_prims_common", "_meta_registrations"})
"""Private packages of PyTorch that implement operators in Python."""

_GENERATED_FOLDERS = frozenset({"_api"})
_GENERATED = re.compile(
    r"gen_\w+_ops\.py\Z|_pb2(?:_grpc)?\.py\Z|\.pb\.(?:h|cc)\Z|_generated\.(?:h|py)\Z"
)
_TEST_FILE = re.compile(r"(?:^|_)(?:tests?|bench(?:mark)?s?)(?:_\w*)?\.\w+\Z|^test_", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A file to parse. `path` is relative to the root, with `/`."""

    path: str
    language: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The files to parse, sorted by path, and how many others were left out for which reason."""

    root: Path
    candidates: tuple[Candidate, ...]
    left_out: Counter[Skip] = field(default_factory=Counter)

    def module(self, path: str) -> str:
        """The prefix of names in a Python file: `torch.nn.functional.`."""
        parts = path.removesuffix(".py").split("/")
        if (self.root / "__init__.py").is_file():
            parts.insert(0, self.root.name)
        if parts[-1] == "__init__":
            parts.pop()
        return "".join(part + "." for part in parts)


def scan(root: Path, folders: Sequence[str] | None = None) -> Scope:
    """List the files below `root`, or below some of its folders (default: by its layout).

    Raises:
        CitadelError: when there is no such folder.
    """
    if not root.is_dir():
        message = f"no folder with sources at {root}"
        raise CitadelError(message, "name a checkout of the framework or an installed package")
    chosen = _layout(root) if folders is None else folders
    for name in chosen:
        if not (root / name).is_dir():
            raise CitadelError(f"no folder {name} in {root}", "name folders relative to the root")
    left_out: Counter[Skip] = Counter()
    found = [one for name in chosen for one in _walk(root, root / name, left_out)]
    listing = locate(root)
    if listing is not None:
        found.append(Candidate(path=listing, language="yaml", size=_size(root / listing)))
    unique = {candidate.path: candidate for candidate in found}
    return Scope(
        root=root, candidates=tuple(unique[path] for path in sorted(unique)), left_out=left_out
    )


def _layout(root: Path) -> Sequence[str]:
    for sign, folders in LAYOUTS:
        if (root / sign).is_dir() and not (root / "__init__.py").is_file():
            return [name for name in folders if (root / name).is_dir()]
    return ["."]


def _walk(root: Path, start: Path, left_out: Counter[Skip]) -> Iterator[Candidate]:
    """Files in order; links to folders are not followed, so that a loop cannot trap."""
    installed = (root / "__init__.py").is_file()

    def unreadable(_problem: OSError) -> None:
        left_out[Skip.UNREADABLE] += 1

    for folder, names, files in os.walk(start, onerror=unreadable):
        relative = Path(folder).relative_to(root)
        prefix = f"{relative.as_posix()}/" if relative.parts else ""
        reason = _folder_reason(relative.parts, installed=installed)
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            language = LANGUAGES.get(os.path.splitext(name)[1])  # noqa: PTH122 - thousands of files
            if language is None:
                left_out[Skip.OBJECTIVE_C] += name.endswith(_OBJECTIVE_C)
                continue
            why = reason or _file_reason(name, language, relative.parts, installed=installed)
            if why is not None:
                left_out[why] += 1
                continue
            size = _size(f"{folder}/{name}")
            yield Candidate(path=f"{prefix}{name}", language=language, size=size)


def _folder_reason(parts: tuple[str, ...], *, installed: bool) -> Skip | None:
    for part in parts:
        if part in _TEST_FOLDERS:
            return Skip.TEST
        if part in _FOREIGN_FOLDERS:
            return Skip.VENDORED
        if part in _GENERATED_FOLDERS:
            return Skip.GENERATED
    return Skip.WHEEL_HEADER if installed and "include" in parts else None


def _file_reason(
    name: str, language: str, parts: tuple[str, ...], *, installed: bool
) -> Skip | None:
    if _TEST_FILE.search(name):
        return Skip.TEST
    if _GENERATED.search(name):
        return Skip.GENERATED
    if language != "python":
        return Skip.WHEEL_HEADER if installed and not name.endswith((".cc", ".cpp")) else None
    private = [part for part in parts if part.startswith("_") and part not in _PRIVATE_KEPT]
    return Skip.PRIVATE if private else None


def _size(path: str | Path) -> int:
    """The size in bytes; 0 for what cannot be asked (the parser will say why)."""
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0
