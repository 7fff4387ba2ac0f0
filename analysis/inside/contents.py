"""What is in a value: its elements if they are few, else how many are finite, range and digest.

`describe` reads metadata alone; this looks at the data, which the case itself is about to print or
compare. NumPy does the counting, on the tensor's own memory where it lies on the CPU. Without
NumPy, or where the data cannot be had (symbolic tensors), the record says nothing of it. The
reading side is `analysis.values.Numbers`.
"""

import hashlib
import sys

import side
from values import describe

FEW = 64
MOST_BYTES = 1 << 30
PIECE = 1 << 20
"""Elements that are looked at in one go: what is needed beside a large tensor is a few of these."""


def recorded(value, depth=3):
    """`describe(value)`, with `"n"` (see `numbers`) for each tensor, array and number in it."""
    record = describe(value)
    try:
        _fill(record, value, depth)
    except Exception:  # a hostile class, or data that cannot be had
        pass
    return record


def _fill(record, value, depth):
    kind = record["k"]
    if kind in ("tensor", "array"):
        found = numbers(value)
        if found is not None:
            record["n"] = found
    elif kind in ("list", "tuple") and depth:
        for item, part in zip(value, record.get("items", ())):
            _fill(part, item, depth - 1)


def numbers(value):
    """`{"count", "nan", "inf", "ninf", "low", "high", "mean", "norm", "signed", "digest", "few"}`.

    "low", "high", "mean" and "norm" are of the finite elements (of their magnitudes, where they are
    complex) and missing where there are none. "signed" is their sum, each with a sign that its
    place has by chance, over four times the root of their number: it tells tensors apart that hold
    the same numbers in another order, and is hardly moved by rounding. "few" are a small tensor's
    elements, row by row. None where there is nothing to count.
    """
    numpy = sys.modules.get("numpy")
    live = side.module("live")
    if numpy is None or live is None:
        return None
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        array = value
    else:
        # A sparse tensor's elements may be more than fit into memory; a ragged one has no shape.
        size = 1
        for extent in getattr(value, "flat_values", value).shape:
            if int(extent) < 0:
                return None
            size *= int(extent)
        array = live.array(value) if size <= MOST_BYTES else None
    if array is None:
        return None
    array = numpy.asarray(array)
    if (
        array.nbytes > MOST_BYTES
        or array.dtype.kind not in "biufcV"
        or min(array.shape, default=0) < 0
    ):
        return None
    if array.dtype.kind == "V":  # bfloat16 and its like, as NumPy knows them
        array = array.astype(numpy.float32)
    if array.dtype.char in "gG":  # extended precision, which JSON has not
        array = array.astype(numpy.float64 if array.dtype.kind == "f" else numpy.complex128)
    return _counted(numpy, array)


def _counted(numpy, array):
    flat = numpy.ascontiguousarray(array).reshape(-1)
    record = {"count": int(flat.size)}
    if flat.size <= FEW:
        record["few"] = [_plain(item) for item in flat.tolist()]
    digest = hashlib.blake2b(digest_size=8)
    total = _Total()
    for start in range(0, flat.size, PIECE):
        piece = flat[start : start + PIECE]
        _add_to_digest(numpy, digest, piece)
        total.add(numpy, piece)
    record["digest"] = digest.hexdigest()
    record.update(total.record())
    return record


class _Total:
    """Counts and sums over the pieces of a tensor."""

    def __init__(self):
        self.counts = {"nan": 0, "inf": 0, "ninf": 0}
        self.count = 0
        self.low = self.high = None
        self.sum = self.squares = self.signed = 0.0
        self.signs = None

    def add(self, numpy, piece):
        finite = sizes = numpy.abs(piece) if piece.dtype.kind == "c" else piece
        if sizes.dtype.kind == "f":
            good = numpy.isfinite(sizes)
            if not good.all():
                self.counts["nan"] += int(numpy.isnan(piece).sum())
                self.counts["inf"] += int((sizes == numpy.inf).sum())
                self.counts["ninf"] += int((sizes == -numpy.inf).sum())
                finite = sizes[good]
        if not finite.size:
            return
        wide = finite.astype(numpy.float64)
        low, high = float(wide.min()), float(wide.max())
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)
        self.count += int(wide.size)
        with numpy.errstate(all="ignore"):
            self.sum += float(wide.sum())
            self.squares += float((wide * wide).sum())
            self.signed += self._signed(numpy, piece)

    def _signed(self, numpy, piece):
        """The sum of the finite elements, each with the sign of its place."""
        parts = piece.view(piece.real.dtype) if piece.dtype.kind == "c" else piece
        if self.signs is None:  # every piece is as long as the first, or shorter
            self.signs = _signs(numpy, parts.size)
        wide = parts.astype(numpy.float64)
        wide[~numpy.isfinite(wide)] = 0
        wide *= self.signs[: wide.size]
        return float(wide.sum())

    def record(self):
        found = {name: count for name, count in self.counts.items() if count}
        if self.count:
            found["low"], found["high"] = self.low, self.high
            found["mean"] = self.sum / self.count
            found["norm"] = (self.squares / self.count) ** 0.5
            found["signed"] = self.signed / (4 * self.count**0.5)
        return found


def _signs(numpy, count):
    """Pseudo-random signs, the same in each process (the mixing of SplitMix64)."""
    mixed = numpy.arange(count, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return (mixed >> numpy.uint64(63)) * 2.0 - 1


def _add_to_digest(numpy, digest, piece):
    """Zeros of either sign are one, and so are all NaNs."""
    if piece.dtype.kind in "fc":
        piece = numpy.where(numpy.isnan(piece), piece.dtype.type(numpy.nan), piece + 0)
    digest.update(memoryview(numpy.ascontiguousarray(piece)).cast("B"))


def _plain(item):
    """A number as JSON has it; complex ones are pairs."""
    return [item.real, item.imag] if isinstance(item, complex) else item
