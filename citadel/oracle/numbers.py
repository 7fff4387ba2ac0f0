"""Compare recorded values: the same, different, or not to be compared.

Tolerances are those of `torch.testing.assert_close`, by the coarser of the two dtypes. Large
tensors are compared by digest and, where that differs, by range, mean, norm and `signed`.
"""

from __future__ import annotations

import cmath
import math
import re
import sys
from collections.abc import Sequence

from analysis.values import Value

RELATIVE = {
    "float16": 1e-3,
    "half": 1e-3,
    "bfloat16": 1.6e-2,
    "float32": 1.3e-6,
    "float": 1.3e-6,
    "complex64": 1.3e-6,
    "float64": 1e-7,
    "double": 1e-7,
    "complex128": 1e-7,
    "complex32": 1e-3,
}
"""Relative tolerance by dtype; all others are exact."""
ABSOLUTE = {
    **dict.fromkeys(("float16", "bfloat16", "float32", "complex32", "complex64"), 1e-5),
    **dict.fromkeys(("float64", "complex128"), 1e-7),
}
LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.39e38,
    "float32": 3.4028234663852886e38,
    "complex64": 3.4028234663852886e38,
    "float64": sys.float_info.max,
    "complex128": sys.float_info.max,
}
"""The largest finite number by dtype."""
_SCALARS = ("int", "float", "complex", "bool")
SLIGHTER = 100
"""How many times smaller a difference is that may well be one of rounding."""
_OPAQUE = frozenset(("tensor", "array", "module", "other"))
"""Kinds whose text names their type and says nothing of their value."""


def elements(value: Value) -> tuple[complex, ...] | None:
    """The numbers in a value, row by row; None where it holds none, or too many."""
    if value.kind in _SCALARS:
        number = _number(value)
        return None if number is None else (number,)
    if value.is_shaped:
        return None if value.numbers is None else value.numbers.few
    if value.kind in ("list", "tuple") and value.items is not None:
        parts = [elements(item) for item in value.items]
        if any(part is None for part in parts):
            return None
        return tuple(number for part in parts if part is not None for number in part)
    if value.kind == "shape":
        return tuple(int(size) for size in re.findall(r"\d{1,18}", value.text or ""))
    return None


def floating(value: Value) -> bool:
    """Whether a value is made of numbers with fractions: whole ones count, or are indices."""
    if value.is_shaped:
        return value.dtype is not None and "float" in value.dtype
    found = elements(value)
    return found is not None and any(isinstance(one, float) for one in found)


def layout(value: Value) -> tuple[int, ...] | None:
    """The shape of a tensor, or of nested lists that could be one; None of everything else."""
    if value.is_shaped:
        return value.shape
    if value.kind not in ("list", "tuple") or value.items is None:
        return None
    inner = {() if item.kind in _SCALARS else layout(item) for item in value.items}
    if len(inner) > 1 or None in inner:
        return None
    return (len(value.items), *(inner.pop() or () if inner else ()))


def _number(value: Value) -> complex | None:
    text = value.text or ""
    try:
        if value.kind == "bool":
            return int(text == "True")
        if value.kind == "int":
            found = int(text, 16 if "0x" in text else 10)
            float(found)  # what is larger than any float cannot be compared with one
            return found
        return float(text) if value.kind == "float" else complex(text)
    except (ValueError, OverflowError):
        return None


def tolerance(*values: Value) -> tuple[float, float]:
    """(relative, absolute) for a comparison of these."""
    kinds = {kind for value in values for kind in _dtypes(value)}
    relative = max((RELATIVE.get(kind, 0.0) for kind in kinds), default=0.0)
    return relative, max((ABSOLUTE.get(kind, 0.0) for kind in kinds), default=0.0)


def _dtypes(value: Value) -> list[str]:
    if value.kind in ("list", "tuple"):
        return [kind for item in value.items or () for kind in _dtypes(item)]
    if value.kind in ("float", "complex"):
        return ["float32"]  # mostly elements of tensors, of whatever precision
    return [value.dtype or ""]


def same(one: Value, other: Value, *, relative: bool = False) -> bool | None:
    """Whether two values agree within tolerance; None where they cannot be compared.

    A single number agrees with a tensor all of whose elements it agrees with. `relative`: small
    numbers of few elements have to agree as well as large ones.
    """
    left, right = elements(one), elements(other)
    if left is not None and right is not None:
        if len(left) != len(right):
            if 1 not in (len(left), len(right)) or not left or not right:
                return False
            count = max(len(left), len(right))
            left, right = left * (count // len(left)), right * (count // len(right))
        elif _shaped(one) and _shaped(other) and one.shape != other.shape:
            return False
        near, apart = tolerance(one, other)
        return all_close(left, right, near, 0.0 if relative else apart)
    if one.numbers is not None and other.numbers is not None:
        return _alike(one, other)
    if one.items is not None and other.items is not None and one.kind == other.kind:
        return _all_same(one.items, other.items)
    told = one.kind == other.kind and one.kind not in _OPAQUE
    if told and one.text is not None and one.length is None:
        return one.text == other.text
    return None


def _all_same(left: Sequence[Value], right: Sequence[Value]) -> bool | None:
    """Whether lists agree, item by item: one that does not suffices, unlike one that is unknown."""
    if len(left) != len(right):
        return False
    agree = [same(one, other) for one, other in zip(left, right, strict=True)]
    return False if False in agree else None if None in agree else True


def distance(one: Value, other: Value) -> float | None:
    """How far apart two values are: the largest difference of elements that are finite in both,
    infinite where one is finite in only one of them.

    Of large tensors it is the largest difference of range, mean, norm and `signed`. None where
    there is nothing to compare.
    """
    left, right = elements(one), elements(other)
    if left is not None and right is not None:
        if len(left) != len(right):
            return None
        pairs = list(zip(left, right, strict=True))
    elif one.numbers is not None and other.numbers is not None:
        summaries = zip(_summary(one.numbers), _summary(other.numbers), strict=True)
        pairs = [(a, b) for a, b in summaries if a is not None and b is not None]
    else:
        return None
    known = [_size(a - b) for a, b in pairs if cmath.isfinite(a) and cmath.isfinite(b)]
    if any(cmath.isfinite(a) is not cmath.isfinite(b) for a, b in pairs):
        return math.inf  # no rounding of inputs makes that of a number
    return max(known, default=None)


def error_of(seen: Value, right: Value) -> float | None:
    """How far a value is from the right one, as a part of the largest number of that; None where
    that cannot be said, where one of them is not finite and the other is, and of what is exact:
    whole numbers, as indices are, and truth values."""
    apart, size = distance(seen, right), largest(right)
    if apart is None or not size or any(whole(one) or _true_or_false(one) for one in (seen, right)):
        return None
    share = apart / size
    return share if math.isfinite(share) else None


def _size(number: complex) -> float:
    """The magnitude; infinite where no float is as large."""
    try:
        return float(abs(number))
    except OverflowError:
        return math.inf


def _true_or_false(value: Value) -> bool:
    return "bool" in (value.kind, value.dtype)


def whole(value: Value) -> bool:
    """Whether a value is of whole numbers, as indices are."""
    if value.kind in ("list", "tuple"):
        return bool(value.items) and all(map(whole, value.items or ()))
    return value.kind == "int" or (value.dtype or "").startswith(("int", "uint", "long"))


def _shaped(value: Value) -> bool:
    return value.is_shaped and value.shape is not None


def all_close(
    left: Sequence[complex], right: Sequence[complex], relative: float, absolute: float
) -> bool:
    """Whether numbers agree pairwise; NaN agrees with NaN, infinities with themselves."""
    return all(
        _close(one, other, relative, absolute) for one, other in zip(left, right, strict=True)
    )


def _close(one: complex, other: complex, relative: float, absolute: float) -> bool:
    if one == other:
        return True
    if cmath.isnan(one) or cmath.isnan(other):
        return cmath.isnan(one) and cmath.isnan(other)
    if cmath.isinf(one) or cmath.isinf(other):
        return False
    apart = _size(one - other)
    return math.isfinite(apart) and apart <= absolute + relative * max(_size(one), _size(other))


def _alike(one: Value, other: Value) -> bool | None:
    """Whether two large tensors agree, as far as their statistics tell."""
    left, right = one.numbers, other.numbers
    if left is None or right is None:
        return None
    if one.shape != other.shape or left.count != right.count:
        return False
    if left.digest == right.digest and one.dtype == other.dtype:
        return True
    if (left.nan, left.inf, left.ninf) != (right.nan, right.inf, right.ninf):
        return False
    relative, absolute = tolerance(one, other)
    norms = [norm for norm in (left.norm, right.norm) if norm is not None and math.isfinite(norm)]
    # Elements that agree are a mean's or a norm's own size apart at most, relatively; but a range's
    # ends may be much larger than the norm.
    size = max(norms, default=0.0)
    pairs = zip(_summary(left), _summary(right), strict=True)
    return all(
        a is None
        or b is None
        or math.isclose(a, b, rel_tol=relative, abs_tol=absolute + relative * size)
        for a, b in pairs
    )


def _summary(numbers: object) -> tuple[float | None, ...]:
    return tuple(getattr(numbers, name) for name in ("low", "high", "mean", "norm", "signed"))


def is_literal(value: Value, written: Sequence[str]) -> bool:
    """Whether a value is what somebody wrote down, as exactly as its digits say.

    One number stands for a value all of whose elements it is.
    """
    found = elements(value)
    if not found:
        return False
    if len(written) == 1:
        return all(_is(number, written[0]) for number in found)
    return len(found) == len(written) and all(map(_is, found, written))


def agreeing(value: Value, written: Sequence[str]) -> int:
    """How many elements of a value are what somebody wrote down; 0 where it has more or fewer."""
    found = elements(value) or ()
    return sum(map(_is, found, written)) if len(found) == len(written) else 0


def of_kind(value: Value, written: Sequence[str]) -> bool:
    """Whether what somebody wrote down can be meant for a value.

    Truth is not said of a number, nor NaN and infinity of a whole one: they are what goes in.
    """
    if value.kind in ("list", "tuple") and value.items:
        return all(of_kind(item, written) for item in value.items)
    whole = value.kind == "int" or (value.dtype or "").lstrip("uq").startswith("int")
    if whole and not all(_finite(one) for one in written):
        return False
    truths = all(one in ("true", "false") for one in written)
    if value.kind == "bool" or value.dtype == "bool":
        return truths or all(one in ("0", "1") for one in written)
    return not truths


def _finite(written: str) -> bool:
    return "nan" not in written and "inf" not in written


def _is(number: complex, written: str) -> bool:
    if written in ("true", "false"):
        return number == (written == "true")
    wanted = float(written)
    if isinstance(number, complex) and number.imag:
        return False
    real = number.real
    if math.isnan(wanted) or math.isinf(wanted):
        return real == wanted or (math.isnan(real) and math.isnan(wanted))
    if not math.isfinite(real):
        return False
    return abs(real - wanted) <= half_a_digit(written)


def half_a_digit(written: str) -> float:
    """Half a unit of the last digit of a number as written: 0.05 for "0.5", 0 for "12"."""
    mantissa, _, exponent = written.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    if not digits and not exponent:
        return 0.0
    try:
        return float(f"5e{int(exponent or 0) - digits - 1}")
    except ValueError:  # more digits of an exponent than Python reads
        return 0.0


def largest(value: Value) -> float | None:
    """The largest magnitude of the finite numbers in a value; None where it holds none."""
    if value.numbers is not None:
        ends = (value.numbers.low, value.numbers.high)
        return max((abs(end) for end in ends if end is not None), default=None)
    return max((_size(n) for n in elements(value) or () if cmath.isfinite(n)), default=None)


def finite(value: Value) -> bool | None:
    """Whether all numbers in a value are finite; None where it holds none."""
    if value.numbers is not None:
        return value.numbers.finite
    found = elements(value)
    return None if found is None else all(map(cmath.isfinite, found))


def has_nan(value: Value) -> bool:
    """Whether a value holds a NaN."""
    if value.numbers is not None:
        return value.numbers.nan > 0
    return any(map(cmath.isnan, elements(value) or ()))
