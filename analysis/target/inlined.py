"""What computes a value, once the functions of the text are written out where they are called.

In: a parsed case. Out: per expression an `Inlined`: `v` of `v, _ = top_k(x, k=3)` is
`top_k(x,k=3)[0]`, and so is `f(x)[0]` of a function that returns `top_k(y, k=3)` for its `y`. What
such a function was handed to on the way (a compiler, as a decorator or a call) is told beside it.
Two values with one text, and different ways to it, should be the same. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node

MOST_STEPS = 8
"""Names and calls that are followed one after another."""
MOST_TEXT = 2000
"""Characters of what is written out: functions that use a name twice double it line by line."""
_EMPTY = cst.Module(body=[])
_SPACE = re.compile(r"\s+")
_MOVE = m.Call(func=m.Attribute(value=m.Name(), attr=m.OneOf(*map(m.Name, ("cuda", "cpu", "to")))))
"""Puts a tensor on a device, or gives it another dtype: `y` of `y = x.cuda()` is written out."""


@dataclass(frozen=True, slots=True)
class Inlined:
    """What computes a value: the `text` of the call, without spaces, and the `ways` it was made
    by: the dotted name and the text of each call that took the function and gave another."""

    text: str = ""
    ways: tuple[tuple[str, str], ...] = ()
    steady: bool = False
    """Whether nothing that it is made of is bound twice, or changed in place."""


NOT_INLINED = Inlined()


@dataclass(frozen=True)
class _Bound:
    """What a name is assigned: an expression, or an element of what that gives."""

    value: cst.BaseExpression
    element: int | None = None


class Inliner:
    """What computes the values of a text's expressions.

    Only names that the module itself assigns once, and that nothing changes in place (`changed`),
    are followed; so are functions of a name of their own that assign and return, and lambdas.
    """

    def __init__(self, module: cst.Module, changed: frozenset[str] | set[str]) -> None:
        scope = _Scope()
        module.visit(scope)
        once = {name for name, times in scope.times.items() if times == 1} - changed
        self._moving = {name for name, times in scope.times.items() if times > 1} | changed
        self._functions = {n: f for n, f in scope.functions.items() if n in once}
        self._values = {n: v for n, v in scope.values.items() if n in once}
        given = ((n, v.value) for n, v in self._values.items() if v.element is None)
        self._moves = {n: value for n, value in given if m.matches(value, _MOVE)}

    def of(self, node: cst.BaseExpression) -> Inlined:
        """What computes an expression; nothing, where that is no call."""
        ways: list[tuple[str, str]] = []
        made = self._value(node, ways)
        made = (_substituted(made, self._moves) if self._moves else None) or made
        if not any(isinstance(one, cst.Call) for one in _chain(made)):
            return NOT_INLINED
        names = {one.value for one in m.findall(made, m.Name()) if isinstance(one, cst.Name)}
        in_place = m.findall(made, m.Attribute(attr=m.Name(m.MatchRegex(r"[a-z]\w*[a-z0-9]_"))))
        steady = not names & self._moving and not in_place
        return Inlined(_text(made), tuple(sorted(set(ways))), steady)

    def _value(self, node: cst.BaseExpression, ways: list[tuple[str, str]]) -> cst.BaseExpression:
        for _ in range(MOST_STEPS):
            further = self._step(_read(node), ways)
            if further is None:
                break
            node = further
        return _read(node)

    def _step(
        self, node: cst.BaseExpression, ways: list[tuple[str, str]]
    ) -> cst.BaseExpression | None:
        """The expression with what is innermost in its chain followed by one step, if it can be."""
        match node:
            case cst.Name(value=name) if (bound := self._values.get(name)) is not None:
                return _element(bound)
            case cst.Subscript(value=inner) | cst.Attribute(value=inner):
                further = self._step(inner, ways)
                if further is None and isinstance(inner, cst.Tuple):
                    return _picked(inner, node)
                return None if further is None else node.with_changes(value=further)
            case cst.Call(func=function):
                body = self._function(function, ways)
                made = None if body is None else _applied(body, node.args)
                return None if made is None or len(_text(made)) > MOST_TEXT else made
        return None

    def _function(
        self, node: cst.BaseExpression, ways: list[tuple[str, str]], steps: int = MOST_STEPS
    ) -> cst.FunctionDef | cst.Lambda | cst.BaseExpression | None:
        """The function that an expression stands for, or another expression for the same."""
        if not steps:
            return None
        match node:
            case cst.Lambda():
                return node
            case cst.Name(value=name) if name in self._functions:
                found = self._functions[name]
                ways += [_way(one.decorator) for one in found.decorators]
                return found
            case cst.Name(value=name) if (bound := self._values.get(name)) is not None:
                return None if bound.element is not None else self._known(bound.value, ways, steps)
            case cst.Call():
                return self._known(node, ways, steps)
        return None

    def _known(
        self, node: cst.BaseExpression, ways: list[tuple[str, str]], steps: int
    ) -> cst.FunctionDef | cst.Lambda | cst.BaseExpression | None:
        """A function, or what a call makes of the function that it is given first."""
        match node:
            case cst.Lambda() | cst.Name() | cst.Attribute():
                return self._function(node, ways, steps - 1) or node
            case cst.Call(func=maker, args=[cst.Arg(value=made, star=""), *others]):
                if not isinstance(made, (cst.Name, cst.Attribute, cst.Lambda, cst.Call)):
                    return None
                name, text = _way(maker)
                given = ",".join(_text(one) for one in others)
                ways.append((name, f"{text}({given})"))
                return self._known(made, ways, steps - 1) if steps else None
        return None


def _applied(
    function: cst.FunctionDef | cst.Lambda | cst.BaseExpression, args: Sequence[cst.Arg]
) -> cst.BaseExpression | None:
    """What a call of the function returns, in terms of what it is given; None if that is not told
    by assignments and a `return`."""
    if not isinstance(function, (cst.FunctionDef, cst.Lambda)):
        return cst.Call(func=function, args=args)
    names = _given(function.params, args)
    if names is None:
        return None
    if isinstance(function, cst.Lambda):
        return _substituted(function.body, names)
    lines = function.body.body
    if isinstance(function.body, cst.SimpleStatementSuite):
        lines = [cst.SimpleStatementLine(body=function.body.body)]
    for line in lines:
        for statement in line.body if isinstance(line, cst.SimpleStatementLine) else [None]:
            match statement:
                case cst.Return(value=cst.BaseExpression() as value):
                    return _substituted(value, names)
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=v):
                    made = _substituted(v, names)
                    if made is None:
                        return None
                    names = {**names, name: made}
                case cst.Expr(value=cst.SimpleString()):
                    pass
                case _:
                    return None
    return None


def _given(params: cst.Parameters, args: Sequence[cst.Arg]) -> dict[str, cst.BaseExpression] | None:
    """Per parameter what a call hands over, or its default; None where that is left open."""
    plain = [*params.posonly_params, *params.params]
    named = {one.name.value: one for one in (*plain, *params.kwonly_params)}
    starred = isinstance(params.star_arg, cst.Param) or params.star_kwarg is not None
    if starred or any(one.star for one in args):
        return None
    given: dict[str, cst.BaseExpression] = {}
    for place, arg in enumerate(args):
        if arg.keyword is None and place >= len(plain):
            return None
        given[plain[place].name.value if arg.keyword is None else arg.keyword.value] = arg.value
    for name, param in named.items():
        if name not in given and param.default is None:
            return None
        given.setdefault(name, param.default or cst.Name("None"))
    return given if given.keys() == named.keys() else None


class _Substitute(cst.CSTTransformer):
    def __init__(self, names: Mapping[str, cst.BaseExpression]) -> None:
        super().__init__()
        self._names = names

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        value = updated_node.value
        if isinstance(original_node.value, cst.Name) and value is not original_node.value:
            value = value.with_changes(lpar=[], rpar=[])  # an argument needs none
        return updated_node.with_changes(keyword=original_node.keyword, value=value)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._names.get(original_node.value, updated_node)


_BINDING = m.Lambda() | m.NamedExpr() | m.GeneratorExp() | m.ListComp() | m.SetComp() | m.DictComp()
_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.Call,
    cst.Integer,
    cst.Float,
    cst.SimpleString,
)


def _substituted(
    node: cst.BaseExpression, names: Mapping[str, cst.BaseExpression]
) -> cst.BaseExpression | None:
    """An expression in other terms; None where it binds names of its own, or becomes too long."""
    if m.findall(node, _BINDING):
        return None
    whole = {
        name: value if isinstance(value, _ATOMS) else _enclosed(value)
        for name, value in names.items()
    }
    made = node.visit(_Substitute(whole))
    fits = isinstance(made, cst.BaseExpression) and len(_text(made)) <= MOST_TEXT
    return made if fits and isinstance(made, cst.BaseExpression) else None


def _enclosed(node: cst.BaseExpression) -> cst.BaseExpression:
    """In parentheses: `a * 2` of `x + 1`."""
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _element(bound: _Bound) -> cst.BaseExpression:
    if bound.element is None:
        return bound.value
    index = cst.SubscriptElement(slice=cst.Index(value=cst.Integer(str(bound.element))))
    return cst.Subscript(value=bound.value, slice=[index])


def _picked(whole: cst.Tuple, node: cst.Subscript | cst.Attribute) -> cst.BaseExpression | None:
    """The element of a tuple that a subscript names."""
    match node:
        case cst.Subscript(
            slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value=number)))]
        ) if int(number, 0) < len(whole.elements):
            found = whole.elements[int(number, 0)]
            return found.value if isinstance(found, cst.Element) else None
    return None


READ = frozenset(("item", "numpy", "tolist", "cpu", "detach", "clone"))
"""Methods that give the very numbers of what they are called on."""


def _read(node: cst.BaseExpression) -> cst.BaseExpression:
    """What `.numpy()`, `.item()` and such are called on."""
    while True:
        match node:
            case cst.Call(func=cst.Attribute(value=inner, attr=cst.Name(value=name)), args=[]) if (
                name in READ
            ):
                node = inner
            case _:
                return node


def _chain(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    """An expression, what its subscripts and attributes are of, and so on."""
    found = [node]
    while isinstance(found[-1], (cst.Subscript, cst.Attribute)):
        found.append(found[-1].value)
    return found


def _way(node: cst.BaseExpression) -> tuple[str, str]:
    """The dotted name of what makes functions, and all that stands there."""
    named = node.func if isinstance(node, cst.Call) else node
    return get_full_name_for_node(named) or "", _text(node)


def _text(node: cst.CSTNode) -> str:
    text = _EMPTY.code_for_node(node)
    return text if "'" in text or '"' in text else _SPACE.sub("", text)


_BRANCHES = (cst.For, cst.While, cst.If)
"""What is in these may run several times, or not at all."""


class _Scope(cst.CSTVisitor):
    """What the module itself assigns and defines, and how often each name is bound anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, _Bound] = {}
        self.functions: dict[str, cst.FunctionDef] = {}
        self.times: dict[str, int] = {}
        self._inside = 0

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self._bind(node.name.value)
        if not self._inside:
            self.functions[node.name.value] = node
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self._bind(node.name.value)
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            match target.target:
                case cst.Name(value=name):
                    self._assign(name, _Bound(node.value))
                case cst.Tuple(elements=elements) | cst.List(elements=elements):
                    self._unpack(elements, node.value)

    def _unpack(self, elements: Sequence[cst.BaseElement], value: cst.BaseExpression) -> None:
        starred = any(isinstance(one, cst.StarredElement) for one in elements)
        for place, one in enumerate(elements):
            if isinstance(one.value, cst.Name):
                self._assign(one.value.value, _Bound(value, place))
                self._bind(one.value.value, 2 if starred else 0)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        if isinstance(node.target, cst.Name) and node.value is not None:
            self._assign(node.target.value, _Bound(node.value))

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._inside += isinstance(node, _BRANCHES)
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._inside -= isinstance(original_node, _BRANCHES)
        super().on_leave(original_node)

    def visit_For(self, node: cst.For) -> None:
        self._open(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._open(node.target)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._open(node.target)

    def visit_ImportAlias(self, node: cst.ImportAlias) -> bool:
        name = node.name if node.asname is None else node.asname.name
        if isinstance(name, cst.Name):
            self._bind(name.value)
        return False

    def visit_Del(self, node: cst.Del) -> None:
        self._open(node.target)

    def visit_Global(self, node: cst.Global) -> None:
        for item in node.names:
            self._bind(item.name.value, 2)

    def visit_AsName(self, node: cst.AsName) -> None:
        self._open(node.name)

    def _open(self, target: cst.CSTNode) -> None:
        """What names it may bind are not followed."""
        if isinstance(target, cst.Name):
            self._bind(target.value, 2)
        for child in target.children:
            self._open(child)

    def _assign(self, name: str, bound: _Bound) -> None:
        self._bind(name, 2 if self._inside else 1)
        self.values[name] = bound

    def _bind(self, name: str, times: int = 1) -> None:
        self.times[name] = self.times.get(name, 0) + times
