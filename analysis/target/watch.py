"""Which expressions of a case are worth watching: what it shows, what it tests, what that compares.

In: a parsed case. Out: `Point`s, numbered in the order of the text, so that the points of a text
that was rewritten for another API are those of the original, one by one. `instrument.watched` puts
the watcher around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import libcst as cst
import libcst.matchers as m

from analysis.target.checks import CHECK_CALLS, MODULES, Check, Checks, leaf
from analysis.target.commented import commented
from analysis.target.imports import Imports
from analysis.target.loops import loop_numbers
from analysis.target.origins import NO_ORIGIN, Origin, Origins
from analysis.target.printing import displayed, is_message, printed_names, prints, said
from analysis.target.refusing import wanted_to_raise

__all__ = ["CHECK_CALLS", "Check", "Point", "Role", "leaf", "points_of"]

MOST_POINTS = 400


class Role(StrEnum):
    """Why an expression is watched."""

    SHOWN = "shown"
    """Printed, or the value of a line that stands for itself."""
    TESTED = "tested"
    """A condition, or a check whose outcome goes elsewhere."""
    OPERAND = "operand"
    """What a check compares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A watched expression.

    `label` is the literal text in front of it in the same `print`; of the test of `"ok" if x else
    y`, what is said where it is true, and `otherwise` what is said where it is not. `asserted` is
    the condition that an assertion states. `statement` is the number of that statement among those
    that show something; `check` says what it computes of its operands, `negated` whether it says
    the opposite; `parent` is the point whose operand it is, `origin` what its value comes from,
    `loop` the numbers that the innermost loop around it goes through, where the text has them,
    `comment` what stands behind its statement, and below that; `unwanted` says that the code
    complains where it comes to a value at all.
    """

    number: int
    node: cst.BaseExpression
    role: Role
    text: str
    label: str = ""
    otherwise: str = ""
    asserted: bool = False
    statement: int = 0
    check: Check | None = None
    negated: bool = False
    parent: int | None = None
    origin: Origin = NO_ORIGIN
    loop: tuple[float, ...] = ()
    comment: str = ""
    unwanted: bool = False


_SELECTS = re.compile(r"where|mask|select|index|compress|put|take|gather|fill|scatter|nonzero")
"""Names of functions that are told which elements are meant."""
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


def points_of(module: cst.Module, *, explained: bool = True) -> tuple[Point, ...]:
    """The points of a parsed case, in the order of the text, outer ones first.

    Code that shows and tests nothing is watched at the last value that it makes. Where they are
    not `explained`, `origin` and `comment` are left empty, which takes half the time.
    """
    collector = _Collector(module, explained=explained)
    module.visit(collector)
    if not collector.points:
        collector.show_last()
    return tuple(collector.points[:MOST_POINTS])


_BLOCKS = (cst.FunctionDef, cst.ClassDef, cst.For, cst.While, cst.With, cst.Try)
"""Where a line that stands for itself shows nothing, or is being measured."""


class _Collector(cst.CSTVisitor):
    """Finds the points. A node is noted where it is met first, with its outermost role."""

    def __init__(self, module: cst.Module, *, explained: bool) -> None:
        super().__init__()
        self.points: list[Point] = []
        self._module = module
        imports = Imports(module)
        self._origins = Origins(module, imports) if explained else None
        self._comments = commented(module) if explained else {}
        self._comment = ""
        self._checks = Checks(MODULES | imports.modules)
        self._numbers: dict[int, int] = {}
        self._inside: set[int] = set()
        self._masks: set[int] = set()
        self._statement = 0
        self._depth = 0
        self._loops: list[tuple[float, ...]] = []
        self._last: cst.BaseExpression | None = None

    def show_last(self) -> None:
        """Take the last assignment of the module itself for what it shows."""
        if self._last is not None:
            self._add(self._last, Role.SHOWN)

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._depth += isinstance(node, _BLOCKS)
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._depth -= isinstance(original_node, _BLOCKS)
        super().on_leave(original_node)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        self._comment = self._comments.get(id(node), "")

    def leave_SimpleStatementLine(self, original_node: cst.SimpleStatementLine) -> None:
        self._comment = ""

    def visit_Decorator(self, node: cst.Decorator) -> bool:
        return False

    def visit_Annotation(self, node: cst.Annotation) -> bool:
        return False

    def visit_Call(self, node: cst.Call) -> None:
        if prints(node):
            self._statement += 1
            self._show(node.args)
        elif _SELECTS.search(leaf(node.func)):
            self._select(*(arg.value for arg in node.args))
        self._checked(node)

    def visit_Subscript(self, node: cst.Subscript) -> None:
        self._select(*node.slice)

    def visit_Comparison(self, node: cst.Comparison) -> None:
        self._checked(node)

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
        self._checked(node)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self._checked(node)

    def visit_Expr(self, node: cst.Expr) -> None:
        """A line that stands for itself shows its value in a session, and tells it in a script."""
        printing = isinstance(node.value, cst.Call) and prints(node.value)
        if not printing and self._depth == 0:
            self._statement += 1
            self._add(node.value, Role.SHOWN)

    def visit_For_body(self, node: cst.For) -> None:
        self._loops.append(loop_numbers(node.iter))

    def leave_For_body(self, node: cst.For) -> None:
        self._loops.pop()

    def visit_Assign(self, node: cst.Assign) -> None:
        if self._depth == 0:
            self._last = node.value
        # What is a call here may be an operator, or have an index, where another API is called.
        if self._kept(node.targets[0].target) and not is_message(node.value):
            self._statement += 1
            self._add(node.value, Role.SHOWN)

    def visit_With(self, node: cst.With) -> None:
        self._unwanted(node)

    def visit_Try(self, node: cst.Try) -> None:
        self._unwanted(node)

    def _unwanted(self, node: cst.With | cst.Try) -> None:
        wanted = wanted_to_raise(node)
        if wanted is not None:
            self._statement += 1
            self._add(wanted, Role.SHOWN, unwanted=True)

    def visit_If(self, node: cst.If) -> None:
        otherwise = "" if node.orelse is None else said(node.orelse.body)
        self._add(node.test, Role.TESTED, label=said(node.body), otherwise=otherwise)

    def visit_IfExp(self, node: cst.IfExp) -> None:
        text, otherwise = said(node.body), said(node.orelse)
        self._add(node.test, Role.TESTED, label=text, otherwise=otherwise)

    def visit_Assert(self, node: cst.Assert) -> None:
        for test in _conjuncts(node.test):
            self._add(test, Role.TESTED, asserted=True)

    def _show(self, args: Sequence[cst.Arg]) -> None:
        label = ""
        for arg in args:
            if arg.keyword is None and not arg.star:
                for text, value in displayed(arg.value):
                    label += text
                    if value is not None:
                        self._add(value, Role.SHOWN, label=label)
                        label = ""

    def _kept(self, target: cst.BaseExpression) -> bool:
        """Whether what is assigned is an entry of a dictionary that is printed as a whole."""
        match target:
            case cst.Subscript(
                value=cst.Name(value=name),
                slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))],
            ):
                return name in self._printed
        return False

    @cached_property
    def _printed(self) -> frozenset[str]:
        return printed_names(self._module)

    def _select(self, *nodes: cst.CSTNode) -> None:
        """Note what says which elements are meant, and tests nothing: `where(x == 0, a, b)`."""
        of_elements = (
            m.Comparison() | m.UnaryOperation() | m.Call(func=m.MatchIfTrue(_tells_of_elements))
        )
        for node in nodes:
            self._masks |= {id(one) for one in m.findall(node, of_elements)}

    def _checked(self, node: cst.BaseExpression) -> None:
        meant = id(node) not in self._inside and id(node) not in self._masks
        if meant and self._checks.found(node) is not None:
            self._add(node, Role.TESTED)

    def _add(
        self,
        node: cst.BaseExpression,
        role: Role,
        *,
        label: str = "",
        otherwise: str = "",
        asserted: bool = False,
        parent: int | None = None,
        unwanted: bool = False,
    ) -> None:
        if isinstance(node, _LITERALS) or id(node) in self._numbers or _constant(node):
            return
        found = self._checks.found(node)
        number = len(self.points)
        self._numbers[id(node)] = number
        self.points.append(
            Point(
                number=number,
                node=node,
                role=role,
                text=self._module.code_for_node(node.with_changes(lpar=[], rpar=[])),
                label=label.strip(),
                otherwise=otherwise,
                asserted=asserted,
                statement=self._statement,
                check=None if found is None else found.check,
                negated=found is not None and found.negated,
                parent=parent,
                origin=NO_ORIGIN if self._origins is None else self._origins.of(node),
                loop=self._loops[-1] if self._loops else (),
                comment=self._comment,
                unwanted=unwanted,
            )
        )
        if found is not None:
            for inner in self._checks.within(node, found.operands):
                self._inside.add(id(inner))
            for operand in found.operands:
                self._add(operand, Role.OPERAND, parent=number)


def _tells_of_elements(function: cst.CSTNode) -> bool:
    """Whether a function says of each element whether it is NaN, infinite, finite."""
    return CHECK_CALLS.get(leaf(function)) in (Check.NAN, Check.INFINITE, Check.FINITE)


def _conjuncts(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The conditions that must all hold: `a` and `b` of `a and b`."""
    if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.And):
        yield from _conjuncts(node.left)
        yield from _conjuncts(node.right)
    else:
        yield node


def _constant(node: cst.CSTNode) -> bool:
    """Whether an expression is a literal all through: `[1.0, 2.0]`, `-1`, `None`."""
    if isinstance(node, cst.Name):
        return node.value in ("None", "True", "False")
    return not isinstance(node, cst.Call) and all(map(_constant, node.children))
