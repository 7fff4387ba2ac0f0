"""What the papers measure on two executions of one network; arrays in, numbers out.

CRADLE (ICSE'19): sigma and D_CLASS, delta and D_MAD, inconsistency patterns, R_L (sections 3.2 and
3.3). Audee (ASE'20) takes delta and R from there, LEMON (FSE'20) D_MAD. The relative error per
layer is ours: untrained weights squeeze D_MAD below any threshold, and hide real bugs from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from harvest.sources.networks import Array, Network

TOP = 5
"""k: a label that is not among the first k counts as absent."""
EPSILON = 1e-7
CLASS_THRESHOLD, MAD_THRESHOLD, SHARE = 8.0, 0.2, 0.0
"""T_C, T_M and p, as the paper's cross-validation chose them."""
CLASS_BINS = (1.0, 2.0, 4.0, 8.0, 16.0)
MAD_BINS = (0.2, 0.4, 0.6, 0.8)
"""Where the bins after the first one begin; their names are those of the paper."""
CLASS_NAMES = ("0", "1", "2-3", "4-7", "8-15", "16")
MAD_NAMES = ("0-0.2", "0.2-0.4", "0.4-0.6", "0.6-0.8", "0.8-1")
TOLERANCE = 1e-4
"""Relative error of a layer in single precision that rounding does not explain."""


def rank(label: int, scores: Array) -> int:
    """The place of a label among the scores of one instance, from 1; ties share the best place."""
    return 1 + int(np.sum(scores > scores[label]))


def sigma(label: int, scores: Array, k: int = TOP) -> int:
    """2^(k - rank) within the first k places, 0 behind them."""
    place = rank(label, scores)
    return int(2 ** (k - place)) if place <= k else 0


def d_class(label: int, one: Array, other: Array, k: int = TOP) -> int:
    """D_CLASS of one instance: how far apart two predictions put its label, 0 to 2^(k-1)."""
    return abs(sigma(label, one, k) - sigma(label, other, k))


def delta(one: Array, other: Array) -> float:
    """The mean absolute deviation of two arrays of equal shape."""
    if not one.size:
        return 0.0
    with np.errstate(all="ignore"):
        return float(np.mean(np.abs(one.astype("float64") - other.astype("float64"))))


def d_mad(truth: Array, one: Array, other: Array) -> float:
    """D_MAD of one instance: how differently two predictions miss the truth, 0 to 1; 0/0 is 0.

    1 where one of them alone is no number or infinite, 0 where both are.
    """
    first, second = delta(one, truth), delta(other, truth)
    if not np.isfinite(first + second):
        return float(np.isfinite(first) != np.isfinite(second))
    if first + second == 0:
        return 0.0
    return abs(first - second) / (first + second)


def exceeds(distances: Iterable[float], threshold: float, share: float = SHARE) -> bool:
    """Whether more than a share of the instances lie above the threshold: T, p of the paper."""
    found = list(distances)
    return sum(each > threshold for each in found) > share * len(found)


def pattern(distances: Iterable[float], bins: tuple[float, ...]) -> tuple[int, ...]:
    """The inconsistency pattern: how many instances fall into each bin."""
    places = np.digitize(np.asarray(list(distances), dtype=float), bins)
    return tuple(int(count) for count in np.bincount(places, minlength=len(bins) + 1))


def pattern_text(found: tuple[int, ...], names: tuple[str, ...]) -> str:
    """A pattern in words, without its empty bins.

    >>> pattern_text((7, 0, 0, 0, 0, 1), CLASS_NAMES)
    '7 of 0, 1 of 16'
    """
    bins = zip(found, names, strict=True)
    return ", ".join(f"{count} of {name}" for count, name in bins if count)


def relative_error(one: Array, other: Array) -> float:
    """The largest deviation, relative to the largest magnitude of either; infinite where it cannot
    be a number in one and is in the other, or where the shapes differ."""
    if one.shape != other.shape:
        return np.inf
    first, second = one.astype("float64"), other.astype("float64")
    finite = np.isfinite(first)
    if not np.array_equal(finite, np.isfinite(second)):
        return np.inf
    if not np.array_equal(first[~finite], second[~finite], equal_nan=True):
        return np.inf
    first, second = first[finite], second[finite]
    if not first.size:
        return 0.0
    scale = max(float(np.max(np.abs(first))), float(np.max(np.abs(second))))
    return float(np.max(np.abs(first - second))) / max(scale, EPSILON)


def change_rate(own: float, before: float, epsilon: float = EPSILON) -> float:
    """R_L from the layer's delta and the largest delta among its predecessors."""
    return (own - before) / (before + epsilon)


def localisation_map(
    network: Network, one: Mapping[str, Array], other: Mapping[str, Array]
) -> dict[str, float]:
    """R_L of every layer that both executions reached and gave the same shape."""
    deltas = {
        layer.name: delta(one[layer.name], other[layer.name])
        for layer in network.layers
        if layer.name in one
        and layer.name in other
        and one[layer.name].shape == other[layer.name].shape
    }
    return {
        name: change_rate(
            own, max((deltas[each] for each in network.before(name) if each in deltas), default=0.0)
        )
        for name, own in deltas.items()
    }


def highlighted(rates: Mapping[str, float]) -> tuple[str, ...]:
    """The layers whose R lies above the third quartile, in the order of the network."""
    finite = [each for each in rates.values() if np.isfinite(each)]
    if not finite:
        return tuple(rates)
    quartile = float(np.percentile(finite, 75))
    return tuple(name for name, rate in rates.items() if not rate <= quartile)
