"""How long the index takes: cold, and from its cache."""

import time

from analysis.index import load_or_build
from analysis.target.target import Target


def measure(target: Target) -> None:
    started = time.perf_counter()
    built = load_or_build(target)
    cold = time.perf_counter() - started
    started = time.perf_counter()
    load_or_build(target)
    warm = time.perf_counter() - started
    counts = ", ".join(f"{name} {figure}" for name, figure in built.counts.items() if figure)
    print(f"index: cold {cold:.1f} s, warm {warm:.2f} s; {counts}")
