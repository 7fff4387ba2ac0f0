"""What is run on each framework, and which part of the budget it may take.

Rules without a compiler come first and leave their rest to the compiled variants, which take a
thousand times as long per pair: so these can never eat the time of the others. What would get less
than a first pair takes is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from analysis.catalog.model import ApiKind
from analysis.dynamic.model import Provider, Sample
from analysis.index import load_or_build
from analysis.target.target import Target
from harvest.sources.eagle.drive import Plan
from harvest.sources.eagle.records import call_record


def _torch(target: Target) -> tuple[Plan, ...]:
    plans = [Plan(name="eager", until=0.65, grace=30.0, given={"names": _functions(target)})]
    if int(target.info.version.partition(".")[0]) > 1:  # `torch.compile` came with version 2
        plans.append(Plan(name="aot_eager", until=0.95, grace=90.0, least=3.0))
        plans.append(Plan(name="inductor", until=1.0, grace=200.0, least=15.0))
    return tuple(plans)


def _functions(target: Target) -> list[list[Any]]:
    """Functions that PyTorch's own tests have no samples of, but the index has: name, and the
    arguments and keywords of each call in an example of the documentation."""
    found = []
    for name, samples in sorted(load_or_build(target).samples.items()):
        if (
            samples[0].constructor is None
            and samples[0].provider in (Provider.EXAMPLE, Provider.SYNTHESIS)
            and not name.startswith(("torch.Tensor.", "torch.ops."))
            and not name.endswith("_")
        ):
            shown = [_call(one) for one in samples if one.provider is Provider.EXAMPLE]
            found.append([name, [call for call in shown if call is not None]])
    return found


def _tensorflow(target: Target) -> tuple[Plan, ...]:
    given = {"names": _samples(target)}
    return (
        Plan(name="eager", until=0.6, grace=30.0, given=given),
        Plan(name="models", until=0.8, grace=90.0, least=3.0),
        Plan(name="xla", until=1.0, grace=90.0, least=3.0, given=given),
    )


def _samples(target: Target) -> list[list[Any]]:
    """Sample calls of functions and operators: name, arguments, keywords."""
    index = load_or_build(target)
    found = []
    for name, samples in sorted(index.samples.items()):
        api = index.catalog.apis.get(name)
        if api is None or api.kind not in (ApiKind.FUNCTION, ApiKind.OP):
            continue
        for sample in samples:
            call = _call(sample)
            if call is not None:
                found.append([name, *call])
    return found


def _call(sample: Sample) -> list[Any] | None:
    """Arguments and keywords of a sample; None of a layer, or where they cannot be made again."""
    return None if sample.constructor is not None else call_record(sample.call)


FRAMEWORKS: MappingProxyType[str, Callable[[Target], tuple[Plan, ...]]] = MappingProxyType(
    {"torch": _torch, "tensorflow": _tensorflow}
)


def plans_for(target: Target, names: Collection[str] = ()) -> tuple[Plan, ...]:
    """The plans of a framework; of these only those that are named, the last one to the end."""
    plans: tuple[Plan, ...] = FRAMEWORKS[target.info.framework](target)
    return _to_the_end([plan for plan in plans if not names or plan.name in names])


def worthwhile(plans: tuple[Plan, ...], budget: float) -> tuple[Plan, ...]:
    """The plans whose share of so many seconds is enough for them; the first one is always."""
    starts = (0.0, *(plan.until for plan in plans))
    return _to_the_end(
        [
            plan
            for start, plan in zip(starts, plans, strict=False)
            if not start or budget * (plan.until - start) >= plan.least
        ]
    )


def _to_the_end(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    return (*plans[:-1], replace(plans[-1], until=1.0))
