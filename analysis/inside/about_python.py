"""Print what this interpreter is, as JSON; imports no framework and runs unsandboxed.

Of each framework asked for: its folder, and a digest of its code that is the same for equal
installations. Files that were touched after the installation are read again; of libraries above
16 MB a change that leaves the size is not noticed.
"""

import base64
import csv
import glob
import hashlib
import importlib.util
import json
import os
import platform
import sys

CODE = (".py", ".so", ".yaml", ".pyd", ".dylib")
MOST_BYTES = 16 << 20
"""Larger files are not read: that takes seconds."""


def main(names):
    frameworks = {}
    readable = {sys.prefix, sys.base_prefix, os.path.dirname(os.path.realpath(sys.executable))}
    readable.update(path for path in sys.path if path and os.path.exists(path))
    for name in names:
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            spec = None
        if spec is not None and spec.origin:
            folder = os.path.dirname(spec.origin)
            readable.add(os.path.dirname(folder))
            frameworks[name] = {"folder": folder, "files": fingerprint(folder)}
    print(
        json.dumps(
            {
                "executable": sys.executable,
                "version": platform.python_version(),
                "frameworks": frameworks,
                "readable": sorted(path for path in readable if path != "/"),
            }
        )
    )


def fingerprint(folder):
    """Digest of a package: of what its installer recorded, and of what was changed since."""
    root = os.path.dirname(folder)
    recorded, installed = record(root, os.path.basename(folder))
    digest = hashlib.sha256()
    for path in sorted(files(folder)):
        name = os.path.relpath(path, root)
        try:
            content = told_apart(path, recorded.get(name), installed)
        except OSError:  # a link to a package that is not installed
            content = "missing"
        digest.update("{} {}\n".format(name, content).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def told_apart(path, known, installed):
    """What tells a file from another one in its place."""
    status = os.stat(path)
    same_size = bool(known) and known[1] == str(status.st_size)
    if same_size and (status.st_size > MOST_BYTES or status.st_ctime <= installed):
        return known[0]
    if status.st_size > MOST_BYTES or not installed:
        return "{} {}".format(status.st_size, int(status.st_mtime))
    with open(path, "rb") as file:
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read()).digest())
    return "sha256=" + digest.decode("ascii").rstrip("=")


def files(folder):
    """The code of a package."""
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(CODE) or ".so." in name:
                yield os.path.join(place, name)


def record(root, package):
    """({path: (digest, size)}, time of installation) of the package's own installation record."""
    for path in sorted(glob.glob(os.path.join(glob.escape(root), "*.dist-info", "RECORD"))):
        with open(path, newline="", encoding="utf-8", errors="replace") as file:
            rows = {row[0]: row[1:3] for row in csv.reader(file) if len(row) == 3 and row[1]}
        if package + "/__init__.py" in rows:
            return rows, os.stat(path).st_ctime
    return {}, 0.0


main(sys.argv[1:])
