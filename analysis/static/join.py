"""Exact set-similarity join: all pairs of sets whose Jaccard index reaches a threshold.

In: sets of small integers (tokens). Out: arrays of pairs. Prefix filter: with tokens ordered from
rare to frequent, two sets of a Jaccard index of at least t share a token among their first n -
ceil(t n) + 1; the product of the sparse prefix matrix with its transpose lists such pairs, the
size filter drops those whose sizes differ too much, and the rest is verified. All comparisons are
of integers, so that a pair exactly at the threshold always counts.

Cost: the sum of squared lengths of the prefixes' posting lists; quadratic only where one
rare-ordered prefix token is shared by everything. Products are made in blocks of rows to bound
memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ints = NDArray[np.int64]
BLOCK = 4_096


def tokens(sets: Sequence[Collection[str]]) -> list[list[int]]:
    """Each set as numbers, where a larger number is a more frequent token (ties by name)."""
    frequency = Counter(chain.from_iterable(sets))
    order = sorted(frequency, key=lambda token: (frequency[token], token))
    number = {token: index for index, token in enumerate(order)}
    return [sorted(map(number.__getitem__, found)) for found in sets]


def similar_pairs(sets: Sequence[Sequence[int]], threshold: Fraction) -> Ints:
    """All pairs i < j of sets with a Jaccard index of `threshold` (above 0) or more; shape (n, 2).

    The sets are as `tokens` yields them. Empty sets are similar to nothing.
    """
    prefixes = matrix([found[: prefix_length(len(found), threshold)] for found in sets])
    whole = matrix(sets)
    sizes = np.diff(whole.indptr).astype(np.int64)
    turned = prefixes.T.tocsr()
    found = []
    for start in range(0, len(sets), BLOCK):
        product = (prefixes[start : start + BLOCK] @ turned).tocoo()
        left = product.row.astype(np.int64) + start
        right = product.col.astype(np.int64)
        keep = (left < right) & _sizes_fit(sizes[left], sizes[right], threshold)
        left, right = left[keep], right[keep]
        keep = reaches(shared(whole, left, right), sizes[left], sizes[right], threshold)
        found.append(np.stack((left[keep], right[keep]), axis=1))
    return np.concatenate(found) if found else np.empty((0, 2), np.int64)


def prefix_length(size: int, threshold: Fraction) -> int:
    """How many of the rarest tokens of a set decide whether it can be similar to another."""
    if size == 0:
        return 0
    needed = -(-size * threshold.numerator // threshold.denominator)
    return size - needed + 1


def matrix(sets: Sequence[Sequence[int]]) -> sparse.csr_matrix:
    """The sets as rows of zeros and ones."""
    ends = np.cumsum([0, *map(len, sets)])
    columns = np.fromiter(chain.from_iterable(sets), np.int64, int(ends[-1]))
    width = int(columns.max()) + 1 if len(columns) else 1
    ones = np.ones(len(columns), np.int32)
    return sparse.csr_matrix((ones, columns, ends), shape=(len(sets), width))


def shared(whole: sparse.csr_matrix, left: Ints, right: Ints) -> Ints:
    """How many tokens the sets of each pair share."""
    if not len(left):
        return np.empty(0, np.int64)
    counts = [
        np.asarray(
            whole[left[at : at + BLOCK * 16]].multiply(whole[right[at : at + BLOCK * 16]]).sum(1)
        )
        for at in range(0, len(left), BLOCK * 16)
    ]
    return np.concatenate(counts).ravel().astype(np.int64)


def reaches(common: Ints, one: Ints, other: Ints, threshold: Fraction) -> NDArray[np.bool_]:
    """Whether common / (one + other - common) is at least the threshold, in whole numbers."""
    union = one + other - common
    enough: NDArray[np.bool_] = common * threshold.denominator >= union * threshold.numerator
    return enough & (union > 0)


def _sizes_fit(one: Ints, other: Ints, threshold: Fraction) -> NDArray[np.bool_]:
    smaller, larger = np.minimum(one, other), np.maximum(one, other)
    fits: NDArray[np.bool_] = smaller * threshold.denominator >= larger * threshold.numerator
    return fits
