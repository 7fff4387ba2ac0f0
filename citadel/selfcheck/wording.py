"""The check of a value oracle as a line of Python.

In: the oracle, what its places came to in a run, and the names that hold them. Out: the condition
that a build without the bug meets, with the modules that it needs; None where it cannot be said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.target.watch import Check
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.oracle.numbers import elements, finite, tolerance
from citadel.oracle.value import Bounds, ValueOracle, Values

_SCALARS = frozenset(("int", "float", "bool"))
_ANY = (Check.NAN, Check.INFINITE, Check.UNEQUAL)
"""Checks of which one element is enough."""
_MOST = 16
"""Elements of a value that is written down."""
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:nan|inf|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?!\w)", re.I)


@dataclass(frozen=True, slots=True)
class Line:
    """A statement that fails where the bug is; `modules` are what it needs."""

    text: str
    modules: tuple[str, ...] = ()


def line_of(
    oracle: ValueOracle, values: Values, names: Sequence[str], right: str | None, framework: str
) -> Line | None:
    """The statement that checks the values in `names`, one per place of the oracle.

    Args:
        oracle: what is wrong with them.
        values: what they came to where the bug shows.
        names: the variables that hold them, in the order of `oracle.spots`, or of `oracle.check`.
        right: what the result should be, as text, if that is known.
        framework: whose tensors they are.
    """
    words = _TORCH if framework == "torch" else _NUMPY
    if oracle.check is not None:
        value = values.get(oracle.check)
        return None if value is None else _outcome(names[0], value, oracle)
    found = [values[spot] for spot in oracle.spots if spot in values]
    if len(found) != len(oracle.spots) or oracle.beside or not found:
        return None
    if oracle.paired:
        near, apart = tolerance(*found)
        return _close(words, names, found, near, 0.0 if oracle.written else apart)
    if oracle.bounds is not None:
        return _within(words, names[0], found[0], oracle.bounds)
    if oracle.kind is SymptomKind.NON_FINITE:
        return _finite(words, names[0], found[0])
    told = _numbers(right) if right else None
    if told is None and right is None and oracle.expected is not None:
        told = oracle.expected.numbers
    if told is None and right is None and oracle.kind is SymptomKind.DISAGREES:
        return _unlike(words, names[0], found[0])
    if not told or len(elements(found[0]) or ()) > _MOST:
        return None
    if finite(found[0]) is False and not set(told) & {"nan", "inf"}:
        return _finite(words, names[0], found[0])
    near = max(tolerance(found[0])[0], *map(_room, told))
    return _is(words, names[0], found[0], told, near)


def _numbers(text: str) -> tuple[str, ...] | None:
    """The numbers of a result that people are told; None where it is cut short.

    >>> _numbers("[2e+20 nan] (in double precision)")
    ('2e+20', 'nan')
    """
    told = text.partition(" (")[0]
    return None if "..." in told else tuple(_NUMBER.findall(told)) or None


def _room(told: str) -> float:
    """How far a number may be from one that was told, as a part of it: half of its last digit.
    What has none behind the point is meant as it is.

    >>> _room("0.25"), _room("3"), _room("3.")
    (0.02, 0.0, 0.0)
    """
    after = len(told.lower().partition("e")[0].partition(".")[2])
    number = abs(float(told.lower().partition("e")[0]))
    return 0.5 * 10.0**-after / number if after and math.isfinite(number) and number else 0.0


@dataclass(frozen=True, slots=True)
class _Words:
    """How it is said of a framework's arrays, which are values of this `kind`."""

    module: str
    kind: str
    array: str
    flat: str
    finite: str
    close: str
    is_close: str

    def of(self, name: str, value: Value) -> str:
        """What has the numbers of a value as an array."""
        return name if value.kind == self.kind else self.array.format(name)


_TORCH = _Words(
    module="torch",
    kind="tensor",
    array="torch.as_tensor({0})",
    flat="{0}.double().flatten()",
    finite="torch.isfinite({0})",
    close="torch.testing.assert_close({0}, {1}, {2}, equal_nan=True, check_dtype=False)",
    is_close="torch.allclose({0}, {1}, rtol={2:g}, atol=0, equal_nan=True)",
)
_NUMPY = _Words(
    module="numpy",
    kind="array",
    array="np.asarray({0})",
    flat="{0}.ravel()",
    finite="np.isfinite({0})",
    close="np.testing.assert_allclose({0}, {1}, {2})",
    is_close="np.allclose({0}, {1}, rtol={2:g}, atol=0, equal_nan=True)",
)


def _outcome(name: str, value: Value, oracle: ValueOracle) -> Line:
    """The outcome of a check is the other one."""
    wrong = "not " if oracle.bad else ""
    if value.kind in _SCALARS or len(elements(value) or ()) == 1:
        return Line(f"assert {wrong}{name}")
    quantified = "any" if oracle.how in _ANY else "all"
    return Line(f"assert {wrong}{name}.{quantified}()")


def _finite(words: _Words, name: str, value: Value) -> Line:
    if value.kind in _SCALARS:
        return Line(f"assert math.isfinite({name})", ("math",))
    return Line(f"assert {words.finite.format(words.of(name, value))}.all()", (words.module,))


def _close(
    words: _Words, names: Sequence[str], values: Sequence[Value], near: float, apart: float
) -> Line:
    if all(value.kind in _SCALARS for value in values):
        room = f"rel_tol={near:g}, abs_tol={apart:g}"
        return Line(f"assert math.isclose({names[0]}, {names[1]}, {room})", ("math",))
    arrays = map(words.of, names, values)
    return Line(words.close.format(*arrays, f"rtol={near:g}, atol={apart:g}"), (words.module,))


def _is(words: _Words, name: str, value: Value, told: Sequence[str], near: float) -> Line:
    """All numbers are what was told, one by one; one number stands for all."""
    numbers = [one if math.isfinite(float(one)) else f'float("{one}")' for one in told]
    if value.kind in _SCALARS and not near:
        return Line(f"assert {name} == {numbers[0]}")
    wanted = words.flat.format(words.array.format(f"[{', '.join(numbers)}]"))
    shown = words.flat.format(words.of(name, value))
    return Line(f"assert {words.is_close.format(shown, wanted, near)}", (words.module,))


def _unlike(words: _Words, name: str, value: Value) -> Line | None:
    """Some number is another one than it came to."""
    found = elements(value)
    if not found or len(found) > _MOST or any(isinstance(one, complex) for one in found):
        return None
    so = _is(words, name, value, [repr(one + 0) for one in found], 0.0)
    if value.kind in _SCALARS:
        return replace(so, text=so.text.replace(" == ", " != ", 1))
    return replace(so, text=so.text.replace("assert ", "assert not ", 1))


def _within(words: _Words, name: str, value: Value, bounds: Bounds) -> Line:
    shown = words.of(name, value)
    ends = [] if math.isinf(bounds.low) else [f"({shown} >= {bounds.low:g}).all()"]
    ends += [] if math.isinf(bounds.high) else [f"({shown} <= {bounds.high:g}).all()"]
    return Line(f"assert {' and '.join(ends)}", (words.module,))
