"""What could be simpler in a script: statements, blocks, arguments, expressions, numbers.

In: a parsed script. Out: `Edit`s, each of which makes it smaller or plainer by one step. An edit
has places, so that the same one can be made in another script that is nearly the same: a case and
its control stay alike. So do the calls of one API: they are compared with each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from citadel.oracle.foreign import REFERENCES

KINDS = 5
"""Kinds of edits that `Script.edits` lists."""
Path = tuple[int, ...]
"""How a node is reached from the module, by the numbers of the parts."""


@dataclass(frozen=True, slots=True)
class Edit:
    """The nodes at some places become another one, or go (None)."""

    places: tuple[Path, ...]
    made: cst.CSTNode | None
    of: str
    """The text of the nodes before; "" where any may be there."""

    def applied(self, module: cst.Module) -> cst.Module | None:
        """The module with this change; None where it has no such places, or would be no Python."""
        found = [_at(module, path) for path in self.places]
        if any(one is None or not self._takes(one) for one in found):
            return None
        if self.of and any(module.code_for_node(one) != self.of for one in found if one):
            return None
        try:
            return module.visit(_Replacing({id(one) for one in found}, self.made))
        except cst.CSTValidationError:
            return None

    def _takes(self, node: cst.CSTNode) -> bool:
        """Whether a node may go, or may become the other one: where scripts differ, an argument of
        one may have the place of a name of another."""
        if self.made is None:
            return isinstance(node, _DISPENSABLE)
        roles = (cst.BaseExpression, cst.BaseSmallStatement, _STATEMENTS)
        return any(isinstance(node, one) and isinstance(self.made, one) for one in roles)


class _Replacing(cst.CSTTransformer):
    """Puts one node in the place of some, or nothing."""

    def __init__(self, nodes: set[int], made: cst.CSTNode | None) -> None:
        super().__init__()
        self._nodes, self._made = nodes, made

    def on_leave(  # type: ignore[override]  # what is removed is no node
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.RemovalSentinel:
        if id(original_node) in self._nodes:
            return cst.RemoveFromParent() if self._made is None else self._made.deep_clone()
        match updated_node:  # what comes last has no comma
            case cst.Call(args=[*others, cst.Arg() as last]):
                return updated_node.with_changes(args=[*others, _last(last)])
            case cst.List(elements=[*others, cst.Element() as last]):
                return updated_node.with_changes(elements=[*others, _last(last)])
            case cst.Tuple(elements=[cst.Element() as only]):  # but a single one
                return updated_node.with_changes(elements=[only.with_changes(comma=cst.Comma())])
        return updated_node


def _last(part: cst.Arg | cst.Element) -> cst.Arg | cst.Element:
    return part.with_changes(comma=cst.MaybeSentinel.DEFAULT)


_LAYOUT = (cst.EmptyLine, cst.TrailingWhitespace, cst.BaseParenthesizableWhitespace, cst.Comment)
_STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)
_DISPENSABLE = (*_STATEMENTS, cst.Arg, cst.Element)
_COMPOUND = (cst.With, cst.If, cst.For, cst.While, cst.Try)
_WHOLE = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float, cst.List)
"""What needs no parentheses, wherever it stands."""


def _parts(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What a node is made of, without white space and comments: there scripts may differ."""
    return [one for one in node.children if not isinstance(one, _LAYOUT)]


def _at(module: cst.Module, path: Path) -> cst.CSTNode | None:
    node: cst.CSTNode = module
    for number in path:
        parts = _parts(node)
        if number >= len(parts):
            return None
        node = parts[number]
    return node


class Script:
    """A parsed script, and what could be simpler in it; `leaf` is the last name of its API."""

    def __init__(self, module: cst.Module, leaf: str) -> None:
        self.module = module
        self._nodes = list(_walk(module))
        self._by_path = dict(self._nodes)
        self.calls = [
            path
            for path, node in self._nodes
            if isinstance(node, cst.Call) and _leaf(node.func) == leaf
            if _root(node.func) not in REFERENCES
        ]
        """Where the API is called."""

    def edits(self) -> tuple[Iterator[Edit], ...]:
        """All edits, in the order of what they gain."""
        return (
            self._statements(),
            self._blocks(),
            *(filter(None, map(self._joint, one)) for one in (self._arguments(), self._simpler())),
            self._numbers(),
        )

    def _statements(self) -> Iterator[Edit]:
        """Without what is printed; without some statements of a block: halves and smaller parts
        first, from the end on."""
        printed = tuple(path for path, node in self._nodes if _prints(node))
        if printed:
            yield Edit(printed, None, "")
        for path, node in self._nodes:
            if not isinstance(node, (cst.Module, cst.IndentedBlock)):
                continue
            body = [n for n, part in enumerate(_parts(node)) if isinstance(part, _STATEMENTS)]
            size = len(body) - (not isinstance(node, cst.Module))  # a block needs one
            while size > 0:
                for start in range(len(body) - size, -1, -size):
                    yield Edit(tuple((*path, n) for n in body[start : start + size]), None, "")
                size //= 2

    def _blocks(self) -> Iterator[Edit]:
        """What a `with`, an `if`, a loop, a `try` is around, without it."""
        for path, node in self._nodes:
            inner = node.body if isinstance(node, _COMPOUND) else None
            if isinstance(inner, cst.IndentedBlock) and len(inner.body) == 1:
                yield Edit((path,), inner.body[0], "")
            match node:
                case cst.Expr(value=cst.NamedExpr(target=cst.Name() as name, value=value)):
                    made = cst.Assign([cst.AssignTarget(name)], value)
                    yield Edit((path,), made, self.module.code_for_node(node))
                case cst.Assign([cst.AssignTarget(cst.Name() as name)], cst.Name(value=other)):
                    yield Edit(self._uses(other), name, other)  # one name for both

    def _uses(self, name: str) -> tuple[Path, ...]:
        """Where a variable is named."""
        attributes = {id(one.attr) for _, one in self._nodes if isinstance(one, cst.Attribute)}
        keywords = {id(one.keyword) for _, one in self._nodes if isinstance(one, cst.Arg)}
        return tuple(
            path
            for path, node in self._nodes
            if isinstance(node, cst.Name) and node.value == name
            if id(node) not in attributes | keywords
        )

    def _arguments(self) -> Iterator[Edit]:
        """Calls without one of their arguments, lists without one of their elements."""
        for path, node in reversed(self._nodes):
            if isinstance(node, (cst.Arg, cst.Element)):
                yield Edit((path,), None, "")

    def _simpler(self) -> Iterator[Edit]:
        """Calls, operations and parts of things as what they are made of."""
        for path, node in self._nodes:
            for inner in _inside(node):
                whole = bool(inner.lpar) or isinstance(inner, _WHOLE)
                parens = {} if whole else {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
                yield self._edit(path, node, inner.with_changes(**parens))

    def _numbers(self) -> Iterator[Edit]:
        """Numbers nearer to one; not what the API is given, which may not be valid then."""
        for path, node in self._nodes:
            if any(path[: len(one)] == one for one in self.calls):
                continue
            if isinstance(node, cst.Integer):
                value = int(node.value, 0)
                for less in dict.fromkeys((1, 2, value // 2)):
                    if less < value:
                        yield self._edit(path, node, cst.Integer(str(less)))
            elif isinstance(node, cst.Float) and float(node.value) != 1.0:
                yield self._edit(path, node, cst.Float("1.0"))

    def _edit(self, path: Path, old: cst.CSTNode, new: cst.CSTNode) -> Edit:
        return Edit((path,), new, self.module.code_for_node(old))

    def _joint(self, edit: Edit) -> Edit | None:
        """The edit, made in each call of the API if it is in one; None where these are not alike
        there."""
        (path,) = edit.places
        around = [one for one in self.calls if path[: len(one)] == one and path != one]
        if not around:
            return edit
        relative = path[len(around[-1]) :]
        joint = Edit(tuple((*one, *relative) for one in self.calls), edit.made, edit.of)
        return joint if all(one in self._by_path for one in joint.places) else None


def _walk(node: cst.CSTNode, path: Path = ()) -> Iterator[tuple[Path, cst.CSTNode]]:
    """The nodes with their paths, from the top; what checks is a node without parts."""
    yield path, node
    if not _is_check(node):
        for number, part in enumerate(_parts(node)):
            yield from _walk(part, (*path, number))


def _prints(node: cst.CSTNode) -> bool:
    match node:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call(func=cst.Name("print")))]):
            return True
    return False


def _is_check(node: cst.CSTNode) -> bool:
    """Whether a statement decides whether a case fails: another one would be another case."""
    match node:
        case cst.Assert() | cst.Raise():
            return True
        case cst.Expr(value=cst.Call(func=called)):
            return _leaf(called).startswith("assert")
    return False


def _leaf(function: cst.BaseExpression) -> str:
    match function:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name
    return ""


def _root(function: cst.BaseExpression) -> str:
    while isinstance(function, cst.Attribute):
        function = function.value
    return function.value if isinstance(function, cst.Name) else ""


def _inside(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """What an expression is made of, and may stand for it."""
    match node:
        case cst.Call(func=cst.Attribute(value=receiver), args=args):
            yield receiver
            yield from (one.value for one in args[:1])
        case cst.Call(args=[cst.Arg(value=only)]):
            yield only
        case cst.BinaryOperation(left=left, right=right):
            yield left
            yield right
        case cst.UnaryOperation(expression=inner) if _is_infinite(inner):
            return  # of infinities the sign may be all: the other one may well stay infinite
        case cst.UnaryOperation(expression=inner) | cst.Subscript(value=inner):
            yield inner
        case cst.IfExp(body=body, orelse=orelse):
            yield body
            yield orelse


def _is_infinite(node: cst.BaseExpression) -> bool:
    """Whether it is an infinity: `float("inf")`, `math.inf`, `inf`."""
    match node:
        case cst.Call(
            func=cst.Name(value="float"), args=[cst.Arg(value=cst.SimpleString() as text)]
        ):
            return "inf" in str(text.evaluated_value).lower()
    return isinstance(node, (cst.Name, cst.Attribute)) and _leaf(node) in ("inf", "infty")
