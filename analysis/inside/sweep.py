"""Empty a folder in which a stranger has been at work: any depth, any permissions, any number."""

import os
import stat
import time

ENTRY_BYTES = 1024
"""What an empty file counts."""


def sweep(folder, seconds):
    """Remove what is in `folder`; returns whether it is empty within the time.

    Folders inside folders are first moved to the top, so that no path and no recursion gets deep.
    Links are removed, never followed.
    """
    if not _is_folder(folder):  # someone put a link in its place
        return False
    deadline = time.monotonic() + seconds
    number = 0
    names = _names(folder)
    while names:
        for name in names:
            path = os.path.join(folder, name)
            for inner in _names(path) if _is_folder(path) else ():
                number += 1
                if time.monotonic() > deadline:
                    return False
                lower = os.path.join(path, inner)
                if _is_folder(lower):
                    _open_up(lower)  # a folder without write permission cannot be moved
                    _try(os.rename, lower, os.path.join(folder, ".swept-%d" % number))
                else:
                    _try(os.unlink, lower)
            _try(os.rmdir if _is_folder(path) else os.unlink, path)
        names, before = _names(folder), names
        if names == before or time.monotonic() > deadline:
            break
    return not names


def measure(folder, enough):
    """Bytes of the files beneath a folder; stops counting at `enough`."""
    total, folders = 0, [folder]
    while folders and total <= enough:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    total += 512 * status.st_blocks + ENTRY_BYTES
                    if stat.S_ISDIR(status.st_mode):
                        folders.append(entry.path)
        except OSError:
            continue
    return total


def _names(folder):
    _open_up(folder)
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _is_folder(path):
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _open_up(folder):
    try:
        if os.lstat(folder).st_mode & 0o700 != 0o700 and _is_folder(folder):
            os.chmod(folder, 0o700)
    except OSError:
        pass


def _try(action, *paths):
    try:
        action(*paths)
    except OSError:
        pass
