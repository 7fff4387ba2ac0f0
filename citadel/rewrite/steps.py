"""The steps of a plan in source text: what `analysis/inside/probe.py` does to live values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import libcst as cst

from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.frameworks import dtype_text
from citadel.plan.model import (
    CAST,
    DTYPE,
    NEGATE,
    NUMBER,
    OUTPUTS,
    REDUCED,
    SPREAD,
    STACK,
    ZEROS,
    Step,
)
from citadel.plan.quantised import QUANTIZE
from citadel.rewrite.made import MADE, WHOLES

Item = TypeVar("Item")
CHANGED = ("tensor", "variable", CAST, NEGATE, QUANTIZE, ZEROS, *REDUCED)
NAMING = frozenset(("narrow", "repeat", *CHANGED))
"""Steps that are written with a function of the framework."""
INNER = ("first", "item")
"""Steps to something in a list."""
KEPT = (*INNER, CAST, DTYPE, NEGATE, NUMBER, QUANTIZE, ZEROS)
"""Steps that are taken where the value is used: it stays what it is where it is made."""
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
    ("(3, -1)", (Step(name="last", amount=1),), "(-1,)"),
    ("[1, 2, 0, 1]", (Step(name="last", amount=1, behind=1),), "[1, 0, 1]"),
    ("(k,) * 2", (Step(name="resize", amount=3),), "(k,) * 3"),
    ("2 * [0]", (Step(name="resize", amount=1),), "1 * [0]"),
    ("[1, 2, 2, 1]", (Step(name="resize", amount=3, behind=1),), "[1, 2, 2, 2, 1]"),
    ("x", (Step(name="behead", amount=2),), "x[0, 0]"),
    ("x", (Step(name="lower", amount=1, behind=1),), "x[..., 0, :]"),
    ("'same'", (Step(name="say", text="'SAME'"),), "'SAME'"),
    ("a @ b", (Step(name="indices"),), "(a @ b).coalesce().indices()"),
    ("x", (Step(name="shape"),), "list(x.shape)"),
    ("a + b", (Step(name="clone"),), "(a + b).clone()"),
    ("[2, k]", (Step(name="ends", amount=2),), "[1, 2, k, 1]"),
    ("ksize", (Step(name="ends", amount=2),), "[1, *ksize, 1]"),
    ("(1, 2, k, 1)", (Step(name="inner"),), "(2, k)"),
    ("ksize", (Step(name="inner"),), "ksize[1:-1]"),
    ("[1] * 5", (Step(name="inner"),), "([1] * 5)[1:-1]"),
    ("k", (Step(name="each", amount=2),), "(k, k)"),
    ("3", (Step(name="each", amount=1), Step(name="extend", amount=2, text="1")), "(3, 1, 1)"),
    ("(2, k)", (Step(name="extend", amount=1, text="0"),), "(2, k, 0)"),
    ("[1, 2, 2, 1]", (Step(name="extend", amount=1, behind=1, text="1"),), "[1, 2, 2, 1, 1]"),
    ("k", (Step(name="number", text="int"),), "int(k)"),
    ("[1, 2]", (Step(name="tensor"),), "tf.convert_to_tensor([1, 2])"),
    ("-1", (Step(name="tensor"),), "tf.convert_to_tensor(-1)"),
    ("a + b", (Step(name="variable"),), "tf.Variable(a + b)"),
    ("a + b", (Step(name="zeros"),), "tf.zeros_like(a + b)"),
    ("a + b", (Step(name="negate"),), "tf.negative(a + b)"),
    ("loss(x, y)", (Step(name="mean"),), "tf.reduce_mean(loss(x, y))"),
    ("f(x)", (Step(name="first"),), "f(x)[0]"),
    ("(h, c)", (Step(name="first"),), "h"),
    ("pairs", (Step(name="first"), Step(name="item", amount=1)), "pairs[0][1]"),
    ("x", (Step(name="dtype", text="tf.float16"),), "x.dtype"),
    ("x * 2", (Step(name="dtype", text="tf.float16"),), "tf.float16"),
    ("[(x, 3), (y, n)]", (Step(name="item", amount=1), Step(name="first")), "y"),
    ("[*xs, y]", (Step(name="item", amount=1),), "[*xs, y][1]"),
    ("h", (Step(name="each", amount=2),), "(h, h)"),
    ("f(x)", (Step(name="spread", amount=2),), "([f(x)] * 2)"),
    ("f(x)", (Step(name="lower", amount=1), Step(name="spread", amount=3)), "([f(x)[..., 0]] * 3)"),
    ("f(x)", (Step(name="outputs", amount=2),), "(lambda made: [*made, made[-1]][:2])(f(x))"),
    ("a @ b", (Step(name="first"), Step(name="lower", amount=1)), "(a @ b)[0][..., 0]"),
)
"""(expression, steps, result)."""

_PAIR = Value(kind="tuple", items=(Value(kind="int", text="3"), Value(kind="int", text="4")))
_OF_TENSORFLOW = Value(kind="tensor", text="tensorflow.EagerTensor", shape=(5, 2))
WITH_VALUES: tuple[tuple[str, Value, Step, str | None], ...] = (
    ("size", _PAIR, Step(name="resize", amount=3), "(3, 4, 4)"),
    ("size", _PAIR, Step(name="resize", amount=1), "(3,)"),
    ("size", replace(_PAIR, kind="list"), Step(name="resize", amount=1), "[3]"),
    ("size", _PAIR, Step(name="last", amount=1), "(4,)"),
    ("size", Value(kind="list", length=999), Step(name="resize", amount=1), None),
    ("(*sizes,)", _PAIR, Step(name="resize", amount=3), "(3, 4, 4)"),
    ("points", Value(kind="tensor", shape=(5, 2)), Step(name="narrow", amount=3),
     "torch.cat([points, points[..., :1]], -1)"),
    ("points", Value(kind="tensor", shape=(5, 2)), Step(name="narrow", amount=1),
     "points[..., :1]"),
    ("x", Value(kind="tensor", shape=(5,)), Step(name="repeat", amount=1),
     "torch.stack([x] * 5, -1)"),
    ("x", Value(kind="tensor", shape=(5,), layout="mkldnn"), Step(name="lift", amount=1),
     "x.to_dense().unsqueeze(-1).to_mkldnn()"),
    ("x", Value(kind="tensor", shape=(5,), layout="mkldnn"), Step(name="lower", amount=1),
     "x.to_dense()[..., 0].to_mkldnn()"),
    ("k", Value(kind="int", text="3"), Step(name="ends", amount=3), "[1, k, k, k, 1]"),
    ("size", _PAIR, Step(name="extend", amount=1, text="1"), "(3, 4, 1)"),
    ("size", _PAIR, Step(name="extend", amount=2, behind=2, text="0"), "(0, 0, 3, 4)"),
    ("size", Value(kind="list", length=999), Step(name="extend", amount=1, text="1"), None),
    ("x", Value(kind="tensor", shape=(5,), dtype="float32"), Step(name="quantize", text="qint8"),
     "torch.quantize_per_tensor_dynamic(x, torch.qint8, False)"),
    ("a + b", Value(kind="tensor", shape=(5,), dtype="float64"),
     Step(name="quantize", text="quint8"),
     "torch.quantize_per_tensor_dynamic((a + b).float(), torch.quint8, False)"),
    ("x.unsqueeze(0)", Value(kind="tensor", shape=(5,), dtype="float64"),
     Step(name="quantize", text="quint8"),
     "torch.quantize_per_tensor_dynamic(x.unsqueeze(0).float(), torch.quint8, False)"),
    ("a + b", Value(kind="tensor", shape=(5,), dtype="int64"), Step(name="cast", text="float32"),
     "(a + b).to(torch.float32)"),
    ("a + b", _OF_TENSORFLOW, Step(name="cast", text="float32"), "tf.cast(a + b, tf.float32)"),
    ("x", _OF_TENSORFLOW, Step(name="lift", amount=2), "x[..., None, None]"),
    ("x", _OF_TENSORFLOW, Step(name="lift", amount=1, behind=1), "x[..., None, :]"),
    ("x", _OF_TENSORFLOW, Step(name="repeat", amount=2, behind=1),
     "tf.stack([tf.stack([x] * 5, -2)] * 5, -2)"),
    ("x", _OF_TENSORFLOW, Step(name="lead", amount=1), "x[None]"),
    ("x", _OF_TENSORFLOW, Step(name="narrow", amount=1), "x[..., :1]"),
    ("x", _OF_TENSORFLOW, Step(name="narrow", amount=3),
     "tf.concat([x, x[..., :1]], -1)"),
    ("x", _OF_TENSORFLOW, Step(name="values"), "x.values"),
    ("x", _OF_TENSORFLOW, Step(name="shape"), "x.dense_shape"),
)  # fmt: skip
"""(expression, what it evaluated to, step, result)."""


def apply_steps(
    node: cst.BaseExpression, steps: Sequence[Step], value: Value | None = None, api: str = ""
) -> cst.BaseExpression | None:
    """The expression with the steps applied, or None where text cannot say it.

    `value` is what the expression evaluated to in the traced run, `api` what it is written for:
    functions of Keras work on each of its backends.
    """
    made = MADE.get(api.partition(".")[0], MADE["tf"])
    for step in steps:
        changed = _WRITERS[step.name](Change(node=node, step=step, value=value, made=made))
        if changed is None:
            return None
        node = changed
        if step.name in INNER and value is not None:
            items = value.items or ()
            value = items[step.amount] if step.amount < len(items) else None
    return node


def made_of(kind: str, parts: Sequence[cst.BaseExpression], api: str) -> cst.BaseExpression:
    """Return what is made of several values, which stand in the order of its parameters, or in a
    list, for an API that it is written for."""
    if kind == STACK:
        join = MADE.get(api.partition(".")[0], MADE["tf"])["repeat"]
        return cst.parse_expression(f"{join}([{', '.join(map(code_of, parts))}])")
    function = cst.parse_expression(WHOLES[kind])
    return cst.Call(func=function, args=[cst.Arg(part) for part in parts])


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An expression and one step; what it evaluated to, and the functions of the framework."""

    node: cst.BaseExpression
    step: Step
    value: Value | None
    made: Mapping[str, str]

    @property
    def of_tensorflow(self) -> bool:
        """Whether it evaluated to a tensor of TensorFlow, or to what acts as one."""
        return _of_tensorflow(self.value)

    @property
    def code(self) -> str:
        """The source text of the expression."""
        return code_of(self.node)


Written = Rule[[Change], cst.BaseExpression]
_WRITERS: dict[str, Written] = {}
"""The rule that writes a step, by the name of the step."""


def _writes(
    name: str, *written: str
) -> Callable[[Callable[[Change], cst.BaseExpression | None]], Written]:
    """Decorator: the function becomes the rule that writes these steps."""
    plain = [one for one in EXAMPLES if any(step.name in written for step in one[1])]
    valued = [one for one in WITH_VALUES if one[2].name in written]

    def register(act: Callable[[Change], cst.BaseExpression | None]) -> Written:
        made = Rule(f"rewrite/{name}", act, (*plain, *valued))
        _WRITERS.update(dict.fromkeys(written, made))
        return made

    return register


@_writes("numbers-of-list", "resize", "last", "extend")
def _numbers(change: Change) -> cst.BaseExpression | None:
    """`(2, 3)` becomes `(2, 3, 1)`: a list gains or loses numbers."""
    return _resized(change.node, change.step, change.value)


@_writes("number-several-times", "each")
def _each(change: Change) -> cst.BaseExpression | None:
    """`k` becomes `(k, k)`."""
    return cst.Tuple([cst.Element(change.node)] * change.step.amount)


@_writes("ends-of-window", "ends", "inner")
def _ended(change: Change) -> cst.BaseExpression | None:
    """`[2, 2]` becomes `[1, 2, 2, 1]`, or the other way round."""
    return _ends(change.node, change.step, change.value)


@_writes("literal", "say")
def _literal(change: Change) -> cst.BaseExpression | None:
    """The text of the step takes the place of the expression."""
    return cst.parse_expression(change.step.text)


@_writes("tensor-to-number", NUMBER)
def _number(change: Change) -> cst.BaseExpression | None:
    """`k` becomes `int(k)`."""
    return cst.parse_expression(f"{change.step.text}({change.code})")


@_writes("dtype-of-tensor", DTYPE)
def _dtype(change: Change) -> cst.BaseExpression | None:
    """`x` becomes `x.dtype`; the dtype itself, where the tensor has no name."""
    named = isinstance(change.node, cst.Name | cst.Attribute)
    return cst.parse_expression(f"{change.code}.dtype" if named else change.step.text)


@_writes("other-dtype", CAST)
def _other_dtype(change: Change) -> cst.BaseExpression | None:
    """`x` becomes `x.to(torch.float32)`."""
    return cst.parse_expression(_cast(change.node, change.step, change.value, change.made))


@_writes("function-of-framework", *(name for name in CHANGED if name != CAST))
def _of_framework(change: Change) -> cst.BaseExpression | None:
    """A function of the framework makes a tensor of it, negates it, or takes its mean."""
    return cst.parse_expression(_made(change.node, change.step, change.value, change.made))


@_writes("dimensions-of-equal-size", "repeat")
def _repeated_dimensions(change: Change) -> cst.BaseExpression | None:
    """`x` becomes `torch.stack([x] * 5, -1)`."""
    torch = not change.of_tensorflow and change.made is not MADE["keras"]
    join = "torch.stack" if torch else change.made["repeat"]
    return _repeat(change.code, change.step, change.value, join)


@_writes("value-to-list", "list", SPREAD, OUTPUTS)
def _value_to_list(change: Change) -> cst.BaseExpression | None:
    """`x` becomes `[x]`; one output becomes several."""
    return cst.parse_expression(_listed(change.code, change.step))


@_writes("item-of-list", *INNER)
def _item_of_list(change: Change) -> cst.BaseExpression | None:
    """`pairs` becomes `pairs[0]`, and `(h, c)` becomes `h`."""
    at = change.step.amount
    found = _item(change.node, at)
    return found or cst.parse_expression(f"{_operand(change.node)}[{at}]")


@_writes("entries-of-last-dimension", "narrow")
def _entries(change: Change) -> cst.BaseExpression | None:
    """`offsets` becomes `offsets[..., :2]`, or gets further entries."""
    text, amount = _operand(change.node), change.step.amount
    if change.of_tensorflow or change.made is MADE["keras"]:
        made = _narrowed(text, amount, change.value, change.made["narrow"])
    else:
        made = _narrowed(text, amount, change.value, "torch.cat")
    return cst.parse_expression(made)


@_writes("part-of-sparse-tensor", "indices", "values", "shape")
def _part(change: Change) -> cst.BaseExpression | None:
    """`x` becomes `x.coalesce().indices()`."""
    return _on_tensor(change)


@_writes("copy", "clone")
def _copy(change: Change) -> cst.BaseExpression | None:
    """`x` becomes `x.clone()`."""
    return _on_tensor(change)


@_writes("added-dimensions", "lead", "lift")
def _added(change: Change) -> cst.BaseExpression | None:
    """`x` becomes `x.unsqueeze(0)`."""
    return _on_tensor(change)


@_writes("dropped-dimensions", "behead", "lower")
def _dropped(change: Change) -> cst.BaseExpression | None:
    """`x` becomes `x[..., 0]`."""
    return _on_tensor(change)


def _on_tensor(change: Change) -> cst.BaseExpression:
    write = _in_tensorflow if change.of_tensorflow else _in_torch
    return cst.parse_expression(write(_operand(change.node), change.step, change.value))


def _listed(text: str, step: Step) -> str:
    """One value as a list, or as several outputs; several as another number of them."""
    if step.name == OUTPUTS:
        more = "made[-1]" if step.amount == 2 else f"*made[-1:] * {step.amount - 1}"
        return f"(lambda made: [*made, {more}][:{step.amount}])({text})"
    return f"([{text}] * {step.amount})" if step.name == SPREAD else f"[{text}]"


def _cast(
    node: cst.BaseExpression, step: Step, value: Value | None, made: Mapping[str, str]
) -> str:
    """A tensor in another dtype; a list becomes one."""
    dtype = step.text
    keras = made is MADE["keras"]
    of_torch = value is not None and value.is_tensor and not _of_tensorflow(value)
    if keras or (CAST in made and not of_torch):
        return f"{made[CAST]}({code_of(node)}, {dtype_text('keras' if keras else 'tf', dtype)})"
    return f"{_operand(node)}.to({dtype_text('torch', dtype)})"


def _made(
    node: cst.BaseExpression, step: Step, value: Value | None, made: Mapping[str, str]
) -> str:
    """A tensor of something; what is quantised, at a scale that suits it, has single precision."""
    text = code_of(node)
    if step.name != QUANTIZE:
        dtype = f", dtype=torch.{step.text}" if step.text else ""
        return f"{made[step.name]}({text}{dtype})"
    if value is None or value.dtype != "float32":
        text = f"{_operand(node)}.float()"
    return f"torch.quantize_per_tensor_dynamic({text}, torch.{step.text}, False)"


def _item(node: cst.BaseExpression, at: int) -> cst.BaseExpression | None:
    """One of what is written down as a list or a tuple."""
    written = node.elements if isinstance(node, (cst.Tuple, cst.List)) else ()
    known = len(written) > at and all(isinstance(one, cst.Element) for one in written[: at + 1])
    return written[at].value if known else None


def _of_tensorflow(value: Value | None) -> bool:
    kind = value.text if value is not None else None
    return (kind or "").partition(".")[0] in ("tensorflow", "keras", "numpy", "jax", "jaxlib")


def _in_tensorflow(text: str, step: Step, value: Value | None) -> str:
    if step.name in ("indices", "values", "shape"):
        return f"{text}.{'dense_shape' if step.name == 'shape' else step.name}"
    if step.name == "lead":
        return f"{text}[{', '.join(['None'] * step.amount)}]"
    if step.name == "lift":
        return f"{text}[{', '.join(['...', *['None'] * step.amount, *[':'] * step.behind])}]"
    return _indexed(text, step)


def _in_torch(text: str, step: Step, value: Value | None) -> str:
    if step.name == "shape":
        return f"list({text}.shape)"
    if step.name == "clone":
        return f"{text}.clone()"
    if step.name in ("indices", "values"):
        return f"{text}.coalesce().{step.name}()"
    if step.name == "lead":
        return text + ".unsqueeze(0)" * step.amount
    opaque = value is not None and value.layout == "mkldnn"
    dense = f"{text}.to_dense()" if opaque else text
    if step.name == "lift":
        changed = dense + f".unsqueeze({-1 - step.behind})" * step.amount
    else:
        changed = _indexed(dense, step)
    return changed + ".to_mkldnn()" if opaque else changed


def _indexed(text: str, step: Step) -> str:
    """Dimensions dropped by taking their first entries."""
    zeros = ["0"] * step.amount
    parts = zeros if step.name == "behead" else ["...", *zeros, *[":"] * step.behind]
    return f"{text}[{', '.join(parts)}]"


def _narrowed(text: str, amount: int, value: Value | None, join: str) -> str:
    have = value.shape[-1] if value is not None and value.shape else amount
    if have >= amount:
        return f"{text}[..., :{amount}]"
    more = ", ".join([f"{text}[..., :1]"] * (amount - have))
    return f"{join}([{text}, {more}], -1)"


def _repeat(text: str, step: Step, value: Value | None, join: str) -> cst.BaseExpression | None:
    """As many of it side by side as its last spatial dimension is long."""
    shape = None if value is None else value.shape
    if shape is None or len(shape) <= step.behind or (value and value.layout == "mkldnn"):
        return None
    size = max(shape[-1 - step.behind], 1)
    for _ in range(step.amount):
        text = f"{join}([{text}] * {size}, {-1 - step.behind})"
    return cst.parse_expression(text)


def _ends(node: cst.BaseExpression, step: Step, value: Value | None) -> cst.BaseExpression | None:
    """Numbers with a 1 at either end, or without."""
    written = node.elements if isinstance(node, (cst.List, cst.Tuple)) else ()
    elements = [element.with_changes(comma=cst.MaybeSentinel.DEFAULT) for element in written]
    if any(isinstance(element, cst.StarredElement) for element in elements):
        return None
    if step.name == "inner":
        if elements:
            return node.with_changes(elements=elements[1:-1])
        text = code_of(node) if isinstance(node, ATOMS) else f"({code_of(node)})"
        return cst.parse_expression(f"{text}[1:-1]")
    one = cst.Element(cst.Integer("1"))
    if elements:
        return cst.List([one, *elements, one])
    if value is not None and value.kind == "int":
        return cst.List([one, *[cst.Element(node)] * step.amount, one])
    return cst.List([one, cst.StarredElement(node), one])


def _between(items: Sequence[Item], step: Step, new: Item) -> list[Item]:
    """A list with its last entry repeated, or cut at either side, its ends apart; or with `new`
    ones put in."""
    end = len(items) - step.behind
    if step.name == "extend":
        return [*items[:end], *[new] * step.amount, *items[end:]]
    middle = list(items[step.behind : end])
    if step.name == "last":
        return [*items[: step.behind], *middle[-step.amount :], *items[end:]]
    middle = (middle + middle[-1:] * step.amount)[: step.amount]
    return [*items[: step.behind], *middle, *items[end:]]


def _resized(
    node: cst.BaseExpression, step: Step, value: Value | None
) -> cst.BaseExpression | None:
    extends = step.name == "extend"
    repeated = None if step.behind or extends else _repeated(node, step.amount)
    if repeated is not None:
        return repeated
    written = node.elements if isinstance(node, (cst.List, cst.Tuple)) else ()
    if written and not any(isinstance(element, cst.StarredElement) for element in written):
        elements = [element.with_changes(comma=cst.MaybeSentinel.DEFAULT) for element in written]
        new = cst.Element(cst.parse_expression(step.text or "1"))
        return node.with_changes(elements=_between(elements, step, new))
    if value is None or not value.items:
        return None
    parts = [item.literal() for item in value.items]
    if any(part is None for part in parts):
        return None
    resized = _between(parts, step, step.text)
    inner = ", ".join(str(part) for part in resized)
    if value.kind == "list":
        return cst.parse_expression(f"[{inner}]")
    return cst.parse_expression(f"({inner},)" if len(resized) == 1 else f"({inner})")


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


def _operand(node: cst.BaseExpression) -> str:
    """Source text of a node, of which an attribute can be taken."""
    plain = isinstance(node, ATOMS) or _parenthesised(node)
    return code_of(node) if plain else f"({code_of(node)})"


def _parenthesised(node: cst.BaseExpression) -> bool:
    return bool(node.lpar) or isinstance(node, (cst.List, cst.Dict, cst.Set))
