"""Empty a folder in which a stranger has been at work: any depth, any permissions, any number."""

import os
import stat
import time

ENTRY_BYTES = 1024
"""What an empty file counts."""


def sweep(folder, seconds, mounts=None):
    """Remove what is in `folder`; returns whether it is empty within the time.

    Walks by changing the working directory, because paths have a longest length and recursion a
    greatest depth. Links are removed, never followed; nothing else may be at work in the folder.
    What `mounts` told of the folder stays and does not count; one that was moved does.
    """
    before = os.open(".", os.O_PATH)
    try:
        return _enter(folder) and _empty(time.monotonic() + seconds, mounts or {})
    except OSError:
        return False
    finally:
        os.fchdir(before)
        os.close(before)


def mounts(folder):
    """What is mounted beneath a folder: {name: identity}, in {name: ...} per folder on the way.

    An interpreter that lies in the user's /tmp is seen in the /tmp of the sandbox, too.
    """
    found = {}
    device = os.lstat(folder).st_dev
    for name in os.listdir(folder):
        inner = os.path.join(folder, name)
        status = os.lstat(inner)
        if status.st_dev != device:
            found[name] = (status.st_dev, status.st_ino)
        elif stat.S_ISDIR(status.st_mode):
            below = mounts(inner)
            if below:
                found[name] = below
    return found


def _empty(deadline, mounts):
    """Empty the working directory but for mounts; returns whether all else of it went."""
    levels = [("", _identity(), os.listdir(), mounts)]
    device = levels[0][1][0]
    clean = True
    while time.monotonic() < deadline:
        name, _, names, stay = levels[-1]
        if names:
            inner = names.pop()
            if _removed(os.unlink, inner):
                continue
            found = _identity(inner)
            if found[0] != device:
                clean = clean and stay.get(inner) == found
            elif _enter(inner):
                below = stay.get(inner, {})
                levels.append((inner, _identity(), os.listdir(), below))
            else:
                clean = False
            continue
        levels.pop()
        if not levels:
            return clean
        os.chdir("..")
        if _identity() != levels[-1][1]:  # never remove anything where we did not come from
            return False
        if not stay:
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


def _identity(name="."):
    status = os.lstat(name)
    return status.st_dev, status.st_ino


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
