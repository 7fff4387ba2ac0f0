"""What a verified report teaches about the build: how its APIs can be called.

In: the trace of a run and the blamed call. Out: samples of the calls that returned, kept for later
reports. The blamed call and what is not of the framework teach nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.catalog.model import Api, Catalog
from analysis.dynamic.model import CallValues, Provider, Sample
from analysis.target.observation import Call
from citadel.traced import LAYER_FORMS, constructor_of, resolve

MOST_CALLS = 500


def samples_of(
    calls: Sequence[Call], blamed: Api, catalog: Catalog
) -> dict[str, tuple[Sample, ...]]:
    """API -> samples of its calls that returned normally; of the blamed one there are none."""
    found: dict[str, list[Sample]] = {}
    for call in calls[:MOST_CALLS]:
        api = resolve(call, catalog)
        if api is None or call.result is None or api.name == blamed.name:
            continue
        sample = _sample(call, calls)
        if sample is not None:
            found.setdefault(api.name, []).append(sample)
    return {name: tuple(samples) for name, samples in found.items()}


def _sample(call: Call, calls: Sequence[Call]) -> Sample | None:
    if call.form in ("class", "reflected"):
        return None  # a layer's sample is its construction together with its call
    if call.form not in LAYER_FORMS:
        method = call.form in ("method", "operator")
        if method and call.receiver is None:
            return None
        return Sample(provider=Provider.REPORT, call=_values(call, method))
    built = constructor_of(call, calls)
    if built is None:
        return None
    return Sample(
        provider=Provider.REPORT, call=_values(call, False), constructor=_values(built, False)
    )


def _values(call: Call, with_receiver: bool) -> CallValues:  # noqa: FBT001
    inputs = [argument.value for argument in call.arguments]
    if with_receiver and call.receiver is not None:
        inputs.insert(0, call.receiver.value)
    return CallValues(
        arguments=tuple(inputs), keywords={name: value.value for name, value in call.keywords}
    )
