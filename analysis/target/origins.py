"""Where the values in a text come from: the names and calls behind an expression, as it is written.

In: a parsed case. Out: an `Origin` per expression. Names are followed through the assignments of
the text: to the last one above, where the module itself makes them all, one below the other; to all
of them where one is in a loop, a branch or a function. Nothing is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node

from analysis.target.checks import MODULES
from analysis.target.imports import Imports
from analysis.target.inlined import NOT_INLINED, READ, Inlined, Inliner

MOST_FOLLOWED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a value comes from.

    `names` are those behind it, modules aside; `calls` the dotted names of all that was called on
    the way, in the words of the text, `functions` the same by the full names that the text's
    imports give them, and `call` the one that made the value itself ("" where that is no single
    call). `library` is the module that `call` was imported from. `fixed`: it is made by nothing but
    what stands in the text, and nothing changes it in place.
    """

    names: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    call: str = ""
    library: str = ""
    fixed: bool = False
    given: tuple[str, ...] = ()
    """What `call` is given, as it is written: its receiver, unless another call makes it, and its
    arguments."""
    numbers: tuple[str, ...] = ()
    """The same, all receivers included, where a copy in another layout is called what it is of."""
    made_by: frozenset[int] = frozenset()
    """The `id`s of the nodes of all calls on the way."""
    inlined: Inlined = NOT_INLINED
    """What computes the value, with the text's own functions written out."""


NO_ORIGIN = Origin()
_ANYWHERE = -1
"""The place of what may run at any time, or several times."""


class Origins:
    """The origins of the expressions of a text with these imports."""

    def __init__(self, module: cst.Module, imports: Imports) -> None:
        collector = _Collector()
        module.visit(collector)
        self._values = collector.values
        self._places = collector.places
        self._straight = collector.straight
        self._changed = collector.changed
        self._imports = imports.names
        self._inliner = Inliner(module, set(collector.changed))
        self._known: dict[int, tuple[frozenset[str], frozenset[str]]] = {}

    def of(self, node: cst.BaseExpression) -> Origin:
        """Where a value comes from."""
        nodes, unknown = self._behind(node)
        names: set[str] = set()
        calls: set[str] = set()
        for one in nodes:
            names.update(self._parts(one)[0])
            calls.update(self._parts(one)[1])
        call = _core(self._single(node))
        name = "" if call is None else _dotted(call.func)
        fixed = not unknown and not names & self._changed.keys()
        return Origin(
            names=frozenset(names),
            calls=frozenset(calls),
            functions=frozenset(map(self._full, calls)),
            call=name,
            library=self._library(name),
            fixed=fixed,
            given=() if call is None else tuple(self._given(call)),
            numbers=() if call is None else tuple(self._numbers(call)),
            made_by=frozenset(id(part) for one in nodes for part in m.findall(one, m.Call())),
            inlined=self._inlined(node),
        )

    def _inlined(self, node: cst.BaseExpression) -> Inlined:
        found = self._inliner.of(node)
        ways = tuple((self._full(name), text) for name, text in found.ways)
        return Inlined(found.text, ways, found.steady)

    def _behind(self, node: cst.BaseExpression) -> tuple[list[cst.BaseExpression], bool]:
        """The expression and what its names are assigned; whether names are left open."""
        found, seen, unknown = [node], set[tuple[str, int]](), False
        for one in found:
            place = self._places.get(id(one), _ANYWHERE)
            for name in sorted(self._parts(one)[0]):
                if (name, place) in seen:
                    continue
                seen.add((name, place))
                unknown = unknown or name not in self._values
                found += [value for value in self._assigned(name, place) if value is not one]
            if len(found) > MOST_FOLLOWED:
                return found, True
        return found, unknown

    def _assigned(self, name: str, place: int) -> list[cst.BaseExpression]:
        """What a name may stand for at a place."""
        values = self._values.get(name, [])
        if place == _ANYWHERE or not all(id(value) in self._straight for value in values):
            return values
        above = [value for value in values if self._places[id(value)] < place]
        return above[-1:] or values

    def _parts(self, node: cst.CSTNode) -> tuple[frozenset[str], frozenset[str]]:
        """The names and the calls in a node."""
        if id(node) not in self._known:
            self._known[id(node)] = (frozenset(self._names(node)), frozenset(_called(node)))
        return self._known[id(node)]

    def _names(self, node: cst.CSTNode) -> set[str]:
        # `x.shape` and `f(dim=0)` speak of nothing that is called `shape` or `dim`.
        told: set[int] = set()
        for part in m.findall(node, m.Attribute() | m.Arg()):
            told.add(
                id(part.attr if isinstance(part, cst.Attribute) else getattr(part, "keyword", 0))
            )
        names = (n for n in m.findall(node, m.Name()) if isinstance(n, cst.Name))
        found = {n.value for n in names if id(n) not in told}
        return found - set(self._imports) - _KNOWN - MODULES

    def _single(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What a name stands for, where only one thing is ever assigned to it."""
        for _ in range(8):
            place, inner = self._places.get(id(node), _ANYWHERE), _peeled(node)
            values = self._assigned(inner.value, place) if isinstance(inner, cst.Name) else ()
            if len(values) != 1:
                return inner
            node = values[0]
        return node

    def _given(self, call: cst.Call) -> Iterator[str]:
        empty = cst.Module(body=[])
        receiver = self._receiver(call)
        if receiver is not None and not isinstance(receiver, cst.Call):
            yield empty.code_for_node(receiver)
        for arg in call.args:
            yield empty.code_for_node(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT))

    def _numbers(self, call: cst.Call) -> Iterator[str]:
        empty = cst.Module(body=[])
        receiver = self._receiver(call)
        if receiver is not None:
            yield empty.code_for_node(self._copied(receiver))
        for arg in call.args:
            plain = arg.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            yield empty.code_for_node(plain.with_changes(value=self._copied(arg.value)))

    def _receiver(self, call: cst.Call) -> cst.BaseExpression | None:
        """What a method is called on, if that is no module."""
        of_module = _dotted(call.func).partition(".")[0] in {*self._imports, *MODULES}
        return call.func.value if isinstance(call.func, cst.Attribute) and not of_module else None

    def _copied(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What a value is a copy of, in a layout that may be another one."""
        for _ in range(8):
            place = self._places.get(id(node), _ANYWHERE)
            values = self._assigned(node.value, place) if isinstance(node, cst.Name) else [node]
            call = values[0] if len(values) == 1 else None
            if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
                return node
            receiver = self._receiver(call)
            of = call.args[0].value if receiver is None and call.args else receiver
            further = call.args if receiver is not None else call.args[1:]
            plain = all(arg.keyword and arg.keyword.value in _MEMORY for arg in further)
            name = call.func.attr.value
            copies = name in _COPYING or (name == "to" and bool(further))
            # Changed in place, the one is no longer what the other is.
            both = {one.value for one in (node, of) if isinstance(one, cst.Name)}
            changed = self._changes(both, call, node)
            if of is None or changed or not plain or not copies:
                return node
            node = of
        return node

    def _changes(self, names: set[str], copy: cst.Call, use: cst.BaseExpression) -> bool:
        """Whether what goes by these names is changed between the two."""
        since, until = (self._places.get(id(node), _ANYWHERE) for node in (copy, use))
        places = {place for name in names for place in self._changed.get(name, ())}
        known = _ANYWHERE not in {since, until, *places}
        return bool(places) and not (known and all(p < since or p >= until for p in places))

    def _library(self, call: str) -> str:
        return self._full(call).partition(".")[0]

    def _full(self, call: str) -> str:
        root, dot, rest = call.partition(".")
        return self._imports.get(root, (root, True))[0] + dot + rest


_KNOWN = frozenset(("True", "False", "None", "float", "int", "complex", "print", "range", "len"))
_READ = READ | {"float", "double"}
_COPYING = frozenset(
    (
        *("contiguous", "clone", "detach", "copy", "identity", "to_dense", "to_sparse"),
        *("to_sparse_coo", "to_sparse_csr", "to_sparse_csc", "coalesce"),
        *("ascontiguousarray", "asfortranarray", "convert_to_tensor"),
        *("from_dense", "from_tensor", "to_tensor"),
    )
)
"""Functions and methods that give the same numbers, in another layout at most."""
_MEMORY = frozenset(("memory_format", "order"))
_KEEPING = frozenset(("float", "bool", "int", "str", "repr"))


def _peeled(node: cst.BaseExpression) -> cst.BaseExpression:
    """The value behind `.item()`, `[0]`, `float(...)` and such."""
    while True:
        match node:
            case cst.Subscript(value=inner):
                node = inner
            case cst.Call(func=cst.Attribute(value=inner, attr=cst.Name(value=name)), args=[]) if (
                name in _READ
            ):
                node = inner
            case cst.Call(func=cst.Name(value=name), args=[cst.Arg(value=inner, star="")]) if (
                name in _KEEPING
            ):
                node = inner
            case _:
                return node


def _core(node: cst.BaseExpression) -> cst.Call | None:
    node = _peeled(node)
    return node if isinstance(node, cst.Call) else None


def _alike(node: cst.BaseExpression) -> list[cst.BaseExpression] | None:
    """The elements of a tuple or list that is written out, if each is one."""
    if not isinstance(node, (cst.Tuple, cst.List)):
        return None
    if any(isinstance(one, cst.StarredElement) for one in node.elements):
        return None
    return [one.value for one in node.elements]


def _dotted(node: cst.BaseExpression) -> str:
    return get_full_name_for_node(node) or ""


def _called(node: cst.CSTNode) -> Iterator[str]:
    for call in m.findall(node, m.Call()):
        if isinstance(call, cst.Call):
            yield _dotted(call.func)


_FUNCTIONS = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
"""What is in these runs at any time."""
_BLOCKS = (cst.BaseCompoundStatement, cst.Lambda, cst.BaseComp)
"""What is in these may run several times, or not at all."""


def _works_in_place(method: str) -> bool:
    return method.endswith("_") and not method.startswith("__")


class _Collector(cst.CSTVisitor):
    """What is assigned, and changed in place."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, list[cst.BaseExpression]] = {}
        self.places: dict[int, int] = {}
        """Per expression that is in no function, how many statements begin above or with it."""
        self.straight: set[int] = set()
        """The expressions that are in no block either."""
        self._functions, self._blocks, self._statement = 0, 0, 0
        self.changed: dict[str, set[int]] = {}
        """Names, with the places where what they stand for is changed in place."""

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._functions += isinstance(node, _FUNCTIONS)
        self._blocks += isinstance(node, _BLOCKS)
        self._statement += isinstance(node, cst.BaseSmallStatement)
        if isinstance(node, cst.BaseExpression) and not self._functions:
            self.places[id(node)] = self._statement
            if not self._blocks:
                self.straight.add(id(node))
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._functions -= isinstance(original_node, _FUNCTIONS)
        self._blocks -= isinstance(original_node, _BLOCKS)
        super().on_leave(original_node)

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self._assign(target.target, node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, node.value)

    def visit_Expr(self, node: cst.Expr) -> None:
        """`y.exp_()` on a line of its own makes another value of `y`."""
        match node.value:
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=method)) if (
                name in self.values and _works_in_place(method.value)
            ):
                self._note(name, node.value)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._assign(node.target, node.value)

    def visit_For(self, node: cst.For) -> None:
        self._iterate(node.target, node.iter)

    def visit_WithItem(self, node: cst.WithItem) -> None:
        if node.asname is not None:
            self._assign(node.asname.name, node.item)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._change(node.target)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        for returned in m.findall(node.body, m.Return()):
            if isinstance(returned, cst.Return) and returned.value is not None:
                self._note(node.name.value, returned.value)

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute):
            name = node.func.attr.value
            if _works_in_place(name) or name.startswith("assign"):
                self._change(node.func.value)
        for arg in node.args:
            if arg.keyword is not None and arg.keyword.value in ("out", "inplace"):
                self._change(arg.value)
                self._change(node.args[0].value)

    def _iterate(self, target: cst.BaseExpression, over: cst.BaseExpression) -> None:
        """Assign what a loop runs over: `zip`, `enumerate` and what stands there piece by piece."""
        places = _alike(target)
        match over:
            case cst.Tuple() | cst.List() if (pieces := _alike(over)) is not None:
                for piece in pieces:
                    self._assign(target, piece)
            case cst.Call(func=cst.Name(value="zip"), args=args) if (
                places is not None
                and len(places) == len(args)
                and not any(arg.star or arg.keyword for arg in args)
            ):
                for place, arg in zip(places, args, strict=True):
                    self._iterate(place, arg.value)
            case cst.Call(func=cst.Name(value="enumerate"), args=[first, *_]) if (
                places is not None and len(places) == 2 and not first.star
            ):
                self._assign(places[0], over)
                self._iterate(places[1], first.value)
            case _:
                self._assign(target, over)

    def _assign(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        places, pieces = _alike(target), _alike(value)
        if places is not None and pieces is not None and len(places) == len(pieces):
            for place, piece in zip(places, pieces, strict=True):
                self._assign(place, piece)
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._assign(element.value, value)
        elif isinstance(target, cst.Name):
            self._note(target.value, value)
        else:
            self._change(target)

    def _note(self, name: str, value: cst.BaseExpression) -> None:
        self.values.setdefault(name, []).append(value)

    def _change(self, target: cst.BaseExpression) -> None:
        while isinstance(target, (cst.Attribute, cst.Subscript, cst.Call)):
            target = target.func if isinstance(target, cst.Call) else target.value
        if isinstance(target, cst.Name):
            anyhow = self._functions or self._blocks
            self.changed.setdefault(target.value, set()).add(
                _ANYWHERE if anyhow else self._statement
            )
