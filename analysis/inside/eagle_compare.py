"""Compare two executions: the tolerance of EAGLE's paper and one per dtype.

In: two lists of leaves, `(dtype name, NumPy array)`; out: a `Difference`. The paper's oracle is
|O1 - O2| <= atol + rtol * |O2| with atol 1e-2 and rtol 1e-5 for all dtypes. That lets float64 be
wrong in its third digit and half precision be right by chance only, so beside it each pair is
measured by what its coarsest dtype can hold: that decides.
"""

import numpy as np

PAPER = 1e-5, 1e-2
"""rtol and atol."""
EXACT = 0.0, 0.0
TOLERANCES = {
    "float16": (2e-3, 2e-3),
    "bfloat16": (1.6e-2, 1.6e-2),
    "float32": (1e-4, 1e-4),
    "float64": (1e-7, 1e-7),
    "complex32": (2e-3, 2e-3),
    "complex64": (1e-4, 1e-4),
    "complex128": (1e-7, 1e-7),
}
"""(rtol, atol) of results; whole numbers and truth values must be equal."""
DIGITS = {
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
    "float32": 2.0**-24,
    "complex32": 2.0**-11,
    "complex64": 2.0**-24,
}
"""The unit of rounding of a dtype; float64 where it is not named."""
FINE = 2.0**-53


class Difference:
    """How two executions differ. `kind` is "" where they agree, else "structure", "shape",
    "finite" or "value"; `paper` says whether the paper's tolerance is exceeded, too. `places` marks
    where leaf number `index` differs."""

    __slots__ = ("absolute", "atol", "index", "kind", "paper", "places", "relative", "rtol")

    def __init__(self, rtol=0.0, atol=0.0):
        self.kind = ""
        self.absolute = 0.0
        self.relative = 0.0
        self.paper = False
        self.rtol = rtol
        self.atol = atol
        self.places = None
        self.index = 0


def unit(name):
    """The unit of rounding of a dtype."""
    return DIGITS.get(name, FINE)


def coarsest(names):
    """Of the dtypes that take part the one with the fewest digits; None where all are exact."""
    rounded = [name for name in names if name in TOLERANCES]
    return max(rounded, key=unit) if rounded else None


def tolerance(names):
    """(rtol, atol) for the coarsest of some dtypes."""
    name = coarsest(names)
    return EXACT if name is None else TOLERANCES[name]


def compare(found, wanted, dtypes=(), least=0.0):
    """The difference of two executions; `dtypes` take part besides those of the results.

    A rule that rounds by itself says by how much results may be off at `least`. Zeros of either
    sign are equal; texts and bytes must be.
    """
    if len(found) != len(wanted):
        result = Difference()
        result.kind = "structure"
        return result
    worst = Difference(*tolerance(dtypes))
    for index, ((name, one), (other_name, other)) in enumerate(zip(found, wanted)):
        rtol, atol = tolerance((name, other_name, *dtypes))
        if name not in TOLERANCES and other_name not in TOLERANCES:
            rtol, atol = EXACT
        difference = leaf(one, other, rtol, max(atol, least))
        worst.rtol, worst.atol = max(worst.rtol, rtol), max(worst.atol, difference.atol)
        worst.absolute = max(worst.absolute, difference.absolute)
        worst.relative = max(worst.relative, difference.relative)
        worst.paper = worst.paper or difference.paper
        if difference.kind and not worst.kind:
            worst.kind, worst.places, worst.index = difference.kind, difference.places, index
    return worst


def rounded(wanted, found):
    """Leaves of a reference as the narrower dtypes of a result hold them. An element that is too
    large for these is what the result has there: no answer would be right. So is NaN where even the
    reference overflows."""
    if len(wanted) != len(found):
        return wanted
    return [
        (name, narrowed(array, other, one)) for (name, array), (other, one) in zip(wanted, found)
    ]


def narrowed(array, name, like):
    """An array in the precision of another one, half precision by its name; whole numbers stay."""
    if (
        array.shape != like.shape
        or array.dtype.kind not in "fc"
        or array.dtype.kind != like.dtype.kind
    ):
        return array
    with np.errstate(all="ignore"):
        half = array.astype("float16") if name == "float16" else array
        made = half.astype(like.dtype)
    with np.errstate(all="ignore"):
        large = np.isfinite(array) & ~np.isfinite(made)
        return np.where(large | (np.isinf(array) & np.isnan(like)), like, made)


def leaf(one, other, rtol, atol):
    """The difference of two arrays."""
    result = Difference(rtol, atol)
    if one.shape != other.shape:
        result.kind, result.paper = "shape", True
        return result
    if one.dtype.kind in "OSU" or other.dtype.kind in "OSU":
        result.places = np.asarray(one != other)
        result.kind = "value" if result.places.any() else ""
        result.paper = bool(result.kind)
        return result
    one, other = wide(one), wide(other)
    if np.array_equal(one, other):
        return result
    return measured(one, other, result)


def measured(one, other, result):
    """Fill in how far arrays of one shape are from each other; NaN equals NaN."""
    with np.errstate(all="ignore"):
        odd = ~(np.isfinite(one) & np.isfinite(other))
        unlike = odd & ~((one == other) | (np.isnan(one) & np.isnan(other)))
        gap = np.where(odd, 0, np.abs(one - other)).astype("float64")
        size = np.where(odd, 0, np.abs(other)).astype("float64")
        beyond = gap > result.atol + result.rtol * size
        result.absolute = float(gap.max()) if gap.size else 0.0
        result.relative = float((gap / np.maximum(size, 1e-30))[gap > 0].max(initial=0.0))
        paper = gap > PAPER[1] + PAPER[0] * size
    result.paper = bool(paper.any() or unlike.any())
    result.places = unlike | beyond
    if unlike.any():
        result.kind = "finite"
    elif beyond.any():
        result.kind = "value"
    return result


def wide(array):
    """In the precision that is compared in; whole numbers stay exact."""
    if array.dtype.kind == "c":
        return array.astype("complex128")
    if array.dtype.kind in "biu" and array.dtype.itemsize < 8:
        return array.astype("float64")
    if array.dtype.kind in "iu":
        small = array.size == 0 or np.abs(array.astype("float64")).max() < 2.0**53
        return array.astype("float64" if small else "longdouble")
    return array.astype("float64")


def shown(found, wanted):
    """The first leaves that differ, as (result, reference) texts; None where there are none."""
    for (_, one), (_, other) in zip(found, wanted):
        if one.shape != other.shape:
            return [str(one.shape), str(other.shape)]
        if not np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"):
            return [np.array2string(item, threshold=16, precision=6) for item in (one, other)]
    return None
