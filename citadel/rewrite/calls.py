"""The expressions that stand in for a call, by a plan: name, receiver, arguments, construction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst
import libcst.matchers as m

from citadel.plan.frameworks import as_tensorflow
from citadel.plan.model import Adaptation, Expression, Form, Slot, Take
from citadel.plan.state import MODE
from citadel.rewrite import imports
from citadel.rewrite.given import Given, without_steps
from citadel.rewrite.layout import laid_out, shortened
from citadel.rewrite.naming import renamed_string
from citadel.rewrite.pieces import replaced_in
from citadel.rewrite.source import ARGUMENTS, CONSTRUCTION, Source
from citadel.rewrite.state import (
    WIDE,
    assigned_each,
    enclosed,
    line_of,
    lines_of,
    loaded,
    moded,
    variable,
)
from citadel.rewrite.steps import ATOMS, apply_steps, code_of
from citadel.rewrite.texts import Texts

Nodes = dict[cst.CSTNode, cst.CSTNode]
_OVER_LINES = "\n"


@dataclass(slots=True)
class Maker:
    """Makes the expressions of one plan. `changed` are the keys that need no steps any more;
    `nodes` collects what else of the text changes (imports)."""

    source: Source
    plan: Adaptation
    changed: frozenset[str] = frozenset()
    nodes: Nodes = field(default_factory=dict)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The arguments of the sibling's call."""
        return without_steps(self.plan.call, self.changed)

    @property
    def new(self) -> tuple[Slot, ...]:
        """The arguments of its construction."""
        return without_steps(self.plan.new, self.changed)

    @property
    def receiver(self) -> Slot | None:
        """What its method is called on."""
        if self.plan.receiver is None:
            return None
        slot = Slot(name="self", keyword=False, value=self.plan.receiver)
        return without_steps((slot,), self.changed)[0]

    def whole(self) -> cst.BaseExpression | None:
        """The expression that stands in for the failing call."""
        made = self._whole()
        if made is not None and self.plan.effect:
            return self._beside(made)
        return None if made is None else self.after(made)

    def _beside(self, made: cst.BaseExpression) -> cst.BaseExpression | None:
        """What a call works on, where its result would stand; the call stands in front."""
        source = self.source
        main = next((s.value for s in self.slots if isinstance(s.value, Take)), None)
        seen = None if main is None else source.values.get(main.key)
        if main is None or main.steps or seen is None or not seen.is_tensor:
            return None
        line, value = line_of(source), source.called.reached(main.key)
        if line is None or value is None:
            return None
        lines = [code_of(made)]
        if not isinstance(value, cst.Name):
            name = next((n for n in ("checked", "checked_value") if not source.scopes.bound(n)), "")
            if not name:
                return None
            text = code_of(value)
            lines = [
                f"{name} = {enclosed(value) if _OVER_LINES in text else text}",
                code_of(replaced_in(made, {value: cst.Name(name)})),
            ]
            value = cst.Name(name)
        front = lines_of(lines)
        if front is None:
            return None
        self.nodes[line] = front
        return value

    def after(self, made: cst.BaseExpression) -> cst.BaseExpression | None:
        """A call with what its result goes through."""
        if not self.plan.after or self.source.writes:
            return made
        result, place = self.source.result, cst.Name("result")
        around = apply_steps(place, self.plan.after, result, self.plan.target)
        # The call stays what it is: its arguments are nodes of the report.
        named = m.findall(around, m.Name("result")) if around is not None else ()
        return replaced_in(around, dict.fromkeys(named, made)) if around is not None else None

    def _whole(self) -> cst.BaseExpression | None:
        source = self.source
        if self.plan.form is Form.CONSTRUCTOR:
            function = self.name(source.call)
            return self._made(function, self.new, source.called, source.call)
        if self.plan.form is Form.MODULE:
            made = self._moved(self.name(source.call))
            made = self._stateful(made) if made is not None and self.plan.state else made
            return None if made is None else self._called(made)
        if self.plan.form is Form.METHOD:
            method = self._method()
            return None if method is None else self._called(method)
        return self._called(self.name(source.call))

    def named(self) -> cst.BaseExpression | None:
        """What the place that names the function has to name, where the call can stay as it is."""
        source, plan, naming = self.source, self.plan, self.source.naming
        if naming is None:
            return None
        owner, _, name = plan.target.rpartition(".")
        method = plan.form is Form.METHOD and self._is(self.receiver, "recv")
        if naming.owner is not None:
            fits = method if source.form == "method" else naming.owner == owner
            return renamed_string(naming.node, name) if fits else None
        if naming.bound is not None:
            method = method and source.form == "method"
            return self._attribute(naming.bound) if method else None
        if source.form == "method":
            return None
        if plan.form is Form.METHOD:
            return self.name(naming.node) if self._is(self.receiver, "arg:0") else None
        if plan.form is Form.MODULE and not source.layer:
            return cst.Call(self.name(naming.node)) if not plan.new else None
        if source.layer and plan.form is not Form.MODULE:
            return None
        return self.name(naming.node)

    def kept(self, given: Given, node: cst.CSTNode, slots: Sequence[Slot]) -> Nodes | None:
        """Changes that make a call give `slots` to a function that is named elsewhere."""
        if self.source.form == "inner" and given is self.source.called:
            return {} if self._of_model().same(slots) else None
        if given.same(slots):
            return {}
        if not isinstance(node, cst.Call) or not given.args:
            return None
        args = given.written(slots, self._text, bound=True)
        if args is None:
            return None
        first = next(iter(given.args.values()), None)
        before = node.args[: node.args.index(first)] if first in node.args else ()
        before = [arg for arg in before if all(arg is not star for star, _ in given.stars)]
        return {node: laid_out(node.func, [*before, *args], node)}

    def _of_model(self) -> Given:
        """What a model gives to one of its layers, whatever stands in the model's own call."""
        keys = tuple(key for key in self.source.values if key.startswith(("arg:", "kw:")))
        return Given(args={}, parts={}, bound=keys)

    def arguments(self) -> tuple[Slot, ...]:
        """The slots of the call, the receiver of an unbound method the first of them."""
        receiver = self.receiver
        if receiver is None or self._is(receiver, "recv"):
            return self.slots
        return (receiver, *self.slots)

    def built(self, function: cst.BaseExpression | None = None) -> cst.BaseExpression | None:
        """The construction of the layer, or of a class of its own, in the place of the report's."""
        source = self.source
        if not isinstance(source.built, cst.Call):
            return None
        function = self.name(source.built) if function is None else function
        return self._made(function, self.new, source.constructed, source.built)

    def handed_on(self, function: cst.BaseExpression, given: Given) -> cst.BaseExpression | None:
        """What a layer makes of what it is given, by a function of its base class."""
        args = given.written(self.slots, lambda slot: self._text(slot, given), bound=False)
        if args is None:
            return None
        plain = [arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in args]
        return self.after(laid_out(function, plain, None))

    def function(self) -> cst.BaseExpression | None:
        """A lambda that takes what the function was given, and calls the sibling with it.

        Of a layer, what its class was given.
        """
        source, naming = self.source, self.source.naming
        given = source.constructed if source.layer else source.called
        prefixes = CONSTRUCTION if source.layer or source.constructing else ARGUMENTS
        keys = [key for key in source.values if key.startswith(tuple(f"{p}:" for p in prefixes))]
        if naming is None or naming.owner is not None or naming.bound is not None:
            return None
        if sorted(keys) != sorted(given.keys):
            return None
        names = dict(zip(keys, parameters([source.names[key] for key in keys]), strict=True))
        words = {key: key.partition(":")[2] for key in keys}
        names |= {key: word for key, word in words.items() if not word.isdigit()}
        inner = Given(args={key: cst.Arg(cst.Name(name)) for key, name in names.items()}, parts={})
        maker = Maker(source, self.plan, self.changed, self.nodes)
        body = maker.construction(inner) if source.layer else maker.applied(inner, naming.node)
        if body is None:
            return None
        taken = defaulted(source, keys, [names[key] for key in keys])
        return cst.parse_expression(f"lambda {', '.join(taken)}: {code_of(body)}")

    def construction(self, given: Given) -> cst.BaseExpression | None:
        """The construction of a layer from other expressions than those of the report's own."""
        naming = self.source.naming
        if naming is None or self.plan.form is not Form.MODULE:
            return None
        args = given.written(self.new, lambda slot: self._text(slot, given), bound=False)
        if args is None:
            return None
        plain = [arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in args]
        return laid_out(self.name(naming.node), plain, None)

    def applied(self, given: Given, at: cst.CSTNode) -> cst.BaseExpression | None:
        """The sibling's call on other expressions than those at the failing call."""

        def text(slot: Slot) -> cst.BaseExpression | None:
            return self._text(slot, given)

        function: cst.BaseExpression | None = self.name(at)
        if self.plan.form is Form.METHOD and self.receiver is not None:
            receiver = text(self.receiver)
            function = None if receiver is None else self._attribute(receiver)
        elif self.plan.form is Form.MODULE:
            new = given.written(self.new, text, bound=False)
            function = None if new is None or function is None else cst.Call(function, args=new)
            state = {slot.name: text(slot) for slot in self.plan.state}
            mode = state.pop(MODE, None)
            function = None if state or function is None else moded(function, mode)
        return None if function is None else self.handed_on(function, given)

    def name(self, at: cst.CSTNode) -> cst.BaseExpression:
        """How the sibling is named at a place in the text."""
        source, api = self.source, self.plan.target
        made = source.built if source.layer else source.call
        if api == source.api and isinstance(made, cst.Call) and source.naming is None:
            return made.func
        text = imports.spelled(api, source.local(at))[0]
        written = at.func if isinstance(at, cst.Call) else at
        if "." in text and isinstance(written, cst.Name):
            read = source.scopes.count(written.value)
            found = imported_name(source, written.value, api, read)
            if found is not None:
                self.nodes[found.statement] = found.changed
                return found.name
        return cst.parse_expression(text)

    def _called(self, function: cst.BaseExpression) -> cst.BaseExpression | None:
        return self._made(function, self.slots, self.source.called, self.source.call)

    def _made(
        self,
        function: cst.BaseExpression,
        slots: Sequence[Slot],
        given: Given,
        base: cst.CSTNode | None,
    ) -> cst.BaseExpression | None:
        """A call with the given arguments, in the layout of `base`, the call that it replaces."""
        if isinstance(base, cst.Call) and not given.bound and given.same(slots):
            written = len(given.args) + len(given.stars)
            if written == len(base.args):  # `operator.add(x, y)` has one that `x.add(y)` has not
                return base.with_changes(func=function)
        args = given.written(slots, self._text, bound=False)
        return None if args is None else laid_out(function, args, base)

    def _moved(self, function: cst.BaseExpression) -> cst.BaseExpression | None:
        """The construction of a layer where it is called."""
        args = self.source.constructed.written(self.new, self._text, bound=False)
        return None if args is None else laid_out(function, args, None)

    def _stateful(self, made: cst.BaseExpression) -> cst.BaseExpression | None:
        """A layer in its mode; the name of one that lines in front of the call make, and give its
        parameters."""
        source = self.source
        slots = without_steps(self.plan.state, self.changed)
        state = {slot.name: node for slot in slots if (node := self._text(slot)) is not None}
        if len(state) < len(slots):
            return None
        made = moded(made, state.pop(MODE, None))
        if not state:
            return made
        line, name = line_of(source), variable(source, self.plan.target)
        if line is None or name is None:
            return None
        assigned = f"{name} = {code_of(made)}"
        if len(assigned) > WIDE:
            assigned = f"{name} = {code_of(shortened(made))}"
        if as_tensorflow(self.plan.target):
            main = self._text(self.slots[0])
            filled = None if main is None else assigned_each(name, main, state)
        else:
            filled = loaded(name, state, source.quote)
        if filled is None:
            return None
        front = lines_of([assigned, *filled])
        if front is None:
            return None
        self.nodes[line] = front
        return cst.Name(name)

    def _method(self) -> cst.BaseExpression | None:
        slot = self.receiver
        receiver = None if slot is None else self._text(slot)
        if receiver is None:
            return None
        function = self.source.call.func if isinstance(self.source.call, cst.Call) else None
        if isinstance(function, cst.Attribute) and receiver is function.value:
            name = cst.Name(self.plan.target.rsplit(".", 1)[1])
            return function.with_changes(attr=name)
        return self._attribute(receiver)

    def _attribute(self, receiver: cst.BaseExpression) -> cst.BaseExpression:
        name = cst.Name(self.plan.target.rsplit(".", 1)[1])
        # A line break is harmless between the parentheses of a call, not in front of a dot.
        exposed = not isinstance(receiver, ATOMS) or "\n" in code_of(receiver)
        if exposed and not receiver.lpar:
            receiver = receiver.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return cst.Attribute(value=receiver, attr=name)

    def _is(self, slot: Slot | None, key: str) -> bool:
        value = None if slot is None else slot.value
        return isinstance(value, Take) and value.key == key and not value.steps

    def text(self, value: Expression) -> cst.BaseExpression | None:
        """A value of the report's call, changed as the plan has it."""
        return Texts(self.source, self.plan.target).of(value, None)

    def _text(self, slot: Slot, given: Given | None = None) -> cst.BaseExpression | None:
        return Texts(self.source, self.plan.target).of(slot.value, given)


def imported_name(source: Source, name: str, api: str, read: int) -> imports.Imported | None:
    """A changed `from ... import`, where the name that it brings is free."""
    found = imports.imported(source.tree.module, name, api, read=read)
    if found is None:
        return None
    new = code_of(found.name)
    return None if new != name and source.scopes.bound(new) else found


def parameters(names: Sequence[str]) -> Iterator[str]:
    """Names for a lambda's parameters: those of the function, the first tensor being `x`."""
    for index, name in enumerate(names):
        plain = name.isidentifier() and name not in ("self", "input", *names[:index])
        yield name if plain else "x" if index == 0 else f"x{index}"


def defaulted(source: Source, keys: Sequence[str], names: Iterable[str]) -> list[str]:
    """Parameters of a lambda with the API's defaults, the last ones that have some."""
    ending = len(keys)
    while ending and keys[ending - 1] in source.defaults:
        ending -= 1
    known = [f"={source.defaults[key]}" if n >= ending else "" for n, key in enumerate(keys)]
    return [name + default for name, default in zip(names, known, strict=True)]
