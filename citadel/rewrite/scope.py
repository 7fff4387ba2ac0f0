"""Which assignment a variable gets its value from, and what else reads that value.

Sound for what it answers: where control flow leaves a choice, there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from citadel.rewrite.tree import Tree

Scope = cst.Module | cst.FunctionDef | cst.Lambda | cst.ClassDef | cst.BaseComp
Variable = cst.Name | cst.Attribute
"""A name, or an attribute of `self`."""
_SCOPES = (cst.Module, cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.BaseComp)
_LOOPS = (cst.For, cst.While)
_UNSURE = (
    m.Call() | m.BaseComp() | m.Lambda() | m.NamedExpr() | m.Subscript() | m.Await() | m.Yield()
)
"""What may be something else in another place, though the names in it are the same."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Binding:
    """One place where a variable gets a value: an expression, or what a caller hands over.

    `value` is None where the value cannot be told; `after` is the place in the text from which on
    the binding holds.
    """

    name: str
    scope: cst.CSTNode
    node: cst.CSTNode
    value: cst.BaseExpression | None
    parameter: bool
    after: int


class Scopes:
    """The variables of a module."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._bindings: dict[tuple[int, str], list[Binding]] = {}
        self._targets: set[int] = set()
        self._elsewhere: set[str] = set()  # `global` and `nonlocal` names
        for node in tree.nodes:
            self._bind(node)
        self._reads: dict[str, list[Variable]] = {}
        for node in tree.nodes:
            name = self._read(node)
            if name is not None:
                assert isinstance(node, Variable)  # noqa: S101 - only those are read
                self._reads.setdefault(name, []).append(node)

    def binding(self, read: cst.CSTNode) -> Binding | None:
        """The binding that a read variable has its value from, where there is but one."""
        name = self._read(read)
        return None if name is None else self._binding(name, read)

    def same(
        self, expression: cst.BaseExpression, place: cst.CSTNode, *, mutable: bool = False
    ) -> bool:
        """Whether an expression has at another place, which comes after it, the value that it has
        at its own.

        Names, literals and what is computed of them: calls may give anything, and so may
        attributes and items, which others can store to. `mutable`: the value itself can change;
        then it has to be a name that stands for it alone.
        """
        if mutable and not self._untouched(expression):
            return False
        if m.findall(expression, _UNSURE) or not self._surely_before(expression, place):
            return False
        for read in m.findall(expression, m.Name()):
            name = self._read(read)
            if name is None:
                continue
            here = self._binding(name, read)
            if here is None or here is not self._binding(name, place):
                return False
            module = isinstance(here.node, cst.ImportAlias)
            if not module and isinstance(self._tree.parent(read), cst.Attribute):
                return False
            if not self._tree.inside(place, self._loop(here.node)):
                return False
            if not self._tree.inside(expression, self._loop(here.node)):
                return False
        return True

    def _untouched(self, expression: cst.BaseExpression) -> bool:
        """Whether it is a variable that is given a literal once and only handed on from there."""
        binding = self.binding(expression)
        if binding is None or not isinstance(binding.value, (cst.List, cst.Tuple, cst.Dict)):
            return False
        if not m.matches(binding.node, m.Assign(targets=[m.AssignTarget(target=m.Name())])):
            return False
        above = (self._tree.parent(read) for read in self.reads(binding))
        return all(isinstance(one, (cst.Arg, cst.Element)) for one in above)

    def _surely_before(self, node: cst.CSTNode, place: cst.CSTNode) -> bool:
        """Whether control comes past a node on its way to a place in each round of their loops, or
        whenever the function of the node is called."""
        if self._tree.order(node) > self._tree.order(place):
            return False
        for block in self._tree.above(node):
            if self._tree.inside(place, block) or isinstance(block, cst.FunctionDef):
                return True
            if isinstance(block, (cst.IndentedBlock, cst.SimpleStatementSuite, cst.IfExp)):
                owner = self._tree.parent(block)
                if not isinstance(owner, (cst.With, *_SCOPES)):
                    return False
        return True

    def _loop(self, node: cst.CSTNode) -> cst.CSTNode:
        """The innermost loop around a node, or the module."""
        loops = (n for n in (node, *self._tree.above(node)) if isinstance(n, _LOOPS))
        return next(loops, self._tree.module)

    def _binding(self, name: str, read: cst.CSTNode) -> Binding | None:
        """The binding that a variable has where a node stands."""
        found = self._of(read, name)
        if not found or found[0].name in self._elsewhere:
            return None
        if len(found) == 1:
            return found[0]
        if self._scope(read) is not found[0].scope:
            return None
        place = self._tree.order(read)
        last = max((b for b in found if b.after < place), key=lambda b: b.after, default=None)
        if last is None or not self._certain(last, read):
            return None
        later = [b for b in found if b.after > place and self._common_loop(b.node, read, last)]
        return None if later else last

    def reads(self, binding: Binding) -> Iterator[Variable]:
        """All that may read what a binding binds."""
        for read in self._reads.get(binding.name, ()):
            found = self._of(read, binding.name)
            if found and found[0].scope is binding.scope:
                own = self.binding(read)
                if own is binding or (own is None and self._tree.order(read) > binding.after):
                    yield read

    def count(self, name: str) -> int:
        """How often a name is read in the module."""
        return len(self._reads.get(name, ()))

    def bound(self, name: str) -> bool:
        """Whether a name is bound anywhere."""
        return any(known == name for _, known in self._bindings)

    def argument(self, parameter: Binding) -> cst.BaseExpression | None:
        """What the only call of a function hands over for a parameter, else its default."""
        function = parameter.scope
        if not isinstance(function, cst.FunctionDef):
            return None
        calls = list(self._calls(function))
        if len(calls) != 1:
            return None
        call, bound = calls[0]
        names = [p.name.value for p in (*function.params.posonly_params, *function.params.params)]
        if any(arg.star for arg in call.args):
            return None
        place = names.index(parameter.name) - bound if parameter.name in names else -1
        plain = [arg.value for arg in call.args if arg.keyword is None]
        for arg in call.args:
            if arg.keyword is not None and arg.keyword.value == parameter.name:
                return arg.value
        if 0 <= place < len(plain):
            return plain[place]
        return parameter.value

    def _calls(self, function: cst.FunctionDef) -> Iterator[tuple[cst.Call, int]]:
        """The calls of a function, and how many of its parameters Python fills in."""
        owner = next((n for n in self._tree.above(function) if isinstance(n, _SCOPES)), None)
        name = function.name.value
        if isinstance(owner, cst.ClassDef):
            if name not in ("__init__", "forward"):
                name = f"self.{name}"
            else:
                yield from self._calls_of_class(owner, name)
                return
        for read in self._reads.get(name, ()):
            call = self._tree.parent(read)
            if isinstance(call, cst.Call) and call.func is read:
                yield call, int(isinstance(owner, cst.ClassDef))
            else:
                yield cst.Call(cst.Name(name), args=[cst.Arg(read, star="*")]), 0  # who knows

    def _calls_of_class(self, owner: cst.ClassDef, name: str) -> Iterator[tuple[cst.Call, int]]:
        """Constructions of a class, or calls of the layers that they make."""
        for read in self._reads.get(owner.name.value, ()):
            built = self._tree.parent(read)
            if not isinstance(built, cst.Call) or built.func is not read:
                continue
            if name == "__init__":
                yield built, 1
                continue
            used = self._tree.parent(built)
            if isinstance(used, cst.Call) and used.func is built:
                yield used, 1
            for binding in self._values_of(built):
                for layer in self.reads(binding):
                    called = self._tree.parent(layer)
                    if isinstance(called, cst.Call) and called.func is layer:
                        yield called, 1

    def _values_of(self, value: cst.CSTNode) -> Iterator[Binding]:
        for bindings in self._bindings.values():
            yield from (b for b in bindings if b.value is value)

    def _of(self, read: cst.CSTNode, name: str) -> Sequence[Binding]:
        """All bindings of the variable that is read."""
        innermost = True
        for scope in (read, *self._tree.above(read)):
            if not isinstance(scope, _SCOPES):
                continue
            attribute = name.startswith("self.")
            if isinstance(scope, cst.ClassDef) and not innermost and not attribute:
                continue
            innermost = False
            found = self._bindings.get((id(scope), name))
            if found:
                return found
        return ()

    def _scope(self, node: cst.CSTNode) -> cst.CSTNode:
        return next(one for one in self._tree.above(node) if isinstance(one, _SCOPES))

    def _certain(self, binding: Binding, read: cst.CSTNode) -> bool:
        """Whether a read follows a binding whatever branches are taken."""
        for block in self._tree.above(binding.node):
            if block is binding.scope:
                break
            optional = isinstance(block, (cst.IndentedBlock, cst.SimpleStatementSuite))
            owner = self._tree.parent(block)
            optional = optional and not isinstance(owner, (cst.With, *_SCOPES))
            if optional and not self._tree.inside(read, block):
                return False
        return True

    def _common_loop(self, one: cst.CSTNode, other: cst.CSTNode, last: Binding) -> bool:
        """Whether a loop leads from one node back to the other, past the binding `last`."""
        loops = [n for n in self._tree.above(one) if isinstance(n, _LOOPS)]
        return any(
            self._tree.inside(other, loop) and not self._tree.inside(last.node, loop)
            for loop in loops
        )

    def _bind(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.Assign):
            for target in node.targets:
                self._target(target.target, node.value, node)
        elif isinstance(node, (cst.AnnAssign, cst.NamedExpr)):
            self._target(node.target, node.value, node)
        elif isinstance(node, (cst.AugAssign, cst.For, cst.CompFor)):
            self._target(node.target, None, node)
        elif isinstance(node, cst.Param):
            self._target(node.name, node.default, node, parameter=True)
        elif isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            outer = self._scope(node)
            self._add(node.name, node.name.value, None, node, outer)
        elif isinstance(node, cst.ImportAlias):
            name = node.evaluated_alias or node.evaluated_name.split(".", 1)[0]
            self._add(node.name, name, None, node, self._scope(node))
        elif isinstance(node, cst.AsName):
            self._target(node.name, None, node)
        elif isinstance(node, cst.Del):
            self._target(node.target, None, node)
        elif isinstance(node, (cst.MatchAs, cst.MatchStar)) and node.name is not None:
            self._target(node.name, None, node)
        elif isinstance(node, cst.NameItem):
            self._elsewhere.add(node.name.value)

    def _target(
        self,
        target: cst.CSTNode,
        value: cst.BaseExpression | None,
        node: cst.CSTNode,
        *,
        parameter: bool = False,
    ) -> None:
        if isinstance(target, cst.Name):
            scope = self._scope(node)
            while isinstance(node, cst.NamedExpr) and isinstance(scope, cst.BaseComp):
                scope = self._scope(scope)
            self._add(target, target.value, value, node, scope, parameter=parameter)
        elif isinstance(target, cst.Attribute) and m.matches(target.value, m.Name("self")):
            owner = next((n for n in self._tree.above(node) if isinstance(n, cst.ClassDef)), None)
            if owner is not None:
                self._add(target, f"self.{target.attr.value}", value, node, owner)
        elif isinstance(target, (cst.Tuple, cst.List)):
            parts = value.elements if isinstance(value, (cst.Tuple, cst.List)) else ()
            starred = any(isinstance(e, cst.StarredElement) for e in (*target.elements, *parts))
            paired = len(parts) == len(target.elements) and not starred
            for index, element in enumerate(target.elements):
                self._target(element.value, parts[index].value if paired else None, node)
        elif isinstance(target, cst.StarredElement):
            self._target(target.value, None, node)

    def _add(
        self,
        target: cst.CSTNode,
        name: str,
        value: cst.BaseExpression | None,
        node: cst.CSTNode,
        scope: cst.CSTNode,
        *,
        parameter: bool = False,
    ) -> None:
        self._targets.add(id(target))
        binding = Binding(
            name=name,
            scope=scope,
            node=node,
            value=value,
            parameter=parameter,
            after=self._tree.end(node),
        )
        self._bindings.setdefault((id(scope), name), []).append(binding)

    def _read(self, node: cst.CSTNode) -> str | None:
        """The name of the variable that a node reads, if it reads one."""
        if id(node) in self._targets:
            return None
        if isinstance(node, cst.Attribute):
            own = m.matches(node.value, m.Name("self"))
            return f"self.{node.attr.value}" if own else None
        if not isinstance(node, cst.Name):
            return None
        above = self._tree.parent(node)
        if isinstance(above, cst.Attribute) and above.attr is node:
            return None
        if isinstance(above, (cst.Arg, cst.Param)) and getattr(above, "keyword", None) is node:
            return None
        return None if isinstance(above, (cst.ImportAlias, cst.NameItem)) else node.value
