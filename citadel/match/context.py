"""Context similarity: how much of what two APIs run is the same (paper, section 4.5).

In: call sets of canonical operator names. Out: for one API, its exact Jaccard index with every
other one, and a weighted one in which rare operators count more, which only orders candidates:
unweighted, operators that half of all APIs run (`empty`, `copy_`) make strangers look alike.

    plain(A, B) = |A & B| / |A | B|
    weighted(A, B) = w(A & B) / w(A | B)
    contained(A, B) = w(A & B) / min(w(A), w(B))

where w(S) is the sum of log((n + 1) / n_o) over the operators o of S, of n call sets n_o have o.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Likenesses:
    """Similarity of one call set to n others; all arrays have shape (n,).

    `shared` and `union` are numbers of operators, so that thresholds can be compared exactly.
    """

    shared: Integers
    union: Integers
    weighted: Floats
    contained: Floats

    @property
    def plain(self) -> Floats:
        """The paper's Jaccard index; 0 where both sets are empty."""
        return self.shared / np.maximum(self.union, 1)

    def fraction(self, number: int) -> Fraction:
        """The exact Jaccard index with one of them."""
        return Fraction(int(self.shared[number]), max(1, int(self.union[number])))

    def above(self, threshold: Fraction) -> NDArray[np.bool_]:
        """Whose Jaccard index is above a threshold, strictly: many lie on it (3/5, 6/10)."""
        left = self.shared * threshold.denominator
        return np.asarray(left > self.union * threshold.numerator)


class Contexts:
    """The call sets of some APIs in their order, with the rarity of each operator."""

    def __init__(self, names: Sequence[str], call_sets: Mapping[str, frozenset[str]]) -> None:
        sets = [call_sets.get(name, frozenset()) for name in names]
        operators = sorted(frozenset().union(*sets))
        self._column = {operator: number for number, operator in enumerate(operators)}
        self._matrix = self._rows(sets)
        self._sizes = np.asarray(self._matrix.sum(axis=1), dtype=np.int64)
        known = int((self._sizes > 0).sum())
        frequency = np.asarray(self._matrix.sum(axis=0), dtype=np.float64)
        self._weight: Floats = np.log((known + 1) / np.maximum(frequency, 1))
        self._heaviest = float(self._weight.max(initial=0.0)) or 1.0
        self._mass: Floats = self._matrix @ self._weight

    def compare(self, source: frozenset[str]) -> Likenesses:
        """Likeness of a call set to those of all APIs."""
        columns = np.array(
            [self._column[name] for name in source if name in self._column], dtype=np.int64
        )
        present = np.zeros(len(self._column))
        present[columns] = 1.0
        shared = np.asarray(self._matrix @ present, dtype=np.int64)
        common = self._matrix @ (present * self._weight)
        mass = self._weight[columns].sum()
        return Likenesses(
            shared=shared,
            union=len(source) + self._sizes - shared,
            weighted=_share(common, mass + self._mass - common),
            contained=_share(common, np.minimum(mass, self._mass)),
        )

    def rarity(self, operator: str) -> float:
        """How much an operator tells: near 0 where all APIs run it, 1 where one does, 0 if none."""
        column = self._column.get(operator)
        return 0.0 if column is None else float(self._weight[column]) / self._heaviest

    def _rows(self, sets: Iterable[frozenset[str]]) -> csr_array:
        indices: list[int] = []
        starts = [0]
        for found in sets:
            indices += [self._column[name] for name in found]
            starts.append(len(indices))
        shape = (len(starts) - 1, len(self._column))
        return csr_array((np.ones(len(indices)), indices, starts), shape=shape)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
