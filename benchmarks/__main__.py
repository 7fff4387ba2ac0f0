"""Run all measurements and print them.

usage: python -m benchmarks [PYTHON...]

PYTHON is an interpreter under test (default: those that `make torch` and `make tensorflow` set up,
as far as they are there). Ratios are of two things measured in turn in one run; seconds depend on
the machine and its load.
"""

import os
import sys
import tempfile
from pathlib import Path

from analysis.cache import ENVIRONMENT
from analysis.target.target import probe
from benchmarks import index, performance, probing, replays, static, triage

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ROOT / ".targets"


def main() -> None:
    known = [TARGETS / name / "bin/python" for name in ("torch", "tensorflow")]
    for python in sys.argv[1:] or [str(one) for one in known if one.exists()]:
        with tempfile.TemporaryDirectory() as folder:
            os.environ[ENVIRONMENT] = folder
            _measure(python)
    static.measure(TARGETS / "pytorch-1.13.1")


def _measure(python: str) -> None:
    target = probe(python)
    info = target.info
    load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{info.framework} {info.version}, {load}, sandbox: {info.sandbox}")
    index.measure(target)
    replays.measure(target)
    probing.measure(target)
    performance.measure(target)
    triage.measure(python, info.framework, ROOT)


main()
