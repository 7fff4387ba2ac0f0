"""What two results tell of their difference: wraps, fractions, ties, signs.

In: results as `eagle_compare` has them. Runs only where executions differ.
"""

import numpy as np

CASTS = ("_to_copy", "cast")
"""Operators by which a side gets its dtype."""


def least(largest):
    """The size of what moves zeros, beside so large a number: that is not to outweigh others.

    >>> least(1e-9), least(0.0), least(5.0)
    (1e-09, 1.0, 1.0)
    """
    return min(largest or 1.0, 1.0)


def fractions(one, other):
    """Whether where they differ the reference is no whole number."""
    with np.errstate(all="ignore"):
        where = one != other
        told = other[where]
        return bool(where.any() and (np.isnan(told) | (told != np.round(told.real))).any())


def kind_of(whole, fractional):
    """What numbers an operator made: "whole" by their dtype, "fractions", or other ones."""
    return "whole" if whole else "fractions" if fractional else "numbers"


def floored(found, wanted):
    """Whether some operator that ran in both executions made whole numbers in the one where it
    made fractions in the other. Both are (names of operators, kinds of what they made)."""
    counts, made = {}, {}
    for name, kind in zip(*wanted):
        counts[name] = counts.get(name, 0) + 1
        made[name, counts[name]] = kind
    counts = {}
    for name, kind in zip(*found):
        counts[name] = counts.get(name, 0) + 1
        if kind == "whole" and name not in CASTS and made.get((name, counts[name])) == "fractions":
            return True
    return False


def beyond(one, other):
    """Whether the reference leaves the range of the other's dtype."""
    if one.dtype.kind == "b":
        return False
    bounds = np.iinfo(one.dtype)
    values = np.abs(np.real(other[np.isfinite(other)]))
    low = np.real(other[np.isfinite(other)]).min(initial=0)
    return bool(
        values.max(initial=0) > bounds.max or low < bounds.min or not np.isfinite(other).all()
    )


def undefined(seen):
    """Whether the dense result is not finite where they differ: a function of zeros."""
    for (_, one), (_, other) in zip(seen.found, seen.wanted):
        if one.shape != other.shape or other.dtype.kind not in "fc":
            continue
        unlike = np.isfinite(one) != np.isfinite(other)
        if unlike.any():
            return bool((~np.isfinite(other[unlike]) & (one[unlike] == 0)).all())
    return False


def proportional(found, again, ratio):
    """Whether results for `ratio` times as large inputs are the same, or as much larger.

    A hundredth is left for ranges that end at 2^n - 1, and whole numbers may have lost what is
    less than one. Zeros alone tell nothing, nor does what is not finite.
    """
    told = False
    for (_, one), (_, other) in zip(found, again):
        if one.shape != other.shape or one.dtype.kind not in "iuf":
            return False
        whole = one.dtype.kind in "iu"
        one, other = one.astype("float64"), other.astype("float64")
        if not np.isfinite(one).all():
            return False
        near = [np.allclose(other, one * factor, rtol=0.01, atol=0) for factor in (1.0, ratio)]
        lost = other / ratio - one
        if not (any(near) or (whole and np.all((lost >= 0) & (lost < 1)))):
            return False
        told = told or bool(one.any())
    return told and len(found) == len(again)


def select_alike(array, one, other):
    """Whether two arrays of indices, along some axis or of the flat array, select equal elements.

    >>> tied = np.array([[2.0, 5.0, 5.0]])
    >>> [select_alike(tied, np.array([number]), np.array([2])) for number in (0, 1)]
    [False, True]
    """
    if one.shape != other.shape or not one.size or not array.size:
        return False
    for axis in (None, *range(array.ndim)):
        size = array.size if axis is None else array.shape[axis]
        if max(one.max(), other.max()) >= size or min(one.min(), other.min()) < -size:
            continue
        left, right = (selected(array, indices, axis) for indices in (one, other))
        if left is not None and np.array_equal(left, right, equal_nan=array.dtype.kind == "f"):
            return True
    return False


def selected(array, indices, axis):
    """The elements that indices stand for; None where they do not fit."""
    if axis is None:
        return array.ravel()[indices.astype("int64")]
    if indices.ndim == array.ndim - 1:
        indices = np.expand_dims(indices, axis)
    try:
        return np.take_along_axis(array, indices.astype("int64"), axis)
    except (ValueError, IndexError):
        return None


def numbers(array):
    """The array in a dtype that has differences."""
    return array.astype("float64") if array.dtype.kind in "biu" else array


def signs_only(seen, rtol):
    """Whether one of several results differs by a factor of size one for each of its columns."""
    one, other = (side[seen.difference.index][1] for side in (seen.found, seen.wanted))
    if (
        len(seen.found) < 2
        or one.shape != other.shape
        or one.ndim < 2
        or one.dtype.kind not in "fc"
    ):
        return False
    one, other = one.astype("complex128"), other.astype("complex128")
    for left, right in ((one, other), (one.swapaxes(-1, -2), other.swapaxes(-1, -2))):
        overlap = np.abs((left.conj() * right).sum(-2))
        sizes = np.sqrt((np.abs(left) ** 2).sum(-2) * (np.abs(right) ** 2).sum(-2))
        if np.isfinite(sizes).all() and (overlap >= sizes * (1 - max(rtol, 1e-4))).all():
            return bool(np.allclose(np.abs(left).sum(-2), np.abs(right).sum(-2), rtol=0.05))
    return False
