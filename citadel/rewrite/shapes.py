"""Dimension changes in the text where a value's shape is written: `torch.rand(2, 8, 16, 16)`.

In: a call and the shape that the trace recorded for its result. Out: the call with its sizes
changed, if it has arguments that are just this shape. Sizes may be expressions; what they come to
is asked of `constant`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst

from analysis.rules import Registry
from citadel.plan.lifting import shape_after
from citadel.plan.model import Step

T = TypeVar("T")
Shape = tuple[int, ...]
Constant = Callable[[cst.BaseExpression], "int | Shape | None"]
"""What an expression is known to come to: an integer, several, or unknown."""

DATA = frozenset(("tensor", "as_tensor", "array", "asarray", "FloatTensor", "LongTensor", "Tensor"))
"""Functions whose lists of numbers are elements, not sizes."""
KEEPS_ELEMENTS = frozenset(("reshape", "view", "unflatten", "constant"))
"""Functions that cannot make a tensor of fewer or more elements than there are."""
CHANGES = ("lift", "repeat", "lower", "lead", "narrow")
"""Steps that sizes can be written for."""
MAX_ELEMENTS = 16
"""As many numbers as can still be read one by one."""

EXAMPLES: tuple[tuple[str, tuple[int, ...], Step, str | None], ...] = (
    ("torch.full((2, 3), 0.5)", (2, 3), Step(name="lift", amount=2),
     "torch.full((2, 3, 1, 1), 0.5)"),
    ("torch.zeros([4, 1, 8, 8])", (4, 1, 8, 8), Step(name="lower", amount=1),
     "torch.zeros([4, 1, 8])"),
    ("torch.rand(2, 3, requires_grad=True)", (2, 3), Step(name="lift", amount=1),
     "torch.rand(2, 3, 1, requires_grad=True)"),
    ("torch.rand(size=(2, 3))", (2, 3), Step(name="lift", amount=1),
     "torch.rand(size=(2, 3, 1))"),
    ("torch.rand(1, 8)", (1, 8), Step(name="repeat", amount=2), "torch.rand(1, 8, 8, 8)"),
    ("tf.ones([8, 3])", (8, 3), Step(name="repeat", amount=1, behind=1), "tf.ones([8, 8, 3])"),
    ("torch.rand(size)", (7, 7), Step(name="repeat", amount=1), "torch.rand((*size, 7))"),
    ("x.view(2, 3)", (2, 3), Step(name="repeat", amount=1), None),
    ("tf.constant(v, shape=(2, 3))", (2, 3), Step(name="repeat", amount=1), None),
    ("tf.constant(-1.0, shape=(2, 3))", (2, 3), Step(name="repeat", amount=1),
     "tf.constant(-1.0, shape=(2, 3, 3))"),
    ("torch.rand(2, 3)", (2, 3), Step(name="lead", amount=1), "torch.rand(1, 2, 3)"),
    ("torch.rand((2, 3))", (2, 3), Step(name="lead", amount=1), "torch.rand((1, 2, 3))"),
    ("torch.rand(5, 2)", (5, 2), Step(name="narrow", amount=3), "torch.rand(5, 3)"),
    ("x.view(2, -1)", (2, 3), Step(name="lift", amount=1), "x.view(2, -1, 1)"),
    ("x.view(2, 3)", (2, 3), Step(name="lower", amount=1), None),
    ("x.view(2, 3, 1)", (2, 3, 1), Step(name="lower", amount=1), "x.view(2, 3)"),
    ("torch.rand(n, 3)", (7, 3), Step(name="lift", amount=1), "torch.rand(n, 3, 1)"),
    ("torch.rand(n, 2 * n)", (7, 14), Step(name="lift", amount=1), "torch.rand(n, 2 * n, 1)"),
    ("torch.rand(*size)", (7, 7), Step(name="lift", amount=1), "torch.rand(*size, 1)"),
    ("torch.rand(*size)", (7, 7), Step(name="lower", amount=1), "torch.rand(*size[:-1])"),
    ("torch.rand(size)", (7, 7), Step(name="lift", amount=1), "torch.rand((*size, 1))"),
    ("torch.rand(size)", (7, 7), Step(name="lead", amount=1), "torch.rand((1, *size))"),
    ("torch.rand(size)", (7, 7), Step(name="lower", amount=1), "torch.rand(size[:-1])"),
    ("torch.rand(2, 3)", (3, 2), Step(name="lift", amount=1), None),
    ("torch.rand(2, 3).expand(2, 3)", (2, 3), Step(name="lift", amount=1),
     "torch.rand(2, 3).expand(2, 3, 1)"),
    ("torch.rand(m, 3)", (2, 3), Step(name="lift", amount=1), None),
    ("torch.rand(3)", (3,), Step(name="lift", amount=1), None),
    ("torch.tensor([3, 4, 5])", (3,), Step(name="lift", amount=1), "torch.tensor([[3], [4], [5]])"),
    ("torch.tensor([3, 4])", (2,), Step(name="repeat", amount=1),
     "torch.tensor([[3, 3], [4, 4]])"),
    ("torch.tensor([1])", (1,), Step(name="lead", amount=1), "torch.tensor([[1]])"),
    ("torch.tensor([[2, 3], [0, 1]])", (2, 2), Step(name="lower", amount=1),
     "torch.tensor([2, 0])"),
    ("torch.tensor([[2, 3]])", (2, 2), Step(name="lower", amount=1), None),
    ("torch.tensor([3, 4])", (2,), Step(name="lower", amount=1), None),
    ("torch.tensor([[0.1, 0.2]])", (1, 2), Step(name="narrow", amount=1), "torch.tensor([[0.1]])"),
    ("torch.tensor([[0.1]])", (1, 1), Step(name="narrow", amount=3),
     "torch.tensor([[0.1, 0.1, 0.1]])"),
    ("torch.rand(2, 3)", (2, 3), Step(name="resize", amount=1), None),
)  # fmt: skip
"""(call, recorded shape, step, result) where `n` is 7 and `size` is (7, 7)."""


def _of_data(text: str) -> bool:
    """Whether a call is given elements, not sizes."""
    return text.partition("(")[0].rpartition(".")[2] in DATA


def with_shape(
    call: cst.Call, shape: Shape, steps: Sequence[Step], constant: Constant
) -> cst.Call | None:
    """A call with its literal sizes changed, or None where they are not written in it."""
    if len(steps) != 1 or steps[0].name not in CHANGES or not shape:
        return None
    return WRITTEN.first(call, shape, steps[0], constant)


WRITTEN: Registry[[cst.Call, Shape, Step, Constant], cst.Call] = Registry("rewrite")
"""Changes of a call that makes a tensor; the first that applies is taken."""


@WRITTEN.rule("elements-of-tensor", examples=[one for one in EXAMPLES if _of_data(one[0])])
def _elements(call: cst.Call, shape: Shape, step: Step, _: Constant) -> cst.Call | None:
    """`torch.tensor([3, 4])` becomes `torch.tensor([[3], [4]])`."""
    known = leaf(call.func) in DATA and not step.behind
    return _data(call, shape, step) if known else None


@WRITTEN.rule("sizes-of-tensor", examples=[one for one in EXAMPLES if not _of_data(one[0])])
def _with_sizes(call: cst.Call, shape: Shape, step: Step, constant: Constant) -> cst.Call | None:
    """`torch.rand(2, 3)` becomes `torch.rand(2, 3, 1)`."""
    name = leaf(call.func)
    if name in DATA:
        return None
    inner = len(shape) - step.behind
    lost = shape[inner - step.amount : inner] if step.name == "lower" else ()
    changes = any(size != 1 for size in lost) or step.name in ("narrow", "repeat")
    keeps = name in KEEPS_ELEMENTS and not _fills(call)
    if len(shape) < 2 or len(lost) == len(shape) or (changes and keeps):
        return None
    return _Sizes(shape, step, constant).call(call)


def _fills(call: cst.Call) -> bool:
    """Whether a call fills any size with one number: `tf.constant(0.5, shape=(2, 3))`."""
    given = call.args[0].value if call.args and not call.args[0].star else None
    given = given.expression if isinstance(given, cst.UnaryOperation) else given
    return isinstance(given, cst.Float | cst.Integer) and any(arg.keyword for arg in call.args)


def leaf(function: cst.BaseExpression) -> str:
    """The last part of a function's name."""
    name = function.attr if isinstance(function, cst.Attribute) else function
    return name.value if isinstance(name, cst.Name) else ""


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Finds the sizes among a call's arguments and changes them."""

    shape: Shape
    step: Step
    constant: Constant

    def call(self, call: cst.Call) -> cst.Call | None:
        plain = [arg for arg in call.args if arg.keyword is None and not arg.star]
        rest = call.args[len(plain) :]
        if list(call.args[: len(plain)]) == plain and self._same([arg.value for arg in plain]):
            sizes = [arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in plain]
            made = self._sizes(sizes, lambda size: cst.Arg(cst.Integer(str(size))))
            return call.with_changes(args=[*made, *rest])
        for index, arg in enumerate(call.args):
            changed = self._argument(arg)
            if changed is not None:
                return call.with_changes(
                    args=[*call.args[:index], *changed, *call.args[index + 1 :]]
                )
        return None

    def _argument(self, arg: cst.Arg) -> list[cst.Arg] | None:
        if self.constant(arg.value) != self.shape or arg.star == "**":
            return None
        if arg.star:
            return self._starred(arg)
        return [arg.with_changes(value=self.value(arg.value))]

    def value(self, value: cst.BaseExpression) -> cst.BaseExpression:
        """A tuple of sizes, changed: a literal where it is written, else what is made of it."""
        if isinstance(value, (cst.Tuple, cst.List)):
            elements = [e.with_changes(comma=cst.MaybeSentinel.DEFAULT) for e in value.elements]
            made = self._sizes(elements, lambda size: cst.Element(cst.Integer(str(size))))
            return value.with_changes(elements=made)
        text = cst.Module(body=()).code_for_node(value)
        ones = ", ".join([str(self._added())] * self.step.amount)
        if self.step.behind:
            return cst.parse_expression(self._inside(text, ones))
        if self.step.name in ("lift", "repeat"):
            return cst.parse_expression(f"(*{text}, {ones})")
        if self.step.name == "lead":
            return cst.parse_expression(f"({ones}, *{text})")
        if self.step.name == "lower":
            return cst.parse_expression(f"{text}[:-{self.step.amount}]")
        return cst.parse_expression(f"(*{text}[:-1], {self.step.amount})")

    def _inside(self, text: str, ones: str) -> str:
        """The sizes with some added or dropped in front of the last ones."""
        behind = self.step.behind
        if self.step.name in ("lift", "repeat"):
            return f"(*{text}[:-{behind}], {ones}, *{text}[-{behind}:])"
        return f"(*{text}[:-{behind + self.step.amount}], *{text}[-{behind}:])"

    def _added(self) -> int:
        """The size of a dimension that is added."""
        if self.step.name != "repeat":
            return 1
        return max(self.shape[len(self.shape) - self.step.behind - 1], 1)

    def _starred(self, arg: cst.Arg) -> list[cst.Arg]:
        changed = self.value(arg.value)
        if isinstance(arg.value, (cst.Tuple, cst.List)) or not isinstance(changed, cst.Tuple):
            return [arg.with_changes(value=changed)]
        return [
            cst.Arg(e.value, star="*" if isinstance(e, cst.StarredElement) else "")
            for e in changed.elements
        ]

    def _same(self, values: Sequence[cst.BaseExpression]) -> bool:
        sizes = [self.constant(value) for value in values]
        if len(sizes) != len(self.shape) or sizes.count(-1) > 1:
            return False
        return all(one in (-1, size) for one, size in zip(sizes, self.shape, strict=True))

    def _sizes(self, have: list[T], make: Callable[[int], T]) -> list[T]:
        amount = self.step.amount
        if self.step.name == "narrow":
            return [*have[:-1], make(amount)]
        inner = len(have) - self.step.behind
        if self.step.name == "lower":
            return [*have[: inner - amount], *have[inner:]]
        added = [make(self._added()) for _ in range(amount)]
        if self.step.name == "lead":
            return [*added, *have]
        return [*have[:inner], *added, *have[inner:]]


def _data(call: cst.Call, shape: Shape, step: Step) -> cst.Call | None:
    """A call of a function that is given the elements, nested as the tensor is."""
    given = call.args[0] if call.args and call.args[0].keyword is None else None
    many = max(math.prod(shape), math.prod(shape_after(shape, (step,))))
    if given is None or not _nested(given.value, shape) or many > MAX_ELEMENTS:
        return None
    depth = len(shape)
    lifts = step.name in ("lift", "repeat")
    value: cst.BaseExpression | None = given.value
    for _ in range(1 if step.name == "narrow" else step.amount):
        if step.name == "lead":
            value = None if value is None else _list([value])
        elif value is not None:
            value = _inner(value, depth if lifts else depth - 1, step, max(shape[-1], 1))
            depth += 1 if lifts else -1
    if value is None or (step.name == "lower" and step.amount >= len(shape)):
        return None
    return call.with_changes(args=[given.with_changes(value=value), *call.args[1:]])


def _inner(node: cst.BaseExpression, depth: int, step: Step, size: int) -> cst.BaseExpression:
    """What stands `depth` lists deep, changed: wrapped, replaced by its first, cut or repeated."""
    if depth == 0:
        return _one(node, step, size)
    assert isinstance(node, (cst.List, cst.Tuple))  # noqa: S101 - `_nested` has looked
    elements = [e.with_changes(value=_inner(e.value, depth - 1, step, size)) for e in node.elements]
    return node.with_changes(elements=elements)


def _one(node: cst.BaseExpression, step: Step, size: int) -> cst.BaseExpression:
    if step.name in ("lift", "repeat"):
        return _list([node] * (size if step.name == "repeat" else 1))
    assert isinstance(node, (cst.List, cst.Tuple))  # noqa: S101 - as above
    if step.name == "lower":
        return node.elements[0].value
    values = [element.value for element in node.elements]
    values = (values + [values[0]] * step.amount)[: step.amount]
    return node.with_changes(elements=[cst.Element(value) for value in values])


def _list(values: Sequence[cst.BaseExpression]) -> cst.BaseExpression:
    return cst.List([cst.Element(value) for value in values])


def _nested(node: cst.BaseExpression, shape: Shape) -> bool:
    """Whether a literal is lists in lists of these sizes."""
    if not shape:
        return not isinstance(node, (cst.List, cst.Tuple, cst.ListComp))
    if not isinstance(node, (cst.List, cst.Tuple)) or len(node.elements) != shape[0]:
        return False
    plain = all(isinstance(element, cst.Element) for element in node.elements)
    return plain and all(_nested(element.value, shape[1:]) for element in node.elements)
