"""Dimension changes in the text where a value's shape is written: `torch.rand(2, 8, 16, 16)`.

Where a variable that only the failing call reads was made by a call whose literal numbers are just
the shape that the trace recorded, the numbers are edited instead of wrapping the variable.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from analysis.values import Value
from citadel.plan.model import Step

DATA = frozenset(("tensor", "as_tensor", "array", "asarray"))
"""Functions whose lists of numbers are elements, not sizes."""

EXAMPLES: tuple[tuple[str, tuple[int, ...], Step, str | None], ...] = (
    ("torch.rand(2, 8, 16).to_mkldnn()", (2, 8, 16), Step(name="lift", amount=1),
     "torch.rand(2, 8, 16, 1).to_mkldnn()"),
    ("torch.full((2, 3), 0.5)", (2, 3), Step(name="lift", amount=2),
     "torch.full((2, 3, 1, 1), 0.5)"),
    ("torch.zeros([4, 1, 8, 8])", (4, 1, 8, 8), Step(name="lower", amount=1),
     "torch.zeros([4, 1, 8])"),
    ("torch.rand(2, 3, requires_grad=True)", (2, 3), Step(name="lift", amount=1),
     "torch.rand(2, 3, 1, requires_grad=True)"),
    ("torch.rand(size=(2, 3))", (2, 3), Step(name="lift", amount=1),
     "torch.rand(size=(2, 3, 1))"),
    ("torch.rand(2, 3)", (3, 2), Step(name="lift", amount=1), None),
    ("torch.rand(2, 3).expand(2, 3)", (2, 3), Step(name="lift", amount=1), None),
    ("torch.rand(n, 3)", (2, 3), Step(name="lift", amount=1), None),
    ("torch.rand(3)", (3,), Step(name="lift", amount=1), None),
    ("torch.tensor([3, 4, 5])", (3,), Step(name="lift", amount=1), None),
    ("torch.tensor([1])", (1,), Step(name="lift", amount=1), None),
    ("torch.tensor([[2, 2], [0, 1]])", (2, 2), Step(name="lift", amount=1), None),
    ("torch.from_numpy(np.array([[2, 2], [0, 1]]))", (2, 2), Step(name="lift", amount=1), None),
    ("torch.tensor([[1, 0]]).expand([2, 2])", (2, 2), Step(name="lift", amount=1),
     "torch.tensor([[1, 0]]).expand([2, 2, 1])"),
    ("torch.rand(2, 3)", (2, 3), Step(name="resize", amount=1), None),
)  # fmt: skip
"""(expression, recorded shape, step, result; None where the shape is not written once)."""


def with_shape(
    expression: cst.BaseExpression, value: Value, steps: Sequence[Step]
) -> cst.BaseExpression | None:
    """The creating expression with its literal shape changed, or None where there is none."""
    if len(steps) != 1 or steps[0].name not in ("lift", "lower") or not value.shape:
        return None
    shape = [str(size) for size in value.shape]
    amount = steps[0].amount
    wanted = shape + ["1"] * amount if steps[0].name == "lift" else shape[:-amount]
    editor = _Editor(shape, wanted)
    changed = expression.visit(editor)
    if editor.edits != 1 or not isinstance(changed, cst.BaseExpression):
        return None
    return changed


class _Editor(cst.CSTTransformer):
    """Replaces the one sequence of integer literals that equals the recorded shape."""

    def __init__(self, shape: list[str], wanted: list[str]) -> None:
        super().__init__()
        self.shape = shape
        self.wanted = wanted
        self.edits = 0
        self._data = [False]

    def visit_Call_args(self, node: cst.Call) -> None:
        self._data.append(_leaf(node.func) in DATA)

    def leave_Call_args(self, node: cst.Call) -> None:
        self._data.pop()

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        plain = [arg for arg in updated_node.args if arg.keyword is None]
        if len(self.shape) < 2 or [_integer(arg.value) for arg in plain] != self.shape:
            return updated_node
        self.edits += 1
        rest = [arg for arg in updated_node.args if arg.keyword is not None]
        made = [cst.Arg(cst.Integer(size)) for size in self.wanted]
        return updated_node.with_changes(args=[*made, *rest])

    def leave_Tuple(self, original_node: cst.Tuple, updated_node: cst.Tuple) -> cst.Tuple:
        return updated_node.with_changes(elements=self._elements(updated_node.elements))

    def leave_List(self, original_node: cst.List, updated_node: cst.List) -> cst.List:
        return updated_node.with_changes(elements=self._elements(updated_node.elements))

    def _elements(self, elements: Sequence[cst.BaseElement]) -> Sequence[cst.BaseElement]:
        if self._data[-1] or [_integer(element.value) for element in elements] != self.shape:
            return elements
        self.edits += 1
        return [cst.Element(cst.Integer(size)) for size in self.wanted]


def _leaf(function: cst.BaseExpression) -> str:
    name = function.attr if isinstance(function, cst.Attribute) else function
    return name.value if isinstance(name, cst.Name) else ""


def _integer(node: cst.BaseExpression) -> str | None:
    return node.value if isinstance(node, cst.Integer) else None
