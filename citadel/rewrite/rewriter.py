"""Apply plans in text space: the report's code with its failing call made through a sibling.

The report is parsed once; each plan then replaces the failing call's node (and, for layers, the
node that constructs the layer). Everything else of the text stays byte for byte. One plan may be
written in several ways; they come in the order in which a maintainer would want them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import libcst as cst

from analysis.target.instrument import Instrumented
from analysis.target.operators import NAMESPACE, operation
from analysis.values import Value
from citadel.identify import LAYER_FORMS
from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation, Expression, Fill, Form, Slot, Take
from citadel.rewrite import imports
from citadel.rewrite.scope import drop_unused, only_binding
from citadel.rewrite.shapes import with_shape
from citadel.rewrite.steps import ATOMS, apply_steps, code_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """One way to write a plan down."""

    code: str
    edits: tuple[str, ...]


class Rewriter:
    """Rewrites one case for any number of siblings."""

    def __init__(self, source: Instrumented, invocation: Invocation) -> None:
        self._module = source.module
        self._call = source.nodes[invocation.call.site]
        built = invocation.constructor
        self._built = source.nodes[built.site] if built is not None else None
        self._layer = invocation.call.form in LAYER_FORMS
        self._inner = invocation.call.form == "inner"
        self._given = [v.key for v in invocation.values if v.key.startswith(("arg:", "kw:"))]
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
        for code, edits in self._ways(plan):
            if code not in written:
                written.add(code)
                yield Rewritten(code=code, edits=plan.edits + edits)

    def _ways(self, plan: Adaptation) -> Iterator[tuple[str, tuple[str, ...]]]:
        if self._layer and plan.form is Form.MODULE and self._same_call(plan):
            construction = self._construction(plan)
            if construction is not None and self._built is not None:
                yield self._replaced({self._built: construction}, plan), ()
        plain = None if self._inner else self._whole(plan, {})
        if plain is None:
            return
        for key, definition, changed in self._reshapable(plan):
            whole = self._whole(plan, {key: ()})
            if whole is not None:
                nodes: dict[cst.CSTNode, cst.BaseExpression] = {
                    self._call: whole,
                    definition: changed,
                }
                yield self._replaced(nodes, plan), ("changed the shape where it is written",)
        yield self._replaced({self._call: plain}, plan), ()

    def _replaced(self, nodes: Mapping[cst.CSTNode, cst.BaseExpression], plan: Adaptation) -> str:
        module = self._module.visit(_Replacer(nodes))
        if self._layer and self._built not in nodes:
            module = drop_unused(module, self._module, self._built)
        missing = (
            imports.spelled(plan.target, self._aliases)[1] if plan.form is not Form.METHOD else None
        )
        return (imports.with_import(module, missing) if missing else module).code

    def _same_call(self, plan: Adaptation) -> bool:
        """Whether the layer is called just as before, so that only its construction changes."""
        given = [slot.value for slot in plan.call]
        kept = [value.key for value in given if isinstance(value, Take) and not value.steps]
        return kept == self._given and len(given) == len(self._given)

    def _whole(
        self, plan: Adaptation, replaced_steps: Mapping[str, tuple[()]]
    ) -> cst.BaseExpression | None:
        """The expression that stands in for the failing call."""
        if plan.form is Form.CONSTRUCTOR:
            return self._construction(plan)
        if plan.form is Form.MODULE:
            function = self._construction(plan)
        elif plan.form is Form.METHOD:
            function = self._method(plan, replaced_steps)
        else:
            function = self._name(plan.target)
        return None if function is None else self._called(function, plan.call, replaced_steps)

    def _construction(self, plan: Adaptation) -> cst.BaseExpression | None:
        return self._called(self._name(plan.target), plan.new, {})

    def _method(
        self, plan: Adaptation, replaced_steps: Mapping[str, tuple[()]]
    ) -> cst.BaseExpression | None:
        receiver = None if plan.receiver is None else self._text(plan.receiver, replaced_steps)
        if receiver is None:
            return None
        if not isinstance(receiver, ATOMS) and not receiver.lpar:
            receiver = receiver.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        name = plan.target.rsplit(".", 1)[1]
        return cst.Attribute(value=receiver, attr=cst.Name(name))

    def _name(self, api: str) -> cst.BaseExpression:
        return cst.parse_expression(imports.spelled(api, self._aliases)[0])

    def _called(
        self,
        function: cst.BaseExpression,
        slots: tuple[Slot, ...],
        replaced_steps: Mapping[str, tuple[()]],
    ) -> cst.BaseExpression | None:
        args: list[cst.Arg] = []
        for slot in slots:
            value = self._text(slot.value, replaced_steps)
            if value is None:
                return None
            args.append(self._argument(slot, value))
        for index, arg in enumerate(args):
            last = index == len(args) - 1
            if last or not isinstance(arg.comma, cst.Comma):
                comma = (
                    cst.MaybeSentinel.DEFAULT
                    if last
                    else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
                )
                args[index] = arg.with_changes(comma=comma)
        return cst.Call(func=function, args=args)

    def _argument(self, slot: Slot, value: cst.BaseExpression) -> cst.Arg:
        """The argument, in the report's own layout where it was one of its arguments."""
        original = None
        if isinstance(slot.value, Take):
            original = self._arguments.get(slot.value.key)
        base = original if original is not None else cst.Arg(value)
        if not slot.keyword:
            return base.with_changes(
                value=value, keyword=None, equal=cst.MaybeSentinel.DEFAULT, star=""
            )
        space = cst.SimpleWhitespace("")
        return base.with_changes(
            value=value,
            keyword=cst.Name(slot.name),
            equal=cst.AssignEqual(whitespace_before=space, whitespace_after=space),
            star="",
        )

    def _text(
        self, expression: Expression, replaced_steps: Mapping[str, tuple[()]]
    ) -> cst.BaseExpression | None:
        if isinstance(expression, Fill):
            return cst.parse_expression(expression.text)
        node = self._node(expression.key)
        if node is None:
            return None
        steps = replaced_steps.get(expression.key, expression.steps)
        return apply_steps(node, steps, self._values.get(expression.key))

    def _node(self, key: str) -> cst.BaseExpression | None:
        """The text behind a key: an argument, the receiver, a layer's parameter, or a literal."""
        if key.startswith("attr:") and isinstance(self._call, cst.Call):
            return cst.Attribute(value=self._call.func, attr=cst.Name(key.partition(":")[2]))
        if key == "recv":
            return self._receiver
        moved = key.startswith("new") and self._layer
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


class _Replacer(cst.CSTTransformer):
    """Replaces nodes by identity; inner replacements are part of the outer one already."""

    def __init__(self, nodes: Mapping[cst.CSTNode, cst.BaseExpression]) -> None:
        super().__init__()
        self._nodes = {id(node): new for node, new in nodes.items()}

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        new = self._nodes.get(id(original_node))
        if new is None:
            return super().on_leave(original_node, updated_node)
        return cast(cst.CSTNodeT, new)


def _parts(
    node: cst.BaseExpression, form: str
) -> tuple[cst.BaseExpression | None, dict[str, cst.Arg]]:
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


def _walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _walk(child)
