"""Apply plans in text space: the report's code with its failing call made through a sibling.

The report is parsed once; each plan then replaces the failing call's node (and, for layers, the
node that constructs the layer). Everything else of the text stays byte for byte. One plan may be
written in several ways; they come in the order in which a maintainer would want them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from analysis.target.instrument import Instrumented
from analysis.target.operators import NAMESPACE, Site, operation
from analysis.values import Value
from citadel.identify import LAYER_FORMS
from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation, Expression, Fill, Form, Gather, Slot, Take
from citadel.rewrite import imports
from citadel.rewrite.layout import laid_out
from citadel.rewrite.pieces import Pieces
from citadel.rewrite.scope import only_binding, unused_line
from citadel.rewrite.shapes import with_shape
from citadel.rewrite.sites import moved_sites
from citadel.rewrite.steps import ATOMS, apply_steps, code_of

Nodes = dict[cst.CSTNode, cst.BaseExpression]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """One way to write a plan down."""

    code: str
    edits: tuple[str, ...]
    sites: dict[int, int]
    """Site in the report -> site in this text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How a plan is written: variables reshaped where they are made, a layer replaced in place."""

    reshaped: frozenset[str] = frozenset()
    in_place: bool = False


class Rewriter:
    """Rewrites one case for any number of siblings."""

    def __init__(self, source: Instrumented, invocation: Invocation) -> None:
        self._instrumented = source
        self._module = source.module
        self._pieces = Pieces(source.module)
        self._source = invocation.api.name
        self._call = source.nodes[invocation.call.site]
        built = invocation.constructor
        self._built = source.nodes[built.site] if built is not None else None
        self._layer = invocation.call.form in LAYER_FORMS
        self._inner = invocation.call.form == "inner"
        self._aliases = imports.aliases(source.module)
        self._values: Mapping[str, Value] = {
            value.key: value.value for value in (*invocation.values, *invocation.attributes)
        }
        self._receiver, self._arguments = _parts(self._call, invocation.call.form)
        if isinstance(self._built, cst.Call):
            self._arguments |= _arguments(self._built, "new", "newkw")

    def write(self, plan: Adaptation) -> Iterator[Rewritten]:
        """The plan in text, in one or more ways; none where text cannot say it."""
        written: set[str] = set()
        for nodes, edits in self._ways(plan):
            way = self._replaced(nodes, plan, edits)
            if way.code not in written:
                written.add(way.code)
                yield way

    def _ways(self, plan: Adaptation) -> Iterator[tuple[Nodes, tuple[str, ...]]]:
        if self._layer and plan.form is Form.MODULE and self._same(plan.call, "arg", "kw"):
            construction = self._construction(plan, _Way(in_place=True))
            if construction is not None and self._built is not None:
                yield {self._built: construction}, ()
        plain = None if self._inner else self._whole(plan, _Way())
        if plain is None:
            return
        made = {key: (node, changed) for key, node, changed in self._reshapable(plan)}
        whole = self._whole(plan, _Way(reshaped=frozenset(made))) if made else None
        if whole is not None:
            nodes: Nodes = dict(made.values())
            nodes[self._call] = whole
            yield nodes, ("changed the shape where it is written",)
        yield {self._call: plain}, ()

    def _replaced(self, nodes: Nodes, plan: Adaptation, edits: tuple[str, ...]) -> Rewritten:
        line = None
        if self._layer and self._built not in nodes:
            line = unused_line(self._module, self._built, nodes)
        code = self._pieces.replaced(nodes, line)
        framework = plan.target.split(".", 1)[0]
        # What the report's own call names is in reach there, however it was imported.
        known = framework in self._aliases or _names(nodes, framework)
        if not known and _names(nodes.values(), framework):
            code = imports.with_import(cst.parse_module(code), framework).code
        sites = moved_sites(self._instrumented, nodes, line)
        return Rewritten(code=code, edits=plan.edits + edits, sites=sites)

    def _same(self, slots: tuple[Slot, ...], positional: str, keyword: str) -> bool:
        """Whether a call is given just what the report gives it, in the same order."""
        given = [key for key in self._values if key.startswith((f"{positional}:", f"{keyword}:"))]
        kept = [
            slot.value.key
            for slot in slots
            if isinstance(slot.value, Take) and not slot.value.steps
            if slot.value.key == f"{keyword}:{slot.name}"
            or (slot.value.key.startswith(f"{positional}:") and not slot.keyword)
        ]
        return kept == given and len(slots) == len(given)

    def _whole(self, plan: Adaptation, way: _Way) -> cst.BaseExpression | None:
        """The expression that stands in for the failing call."""
        if plan.form is Form.CONSTRUCTOR:
            return self._construction(plan, _Way(in_place=True))
        if plan.form is Form.MODULE:
            function = self._construction(plan, way)
        elif plan.form is Form.METHOD:
            function = self._method(plan, way)
        else:
            function = self._name(plan.target)
        if function is None:
            return None
        same = self._same(plan.call, "arg", "kw")
        return self._called(function, plan.call, way, self._call, same=same)

    def _construction(self, plan: Adaptation, way: _Way) -> cst.BaseExpression | None:
        same = way.in_place and self._same(plan.new, "new", "newkw")
        base = self._built if way.in_place else None
        return self._called(self._name(plan.target), plan.new, way, base, same=same)

    def _method(self, plan: Adaptation, way: _Way) -> cst.BaseExpression | None:
        receiver = None if plan.receiver is None else self._text(plan.receiver, way)
        if receiver is None:
            return None
        name = cst.Name(plan.target.rsplit(".", 1)[1])
        function = self._call.func if isinstance(self._call, cst.Call) else None
        if isinstance(function, cst.Attribute) and receiver is self._receiver:
            return function if plan.target == self._source else function.with_changes(attr=name)
        # A line break is harmless between the parentheses of a call, not in front of a dot.
        exposed = not isinstance(receiver, ATOMS) or "\n" in code_of(receiver)
        if exposed and not receiver.lpar:
            receiver = receiver.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        return cst.Attribute(value=receiver, attr=name)

    def _name(self, api: str) -> cst.BaseExpression:
        made = self._built if self._layer else self._call
        if api == self._source and isinstance(made, cst.Call):
            return made.func
        return cst.parse_expression(imports.spelled(api, self._aliases)[0])

    def _called(
        self,
        function: cst.BaseExpression,
        slots: tuple[Slot, ...],
        way: _Way,
        base: Site | None,
        *,
        same: bool,
    ) -> cst.BaseExpression | None:
        """A call with the given arguments, in the layout of `base`, the call that it replaces."""
        if same and isinstance(base, cst.Call):
            return base.with_changes(func=function)
        args: list[cst.Arg] = []
        for slot in slots:
            value = self._text(slot.value, way)
            if value is None:
                return None
            args.append(self._argument(slot, value))
        return laid_out(function, args, base)

    def _argument(self, slot: Slot, value: cst.BaseExpression) -> cst.Arg:
        """The argument, in the report's own layout where it was one of its arguments."""
        original = None
        if isinstance(slot.value, Take):
            original = self._arguments.get(slot.value.key)
        base = original if original is not None else cst.Arg(value)
        if not slot.keyword:
            return base.with_changes(
                value=value,
                keyword=None,
                equal=cst.MaybeSentinel.DEFAULT,
                star="*" if slot.star else "",
            )
        space = cst.SimpleWhitespace("")
        equal = cst.AssignEqual(whitespace_before=space, whitespace_after=space)
        return base.with_changes(
            value=value,
            keyword=cst.Name(slot.name),
            equal=base.equal if isinstance(base.equal, cst.AssignEqual) else equal,
            star="",
        )

    def _text(self, expression: Expression, way: _Way) -> cst.BaseExpression | None:
        if isinstance(expression, Fill):
            return imports.respelled(cst.parse_expression(expression.text), self._aliases)
        if isinstance(expression, Gather):
            items = [self._text(item, way) for item in expression.items]
            elements = [cst.Element(item) for item in items if item is not None]
            return cst.List(elements) if len(elements) == len(items) else None
        node = self._node(expression.key, in_place=way.in_place)
        if node is None:
            return None
        steps = () if expression.key in way.reshaped else expression.steps
        return apply_steps(node, steps, self._values.get(expression.key))

    def _node(self, key: str, *, in_place: bool = False) -> cst.BaseExpression | None:
        """The text behind a key: an argument, the receiver, a layer's parameter, or a literal."""
        if key.startswith("attr:") and isinstance(self._call, cst.Call):
            return cst.Attribute(value=self._call.func, attr=cst.Name(key.partition(":")[2]))
        if key == "recv":
            return self._receiver
        moved = key.startswith("new") and self._layer and not in_place
        arg = self._arguments.get(key)
        if arg is not None and not (moved and not _constant(arg.value)):
            return arg.value
        recorded = self._values.get(key)
        text = recorded.literal() if recorded is not None else None
        if text is not None:
            return cst.parse_expression(text)
        return arg.value if arg is not None else None

    def _reshapable(
        self, plan: Adaptation
    ) -> Iterator[tuple[str, cst.BaseExpression, cst.BaseExpression]]:
        """Variables whose literal shape can be edited: (key, creating expression, edited one)."""
        for expression in (plan.receiver, *(slot.value for slot in plan.call)):
            if not isinstance(expression, Take) or not expression.steps:
                continue
            node, value = self._node(expression.key), self._values.get(expression.key)
            if not isinstance(node, cst.Name) or value is None:
                continue
            definition = only_binding(self._module, node.value)
            changed = (
                None if definition is None else with_shape(definition, value, expression.steps)
            )
            if definition is not None and changed is not None:
                yield expression.key, definition, changed


def _parts(node: Site, form: str) -> tuple[cst.BaseExpression | None, dict[str, cst.Arg]]:
    """The receiver of a call or operation, and its arguments by key."""
    if isinstance(node, cst.Call):
        receiver = node.func.value if isinstance(node.func, cst.Attribute) else None
        return receiver, _arguments(node, "arg", "kw")
    found = operation(node)
    if found is None:
        return None, {}
    operands = found.operands if form == "operator" else found.operands[::-1]
    rest = {f"arg:{i}": cst.Arg(operand) for i, operand in enumerate(operands[1:])}
    return operands[0], {key: arg for key, arg in rest.items() if NAMESPACE not in code_of(arg)}


def _arguments(call: cst.Call, positional: str, keyword: str) -> dict[str, cst.Arg]:
    """Key -> argument node; what stands behind a `*` or `**` has no node of its own."""
    found: dict[str, cst.Arg] = {}
    count = 0
    for arg in call.args:
        if arg.star:
            break
        if arg.keyword is None:
            found[f"{positional}:{count}"] = arg
            count += 1
        else:
            found[f"{keyword}:{arg.keyword.value}"] = arg
    return found


def _constant(node: cst.BaseExpression) -> bool:
    """Whether an expression means the same wherever it stands."""
    try:
        text = code_of(node)
        compile(text, "<argument>", "eval")
    except SyntaxError:
        return False
    return not any(isinstance(child, cst.Name) for child in _walk(node)) or text in (
        "True",
        "False",
        "None",
    )


def _names(nodes: Iterable[cst.CSTNode], name: str) -> bool:
    """Whether a name is read in any of the nodes."""
    return any(m.findall(node, m.Name(name)) for node in nodes)


def _walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _walk(child)
