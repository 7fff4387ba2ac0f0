"""The steps of a plan in source text: what `analysis/inside/probe.py` does to live values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from analysis.values import Value
from citadel.plan.model import Step

ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)

EXAMPLES: tuple[tuple[str, tuple[Step, ...], str], ...] = (
    ("x", (Step(name="lift", amount=2),), "x.unsqueeze(-1).unsqueeze(-1)"),
    ("a + b", (Step(name="lift", amount=1),), "(a + b).unsqueeze(-1)"),
    ("x", (Step(name="lower", amount=1),), "x[..., 0]"),
    ("x", (Step(name="lower", amount=2),), "x[..., 0, 0]"),
    ("offsets", (Step(name="narrow", amount=2),), "offsets[..., :2]"),
    ("(2, 2, 1)", (Step(name="resize", amount=2),), "(2, 2)"),
    ("[huge]", (Step(name="resize", amount=2),), "[huge, huge]"),
    ("x", (Step(name="list"),), "[x]"),
    ("x", (Step(name="lead", amount=1),), "x.unsqueeze(0)"),
    ("x.t()", (Step(name="lift", amount=1),), "x.t().unsqueeze(-1)"),
    ("-x", (Step(name="lower", amount=1),), "(-x)[..., 0]"),
    ("lambda: x", (Step(name="lift", amount=1),), "(lambda: x).unsqueeze(-1)"),
    ("(a + b)", (Step(name="lift", amount=1),), "(a + b).unsqueeze(-1)"),
    ("x", (Step(name="lift", amount=1), Step(name="list")), "[x.unsqueeze(-1)]"),
    ("[3]", (Step(name="resize", amount=3),), "[3, 3, 3]"),
    ("(3, 4)", (Step(name="resize", amount=1),), "(3,)"),
    ("(k,) * 2", (Step(name="resize", amount=3),), "(k,) * 3"),
    ("2 * [0]", (Step(name="resize", amount=1),), "1 * [0]"),
)
"""(expression, steps, result)."""

_PAIR = Value(kind="tuple", items=(Value(kind="int", text="3"), Value(kind="int", text="4")))
WITH_VALUES: tuple[tuple[str, Value, Step, str | None], ...] = (
    ("size", _PAIR, Step(name="resize", amount=3), "(3, 4, 4)"),
    ("size", _PAIR, Step(name="resize", amount=1), "(3,)"),
    ("size", replace(_PAIR, kind="list"), Step(name="resize", amount=1), "[3]"),
    ("size", Value(kind="list", length=999), Step(name="resize", amount=1), None),
    ("(*sizes,)", _PAIR, Step(name="resize", amount=3), "(3, 4, 4)"),
    ("points", Value(kind="tensor", shape=(5, 2)), Step(name="narrow", amount=3),
     "torch.cat([points, points[..., :1]], -1)"),
    ("points", Value(kind="tensor", shape=(5, 2)), Step(name="narrow", amount=1),
     "points[..., :1]"),
    ("x", Value(kind="tensor", shape=(5,), layout="mkldnn"), Step(name="lift", amount=1),
     "x.to_dense().unsqueeze(-1).to_mkldnn()"),
    ("x", Value(kind="tensor", shape=(5,), layout="mkldnn"), Step(name="lower", amount=1),
     "x.to_dense()[..., 0].to_mkldnn()"),
)  # fmt: skip
"""(expression, what it evaluated to, step, result)."""


def apply_steps(
    node: cst.BaseExpression, steps: Sequence[Step], value: Value | None = None
) -> cst.BaseExpression | None:
    """The expression with the steps applied, or None where text cannot say it.

    `value` is what the expression evaluated to in the traced run.
    """
    for step in steps:
        changed = _apply(node, step, value)
        if changed is None:
            return None
        node = changed
    return node


def _apply(node: cst.BaseExpression, step: Step, value: Value | None) -> cst.BaseExpression | None:
    if step.name == "resize":
        return _resized(node, step.amount, value)
    text = (
        code_of(node) if isinstance(node, ATOMS) or _parenthesised(node) else f"({code_of(node)})"
    )
    if step.name == "lead":
        return cst.parse_expression(text + ".unsqueeze(0)" * step.amount)
    if step.name == "list":
        return cst.parse_expression(f"[{code_of(node)}]")
    if step.name == "narrow":
        return cst.parse_expression(_narrowed(text, step.amount, value))
    opaque = value is not None and value.layout == "mkldnn"
    dense = f"{text}.to_dense()" if opaque else text
    if step.name == "lift":
        changed = dense + ".unsqueeze(-1)" * step.amount
    else:
        changed = f"{dense}[..., {', '.join(['0'] * step.amount)}]"
    return cst.parse_expression(changed + ".to_mkldnn()" if opaque else changed)


def _narrowed(text: str, amount: int, value: Value | None) -> str:
    have = value.shape[-1] if value is not None and value.shape else amount
    if have >= amount:
        return f"{text}[..., :{amount}]"
    more = ", ".join([f"{text}[..., :1]"] * (amount - have))
    return f"torch.cat([{text}, {more}], -1)"


def _resized(
    node: cst.BaseExpression, amount: int, value: Value | None
) -> cst.BaseExpression | None:
    repeated = _repeated(node, amount)
    if repeated is not None:
        return repeated
    written = node.elements if isinstance(node, (cst.List, cst.Tuple)) else ()
    if written and not any(isinstance(element, cst.StarredElement) for element in written):
        elements = [element.with_changes(comma=cst.MaybeSentinel.DEFAULT) for element in written]
        elements = (elements + [elements[-1]] * amount)[:amount]
        return node.with_changes(elements=elements)
    if value is None or not value.items:
        return None
    parts = [item.literal() for item in value.items]
    if any(part is None for part in parts):
        return None
    resized = (parts + [parts[-1]] * amount)[:amount]
    inner = ", ".join(str(part) for part in resized)
    if value.kind == "list":
        return cst.parse_expression(f"[{inner}]")
    return cst.parse_expression(f"({inner},)" if amount == 1 else f"({inner})")


def _repeated(node: cst.BaseExpression, amount: int) -> cst.BaseExpression | None:
    """`(k,) * 2` with another number."""
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Multiply):
        return None
    for side, other in (("right", node.left), ("left", node.right)):
        times = getattr(node, side)
        single = isinstance(other, (cst.List, cst.Tuple)) and len(other.elements) == 1
        if single and isinstance(times, cst.Integer):
            return node.with_changes(**{side: cst.Integer(str(amount))})
    return None


def code_of(node: cst.CSTNode) -> str:
    """Source text of a node."""
    return cst.Module(body=()).code_for_node(node)


def _parenthesised(node: cst.BaseExpression) -> bool:
    return bool(node.lpar) or isinstance(node, (cst.List, cst.Dict, cst.Set))
