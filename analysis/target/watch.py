"""Which expressions of a case are worth watching: what it shows, what it tests, what that compares.

In: a parsed case. Out: `Point`s, numbered in the order of the text, so that the points of a text
that was rewritten for another API are those of the original, one by one. `instrument.watched` puts
the watcher around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import libcst as cst
import libcst.matchers as m

MOST_POINTS = 400


class Role(StrEnum):
    """Why an expression is watched."""

    SHOWN = "shown"
    """Printed, or the value of a line that stands for itself."""
    TESTED = "tested"
    """A condition, or a check whose outcome goes elsewhere."""
    OPERAND = "operand"
    """What a check compares."""


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
class Point:
    """A watched expression.

    `label` is the literal text in front of it in the same `print`; of the test of `"ok" if x else
    y`, what is said where it is true. `statement` is the number of that statement among those that
    show something; `check` says what it computes of its operands, `negated` whether it says the
    opposite; `parent` is the point whose operand it is.
    """

    number: int
    node: cst.BaseExpression
    role: Role
    text: str
    label: str = ""
    statement: int = 0
    check: Check | None = None
    negated: bool = False
    parent: int | None = None


_CALLS = {
    Check.EQUAL: "equal array_equal assert_equal assert_array_equal assertEqual assertAllEqual",
    Check.CLOSE: "allclose isclose assert_close assert_allclose assertAllClose assertTensorsEqual "
    "assert_array_almost_equal assert_almost_equal assert_near all_close",
    Check.NAN: "isnan is_nan has_nan",
    Check.INFINITE: "isinf is_inf isposinf isneginf",
    Check.FINITE: "isfinite is_finite",
}
CHECK_CALLS = {name: check for check, names in _CALLS.items() for name in names.split()}
_PAIRS = frozenset((Check.EQUAL, Check.CLOSE))
_WRAPPERS = frozenset(
    (
        *("bool", "all", "any", "item", "numpy", "reduce_all", "reduce_any", "sum"),
        *("count_nonzero", "float", "int", "cpu", "detach", "tolist"),
    )
)
_OF_DIFFERENCES = _WRAPPERS | frozenset(
    ("abs", "max", "amax", "mean", "norm", "reduce_max", "round")
)
_PRINTS = frozenset(("print", "pprint", "display", "info", "warning", "debug", "error", "log"))
_COMPARISONS: tuple[tuple[type[cst.BaseCompOp], Check], ...] = (
    (cst.Equal, Check.EQUAL),
    (cst.NotEqual, Check.UNEQUAL),
    (cst.LessThan, Check.ORDER),
    (cst.LessThanEqual, Check.ORDER),
    (cst.GreaterThan, Check.ORDER),
    (cst.GreaterThanEqual, Check.ORDER),
)
_LITERALS = (
    cst.SimpleString,
    cst.ConcatenatedString,
    cst.FormattedString,
    cst.Integer,
    cst.Float,
    cst.Imaginary,
    cst.Lambda,
    cst.Yield,
    cst.Await,
    cst.StarredElement,
    cst.GeneratorExp,
    cst.Ellipsis,
)


def points_of(module: cst.Module) -> tuple[Point, ...]:
    """The points of a parsed case, in the order of the text, outer ones first."""
    collector = _Collector(module)
    module.visit(collector)
    return tuple(collector.points[:MOST_POINTS])


def leaf(function: cst.CSTNode) -> str:
    """The last name of what is called: `allclose` in `np.allclose`, "" where there is none."""
    match function:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A check: its kind, whether it is negated, and what it compares."""

    check: Check
    negated: bool
    operands: tuple[cst.BaseExpression, ...]


def found_check(node: cst.BaseExpression) -> _Found | None:
    """The check that an expression makes, looking through `bool(...)`, `.any()`, `not` and such."""
    match node:
        case cst.UnaryOperation(operator=cst.Not() | cst.BitInvert(), expression=inner):
            known = found_check(inner)
            return None if known is None else replace(known, negated=not known.negated)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget() as target]):
            return _comparison(left, target)
        case cst.BinaryOperation(operator=cst.Divide()):
            return _Found(check=Check.RATIO, negated=False, operands=(node.left, node.right))
        case cst.Call():
            return _of_call(node)
    return None


def _comparison(left: cst.BaseExpression, target: cst.ComparisonTarget) -> _Found | None:
    check = next((c for kind, c in _COMPARISONS if isinstance(target.operator, kind)), None)
    operands = (left, target.comparator)
    if check is None or any(isinstance(one, cst.SimpleString) for one in operands):
        return None
    return _Found(check=check, negated=False, operands=operands)


def _of_call(node: cst.Call) -> _Found | None:
    name = leaf(node.func)
    given = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
    if isinstance(node.func, cst.Attribute) and not _is_module(node.func.value):
        given.insert(0, node.func.value)
    check = CHECK_CALLS.get(name)
    if check is not None and given:
        return _Found(
            check=check, negated=False, operands=tuple(given[: 2 if check in _PAIRS else 1])
        )
    if name in _WRAPPERS and given and (known := found_check(given[0])) is not None:
        # The ratio of a mean, say, is no ratio of what is shown.
        return known if known.check is not Check.RATIO or name in ("float", "item") else None
    return _difference(node)


def _difference(node: cst.BaseExpression) -> _Found | None:
    """`(a - b).abs().max()` in any order and spelling, with an `abs` or a norm on the way."""
    sized = False
    while isinstance(node, cst.Call):
        name = leaf(node.func)
        if name not in _OF_DIFFERENCES:
            return None
        sized = sized or name in ("abs", "norm")
        if isinstance(node.func, cst.Attribute) and not _is_module(node.func.value):
            node = node.func.value
        elif node.args and not node.args[0].star:
            node = node.args[0].value
        else:
            return None
    if sized and m.matches(node, m.BinaryOperation(operator=m.Subtract())):
        assert isinstance(node, cst.BinaryOperation)  # noqa: S101 - just matched
        return _Found(check=Check.DIFFERENCE, negated=False, operands=(node.left, node.right))
    return None


_MODULES = frozenset(
    ("np", "numpy", "torch", "tf", "math", "testing", "F", "jnp", "keras", "ops", "K")
)


def _is_module(node: cst.BaseExpression) -> bool:
    """Whether `node.f(...)` calls a module's function, rather than a method of a value."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name) and (node.value in _MODULES or node.value == "self")


_BLOCKS = (cst.FunctionDef, cst.ClassDef, cst.For, cst.While, cst.With, cst.Try)
"""Where a line that stands for itself shows nothing, or is being measured."""


class _Collector(cst.CSTVisitor):
    """Finds the points. A node is noted where it is met first, with its outermost role."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__()
        self.points: list[Point] = []
        self._module = module
        self._numbers: dict[int, int] = {}
        self._inside: set[int] = set()
        self._statement = 0
        self._depth = 0

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._depth += isinstance(node, _BLOCKS)
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._depth -= isinstance(original_node, _BLOCKS)
        super().on_leave(original_node)

    def visit_Decorator(self, node: cst.Decorator) -> bool:
        return False

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def visit_Call(self, node: cst.Call) -> None:
        if leaf(node.func) in _PRINTS:
            self._statement += 1
            self._show(node.args)
        self._checked(node)

    def visit_Comparison(self, node: cst.Comparison) -> None:
        self._checked(node)

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
        self._checked(node)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self._checked(node)

    def visit_Expr(self, node: cst.Expr) -> None:
        """A line that stands for itself shows its value in a session, and tells it in a script."""
        printing = isinstance(node.value, cst.Call) and leaf(node.value.func) in _PRINTS
        if not printing and self._depth == 0:
            self._statement += 1
            self._add(node.value, Role.SHOWN)

    def visit_If(self, node: cst.If) -> None:
        self._add(node.test, Role.TESTED)

    def visit_IfExp(self, node: cst.IfExp) -> None:
        said = _text(node.body) if isinstance(node.body, cst.SimpleString) else ""
        self._add(node.test, Role.TESTED, label=said)

    def visit_Assert(self, node: cst.Assert) -> None:
        self._add(node.test, Role.TESTED)

    def _show(self, args: Sequence[cst.Arg]) -> None:
        label = ""
        for arg in args:
            if arg.keyword is None and not arg.star:
                for text, value in _displayed(arg.value):
                    label += text
                    if value is not None:
                        self._add(value, Role.SHOWN, label=label)
                        label = ""

    def _checked(self, node: cst.BaseExpression) -> None:
        if id(node) not in self._inside and found_check(node) is not None:
            self._add(node, Role.TESTED)

    def _add(
        self,
        node: cst.BaseExpression,
        role: Role,
        *,
        label: str = "",
        parent: int | None = None,
    ) -> None:
        if isinstance(node, _LITERALS) or id(node) in self._numbers or _constant(node):
            return
        found = found_check(node)
        number = len(self.points)
        self._numbers[id(node)] = number
        self.points.append(
            Point(
                number=number,
                node=node,
                role=role,
                text=self._module.code_for_node(node.with_changes(lpar=[], rpar=[])),
                label=label.strip(),
                statement=self._statement,
                check=None if found is None else found.check,
                negated=found is not None and found.negated,
                parent=parent,
            )
        )
        if found is not None:
            for inner in _within(node, found.operands):
                self._inside.add(id(inner))
            for operand in found.operands:
                self._add(operand, Role.OPERAND, parent=number)


def _within(
    node: cst.BaseExpression, operands: Sequence[cst.BaseExpression]
) -> Iterator[cst.BaseExpression]:
    """The wrappers between a check and what it compares, which are no checks of their own."""
    while found_check(node) is not None and node not in operands:
        yield node
        match node:
            case cst.UnaryOperation(expression=inner):
                node = inner
            case cst.Call(func=cst.Attribute(value=inner)) if not _is_module(inner):
                node = inner
            case cst.Call(args=[cst.Arg(value=inner), *_]):
                node = inner
            case _:
                return


def _constant(node: cst.BaseExpression) -> bool:
    """Whether an expression is a literal all through: `[1.0, 2.0]`, `-1`, `None`."""
    names = m.findall(node, m.Name() | m.Call())
    return all(isinstance(n, cst.Name) and n.value in ("None", "True", "False") for n in names)


def _displayed(node: cst.BaseExpression) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    """The literal texts and the values of what is printed, in their order."""
    match node:
        case cst.SimpleString():
            yield _text(node), None
        case cst.ConcatenatedString():
            yield from _displayed(node.left)
            yield from _displayed(node.right)
        case cst.FormattedString():
            for part in node.parts:
                if isinstance(part, cst.FormattedStringText):
                    yield part.value, None
                elif isinstance(part, cst.FormattedStringExpression) and part.equal is None:
                    yield "", part.expression
        case cst.BinaryOperation(operator=cst.Modulo(), left=cst.SimpleString() as template):
            values = node.right.elements if isinstance(node.right, cst.Tuple) else ()
            yield from _filled(_text(template), [e.value for e in values] or [node.right], r"%")
        case cst.BinaryOperation(operator=cst.Add()):
            yield from _displayed(node.left)
            yield from _displayed(node.right)
        case cst.Call(func=cst.Attribute(value=cst.SimpleString() as template), args=args) if (
            leaf(node.func) == "format"
        ):
            yield from _filled(_text(template), [arg.value for arg in args], "{")
        case cst.Call(func=cst.Name(value="str" | "repr"), args=[cst.Arg(value=inner, star="")]):
            yield from _displayed(inner)
        case _:
            yield "", node


def _filled(
    template: str, values: Sequence[cst.BaseExpression], mark: str
) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    """The values of a template, each behind the text in front of its place."""
    yield from zip(template.split(mark), values, strict=False)


def _text(node: cst.SimpleString) -> str:
    value = node.evaluated_value
    return value if isinstance(value, str) else ""
