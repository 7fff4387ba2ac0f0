"""Empty a folder in which a stranger has been at work: any depth, any permissions, any number."""

import os
import stat
import time

ENTRY_BYTES = 1024
"""What an empty file counts."""


def sweep(folder, seconds):
    """Remove what is in `folder`; returns whether it is empty within the time.

    Walks by changing the working directory, because paths have a longest length and recursion a
    greatest depth. Links are removed, never followed; nothing else may be at work in the folder.
    """
    before = os.open(".", os.O_PATH)
    try:
        return _enter(folder) and _empty(time.monotonic() + seconds)
    except OSError:
        return False
    finally:
        os.fchdir(before)
        os.close(before)


def _empty(deadline):
    """Empty the working directory; returns whether all of it went."""
    levels = [("", _identity(), os.listdir())]
    clean = True
    while time.monotonic() < deadline:
        name, _, names = levels[-1]
        if names:
            inner = names.pop()
            if _removed(os.unlink, inner):
                continue
            if _enter(inner):
                levels.append((inner, _identity(), os.listdir()))
            else:
                clean = False
            continue
        levels.pop()
        if not levels:
            return clean
        os.chdir("..")
        if _identity() != levels[-1][1]:  # never remove anything where we did not come from
            return False
        clean = _removed(os.rmdir, name) and clean
    return False


def _enter(folder):
    """Make a folder, not a link to one, the readable and writable working directory."""
    try:
        mode = os.lstat(folder).st_mode
        if not stat.S_ISDIR(mode):
            return False
        if mode & 0o700 != 0o700:
            os.chmod(folder, 0o700)
        os.chdir(folder)
    except OSError:
        return False
    return True


def _removed(action, name):
    try:
        action(name)
    except OSError:
        return False
    return True


def _identity():
    here = os.stat(".")
    return here.st_dev, here.st_ino


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
