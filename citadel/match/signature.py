"""Signature similarity: names and parameters of two APIs compared as bags of weighted words.

In: the APIs of a build. Out: for one API its similarity to every other one, 0 to 1:

    NAME_SHARE * names + (1 - NAME_SHARE) * parameters * (FLOOR + (1 - FLOOR) * names)

`names` is the cosine of words and character trigrams (so that `rfft` meets `irfft`), weighted by
rarity; `parameters` the Jaccard index of the words of parameter names (so that `min` meets
`min_val`). APIs of one parameter all look alike: parameters count less the less the names share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import log, sqrt

from analysis.catalog.model import Api, ApiKind, Signature
from citadel.match.family import parse, subwords

NAME_SHARE = 0.3
"""How much of the score comes from the name; the rest comes from the parameters."""
FLOOR = 0.5
"""Share of the parameters' part that APIs keep whose names have nothing in common."""

Vector = dict[str, float]

# What every layer and factory takes says nothing about what it does.
_IGNORED = frozenset(("self", "input", "device", "dtype", "layout", "pin_memory", "out"))


class Signatures:
    """Names and parameters of all APIs of a build."""

    def __init__(self, apis: Iterable[Api]) -> None:
        self._apis = {api.name: api for api in apis}
        bags = {name: _bag(api) for name, api in self._apis.items()}
        frequency = Counter(word for bag in bags.values() for word in bag)
        total = len(bags) + 1
        self._weight = {word: log(total / count) for word, count in frequency.items()}
        self._vectors = {name: self._vector(bag) for name, bag in bags.items()}
        self._parameters = {name: _parameters(api) for name, api in self._apis.items()}

    def compare(self, source: Api) -> dict[str, float]:
        """Similarity of an API to every API of the build."""
        vector = self._vector(_bag(source))
        parameters = _parameters(source)
        found = {}
        for name, other in self._vectors.items():
            likeness = _cosine(vector, other)
            overlap = _overlap(parameters, self._parameters[name])
            share = FLOOR + (1 - FLOOR) * likeness
            found[name] = NAME_SHARE * likeness + (1 - NAME_SHARE) * overlap * share
        return found

    def _vector(self, bag: frozenset[str]) -> Vector:
        weights = {word: self._weight.get(word, 1.0) for word in bag}
        norm = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {word: weight / norm for word, weight in weights.items()}


def _bag(api: Api) -> frozenset[str]:
    """Words and trigrams of a name, without its form and dimension."""
    leaf = api.name.rpartition(".")[2]
    core = f"^{parse(api.name, api.kind).core}$"
    trigrams = {core[at : at + 3] for at in range(len(core) - 2)}
    words = {word for word in subwords(leaf) if len(word) > 1}
    return frozenset(trigrams | {"w:" + word for word in words})


def _parameters(api: Api) -> tuple[frozenset[str], ...]:
    """The words of each overload's parameters; of a layer those of constructor and call."""
    if api.kind is ApiKind.MODULE:
        call = _names(api.call_signatures[0]) if api.call_signatures else frozenset()
        return tuple(_names(item) | call for item in api.signatures[:1])
    return tuple({_names(item) for item in api.signatures})


def _names(signature: Signature) -> frozenset[str]:
    return frozenset(
        word
        for item in signature.parameters
        if item.name not in _IGNORED and not item.variadic
        for word in subwords(item.name)
    )


def _overlap(left: tuple[frozenset[str], ...], right: tuple[frozenset[str], ...]) -> float:
    """The best Jaccard index of two overloads; two that take no more than a tensor are equal."""
    best = 0.0
    for one in left:
        for other in right:
            union = len(one | other)
            best = max(best, len(one & other) / union if union else 1.0)
    return best


def _cosine(left: Vector, right: Vector) -> float:
    if len(right) < len(left):
        left, right = right, left
    return sum(weight * right[word] for word, weight in left.items() if word in right)
