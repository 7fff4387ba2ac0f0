"""Likeness of what is written about two APIs: the words that their documentation has in common.

In: the words of each API. Out: for one of them, the cosine of its words with those of all others,
each word weighing log((n + 1) / n_w), of n APIs n_w use w; a word of a single API says nothing. An
API without documentation (raw operators, `See torch.abs()`) borrows that of a close relative.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from analysis.catalog.model import Api
from citadel.match.family import parse

FEW = 8
"""Words below which a documentation says nothing but where to look."""


class Documentation:
    """The words of some APIs, in their order."""

    def __init__(self, apis: Sequence[Api]) -> None:
        column: dict[str, int] = {}
        indices: list[int] = []
        starts = [0]
        for words in _with_borrowed(apis):
            indices += [column.setdefault(word, len(column)) for word in words]
            starts.append(len(indices))
        shape = (len(apis), len(column))
        used = csr_array((np.ones(len(indices)), indices, starts), shape=shape)
        often = np.asarray(used.sum(axis=0), dtype=np.float64)
        weight = np.where(often > 1, np.log((len(apis) + 1) / np.maximum(often, 1)), 0.0)
        heavy = csr_array(used @ diags_array(weight))
        length = np.sqrt(np.asarray(heavy.power(2).sum(axis=1), dtype=np.float64))
        self._rows = csr_array(diags_array(1 / np.where(length > 0, length, 1.0)) @ heavy)

    def compare(self, row: int) -> NDArray[np.float64]:
        """Likeness of one API to all of them, 0 to 1; shape (n,)."""
        return np.asarray((self._rows @ self._rows[[row]].T).toarray()[:, 0], dtype=np.float64)


def _with_borrowed(apis: Sequence[Api]) -> list[list[str]]:
    """The words of each API, or those of a relative that has more than a few."""
    own = [api.words.split() for api in apis]
    cores = [parse(api.name, api.kind).core for api in apis]
    relatives: dict[str, list[str]] = {}
    for words, core in zip(own, cores, strict=True):
        if len(words) >= FEW:
            relatives.setdefault(core, words)
    return [
        words if len(words) >= FEW else relatives.get(core, words)
        for words, core in zip(own, cores, strict=True)
    ]
