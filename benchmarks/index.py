"""A build's index, cold and from its cache, and the pairs of siblings that it yields."""

import time
from collections.abc import Mapping

from analysis.index import load_or_build
from analysis.target.target import Target
from citadel.match.pairs import matched


def measure(target: Target) -> None:
    started = time.perf_counter()
    load_or_build(target)
    cold = time.perf_counter() - started
    started = time.perf_counter()
    index = load_or_build(target)
    warm = time.perf_counter() - started
    stages = ", ".join(f"{stage} {spent:.1f}" for stage, spent in index.seconds.items())
    print(f"index: cold {cold:.1f} s ({stages}), warm {warm:.2f} s")
    print(f"index: {_listed(index.counts)}; reached by {_listed(index.coverage)}")
    found = matched(index)
    print(
        f"siblings: {len(found.apis):,} APIs in {len(found.pairs):,} pairs "
        f"({_listed(found.by_channel)}) in {found.seconds:.1f} s",
        flush=True,
    )


def _listed(figures: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {figure:,}" for name, figure in figures.items() if figure)
