"""Runs the command line as a user does, and reports to give it."""

import os
from pathlib import Path

from tests.citadel.cli import started

ROOT = Path(__file__).parents[3]
TORCH = ROOT / ".targets" / "torch" / "bin" / "python"
GROUPS = """# conv2d with groups=0

```python
import torch
import torch.nn.functional as F
F.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=0)
```

RuntimeError: non-positive groups is not supported
"""


def run(*arguments, stdin=b"", cwd=None, timeout=120):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    done = started.run(arguments, stdin=stdin, cwd=cwd, env=environment, timeout=timeout)
    done.out, done.err = done.stdout, done.stderr
    assert "Traceback" not in done.err, done.err
    return done


def problem(*arguments, **options):
    """A run that ends in a user's error: one line that says what, one that says what to do."""
    done = run(*arguments, **options)
    assert done.returncode == 2, (done.returncode, done.err)
    lines = done.err.splitlines()
    starts = [line.split(": ")[0] for line in lines if line.startswith(("error: ", "hint: "))]
    assert starts == ["error", "hint"], done.err
    assert all(not line or line.startswith(("error: ", "hint: ")) for line in lines), done.err
    return done


def write(tmp_path, text=GROUPS, name="report.md"):
    path = tmp_path / name
    path.write_text(text)
    return path
