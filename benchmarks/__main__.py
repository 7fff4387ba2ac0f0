"""Run all measurements on one target and print them.

usage: python -m benchmarks [PYTHON]

PYTHON is the interpreter under test (default: the one `make torch` sets up). Ratios are of two
things measured interleaved in one run; seconds depend on the machine and its load.
"""

import os
import sys
import tempfile
from pathlib import Path

from analysis.target.target import probe
from benchmarks import index, probing, replays, triage

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    python = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / ".targets/torch/bin/python")
    target = probe(python)
    info = target.info
    print(f"{info.framework} {info.version}, {os.cpu_count()} cores, sandbox: {info.sandbox}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CITADEL_CACHE"] = folder
        index.measure(target)
        replays.measure(target)
        probing.measure(target)
        triage.measure(python, ROOT)


main()
