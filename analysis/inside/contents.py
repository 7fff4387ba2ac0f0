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
    """`{"count", "nan", "inf", "ninf", "low", "high", "mean", "norm", "digest", "few"}` or None.

    "low", "high", "mean" and "norm" are of the finite elements (of their magnitudes, where they are
    complex) and missing where there are none; "few" are a small tensor's elements, row by row.
    """
    numpy = sys.modules.get("numpy")
    live = side.module("live")
    if numpy is None or live is None:
        return None
    array = value if isinstance(value, (numpy.ndarray, numpy.generic)) else live.array(value)
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
    return _counted(numpy, array)


def _counted(numpy, array):
    flat = numpy.ascontiguousarray(array).reshape(-1)
    record = {"count": int(flat.size), "digest": _digest(numpy, flat)}
    if flat.size <= FEW:
        record["few"] = [_plain(item) for item in flat.tolist()]
    sizes = numpy.abs(flat) if flat.dtype.kind == "c" else flat
    finite = sizes
    if sizes.dtype.kind == "f":
        good = numpy.isfinite(sizes)
        if not good.all():
            record["nan"] = int(numpy.isnan(flat).sum())
            record["inf"] = int((sizes == numpy.inf).sum())
            record["ninf"] = int((sizes == -numpy.inf).sum())
            finite = sizes[good]
    if finite.size:
        wide = finite.astype(numpy.float64)
        record["low"], record["high"] = float(wide.min()), float(wide.max())
        with numpy.errstate(all="ignore"):
            record["mean"] = float(wide.mean())
            record["norm"] = float(numpy.sqrt((wide * wide).mean()))
    return record


def _digest(numpy, flat):
    """A digest of shape-less content; zeros of either sign and all NaNs are one."""
    if flat.dtype.kind in "fc" and flat.size <= 1 << 22:
        flat = numpy.where(numpy.isnan(flat), numpy.nan, flat + 0)
    return hashlib.blake2b(
        memoryview(flat).cast("B") if flat.size else b"", digest_size=8
    ).hexdigest()


def _plain(item):
    """A number as JSON has it; complex ones are pairs."""
    return [item.real, item.imag] if isinstance(item, complex) else item
