"""Valid calls of each API, by parameter name: what fills are taken from."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.catalog.model import Api, Signature
from analysis.dynamic.model import CallValues
from analysis.index import ApiIndex
from analysis.values import Value
from citadel.plan.places import Place
from citadel.plan.state import own_name


class SampleBook:
    """The index's samples, bound to parameter names when they are first asked for."""

    def __init__(self, index: ApiIndex) -> None:
        self._index = index
        self._bound: dict[str, tuple[dict[str, Value], ...]] = {}

    def of(self, api: Api) -> tuple[dict[str, Value], ...]:
        """Parameter name -> value, one dictionary per sample; constructor and call of a layer
        together, and what the layer has of its own under names that no parameter bears (see
        `state`)."""
        known = self._bound.get(api.name)
        if known is None:
            samples = self._index.samples.get(api.name, ())
            known = tuple(
                {
                    **_named(sample.constructor, api.signatures),
                    **_named(
                        sample.call, api.call_signatures if sample.constructor else api.signatures
                    ),
                    **{own_name(name): value for name, value in sample.state.items()},
                }
                for sample in samples
            )
            self._bound[api.name] = known
        return known


def _named(call: CallValues | None, signatures: Sequence[Signature]) -> dict[str, Value]:
    if call is None:
        return {}
    names = signatures[0].names() if signatures else ()
    return {**dict(zip(names, call.arguments, strict=False)), **call.keywords}


def richest(
    samples: Sequence[dict[str, Value]], missing: Sequence[Place]
) -> list[dict[str, Value]]:
    """The samples, first those that say most of what is missing: fills should fit each other."""
    names = {place.parameter.name for place in missing}
    return sorted(samples, key=lambda s: -sum(bool(s[n].literal()) for n in names & s.keys()))
