"""From the command to the first finding, with a warm index."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.cases import EXAMPLES

RUNS = 3


def measure(python: str, framework: str, root: Path) -> None:
    report = root / "examples" / EXAMPLES[framework]
    first: list[float] = []
    whole: list[float] = []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as out:
            command = [sys.executable, "-m", "citadel", "triage", str(report)]
            started = time.perf_counter()
            with subprocess.Popen(
                [*command, "--python", python, "--out", out],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                assert process.stderr is not None
                for line in process.stderr:
                    if line.startswith("found:"):
                        first.append(time.perf_counter() - started)
                        break
                process.stderr.read()
            whole.append(time.perf_counter() - started)
    print(
        f"triage of {report.name}: first finding after {min(first):.1f} s "
        f"(worst {max(first):.1f} s), whole {min(whole):.1f} s",
        flush=True,
    )
