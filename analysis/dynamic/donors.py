"""Calls that an API without any may take over from its neighbours: those with parameters alike.

In: the catalog, and calls that worked, as the host keeps them. Out: for one API, calls of others as
calls of its own, a described value per parameter, the likeliest first. `unsorted_segment_sqrt_n`
has the parameters of `UnsortedSegmentSum`, and `TensorScatterUpdate` those of `TensorScatterAdd`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.catalog.model import Api, ApiKind, Catalog, Parameter, Signature
from analysis.dynamic.joined import traits

MOST_CALLS = 6
MOST_OF_ONE = 2
"""Calls that are taken over of one API."""
LACKING = 1
"""Required parameters that a neighbour's call may leave open."""

Stored = dict[str, Any]
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True)
class _Donor:
    words: frozenset[str]
    names: frozenset[str]
    """Parameters, as they are `spelled`, that its calls give."""
    calls: tuple[dict[str, Stored], ...]
    layer: bool


class Donors:
    """The calls that are there to be taken over."""

    def __init__(self, catalog: Catalog, samples: Mapping[str, Sequence[Stored]]) -> None:
        self._catalog = catalog
        found = (self._donor(name, calls) for name, calls in samples.items())
        self._donors = [donor for donor in found if donor is not None and donor.calls]

    def of(self, name: str) -> list[dict[str, Stored]]:
        """Calls for one API, by its parameters' names; none where nobody's are alike."""
        api = self._catalog.apis.get(name)
        if api is None:
            return []
        found: list[dict[str, Stored]] = []
        seen: set[object] = set()
        parameters = {spelled(one.name): one.name for one in _parameters(api)}
        for donor in self._ranked(api):
            taken = 0
            for call in donor.calls:
                own = {parameters[key]: v for key, v in call.items() if key in parameters}
                kinds = traits({"a": (), "k": own})
                if kinds not in seen and taken < MOST_OF_ONE:
                    seen.add(kinds)
                    found.append(own)
                    taken += 1
            if len(found) >= MOST_CALLS:
                break
        return found[:MOST_CALLS]

    def _ranked(self, api: Api) -> list[_Donor]:
        """Whose calls give what the API requires, those of a like name first."""
        names = {spelled(one.name) for one in _parameters(api)}
        required = {spelled(one.name) for one in _parameters(api) if one.required}
        words = _words(api.name)
        ranked = []
        for number, donor in enumerate(self._donors):
            shared, lacking = len(names & donor.names), len(required - donor.names)
            apart = lacking > LACKING or lacking == len(required) > 0
            if not shared or apart or donor.layer != _is_layer(api):
                continue
            kin = len(words & donor.words) / len(words | donor.words)
            alike = shared / len(names | donor.names)
            ranked.append((lacking, -(kin + alike), number))
        return [self._donors[number] for _, _, number in sorted(ranked)]

    def _donor(self, name: str, calls: Iterable[Stored]) -> _Donor | None:
        api = self._catalog.apis.get(name)
        if api is None:
            return None
        given = tuple(made for call in calls if (made := _bound(api, call)))
        names = frozenset(key for call in given for key in call)
        return _Donor(_words(name), names, given, _is_layer(api))


def spelled(name: str) -> str:
    """A parameter's name without what is a matter of style.

    >>> spelled("filters") == spelled("filter"), spelled("x_")
    (True, 'x')
    """
    plain = name.lower().strip("_")
    return plain[:-1] if plain.endswith("s") and len(plain) > 2 else plain


def _parameters(api: Api) -> list[Parameter]:
    """Those of the first overload; of a layer of its construction and its call."""
    both = (*api.signatures[:1], *api.call_signatures[:1])
    return [one for signature in both for one in signature.parameters if not one.variadic]


def _is_layer(api: Api) -> bool:
    return api.kind is ApiKind.MODULE


def _words(name: str) -> frozenset[str]:
    """What the last part of a name is made of.

    >>> sorted(_words("tf.raw_ops.Conv2DBackpropInput"))
    ['2', 'backprop', 'conv', 'd', 'input']
    """
    return frozenset(word.lower() for word in _WORD.findall(name.rpartition(".")[2]))


def _bound(api: Api, call: Stored) -> dict[str, Stored]:
    """A call's values by their parameters, as they are spelled; of a layer those of both calls."""
    if "c" not in call:
        return _named(api.signatures, call)
    return {**_named(api.signatures, call["c"]), **_named(api.call_signatures, call)}


def _named(signatures: Sequence[Signature], call: Stored) -> dict[str, Stored]:
    named = {spelled(key): value for key, value in call["k"].items()}
    for signature in signatures:
        names = [one.name for one in signature.parameters if not one.variadic]
        if len(call["a"]) <= len(names):
            return {**dict(zip(map(spelled, names), call["a"], strict=False)), **named}
    return {} if call["a"] else named
