"""Puts the check of a bug into the text of a case: then it fails where the bug is.

In: a case whose values are watched, the oracle and what its places came to. Out: texts, the
plainest first, which have to be run before anybody believes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor

from analysis.target.instrument import Watched
from citadel.model import SymptomKind
from citadel.oracle.performance import PerformanceOracle
from citadel.oracle.value import Spot, ValueOracle, Values
from citadel.selfcheck.wording import Line, limit_of, line_of

REFUSE = "should have been refused"
_COLLECT = """
{lists}


def {shown}(value{more}):
    {into}.append(value)
    return value
"""
_ALIASES = {"numpy": "np"}
_Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


def with_check(
    case: Watched, oracle: ValueOracle, values: Values, right: str | None, framework: str
) -> Iterator[str]:
    """Texts of the case with a check of the bug behind what shows it. `right`: what a result should
    be, for people, if that is known."""
    spots = (oracle.check,) if oracle.check is not None else oracle.spots
    places = [_Place.of(case, spot) for spot in spots if spot is not None]
    if oracle.kind is SymptomKind.ACCEPTS:
        yield from _refusing(case, places, spots)
        return
    names = _names(case.case.module.code, places)
    line = line_of(oracle, values, names, right, framework)
    if line is not None:
        yield from _checked(case, places, names, line)


def with_limit(case: Watched, oracle: PerformanceOracle) -> Iterator[str]:
    """Texts of the case with a check of what it measures: the ratio from which on it is a bug."""
    measure = oracle.measure
    sides = [one for one in (measure.upper, measure.lower) if one is not None]
    places = [_Place.of(case, Spot(point=one.point, occurrence=one.occurrence)) for one in sides]
    names = _names(case.case.module.code, places)
    text = limit_of(oracle, names)
    if text is None:
        return
    if all(one.lasts for one in places):  # the last round of a loop is mostly the largest
        yield _ending(case.case.module, [text]).code
    yield from _checked(case, places, names, Line(text))


def _checked(
    case: Watched, places: Sequence[_Place], names: Sequence[str], line: Line
) -> Iterator[str]:
    """The case with a line behind what shows the values that the line names."""
    if any(one.statement is None for one in places):
        return
    if not any(one.repeated for one in places):
        yield _behind(case.case.module, places, names, line)
    else:
        nodes = list({id(one.node): one.node for one in places}.values())
        module, lists = _collecting(case.case.module, nodes)
        of = dict(zip(map(id, nodes), lists, strict=True))
        taken = [
            f"{name} = {of[id(one.node)]}[{one.spot.occurrence - 1}]"
            for one, name in zip(places, names, strict=True)
        ]
        yield _importing(_ending(module, [*taken, line.text]), line)


@dataclass(frozen=True)
class _Place:
    """A watched expression in the tree, its innermost statement, and whether that is inside of a
    loop, a function or the like."""

    spot: Spot
    node: cst.BaseExpression
    statement: _Statement | None
    inner: bool
    guarded: bool
    """Whether a `try` is around it."""
    repeated: bool
    """Whether it may be evaluated several times."""
    alone: bool
    """Whether it is all that is given in its place of a call."""
    lasts: bool
    """Whether it is a variable that loops at the top of the text leave behind."""

    @classmethod
    def of(cls, case: Watched, spot: Spot) -> _Place:
        node = case.points[spot.point].node
        finder = _Above(node)
        case.case.module.visit(finder)
        above = finder.found
        statements = [
            one
            for outer, one in zip((None, *above), above, strict=False)
            if isinstance(one, _Statement)
            # Behind an `elif` there is no place: its `if` goes on.
            if not (isinstance(outer, cst.If) and one is outer.orelse)
        ]
        return cls(
            spot=spot,
            node=node,
            statement=statements[-1] if statements else None,
            inner=len(statements) > 1,
            guarded=any(isinstance(one, cst.Try) for one in above),
            repeated=any(isinstance(one, _REPEATING) for one in above),
            alone=bool(above) and isinstance(above[-1], cst.Arg) and above[-1].keyword is None,
            lasts=isinstance(node, cst.Name)
            and any(isinstance(one, _LOOPS) for one in above)
            and not any(isinstance(one, _SCOPES) for one in above),
        )


_LOOPS = (cst.For, cst.While)
_SCOPES = (cst.FunctionDef, cst.ClassDef, cst.Lambda, cst.CompFor, cst.BaseComp)
_REPEATING = (*_LOOPS, *_SCOPES)


class _Above(cst.CSTVisitor):
    """Finds what a node stands in, the outermost first."""

    def __init__(self, node: cst.CSTNode) -> None:
        super().__init__()
        self._node, self._stack = node, list[cst.CSTNode]()
        self.found: tuple[cst.CSTNode, ...] = ()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if node is self._node:
            self.found = tuple(self._stack)
        self._stack.append(node)
        return not self.found

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._stack.pop()


class _Changing(cst.CSTTransformer):
    """Replaces some expressions, and puts lines behind some statements."""

    def __init__(
        self,
        made: Mapping[int, cst.BaseExpression],
        behind: Mapping[int, Sequence[cst.BaseStatement]] | None = None,
    ) -> None:
        super().__init__()
        self._made, self._behind = made, behind or {}

    def on_leave(  # type: ignore[override]  # what replaces a node may be several
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.FlattenSentinel[cst.CSTNode]:
        if id(original_node) in self._made:
            return self._made[id(original_node)]
        lines = self._behind.get(id(original_node))
        return updated_node if not lines else cst.FlattenSentinel([updated_node, *lines])


def _names(code: str, places: Sequence[_Place]) -> list[str]:
    """What holds each value: the variable that is shown, else a new one."""
    plain = [one.node.value if isinstance(one.node, cst.Name) else None for one in places]
    if len(set(plain)) < len(plain):
        plain = [None] * len(plain)  # it may hold something else by then
    new = iter(_fresh(code, "result", "other"))
    return [known or next(new) for known in plain]


def _fresh(code: str, *names: str) -> list[str]:
    """The names, with underscores behind those that a text has already."""
    used = set(re.findall(r"\w+", code))
    return [next(one for n in count() if (one := name + "_" * n) not in used) for name in names]


def _behind(module: cst.Module, places: Sequence[_Place], names: Sequence[str], line: Line) -> str:
    """The text with the check behind the last statement that shows a value."""
    made: dict[int, cst.BaseExpression] = {}
    for place, name in zip(places, names, strict=True):
        if not (isinstance(place.node, cst.Name) and place.node.value == name):
            named = cst.NamedExpr(target=cst.Name(name), value=_bare(place.node))
            parens = {} if place.alone else {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
            made[id(place.node)] = named.with_changes(**parens)
    last = max(places, key=lambda one: one.spot.point).statement
    check = [cst.parse_statement(line.text)]
    return _importing(module.visit(_Changing(made, {id(last): check})), line)


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression that others may put parentheses around: without its own, if it needs none."""
    if isinstance(node, (cst.Tuple, cst.NamedExpr, cst.Yield)):
        parens = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
        return node if node.lpar else node.with_changes(**parens)
    multiline = any("\n" in cst.Module([]).code_for_node(one.whitespace_after) for one in node.lpar)
    return node if multiline else node.with_changes(lpar=[], rpar=[])


def _collecting(
    module: cst.Module, nodes: Sequence[cst.BaseExpression]
) -> tuple[cst.Module, list[str]]:
    """The text with all that some expressions come to collected, and the list of each."""
    shown, *lists = _fresh(module.code, "shown", "seen", "beside")
    lists, several = lists[: len(nodes)], len(nodes) > 1
    into = [[cst.Arg(cst.Name(one))] if several else [] for one in lists]
    made = {
        id(node): cst.Call(cst.Name(shown), [cst.Arg(_bare(node)), *more])
        for node, more in zip(nodes, into, strict=True)
    }
    changed = module.visit(_Changing(made))
    start = _behind_imports(changed)
    first = _COLLECT.format(
        lists="\n".join(f"{one} = []" for one in lists),
        shown=shown,
        more=", into" if several else "",
        into="into" if several else lists[0],
    )
    body = [*changed.body[:start], *cst.parse_module(first).body, *changed.body[start:]]
    return changed.with_changes(body=body), lists


def _ending(module: cst.Module, lines: Sequence[str]) -> cst.Module:
    return module.with_changes(body=[*module.body, *map(cst.parse_statement, lines)])


def _behind_imports(module: cst.Module) -> int:
    """The place of the first statement behind the imports at the top."""
    for place, one in enumerate(module.body):
        if not isinstance(one, cst.SimpleStatementLine) or not all(map(_is_heading, one.body)):
            return place
    return len(module.body)


def _is_heading(one: cst.CSTNode) -> bool:
    documents = isinstance(one, cst.Expr) and isinstance(one.value, cst.SimpleString)
    return documents or isinstance(one, (cst.Import, cst.ImportFrom))


def _importing(module: cst.Module, line: Line) -> str:
    """The text with the imports that a line needs, unless it has them: not only on top, where
    settings stand that have to be made before."""
    context = CodemodContext()
    made = {
        (one.evaluated_name, one.evaluated_alias)
        for statement in module.body
        if isinstance(statement, cst.SimpleStatementLine)
        for part in statement.body
        if isinstance(part, cst.Import)
        for one in part.names
    }
    for name in line.modules:
        if (name, _ALIASES.get(name)) not in made:
            AddImportsVisitor.add_needed_import(context, name, asname=_ALIASES.get(name))
    return AddImportsVisitor(context).transform_module(module).code


def _refusing(
    case: Watched, places: Sequence[_Place], spots: Sequence[Spot | None]
) -> Iterator[str]:
    """Texts that fail where what should be refused is accepted, and end well where it is not."""
    module = case.case.module
    if not places:
        yield module.with_changes(body=[*module.body, _complaint()]).code
        return
    place = places[0]
    making = [] if place.guarded else _making(module, place)
    if making:
        at = next(number for number, one in enumerate(module.body) if one is making[0])
        # What comes behind has nothing to work on where it is refused.
        yield module.with_changes(body=[*module.body[:at], _trying(making)]).code
    changed, (seen,) = _collecting(module, [place.node])
    refused = f'assert len({seen}) < {place.spot.occurrence}, "{REFUSE}"'
    yield _ending(changed, [refused]).code


def _making(module: cst.Module, place: _Place) -> list[cst.SimpleStatementLine]:
    """The statements at the top of the text that come to a value: the one that shows it, behind the
    one that its variable is of, if it is a part of such a one."""
    simple = [one for one in module.body if isinstance(one, cst.SimpleStatementLine)]
    shown = [one for one in simple if one is place.statement]
    if place.inner or not shown:
        return []
    name = _root(place.node)
    for one in reversed(simple[: simple.index(shown[0])]):
        for part in one.body:
            targets = part.targets if isinstance(part, cst.Assign) else ()
            if name is not None and any(name.deep_equals(target.target) for target in targets):
                return [one, *shown]
    return shown


def _root(node: cst.BaseExpression) -> cst.Name | None:
    """The variable whose part or method an expression is; None where it is none."""
    match node:
        case cst.Name():
            return node
        case cst.Attribute(value=inner) | cst.Subscript(value=inner):
            return _root(inner)
        case cst.Call(func=cst.Attribute(value=inner)):
            return _root(inner)
    return None


def _complaint() -> cst.BaseStatement:
    return cst.parse_statement(f'raise AssertionError("{REFUSE}")')


def _trying(making: Sequence[cst.SimpleStatementLine]) -> cst.Try:
    tells = cst.parse_statement('print("refused:", refusal)')
    return cst.Try(
        leading_lines=making[0].leading_lines,
        body=cst.IndentedBlock([making[0].with_changes(leading_lines=[]), *making[1:]]),
        handlers=[
            # Where the API is not there, that is no refusal.
            cst.ExceptHandler(
                type=cst.parse_expression("(AttributeError, ImportError, NameError)"),
                whitespace_after_except=cst.SimpleWhitespace(" "),
                body=cst.IndentedBlock([cst.SimpleStatementLine([cst.Raise()])]),
            ),
            cst.ExceptHandler(
                type=cst.Name("Exception"),
                name=cst.AsName(cst.Name("refusal")),
                body=cst.IndentedBlock([tells]),
            ),
        ],
        orelse=cst.Else(body=cst.IndentedBlock([_complaint()])),
    )


def raising(code: str) -> str:
    """The text whose handlers raise again what they have told: what the case catches ends it.

    >>> print(raising("try:\\n    f()\\nexcept ValueError as e:\\n    print(e)\\n"))
    try:
        f()
    except ValueError as e:
        print(e)
        raise
    <BLANKLINE>
    """
    return cst.parse_module(code).visit(_Raising()).code


class _Raising(cst.CSTTransformer):
    def leave_ExceptHandler(
        self, original_node: cst.ExceptHandler, updated_node: cst.ExceptHandler
    ) -> cst.ExceptHandler:
        block = updated_node.body
        if isinstance(block, cst.SimpleStatementSuite):
            block = cst.IndentedBlock([cst.SimpleStatementLine(block.body)])
        again = cst.SimpleStatementLine([cst.Raise()])
        return updated_node.with_changes(body=block.with_changes(body=[*block.body, again]))
