"""Where the text names the function that a call calls, if that is not the call itself.

`for f in [torch.ceil, torch.floor]: f(x)`, `map(torch.floor, xs)`, `getattr(torch, "floor")(x)`,
`class Pool(nn.MaxPool2d)`: there the name can be changed and the call left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import libcst as cst
import libcst.helpers as h
import libcst.matchers as m

from citadel.rewrite.scope import Scopes
from citadel.rewrite.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """An expression that names the function; `owner`, where it is a string, is what has the name.

    `owner` is "" where the string names a method of whatever object there is.
    """

    node: cst.BaseExpression
    owner: str | None = None
    label: cst.SimpleString | None = None
    """The key of a dictionary that repeats the name, if nothing else reads it."""
    bound: cst.BaseExpression | None = None
    """The object, where `node` is a method of it that is called later: `f = x.floor`."""


class Namer:
    """Finds where a module names an API."""

    def __init__(
        self, tree: Tree, scopes: Scopes, names: frozenset[str], local: Mapping[str, str]
    ) -> None:
        self._tree = tree
        self._scopes = scopes
        self._names = names
        self._local = local
        self._leaves = frozenset(name.rpartition(".")[2] for name in names)

    def spells(self, node: cst.CSTNode) -> bool:
        """Whether an expression is one of the API's names."""
        found = self.dotted(node)
        if found is None:
            return False
        # An operator of `torch.ops` may be called by its overload.
        return found in self._names or found.rpartition(".")[0] in self._names

    def dotted(self, node: cst.CSTNode) -> str | None:
        """The full name that an expression spells by the module's imports."""
        if not isinstance(node, (cst.Name, cst.Attribute)):
            return None
        text = h.get_full_name_for_node(node)
        if text is None:
            return None
        first, dot, rest = text.partition(".")
        return self._local[first] + dot + rest if first in self._local else None

    def naming(self, call: cst.Call, *, handed: bool) -> Naming | None:
        """Where the function that a call calls is named; None where it is there or not known."""
        if handed:
            inside = [n for n in self._expressions() if self._tree.inside(n, call)]
            inside = [n for n in inside if n is not call.func]
            return Naming(node=inside[0]) if len(inside) == 1 else self._outside(call)
        if isinstance(call.func, cst.Call):
            return self._by_string(call.func) or self._given_to(call.func)
        binding = self._scopes.binding(call.func)
        value = None if binding is None or binding.parameter else binding.value
        if value is not None and self.spells(value):
            return Naming(node=value)
        if isinstance(value, cst.Attribute) and value.attr.value in self._leaves:
            own = self.dotted(value) is None
            return Naming(node=value, bound=value.value) if own else None
        if self.spells(call.func):
            return None
        by_string = self._by_string(value) if isinstance(value, cst.Call) else None
        return by_string or self._outside(call)

    def _given_to(self, maker: cst.Call) -> Naming | None:
        """`tf.function(tf.floor)(x)` calls what another function made of the one that it names."""
        given = [arg.value for arg in maker.args if self.spells(arg.value)]
        return Naming(node=given[0]) if len(given) == 1 else None

    def _outside(self, call: cst.Call) -> Naming | None:
        """The only place that names the API without calling it."""
        found = [n for n in self._expressions() if n is not call.func]
        near = found if len(found) < 2 else [n for n in found if self._flows(n, call)]
        if len(near) > 1:
            # `f = tf.function(tf.abs) if graph else tf.abs`: `f` is the function itself in one arm.
            arms = [n for n in near if isinstance(self._tree.parent(n), cst.IfExp)]
            near = arms or near
        return Naming(node=near[0], label=self._label(near[0])) if len(near) == 1 else None

    def _label(self, node: cst.BaseExpression) -> cst.SimpleString | None:
        """`{"floor": torch.floor}`: the key, where the text mentions it but here."""
        element = self._tree.parent(node)
        key = element.key if isinstance(element, cst.DictElement) else None
        if not isinstance(key, cst.SimpleString) or key.evaluated_value not in self._leaves:
            return None
        same = [
            one
            for one in self._tree.nodes
            if isinstance(one, cst.SimpleString) and one.evaluated_value == key.evaluated_value
        ]
        return key if len(same) == 1 else None

    def _flows(self, node: cst.CSTNode, call: cst.Call) -> bool:
        """Whether a name stands where the variable that is called has its values from."""
        function = call.func.value if isinstance(call.func, cst.Subscript) else call.func
        loop = next(
            (one for one in self._tree.above(call) if isinstance(one, (cst.For, cst.BaseComp))),
            None,
        )
        sources: list[cst.CSTNode] = []
        binding = self._scopes.binding(function)
        if binding is not None and binding.value is not None:
            sources.append(binding.value)
        if binding is None and loop is not None:
            items = loop.iter if isinstance(loop, cst.For) else loop.for_in.iter
            sources.append(items)
            base = next(iter(m.findall(items, m.Name())), None)
            listed = self._scopes.binding(base) if base is not None else None
            if listed is not None and listed.value is not None:
                sources.append(listed.value)
        return any(self._tree.inside(node, source) for source in sources)

    def _expressions(self) -> Iterator[cst.BaseExpression]:
        """All that names the API and does not call it."""
        for node in self._tree.nodes:
            if isinstance(node, (cst.Name, cst.Attribute)) and self.spells(node):
                above = self._tree.parent(node)
                called = isinstance(above, cst.Call) and above.func is node
                part = isinstance(above, (cst.Attribute, cst.ImportAlias, cst.ImportFrom))
                target = isinstance(above, (cst.AssignTarget, cst.AsName, cst.NameItem))
                compared = isinstance(above, (cst.Comparison, cst.ComparisonTarget))
                if not called and not part and not target and not compared:
                    yield node

    def _by_string(self, call: cst.Call) -> Naming | None:
        """The string in `getattr(torch, "floor")`, or the one that its variable stands for."""
        if not m.matches(call.func, m.Name("getattr")) or len(call.args) < 2:
            return None
        owner, name = call.args[0].value, call.args[1].value
        found = self.dotted(owner) or ""
        if isinstance(name, cst.SimpleString):
            return Naming(node=name, owner=found)
        strings = [
            node
            for node in self._tree.nodes
            if isinstance(node, cst.SimpleString)
            and node.evaluated_value in self._leaves
            and not isinstance(self._tree.parent(node), (cst.Comparison, cst.ComparisonTarget))
        ]
        return Naming(node=strings[0], owner=found) if len(strings) == 1 else None


def renamed_string(node: cst.BaseExpression, name: str) -> cst.BaseExpression:
    """A string literal with another text, its quotes kept."""
    assert isinstance(node, cst.SimpleString)  # noqa: S101 - `_by_string` finds nothing else
    return node.with_changes(value=f"{node.prefix}{node.quote}{name}{node.quote}")
