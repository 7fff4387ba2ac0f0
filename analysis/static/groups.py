"""Pairs of similar functions to groups of analogous ones.

In: arguments and callees of functions as sets. Out: groups (paper, section 4.5: "analogous function
groups"). Functions with equal sets are compared once. Connected components are split by complete
linkage, so that every two members of a group are similar.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from analysis.static.join import Ints, reaches, shared, similar_pairs, tokens
from analysis.static.similarity import Similarity, exact

Sets = Sequence[frozenset[str]]


def clusters(arguments: Sets, callees: Sets, settings: Similarity) -> list[list[int]]:
    """Positions of the functions of each group of two or more; each group and the list are sorted.

    Functions with too few callees or arguments are in no group.
    """
    profiles: dict[tuple[frozenset[str], frozenset[str]], list[int]] = defaultdict(list)
    enough = _enough(callees, settings)
    for position, (one, other) in enumerate(zip(arguments, callees, strict=True)):
        if len(one) >= settings.least_arguments and enough[position]:
            profiles[one, other].append(position)
    owners = list(profiles.values())
    taken = list(profiles)
    labels = _labels([key[0] for key in taken], [key[1] for key in taken], settings)
    members: dict[int, list[int]] = defaultdict(list)
    for label, owner in zip(labels, owners, strict=True):
        members[label] += owner
    return sorted(sorted(group) for group in members.values() if len(group) > 1)


def _enough(callees: Sets, settings: Similarity) -> list[bool]:
    """Whether each function calls enough to be compared."""
    frequency = Counter(chain.from_iterable(callees))
    return [
        len(found) >= settings.least_callees
        or any(frequency[name] <= settings.rare for name in found)
        for found in callees
    ]


def _labels(arguments: Sets, callees: Sets, settings: Similarity) -> list[int]:
    """A number per profile; equal numbers are one group."""
    if not arguments:
        return []
    pairs = analogous_pairs(arguments, callees, settings)
    size = len(arguments)
    ones = np.ones(len(pairs), np.int8)
    graph = sparse.coo_matrix((ones, (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    _, labels = connected_components(graph, directed=False)
    found = [int(label) for label in labels]
    if settings.complete_linkage:
        _split(found, pairs, arguments, callees)
    return found


def analogous_pairs(arguments: Sets, callees: Sets, settings: Similarity) -> Ints:
    """All pairs i < j whose callees and arguments both reach their thresholds; shape (n, 2)."""
    pairs = similar_pairs(tokens(callees), exact(settings.callees))
    rows = tokens(arguments)
    sizes = np.diff(rows.indptr).astype(np.int64)
    left, right = pairs[:, 0], pairs[:, 1]
    threshold = exact(settings.arguments)
    if threshold == 0:
        return pairs
    enough = reaches(shared(rows, left, right), sizes[left], sizes[right], threshold)
    return pairs[enough]


def _split(labels: list[int], pairs: Ints, arguments: Sets, callees: Sets) -> None:
    """Cut each component that is no clique into parts whose members are all similar."""
    members: dict[int, list[int]] = defaultdict(list)
    for position, label in enumerate(labels):
        members[label].append(position)
    edges: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for one, other in pairs.tolist():
        edges[labels[one]].add((one, other))
    following = max(labels, default=0) + 1
    for label, group in sorted(members.items()):
        if len(group) > 2 and len(edges[label]) < len(group) * (len(group) - 1) // 2:
            parts = _complete(group, edges[label], arguments, callees)
            for position, part in zip(group, parts, strict=True):
                labels[position] = following + part
            following += max(parts) + 1


def _complete(
    group: list[int], edges: set[tuple[int, int]], arguments: Sets, callees: Sets
) -> list[int]:
    """Complete linkage: pairs that are not similar are infinitely (here: 2) apart."""
    # Members are ordered by content, so that ties fall alike whatever the order of files is.
    order = sorted(
        range(len(group)), key=lambda at: (sorted(callees[group[at]]), sorted(arguments[group[at]]))
    )
    size = len(group)
    distances = np.full((size, size), 2.0)
    np.fill_diagonal(distances, 0.0)
    for i, first in enumerate(order):
        for j in range(i + 1, size):
            one, other = sorted((group[first], group[order[j]]))
            if (one, other) in edges:
                gap = (
                    1
                    - (
                        jaccard(callees[one], callees[other])
                        + jaccard(arguments[one], arguments[other])
                    )
                    / 2
                )
                distances[i, j] = distances[j, i] = float(gap)
    parts = fcluster(linkage(squareform(distances), "complete"), 1.5, "distance")
    found = [0] * size
    for i, first in enumerate(order):
        found[first] = int(parts[i]) - 1
    return found


def jaccard(one: frozenset[str], other: frozenset[str]) -> Fraction:
    """Size of the intersection by size of the union; 0 for two empty sets."""
    union = len(one | other)
    return Fraction(len(one & other), union) if union else Fraction(0)
