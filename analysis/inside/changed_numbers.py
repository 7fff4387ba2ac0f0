"""What the numbers of a tensor or an array are changed into, one at a time.

In double precision, a unit in the last place off, times a number, without NaN and infinities:
`perturb` hands such values to calls. What is no array of such numbers stays as it is.
"""

import sys

import side
from values import describe

EPSILON = {
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float32": 2.0**-23,
    "complex64": 2.0**-23,
    "float64": 2.0**-52,
    "complex128": 2.0**-52,
}
"""The distance from 1 to the next number, by dtype."""
COARSE = ("float16", "bfloat16", "float32")
"""Floating-point dtypes that double precision stands for."""


def double_dtype(dtype):
    """Double precision, as the framework or a word has it, for a coarser floating-point dtype."""
    kind = dtype if isinstance(dtype, type) else type(dtype)
    said = dtype.__name__ if isinstance(dtype, type) else getattr(dtype, "name", dtype)
    if str(said).rpartition(".")[2].replace("mixed_", "") not in COARSE:
        return dtype
    home = sys.modules.get(kind.__module__.partition(".")[0])
    return getattr(home, "float64", "float64")  # words and policies are of no module that has it


def double(value, kinds):
    """A tensor or an array of these kinds of numbers (as NumPy tells them) in double precision."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(value, numpy.ndarray):
        return side.module("live").doubled(value, whole="i" in kinds)
    if value.dtype.kind not in kinds:
        return value
    return value.astype("complex128" if value.dtype.kind == "c" else "float64")


def cleaning(number):
    live = side.module("live")

    def change(value):
        numpy = sys.modules.get("numpy")
        if numpy is None or not isinstance(value, numpy.ndarray) or value.dtype.kind not in "fc":
            return live.cleaned(value, number)
        return numpy.where(numpy.isfinite(value), value, number).astype(value.dtype)

    return change


def infinite(array):
    kind = getattr(getattr(array, "dtype", None), "kind", "")
    return kind in ("f", "c") and bool(sys.modules["numpy"].isinf(array).any())


def finite(array):
    """Whether an array holds no NaN and no infinity; what is no array of numbers holds none."""
    kind = getattr(getattr(array, "dtype", None), "kind", "")
    return kind not in "fc" or not kind or bool(sys.modules["numpy"].isfinite(array).all())


def nudged(value):
    def factors(order, step):
        up = (order * 1103515245 + 12345) // 65536 % 2  # the linear congruence: no period shows
        return 1 + step * (2 * up - 1)

    return times(value, factors)


def times(value, factors):
    """A value of real or complex numbers times `factors(numbers of elements, EPSILON)`."""
    numpy = sys.modules.get("numpy")
    record = describe(value)
    step = EPSILON.get(record.get("dtype"))
    if numpy is None or step is None or record.get("layout", "strided") != "strided":
        return value
    shape = record.get("shape") or ()
    order = numpy.arange(int(numpy.prod(shape, dtype=numpy.int64)), dtype=numpy.int64)
    return side.module("live").scaled(value, factors(order, step).reshape(shape))
