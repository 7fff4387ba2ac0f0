"""Run a watched case whose values may be indices: do two of them mean elements that are equal?

Which of several equal elements `argmax`, `topk` or `sort` point at is nobody's promise, unless the
call asks for a stable order.
"""

import sys

import case
import contents
import side
from values import describe

MOST = 1 << 22
"""Elements of an input that is kept."""


class Watcher:
    """Callable `(point, value)` that returns the value; keeps those at `spots`."""

    def __init__(self, spots):
        self.spots = frozenset(spots)
        self.seen = {}
        self.kept = {}

    def __call__(self, point, value):
        occurrence = self.seen[point] = self.seen.get(point, 0) + 1
        if (point, occurrence) in self.spots:
            self.kept[point, occurrence] = _array(value)
        return value


def run(emit, code, traced, sites, spots):
    """Run a case as `case.run` does; `spots` are two pairs (point, occurrence).

    If the values there are indices of equal elements of what a call at `sites` was given, each spot
    is told of as watched, with the elements instead of their indices; else nothing is.
    """
    side.module("live").pin()
    wanted, given, stable = frozenset(sites), [], []
    watcher = Watcher(map(tuple, spots))

    def hook(site, occurrence, function, args, kwargs):
        if site in wanted:
            stable.append(bool(kwargs.get("stable")))
            owner = getattr(function, "__self__", None)
            given.extend(map(_copied, (owner, *args, *kwargs.values())))
        return None

    result = case.run(emit, code, traced, hook, watcher)
    if not any(stable) and len(watcher.kept) == len(watcher.spots):
        _tell(emit, watcher.kept, [array for array in given if array is not None])
    return result


def _tell(emit, kept, inputs):
    spots, indices = list(kept), list(kept.values())
    if any(array is None or array.dtype.kind not in "iu" for array in indices):
        return
    readings = [(array, found) for array in inputs for found in _readings(array, indices)]
    # Anything points at equal elements of what is the same all over (weights of one, say).
    varied = [(array, found) for array, found in readings if array.min() != array.max()]
    for _, found in varied or readings:
        if _equal(found):
            for (point, occurrence), elements in zip(spots, found):
                record = contents.recorded(elements)
                emit({"e": "watch", "k": point, "o": occurrence, "v": record})
            return


def _readings(array, indices):
    """What the indices select, in each way to understand them: flat, or along a dimension."""
    numpy = sys.modules["numpy"]
    sizes = {index.shape for index in indices}
    if array.ndim < 2 or sizes == {()}:
        if all(_within(index, array.size) for index in indices):
            yield [array.reshape(-1)[index] for index in indices]
        return
    for axis, size in enumerate(array.shape):
        full = [
            numpy.expand_dims(index, axis) if index.ndim == array.ndim - 1 else index
            for index in indices
        ]
        others = array.shape[:axis] + array.shape[axis + 1 :]
        if all(
            index.ndim == array.ndim
            and index.shape[:axis] + index.shape[axis + 1 :] == others
            and _within(index, size)
            for index in full
        ):
            yield [numpy.take_along_axis(array, index, axis) for index in full]


def _within(index, size):
    return index.size > 0 and int(index.min()) >= 0 and int(index.max()) < size


def _equal(found):
    numpy = sys.modules["numpy"]
    one, other = found[0], found[-1]
    return one.shape == other.shape and numpy.array_equal(
        one, other, equal_nan=one.dtype.kind in "fc"
    )


def _copied(value):
    array = _array(value)
    if array is None or not array.ndim or array.size > MOST:
        return None
    return array.copy()


def _array(value):
    """A tensor, array or whole number as NumPy has it; None for all else."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if type(value) is int or isinstance(value, (numpy.ndarray, numpy.generic)):
        return numpy.asarray(value)
    try:
        if describe(value)["k"] != "tensor":
            return None
        array = side.module("live").array(value)
    except Exception:  # a hostile class, or data that cannot be had
        return None
    return None if array is None else numpy.asarray(array)
