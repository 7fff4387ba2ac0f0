"""The failing call in the text: its node, its layer's construction, and what is given to them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import libcst as cst
import libcst.matchers as m

from analysis.target.instrument import Instrumented
from analysis.target.operators import NAMESPACE, Site, operation
from analysis.values import Value
from citadel.plan.invocation import Invocation
from citadel.rewrite import imports
from citadel.rewrite.bound import bindings
from citadel.rewrite.given import Given, given
from citadel.rewrite.naming import Namer, Naming
from citadel.rewrite.origins import Origins
from citadel.rewrite.scope import Scopes
from citadel.rewrite.shapes import leaf
from citadel.rewrite.steps import code_of
from citadel.rewrite.tree import Tree
from citadel.traced import LAYER_FORMS, OPERATOR_FORMS

ARGUMENTS = ("arg", "kw")
CONSTRUCTION = ("new", "newkw")


class Source:
    """What all siblings' plans are written from; made once per report."""

    def __init__(self, source: Instrumented, invocation: Invocation) -> None:
        self.instrumented = source
        self.api = invocation.api.name
        self.tree = Tree(source.module)
        self.scopes = Scopes(self.tree)
        self.origins = Origins(self.tree, self.scopes)
        self.form = invocation.call.form
        self.constructing = invocation.constructing
        self.several = invocation.several
        self.layer = self.form in LAYER_FORMS
        self.values: Mapping[str, Value] = {
            value.key: value.value for value in (*invocation.values, *invocation.attributes)
        }
        made = invocation.call.result
        self.result = None if made is None else made.value
        self.names = {value.key: value.name for value in invocation.values}
        known = [p for one in invocation.api.signatures[:1] for p in one.parameters]
        defaults = {p.name: p.default for p in known if p.default is not None}
        self.defaults = {
            one.key: text
            for one in invocation.values
            if (text := defaults.get(one.name)) is not None
        }
        """The API's own defaults: who else calls what takes its place need not give them."""
        self.call = source.nodes[invocation.call.site]
        built = invocation.constructor
        self.built = source.nodes[built.site] if built is not None else None
        self._locals: dict[int, dict[str, str]] = {}
        names = frozenset((self.api, *invocation.api.aliases, invocation.call.name))
        self._namer = Namer(self.tree, self.scopes, names, self.local(self.call))
        self.naming = self._naming()
        """Where the function that is called (or the class that is constructed) is named."""
        self.receiver: cst.BaseExpression | None = None
        self.called = self._given()
        self.constructed = self._constructed()

    @cached_property
    def quote(self) -> str:
        """The mark that the report's own strings stand in: the more frequent one.

        Within an f-string it is the other one than that has: older Pythons take no other.
        """
        outer = (one for one in self.tree.above(self.call) if isinstance(one, cst.FormattedString))
        around = next(outer, None)
        if around is not None:
            return "'" if '"' in around.start else '"'
        strings = [one for one in self.tree.nodes if isinstance(one, cst.SimpleString)]
        marks = [one.quote[0] for one in strings]
        return '"' if marks.count('"') > marks.count("'") else "'"

    @property
    def handed(self) -> bool:
        """Whether the call is made by another function, to which this one was handed over."""
        return self.form == "handed" or (
            self.form == "class"
            and isinstance(self.call, cst.Call)
            and self.naming is not None
            and self.tree.inside(self.naming.node, self.call)
        )

    @property
    def standing(self) -> bool:
        """Whether the call is a line of its own, whose result nothing uses."""
        return isinstance(self.tree.parent(self.call), cst.Expr)

    @property
    def writes(self) -> bool:
        """Whether nothing but what the call writes to (`out=`) is used."""
        return self.standing and "out" in self.names.values()

    def local(self, node: cst.CSTNode) -> dict[str, str]:
        """The imports that are in reach of a node."""
        functions = [n for n in self.tree.above(node) if isinstance(n, cst.FunctionDef)]
        key = id(functions[0]) if functions else 0
        if key not in self._locals:
            bodies = [function.body for function in reversed(functions)]
            self._locals[key] = imports.aliases(self.tree.module, bodies)
        return self._locals[key]

    def layer_node(self) -> cst.BaseExpression | None:
        """The expression of the layer that is called."""
        if not isinstance(self.call, cst.Call):
            return None
        function = self.call.func
        if isinstance(function, cst.Attribute) and function.attr.value == "forward":
            function = function.value
        inherited = m.matches(function, m.Call(func=m.Name("super")))
        return cst.Name("self") if inherited else function

    def alone(self, call: cst.CSTNode) -> bool:
        """Whether nothing but this call reads the variable that holds what is called."""
        if not isinstance(call, cst.Call):
            return False
        binding = self.scopes.binding(call.func)
        return binding is None or len(list(self.scopes.reads(binding))) == 1

    @cached_property
    def shared(self) -> bool:
        """Whether the place of the call calls other functions, too: `for f in (torch.a, torch.b)`,
        `f = torch.a if wide else torch.b`.

        Then nothing but the name can become the sibling's, unless the others change with it.
        """
        node: cst.CSTNode | None = None if self.naming is None else self.naming.node
        while node is not None:
            above = self.tree.parent(node)
            if isinstance(above, (cst.Element, cst.DictElement)):
                return self._among_others(above)
            if isinstance(above, cst.Param):
                return True  # a default, in place of which others may be given
            if isinstance(above, cst.IfExp):
                return True
            call = self.tree.parent(above) if isinstance(above, cst.Arg) else None
            if not isinstance(call, cst.Call):
                return False
            asked = self.scopes.binding(call.func)
            if asked is not None:
                return len(list(self.scopes.reads(asked))) > 1
            node = call  # `torch.compile(torch.a)` stands for `torch.a`
        return False

    def _among_others(self, element: cst.CSTNode) -> bool:
        """Whether a list has more than this element; `[(torch.a, x), ...]` is a list of pairs."""
        held = self.tree.parent(element)
        outer = None if held is None else self.tree.parent(held)
        if isinstance(outer, cst.Element) and isinstance(held, (cst.List, cst.Tuple)):
            return self._among_others(outer)
        displays = (cst.List, cst.Tuple, cst.Set, cst.Dict)
        return isinstance(held, displays) and len(held.elements) > 1

    def _naming(self) -> Naming | None:
        made = self.built if self.layer else self.call
        if not isinstance(made, cst.Call):
            return None
        return self._namer.naming(made, handed=self.form == "handed")

    def _given(self) -> Given:
        keys = [key for key in self.values if key.startswith(("arg:", "kw:"))]
        if self.constructing:
            keys = [key for key in self.values if key.startswith(("new:", "newkw:"))]
        node = self.call
        if self.form in OPERATOR_FORMS:
            return self._operands(node)
        if not isinstance(node, cst.Call):
            return Given(args={}, parts={})
        if self.constructing:
            return self._of_call(node, keys, CONSTRUCTION)
        if isinstance(node.func, cst.Attribute) and self.form != "class":
            self.receiver = node.func.value
        if self.form == "method" and self.naming is not None:
            self.receiver = self._bound(node, self.naming)
        return self._of_call(node, keys, ARGUMENTS)

    def _bound(self, call: cst.Call, naming: Naming) -> cst.BaseExpression | None:
        """The object in `getattr(x, "floor")()` and `f = x.floor; f()`, if the call can say it."""
        if isinstance(call.func, cst.Call):
            return call.func.args[0].value
        if naming.bound is None:
            return self.receiver
        binding = self.scopes.binding(naming.bound)
        within = binding is not None and self.tree.inside(call, binding.scope)
        once = bindings(self.tree.module)[code_of(naming.bound)] == 1
        return naming.bound if within and once else None

    def _constructed(self) -> Given:
        if self.constructing:
            return self.called
        if not isinstance(self.built, cst.Call):
            return Given(args={}, parts={})
        keys = [key for key in self.values if key.startswith(("new:", "newkw:"))]
        return self._of_call(self.built, keys, CONSTRUCTION)

    def _of_call(self, node: cst.Call, keys: list[str], prefixes: tuple[str, str]) -> Given:
        skip = 0
        if self.handed and node is self.call:
            passed = self._passed(node, keys, prefixes)
            if passed is None:
                return Given(args={}, parts={}, bound=tuple(keys))
            skip = passed
        return given(node, keys, prefixes, self.scopes, skip)

    def _passed(self, node: cst.Call, keys: list[str], prefixes: tuple[str, str]) -> int | None:
        """How many arguments come before those passed on, as in `submit(f, x)`; None: none are."""
        names = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
        naming = self.naming.node if self.naming is not None else None
        place = next((i for i, name in enumerate(names) if name is naming), None)
        if place is None or leaf(node.func) in LAZY:
            return None
        behind = node.args[place + 1 :]
        if any(arg.star for arg in behind):
            return None
        plain = sum(arg.keyword is None for arg in behind)
        words = {f"{prefixes[1]}:{arg.keyword.value}" for arg in behind if arg.keyword is not None}
        mine = sum(key.startswith(f"{prefixes[0]}:") for key in keys)
        named = {key for key in keys if key.startswith(f"{prefixes[1]}:")}
        return place + 1 if plain == mine and words == named else None

    def _operands(self, node: Site) -> Given:
        operands = _operands(node)
        if not operands:
            return Given(args={}, parts={})
        operands = operands if self.form == "operator" else operands[::-1]
        self.receiver = operands[0]
        rest = {f"arg:{i}": cst.Arg(operand) for i, operand in enumerate(operands[1:])}
        args = {key: arg for key, arg in rest.items() if NAMESPACE not in code_of(arg)}
        return Given(args=args, parts={})


def _operands(node: Site) -> tuple[cst.BaseExpression, ...]:
    """What an operator is applied to, also by its function: `operator.add(x, y)`."""
    if isinstance(node, cst.Call):
        plain = all(arg.keyword is None and not arg.star for arg in node.args)
        return tuple(arg.value for arg in node.args) if plain else ()
    found = operation(node)
    return () if found is None else found.operands


LAZY = frozenset(("map", "filter", "starmap", "reduce", "sorted", "min", "max"))
"""Functions whose further arguments are sequences of what the handed function gets."""
