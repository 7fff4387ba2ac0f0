"""Exact set-similarity join: all pairs of sets whose Jaccard index reaches a threshold.

In: sets of words. Out: arrays of pairs. Prefix filter: with tokens ordered from
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
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ints = NDArray[np.int64]
BLOCK = 4_096


def tokens(sets: Sequence[Collection[str]]) -> sparse.csr_matrix:
    """The sets as rows of ones; later columns are more frequent tokens.

    Ties are in any order, which bears on what has to be compared but not on what is found.
    """
    flat = list(chain.from_iterable(sets))
    ends = np.cumsum([0, *map(len, sets)])
    order = sorted(Counter(flat).items(), key=itemgetter(1))
    number = {token: index for index, (token, _) in enumerate(order)}
    columns = np.fromiter(map(number.__getitem__, flat), np.int64, len(flat))
    found = _ones(columns, ends, (len(sets), max(1, len(order))))
    found.sort_indices()
    return found


def similar_pairs(whole: sparse.csr_matrix, threshold: Fraction) -> Ints:
    """All pairs i < j of sets with a Jaccard index of `threshold` (above 0) or more; shape (n, 2).

    The sets are as `tokens` yields them. Empty sets are similar to nothing.
    """
    prefixes = _prefixes(whole, threshold)
    sizes = np.diff(whole.indptr).astype(np.int64)
    turned = prefixes.T.tocsr()
    found = []
    for start in range(0, whole.shape[0], BLOCK):
        product = (prefixes[start : start + BLOCK] @ turned).tocoo()
        left = product.row.astype(np.int64) + start
        right = product.col.astype(np.int64)
        keep = (left < right) & _sizes_fit(sizes[left], sizes[right], threshold)
        left, right = left[keep], right[keep]
        keep = reaches(shared(whole, left, right), sizes[left], sizes[right], threshold)
        found.append(np.stack((left[keep], right[keep]), axis=1))
    return np.concatenate(found) if found else np.empty((0, 2), np.int64)


def _prefixes(whole: sparse.csr_matrix, threshold: Fraction) -> sparse.csr_matrix:
    """Of each set as many of its rarest tokens as decide whether it can be similar to another."""
    sizes = np.diff(whole.indptr).astype(np.int64)
    needed = -(-sizes * threshold.numerator // threshold.denominator)
    lengths = np.where(sizes > 0, sizes - needed + 1, 0)
    places = np.arange(len(whole.indices)) - np.repeat(whole.indptr[:-1], sizes)
    columns = whole.indices[places < np.repeat(lengths, sizes)]
    return _ones(columns, np.cumsum([0, *lengths]), whole.shape)


def _ones(columns: Ints, ends: Ints, shape: tuple[int, int]) -> sparse.csr_matrix:
    return sparse.csr_matrix((np.ones(len(columns), np.int32), columns, ends), shape=shape)


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
