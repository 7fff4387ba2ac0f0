"""Print what this interpreter is, as JSON; imports no framework and runs unsandboxed."""

import importlib.util
import json
import os
import platform
import sys


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
            status = os.stat(spec.origin)
            frameworks[name] = [spec.origin, status.st_size, int(status.st_mtime)]
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


main(sys.argv[1:])
