"""What tests of `citadel mine` write, and how they run it."""

import json
import os
import sys
from pathlib import Path

from tests.citadel.cli import started

ROOT = Path(__file__).parents[3]


def command(*arguments):
    return [sys.executable, "-m", "citadel", "mine", *map(str, arguments)]


def environment(server=None):
    given = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    if server is not None:
        given |= {"GITHUB_API_URL": server.endpoint, "GITHUB_TOKEN": "very-secret"}
    return given


def run(*arguments, cwd, server=None, status=0):
    done = started.run(["mine", *arguments], cwd=cwd, env=environment(server), timeout=600)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert "very-secret" not in done.stdout + done.stderr
    return done


def write(path, issues):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(issues))
    return path


def issue(number, body, **more):
    return {
        "number": number,
        "title": f"issue {number}",
        "body": body,
        "html_url": f"https://github.com/some/where/issues/{number}",
        **more,
    }


def fenced(call):
    return f"```python\nimport torch\ntorch.{call}\n```\n"
