"""Writes output files whole or not at all, and never outside the folder that they belong in.

In: a destination and its text. Out: the file, put in place by a rename, so that a full disk or a
kill leaves what was there before. Failures are users' errors with a hint.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
from pathlib import Path

from analysis.errors import CitadelError

_COMPONENT_LIMIT = 120
_SAFE_COMPONENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_HINTS = {
    errno.ENOSPC: "the disk is full: free some space or choose another place",
    errno.EDQUOT: "the disk quota is used up: free some space or choose another place",
    errno.ENOENT: "create the folder first or choose another place",
    errno.EISDIR: "that is a folder: name a file inside it",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EROFS: "the file system is read-only: choose another place",
}


def write_atomically(path: Path, text: str) -> None:
    """Write `text` to a new file beside `path`, then rename it to `path`.

    Characters that UTF-8 has no form for (lone surrogates) are written as escapes.

    Raises:
        CitadelError: where the file cannot be written; an older file stays as it was.
    """
    scratch = path.with_name(f".citadel-{secrets.token_hex(8)}.tmp")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(scratch, flags, 0o666), "wb") as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))
        scratch.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        # After the rename there is nothing left to remove.
        scratch.unlink(missing_ok=True)


def creatable(folder: Path) -> None:
    """Check that files can be made in a folder, which may have to be made first.

    Raises:
        CitadelError: where they cannot; nothing is made here.
    """
    _look(folder, folder)


def appendable(path: Path) -> None:
    """Check that lines can be added to a file, which may have to be made first, with its folder.

    Raises:
        CitadelError: where they cannot; nothing is made here.
    """
    _look(path.parent, path)
    try:
        existing, is_folder = path.exists(), path.is_dir()
    except OSError as error:  # a name that is too long
        raise unwritable(path, error) from error
    if is_folder:
        raise unwritable(path, OSError(errno.EISDIR, os.strerror(errno.EISDIR)))
    if existing and not os.access(path, os.W_OK):
        raise unwritable(path, OSError(errno.EACCES, os.strerror(errno.EACCES)))


def writable(destination: Path | str | None) -> None:
    """Check that a file can be put in place later; None and "-", the standard output, always can.

    Raises:
        CitadelError: where it cannot. Nothing is left behind, and an older file stays as it is.
    """
    if destination is None or str(destination) == "-":
        return
    path = Path(destination)
    try:
        path = path.resolve() if path.is_symlink() else path
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            path.lstat()  # tells names that are too long
    except (OSError, RuntimeError) as error:
        raise unwritable(destination, _cause(error)) from error
    if path.is_dir():
        raise unwritable(destination, OSError(errno.EISDIR, os.strerror(errno.EISDIR)))
    if not path.parent.exists():
        raise unwritable(destination, OSError(errno.ENOENT, "no such folder"))
    if path.exists() and not path.is_file():  # a pipe or a device is written to as it is
        if not os.access(path, os.W_OK):
            raise unwritable(destination, OSError(errno.EACCES, os.strerror(errno.EACCES)))
        return
    _look(path.parent, destination)


def _look(folder: Path, told: Path | str) -> None:
    """Make a file in a folder, or in the nearest one above that there is, and remove it.

    Permissions alone do not tell of full disks and odd file systems.
    """
    place = folder.absolute()
    try:
        while not place.exists() and place != place.parent:
            place = place.parent
        is_folder = place.is_dir()
        longest = os.pathconf(place, "PC_NAME_MAX")
    except OSError as error:  # a name that is too long
        raise unwritable(told, error) from error
    # No system call looks at names below a missing folder; -1 is for no limit.
    if any(len(os.fsencode(part)) > longest > 0 for part in Path(told).parts):
        raise unwritable(told, OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)))
    if not is_folder:
        raise unwritable(told, OSError(errno.ENOTDIR, f"{place} is no folder"))
    scratch = place / f".citadel-{secrets.token_hex(8)}.tmp"
    try:
        scratch.touch(exist_ok=False)
        scratch.unlink()
    except OSError as error:
        raise unwritable(told, error) from error


def unwritable(path: Path | str, error: OSError) -> CitadelError:
    """Turn a failed write into a user's error."""
    hint = _HINTS.get(error.errno or 0, "check the permissions or choose another place")
    return CitadelError(f"cannot write {path}: {error.strerror or error}", hint)


def safe_component(name: str, reserved: frozenset[str] = frozenset()) -> str:
    """Return a file name that stands for `name`: `name` itself where that is harmless.

    Anything else (separators, leading dots, reserved or very long names) keeps its harmless
    characters and gets a digest of the original, so that different names stay different.
    """
    harmless = _SAFE_COMPONENT.fullmatch(name) is not None and ".." not in name
    if harmless and len(name) <= _COMPONENT_LIMIT and name not in reserved:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    kept = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:_COMPONENT_LIMIT].strip("_")
    return f"{kept or 'unnamed'}-{digest}"


def folder_inside(root: Path, *components: str) -> Path:
    """Create `root/components...` and return it; every component is made harmless first.

    Raises:
        CitadelError: where a component is a link out of `root`, or cannot be created.
    """
    folder = root
    try:
        root.mkdir(parents=True, exist_ok=True)
        home = root.resolve()
        for component in components:
            folder = folder / safe_component(component)
            if not folder.resolve().is_relative_to(home):
                raise CitadelError(
                    f"{folder} leads outside {root}", "remove that link or choose another folder"
                )
            folder.mkdir(exist_ok=True)
    except (OSError, RuntimeError) as error:
        raise unwritable(folder, _cause(error)) from error
    return folder


def _cause(error: OSError | RuntimeError) -> OSError:
    """What an operating system would say: `Path.resolve` has its own way with loops of links."""
    return error if isinstance(error, OSError) else OSError(errno.ELOOP, str(error))
