"""Signature similarity: names and parameters of two APIs compared as bags of weighted words.

In: the APIs of a build. Out: for one API its similarity to every other one, 0 to 1:

    NAME_SHARE * names + (1 - NAME_SHARE) * parameters * (FLOOR + (1 - FLOOR) * names)

`names` is the cosine of words and character trigrams (so that `rfft` meets `irfft`), weighted by
rarity; `parameters` the Jaccard index of the words of parameter names (so that `min` meets
`min_val`). APIs of one parameter all look alike: parameters count less the less the names share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from analysis.catalog.model import Api, ApiKind, Signature
from citadel.match.family import parse, subwords

NAME_SHARE = 0.3
"""How much of the score comes from the name; the rest comes from the parameters."""
FLOOR = 0.5
"""Share of the parameters' part that APIs keep whose names have nothing in common."""

Floats = NDArray[np.float64]

# What every layer and factory takes says nothing about what it does.
_IGNORED = frozenset(("self", "input", "device", "dtype", "layout", "pin_memory", "out", "name"))


BLOCK = 64
"""APIs compared with all others at once: bounds memory, at BLOCK x overloads numbers."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alike:
    """Similarity of m APIs to all n of a build: arrays of shape (m, n), 0 to 1."""

    score: Floats
    names: Floats
    """The part that comes from the names alone."""


class Signatures:
    """Names and parameters of all APIs of a build, in their order."""

    def __init__(self, apis: Sequence[Api]) -> None:
        self._row = {api.name: number for number, api in enumerate(apis)}
        self._names = _weighted(_table([_bag(api) for api in apis]))
        self._columns = csr_array(self._names.T)
        overloads = [(row, words) for row, api in enumerate(apis) for words in _parameters(api)]
        owner = np.array([row for row, _ in overloads], dtype=np.int64)
        self._first = np.searchsorted(owner, np.arange(len(apis) + 1))
        self._words = _table([words for _, words in overloads])
        self._turned = csr_array(self._words.T)
        self._sizes: Floats = np.asarray(self._words.sum(axis=1), dtype=np.float64)

    def compare(self, source: Api) -> Alike:
        """Similarity of one API of the build to every API of it: shape (1, n).

        Raises:
            KeyError: when it is no API of the build.
        """
        row = self._row[source.name]
        return self._block(row, row + 1)

    def blocks(self) -> Iterator[tuple[int, Alike]]:
        """All APIs against all, some rows at a time: the number of the first row and the block."""
        for start in range(0, len(self._row), BLOCK):
            yield start, self._block(start, min(start + BLOCK, len(self._row)))

    def _block(self, start: int, stop: int) -> Alike:
        names = (self._names[start:stop] @ self._columns).toarray()
        overlap = self._overlap(start, stop)
        share = FLOOR + (1 - FLOOR) * names
        return Alike(score=NAME_SHARE * names + (1 - NAME_SHARE) * overlap * share, names=names)

    def _overlap(self, start: int, stop: int) -> Floats:
        """The best Jaccard index of two overloads; two without further parameters are equal."""
        own = slice(self._first[start], self._first[stop])
        shared = (self._words[own] @ self._turned).toarray()
        union = self._sizes + self._sizes[own, np.newaxis] - shared
        jaccard = np.where(union > 0, shared / np.maximum(union, 1), 1.0)
        by_target = _best(jaccard, self._first, axis=1)
        return _best(by_target, self._first[start : stop + 1] - self._first[start], axis=0)


def _best(values: Floats, first: NDArray[np.intp], axis: int) -> Floats:
    """The greatest of each run of rows or columns that `first` marks off, 0 for empty runs."""
    starts, filled = first[:-1], np.diff(first) > 0
    shape = (len(starts), values.shape[1]) if axis == 0 else (values.shape[0], len(starts))
    best = np.zeros(shape)
    if filled.any():
        found = np.maximum.reduceat(values, starts[filled], axis=axis)
        best[(filled, slice(None)) if axis == 0 else (slice(None), filled)] = found
    return best


def _table(bags: Sequence[Iterable[str]]) -> csr_array:
    """One row per bag, one column per word, 1 where the bag has the word."""
    column: dict[str, int] = {}
    indices: list[int] = []
    starts = [0]
    for bag in bags:
        indices += [column.setdefault(word, len(column)) for word in sorted(bag)]
        starts.append(len(indices))
    return csr_array((np.ones(len(indices)), indices, starts), shape=(len(bags), len(column)))


def _weighted(table: csr_array) -> csr_array:
    """Columns weighted by the rarity of their word, rows of length 1."""
    frequency = np.asarray(table.sum(axis=0), dtype=np.float64)
    weighted = table * np.log((table.shape[0] + 1) / np.maximum(frequency, 1))
    norm = np.sqrt(np.asarray((weighted * weighted).sum(axis=1), dtype=np.float64))
    return csr_array(weighted / np.where(norm > 0, norm, 1.0)[:, np.newaxis])


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
    return tuple(sorted({_names(item) for item in api.signatures}, key=sorted))


def _names(signature: Signature) -> frozenset[str]:
    return frozenset(
        word
        for item in signature.parameters
        if item.name not in _IGNORED and not item.variadic
        for word in subwords(item.name)
    )
