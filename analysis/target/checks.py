"""What an expression says of values: that they are equal, close, finite, ordered, so far apart.

In: an expression of a case. Out: a `Check` with what it compares, seen through `bool(...)`,
`.any()`, `[0]`, `not`, `== 0` and the like.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import libcst as cst
import libcst.matchers as m


class Check(StrEnum):
    """What an expression says of its operands."""

    EQUAL = "equal"
    UNEQUAL = "unequal"
    CLOSE = "close"
    NAN = "nan"
    INFINITE = "infinite"
    FINITE = "finite"
    ORDER = "order"
    DIFFERENCE = "difference"
    RATIO = "ratio"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A check: its kind, whether it is negated, and what it compares."""

    check: Check
    negated: bool
    operands: tuple[cst.BaseExpression, ...]


_CALLS = {
    Check.EQUAL: "equal array_equal array_equiv assert_equal assert_array_equal assertEqual"
    " assertAllEqual",
    Check.CLOSE: "allclose isclose assert_close assert_allclose assertAllClose assertTensorsEqual"
    " assert_array_almost_equal assert_almost_equal assertAlmostEqual assert_near all_close",
    Check.NAN: "isnan is_nan has_nan",
    Check.INFINITE: "isinf is_inf isposinf isneginf",
    Check.FINITE: "isfinite is_finite assert_all_finite check_numerics",
}
CHECK_CALLS = {name: check for check, names in _CALLS.items() for name in names.split()}
_PAIRS = frozenset((Check.EQUAL, Check.CLOSE))
_WRAPPERS = frozenset(
    (
        *("bool", "all", "any", "item", "numpy", "reduce_all", "reduce_any", "sum", "reduce_sum"),
        *("count_nonzero", "float", "int", "cpu", "detach", "tolist", "alltrue"),
    )
)
_UNEQUAL = frozenset(("ne", "not_equal"))
_COUNTERS = frozenset(("any", "reduce_any", "sum", "reduce_sum", "count_nonzero"))
_OF_DIFFERENCES = _WRAPPERS | frozenset(
    ("abs", "max", "amax", "mean", "norm", "reduce_max", "reduce_mean", "round")
)
_COMPARISONS: tuple[tuple[type[cst.BaseCompOp], Check], ...] = (
    (cst.Equal, Check.EQUAL),
    (cst.NotEqual, Check.UNEQUAL),
    (cst.Is, Check.EQUAL),
    (cst.IsNot, Check.UNEQUAL),
    (cst.LessThan, Check.ORDER),
    (cst.LessThanEqual, Check.ORDER),
    (cst.GreaterThan, Check.ORDER),
    (cst.GreaterThanEqual, Check.ORDER),
)
_OUTCOMES = {
    **dict.fromkeys((("==", "0"), ("==", "False"), ("is", "False"), ("<", "1"), ("!=", "True")), 0),
    **dict.fromkeys(((">", "0"), ("!=", "0"), (">=", "1"), ("==", "True"), ("is", "True")), 1),
}
"""Comparisons of an outcome or a count with a constant: whether they say that there is any."""
MODULES = frozenset(
    ("np", "numpy", "torch", "tf", "math", "testing", "F", "jnp", "keras", "ops", "K")
)
"""What modules are called where the text does not import them: snippets often leave that out."""


def leaf(function: cst.CSTNode) -> str:
    """The last name of what is called: `allclose` in `np.allclose`, "" where there is none."""
    match function:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name
    return ""


class Checks:
    """Finds checks in expressions of a text that imports these `modules`."""

    def __init__(self, modules: frozenset[str] = MODULES) -> None:
        self._modules = modules

    def found(self, node: cst.BaseExpression) -> Found | None:
        """The check that an expression makes, if it makes one."""
        match node:
            case cst.UnaryOperation(operator=cst.Not() | cst.BitInvert(), expression=inner):
                known = self.found(inner)
                return None if known is None else replace(known, negated=not known.negated)
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget() as target]):
                return self._comparison(left, target)
            case cst.BinaryOperation(operator=cst.Divide()):
                return Found(check=Check.RATIO, negated=False, operands=(node.left, node.right))
            case cst.Subscript(value=inner):
                known = self.found(inner)
                return known if known is not None and known.check is not Check.RATIO else None
            case cst.Call():
                return self._of_call(node)
        return None

    def within(
        self, node: cst.BaseExpression, operands: Sequence[cst.BaseExpression]
    ) -> Iterator[cst.BaseExpression]:
        """The wrappers between a check and what it compares, which are no checks of their own."""
        while self.found(node) is not None and node not in operands:
            yield node
            match node:
                case cst.UnaryOperation(expression=inner) | cst.Subscript(value=inner):
                    node = inner
                case cst.Comparison(left=inner) if inner not in operands:
                    node = inner
                case cst.Call(func=cst.Attribute(value=inner)) if not self._is_module(inner):
                    node = inner
                case cst.Call(args=[cst.Arg(value=inner), *_]):
                    node = inner
                case _:
                    return

    def _comparison(self, left: cst.BaseExpression, target: cst.ComparisonTarget) -> Found | None:
        check = next((c for kind, c in _COMPARISONS if isinstance(target.operator, kind)), None)
        operands = (left, target.comparator)
        if check is None or any(isinstance(one, cst.SimpleString) for one in operands):
            return None
        outcome = self._outcome(left, target)
        if outcome is not None:
            return outcome
        if isinstance(target.operator, (cst.Is, cst.IsNot)):
            return None
        if left.deep_equals(target.comparator) and check in (Check.EQUAL, Check.UNEQUAL):
            # Only NaN differs from itself.
            return Found(check=Check.NAN, negated=check is Check.EQUAL, operands=(left,))
        return Found(check=check, negated=False, operands=operands)

    def _outcome(self, left: cst.BaseExpression, target: cst.ComparisonTarget) -> Found | None:
        """`isnan(x).sum() > 0` says what `isnan(x)` says, `isnan(x).sum() == 0` the opposite."""
        if not isinstance(target.comparator, (cst.Integer, cst.Name)):
            return None
        known = self.found(left)
        if known is None or known.check in (Check.RATIO, Check.DIFFERENCE, Check.ORDER):
            return None
        text = _NOTHING.code_for_node(target).split()
        says = _OUTCOMES.get((text[0], text[-1]))
        if says is None:
            return None
        return known if says else replace(known, negated=not known.negated)

    def _of_call(self, node: cst.Call) -> Found | None:
        name = leaf(node.func)
        given = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        if isinstance(node.func, cst.Attribute) and not self._is_module(node.func.value):
            given.insert(0, node.func.value)
        check = CHECK_CALLS.get(name)
        if check is not None and len(given) > (check in _PAIRS):
            operands = tuple(given[: 2 if check in _PAIRS else 1])
            return Found(check=check, negated=False, operands=operands)
        if name in _COUNTERS and given and (pair := self._unequal(given[0])) is not None:
            return pair
        if name in _WRAPPERS and given and (known := self.found(given[0])) is not None:
            # The ratio of a mean, say, is no ratio of what is shown.
            return known if known.check is not Check.RATIO or name in ("float", "item") else None
        return self._difference(node)

    def _unequal(self, node: cst.BaseExpression) -> Found | None:
        """`torch.ne(a, b)`, where it is only counted: it may itself be what a report is about."""
        if not isinstance(node, cst.Call) or leaf(node.func) not in _UNEQUAL:
            return None
        given = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        if isinstance(node.func, cst.Attribute) and not self._is_module(node.func.value):
            given.insert(0, node.func.value)
        if len(given) != 2:
            return None
        return Found(check=Check.UNEQUAL, negated=False, operands=(given[0], given[1]))

    def _difference(self, node: cst.BaseExpression) -> Found | None:
        """`(a - b).abs().max()` in any order and spelling, with an `abs` or a norm on the way."""
        sized = False
        while isinstance(node, cst.Call):
            name = leaf(node.func)
            if name not in _OF_DIFFERENCES:
                return None
            sized = sized or name in ("abs", "norm")
            if isinstance(node.func, cst.Attribute) and not self._is_module(node.func.value):
                node = node.func.value
            elif node.args and not node.args[0].star:
                node = node.args[0].value
            else:
                return None
        if sized and m.matches(node, m.BinaryOperation(operator=m.Subtract())):
            assert isinstance(node, cst.BinaryOperation)  # noqa: S101 - just matched
            operands = (node.left, node.right)
            return Found(check=Check.DIFFERENCE, negated=False, operands=operands)
        return None

    def _is_module(self, node: cst.BaseExpression) -> bool:
        """Whether `node.f(...)` calls a module's function, rather than a method of a value."""
        while isinstance(node, cst.Attribute):
            node = node.value
        return isinstance(node, cst.Name) and (node.value in self._modules or node.value == "self")


_NOTHING = cst.Module([])
