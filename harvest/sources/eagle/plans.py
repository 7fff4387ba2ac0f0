"""What is run on each framework, and which part of the budget it may take.

Rules without a compiler come first and leave their rest to the compiled variants, which take a
thousand times as long per pair: so these can never eat the time of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import MappingProxyType
from typing import Any

from analysis.index import load_or_build
from analysis.target.target import Target
from harvest.sources.eagle.drive import Plan


def _torch(target: Target) -> tuple[Plan, ...]:
    plans = [Plan(name="eager", until=0.65, grace=30.0, given={"names": _functions(target)})]
    if int(target.info.version.partition(".")[0]) > 1:  # `torch.compile` came with version 2
        plans.append(Plan(name="aot_eager", until=0.95, grace=90.0))
        plans.append(Plan(name="inductor", until=1.0, grace=200.0))
    return tuple(plans)


def _functions(target: Target) -> list[str]:
    """Functions that PyTorch's own tests have no samples of, but the index has."""
    index = load_or_build(target)
    return [
        name
        for name, samples in sorted(index.samples.items())
        if samples[0].constructor is None
        and str(samples[0].provider) in ("example", "synthesis")
        and not name.startswith(("torch.Tensor.", "torch.ops."))
        and not name.endswith("_")
    ]


FRAMEWORKS: MappingProxyType[str, Callable[[Target], tuple[Plan, ...]]] = MappingProxyType(
    {"torch": _torch}
)


def plans_for(target: Target, names: Collection[str] = ()) -> tuple[Plan, ...]:
    """The plans of a framework; of these only those that are named, the last one to the end."""
    plans: tuple[Plan, ...] = FRAMEWORKS[target.info.framework](target)
    chosen = [plan for plan in plans if not names or plan.name in names]
    last: Any = chosen[-1]
    ended = Plan(name=last.name, until=1.0, grace=last.grace, given=last.given)
    return (*chosen[:-1], ended)
