"""The check of an oracle as a line of Python.

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
from citadel.oracle.measure import IN_ONE_RUN, LEAST_BYTES
from citadel.oracle.numbers import elements, finite, half_a_digit, tolerance
from citadel.oracle.performance import PerformanceOracle
from citadel.oracle.value import Bounds, ValueOracle, Values

SHOWN = 5e-6
"""How far a result may be from what people are told of it, which has six digits."""
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
    if right is None and unlike(oracle):
        return _unlike(words, names[0], found[0])
    if not told or len(elements(found[0]) or ()) > _MOST or not all(map(_is_real, told)):
        return None
    if finite(found[0]) is False and all(math.isfinite(float(one)) for one in told):
        return _finite(words, names[0], found[0])
    near = max(tolerance(found[0])[0], SHOWN if right else 0.0)
    apart = 0.0 if right else max(map(half_a_digit, told))
    return _is(words, names[0], found[0], told, (near, apart))


def unlike(oracle: ValueOracle) -> bool:
    """Whether nothing is known of a value but that it is wrong."""
    fixed = oracle.expected is not None and oracle.expected.numbers is not None
    alone = len(oracle.spots) == 1 and not oracle.beside
    return oracle.kind is SymptomKind.DISAGREES and alone and not fixed


def in_full(value: Value | None) -> str | None:
    """All elements of a right result, as text; None where they are too many, or none."""
    found = None if value is None else elements(value)
    if not found or len(found) > _MOST or any(isinstance(one, complex) for one in found):
        return None
    return " ".join(map(repr, found))


def limit_of(oracle: PerformanceOracle, names: Sequence[str]) -> str | None:
    """The statement that what is measured stays below the ratio that makes a bug.

    Args:
        oracle: what is compared, and how much of it is a bug.
        names: the variables that hold the wasteful side and the other one, or their ratio.
    """
    measure = oracle.measure
    if oracle.equal or measure.form not in IN_ONE_RUN:
        return None
    most = math.exp(oracle.needed)
    if measure.scale < 0:  # the other side over this one
        least = (1 / most - measure.excess) / -measure.scale
        return f"assert {names[0]} > {least:.3g}"
    upper, *lower = names
    if measure.unit == "B":  # an allocator hands out that much at least
        lower = [f"({one} or {LEAST_BYTES:.0f})" for one in lower]
    limit = f"{(most - measure.excess) / measure.scale:.3g}"
    return f"assert {upper} < {' * '.join((limit, *lower))}"


def _numbers(text: str) -> tuple[str, ...] | None:
    """The numbers of a result that people are told; None where it is cut short.

    >>> _numbers("[2e+20 nan] (in double precision)")
    ('2e+20', 'nan')
    """
    told = text.partition(" (")[0]
    return None if "..." in told else tuple(_NUMBER.findall(told)) or None


def _is_real(told: str) -> bool:
    try:
        float(told)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Words:
    """How it is said of a framework's arrays, which are values of this `kind`."""

    module: str
    kind: str
    array: str
    flat: str
    told: str
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
    told="torch.tensor([{0}], dtype=torch.float64)",
    finite="torch.isfinite({0})",
    close="torch.testing.assert_close({0}, {1}, {2}, equal_nan=True, check_dtype=False,"
    " check_device=False, check_layout=False)",
    is_close="torch.allclose({0}, {1}, {2}, equal_nan=True)",
)
_NUMPY = _Words(
    module="numpy",
    kind="array",
    array="np.asarray({0})",
    flat="{0}.ravel()",
    told="[{0}]",
    finite="np.isfinite({0})",
    close="np.testing.assert_allclose({0}, {1}, {2})",
    is_close="np.allclose({0}, {1}, {2}, equal_nan=True)",
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
    arrays, room = list(map(words.of, names, values)), f"rtol={near:g}, atol={apart:g}"
    if len({value.shape or () for value in values}) > 1:  # one number stands for all
        both = map(words.flat.format, arrays)
        return Line(f"assert {words.is_close.format(*both, room)}", (words.module,))
    return Line(words.close.format(*arrays, room), (words.module,))


def _is(
    words: _Words, name: str, value: Value, told: Sequence[str], room: tuple[float, float]
) -> Line:
    """All numbers are what was told, one by one; one number stands for all."""
    numbers = [one if math.isfinite(float(one)) else f'float("{one}")' for one in told]
    if value.kind in _SCALARS and not any(room):
        return Line(f"assert {name} == {numbers[0]}")
    wanted = words.told.format(", ".join(numbers))
    shown = words.flat.format(words.of(name, value))
    text = words.is_close.format(shown, wanted, f"rtol={room[0]:g}, atol={room[1]:g}")
    return Line(f"assert {text}", (words.module,))


def _unlike(words: _Words, name: str, value: Value) -> Line | None:
    """Some number is another one than it came to."""
    found = elements(value)
    if not found or len(found) > _MOST or any(isinstance(one, complex) for one in found):
        return None
    so = _is(words, name, value, [repr(one + 0) for one in found], (0.0, 0.0))
    if value.kind in _SCALARS:
        return replace(so, text=so.text.replace(" == ", " != ", 1))
    return replace(so, text=so.text.replace("assert ", "assert not ", 1))


def _within(words: _Words, name: str, value: Value, bounds: Bounds) -> Line:
    shown = words.of(name, value)
    ends = [] if math.isinf(bounds.low) else [f"({shown} >= {bounds.low!r}).all()"]
    ends += [] if math.isinf(bounds.high) else [f"({shown} <= {bounds.high!r}).all()"]
    return Line(f"assert {' and '.join(ends)}", (words.module,))
