"""Run all measurements and print them; the exit status is 1 if a question to the store is too slow.

usage: python -m benchmarks [sources | store | PYTHON...]

PYTHON is an interpreter under test (default: those that `make torch` and `make tensorflow` set up,
as far as they are there). With `sources` only the sources of cases are measured, which need what
`make keras` sets up, too, with `store` only a store of a million runs, which takes minutes to fill.
Ratios are of two things measured in turn in one run; seconds depend on the machine and its load.
"""

import os
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from analysis.cache import ENVIRONMENT
from analysis.target.target import probe
from benchmarks import index, performance, probing, replays, sources, static, store, triage

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ROOT / ".targets"


def main() -> None:
    given = sys.argv[1:]
    only = given[0] if given in (["sources"], ["store"]) else None
    if only is None:
        _builds(given)
    if not given or only == "sources":
        sources.measure(TARGETS)
    if only is None:
        static.measure(TARGETS / "pytorch-1.13.1")
    if not given or only == "store":
        sys.exit(not store.measure())


def _builds(pythons: list[str]) -> None:
    known = [TARGETS / name / "bin/python" for name in ("torch", "tensorflow")]
    for python in pythons or [str(one) for one in known if one.exists()]:
        with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {ENVIRONMENT: folder}):
            _measure(python)


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
