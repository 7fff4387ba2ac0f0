"""From a value at the failing call back to the literal that decides its shape.

In: expressions at the call, each with the value that the trace recorded and the steps that the plan
wants. Out: edits where the values are made (`x = torch.rand(2, 8)`), as far as nothing else reads
them that would mind. What is left needs its steps at the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import libcst as cst

from analysis.values import Value
from citadel.plan.dimensions import spatial
from citadel.plan.model import Step
from citadel.rewrite.scope import Binding, Scopes
from citadel.rewrite.shapes import DATA, Shape, leaf, with_shape
from citadel.rewrite.steps import apply_steps, code_of
from citadel.rewrite.tree import Tree

MAX_DEPTH = 12
INDIFFERENT = frozenset(
    (
        *("dtype", "device", "layout", "is_leaf", "is_contiguous", "numel", "item"),
        *("requires_grad", "requires_grad_", "retain_grad", "grad", "backward", "register_hook"),
    )
)
"""Attributes that can be asked for whatever the number of dimensions is."""
ABOUT_SHAPE = frozenset(("shape", "ndim", "size", "dim", "stride"))
"""Attributes that say something else then."""
SHOWING = frozenset(("print", "repr", "str", "type", "id", "len", "isinstance", "format"))
"""Functions that take a tensor of any number of dimensions."""

Edits = Mapping[cst.CSTNode, cst.BaseExpression]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A value that a plan changes: its expression, what it came to, and how it shall change."""

    key: str
    node: cst.BaseExpression
    value: Value
    steps: tuple[Step, ...]


@dataclass(slots=True)
class _Path:
    """Edits that change one value, and the variables on the way to them."""

    edits: dict[cst.CSTNode, cst.BaseExpression] = field(default_factory=dict)
    reads: list[cst.CSTNode] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)

    def join(self, other: _Path) -> _Path:
        return _Path(
            self.edits | other.edits, self.reads + other.reads, self.bindings + other.bindings
        )


class Origins:
    """Finds out where the values of one module are made."""

    def __init__(self, tree: Tree, scopes: Scopes) -> None:
        self._tree = tree
        self._scopes = scopes

    def edits(self, wanted: Sequence[Wanted]) -> tuple[frozenset[str], Edits]:
        """Which keys are taken care of, and the edits that do it."""
        paths = {one.key: path for one in wanted if (path := self._path(one)) is not None}
        while paths:
            reads = {id(read) for path in paths.values() for read in path.reads}
            held = [key for key, path in paths.items() if not self._free(path, reads)]
            held += _contradictory(paths)
            if not held:
                break
            for key in held:
                paths.pop(key, None)
        merged: dict[cst.CSTNode, cst.BaseExpression] = {}
        for path in paths.values():
            merged.update(path.edits)
        return frozenset(paths), merged

    def constant(self, node: cst.BaseExpression, depth: int = 0) -> int | Shape | None:
        """The integer or the sizes that an expression always comes to, if it is that simple."""
        if depth > MAX_DEPTH:
            return None
        if isinstance(node, cst.Integer):
            return int(node.value.replace("_", ""), 0)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            inner = self.constant(node.expression, depth + 1)
            return -inner if isinstance(inner, int) else None
        if isinstance(node, (cst.Tuple, cst.List)):
            parts = [
                self.constant(element.value, depth + 1)
                if isinstance(element, cst.Element)
                else None
                for element in node.elements
            ]
            return (
                tuple(p for p in parts if isinstance(p, int))
                if all(isinstance(p, int) for p in parts)
                else None
            )
        if isinstance(node, cst.BinaryOperation):
            left, right = (self.constant(n, depth + 1) for n in (node.left, node.right))
            return _computed(node.operator, left, right)
        if isinstance(node, (cst.Name, cst.Attribute)):
            value = self._value(self._scopes.binding(node))
            return None if value is None else self.constant(value, depth + 1)
        return None

    def _value(self, binding: Binding | None) -> cst.BaseExpression | None:
        """The expression that a variable has its value from."""
        if binding is None:
            return None
        return self._scopes.argument(binding) if binding.parameter else binding.value

    def _path(self, wanted: Wanted) -> _Path | None:
        if len(wanted.steps) != 1:
            return None
        step = wanted.steps[0]
        if step.name in ("resize", "last"):
            return self._list(wanted.node, wanted.value, step, 0)
        if wanted.value.shape is None:
            return None
        return self._tensor(wanted.node, wanted.value.shape, step, 0)

    def _list(self, node: cst.BaseExpression, value: Value, step: Step, depth: int) -> _Path | None:
        """To the list literal behind a variable."""
        if isinstance(node, (cst.List, cst.Tuple, cst.BinaryOperation)):
            changed = apply_steps(node, (step,), value)
            return None if changed is None else _Path({node: changed})
        return self._through(node, lambda inner: self._list(inner, value, step, depth + 1), depth)

    def _through(
        self,
        node: cst.BaseExpression,
        find: Callable[[cst.BaseExpression], _Path | None],
        depth: int,
    ) -> _Path | None:
        """To what a variable was bound to."""
        if not isinstance(node, (cst.Name, cst.Attribute)) or depth > MAX_DEPTH:
            return None
        binding = self._scopes.binding(node)
        value = self._value(binding)
        if binding is None or value is None:
            return None
        path = find(value)
        return None if path is None else path.join(_Path({}, [node], [binding]))

    def _tensor(
        self, node: cst.BaseExpression, shape: Shape, step: Step, depth: int
    ) -> _Path | None:
        """To the call that makes a tensor of this shape out of sizes or numbers."""
        if depth > MAX_DEPTH:
            return None
        if isinstance(node, cst.NamedExpr):
            return self._tensor(node.value, shape, step, depth + 1)
        if isinstance(node, cst.UnaryOperation):
            return self._tensor(node.expression, shape, step, depth + 1)
        if isinstance(node, cst.BinaryOperation):
            return self._operands(node, shape, step, depth)
        if isinstance(node, cst.Call):
            return self._made(node, shape, step, depth)
        return self._through(node, lambda n: self._tensor(n, shape, step, depth + 1), depth)

    def _operands(
        self, node: cst.BinaryOperation, shape: Shape, step: Step, depth: int
    ) -> _Path | None:
        numbers = (cst.Integer, cst.Float, cst.Imaginary)
        sides = [side for side in (node.left, node.right) if not isinstance(side, numbers)]
        paths = [self._tensor(side, shape, step, depth + 1) for side in sides]
        found = _Path()
        for path in paths:
            if path is None:
                return None
            found = found.join(path)
        return found if sides else None

    def _made(self, call: cst.Call, shape: Shape, step: Step, depth: int) -> _Path | None:
        sizes = self._sizes(call, shape, step)
        if sizes is not None:
            return sizes
        name = leaf(call.func)
        if spatial(name) is not None:
            return None  # it makes a shape of its own
        if isinstance(call.func, cst.Attribute) and not self._module(call.func.value):
            return self._tensor(call.func.value, shape, step, depth + 1)
        given = call.args[0] if call.args and not call.args[0].star else None
        if given is None or (given.keyword is not None and name not in DATA):
            return None
        return self._tensor(given.value, shape, step, depth + 1)

    def _sizes(self, call: cst.Call, shape: Shape, step: Step) -> _Path | None:
        """To sizes in a variable that nothing else reads, else to those in the call."""
        for arg in call.args:
            name = arg.value
            if isinstance(name, cst.Name) and self.constant(name) == shape:
                binding = self._scopes.binding(name)
                value = self._value(binding)
                if binding is not None and isinstance(value, (cst.Tuple, cst.List)):
                    whole = with_shape(
                        cst.Call(cst.Name("_"), [cst.Arg(value)]), shape, (step,), self.constant
                    )
                    if whole is not None and self._shared(binding, shape, step):
                        return _Path({value: whole.args[0].value})
        changed = with_shape(call, shape, (step,), self.constant)
        return None if changed is None else _Path({call: changed})

    def _shared(self, binding: Binding, shape: Shape, step: Step) -> bool:
        """Whether sizes are read by one call only, or merely shown."""
        reads = [read for read in self._scopes.reads(binding) if not self._indifferent(read)]
        return len(reads) == 1 and len(shape) > 1 and step.name != "narrow"

    def _module(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is a dotted name that begins with something imported."""
        while isinstance(node, cst.Attribute):
            node = node.value
        if not isinstance(node, cst.Name):
            return False
        binding = self._scopes.binding(node)
        return binding is None or isinstance(binding.node, cst.ImportAlias)

    def _free(self, path: _Path, changed: set[int]) -> bool:
        """Whether all that reads the changed variables changes as well, or does not mind."""
        return all(
            id(read) in changed or self._indifferent(read)
            for binding in path.bindings
            for read in self._scopes.reads(binding)
        )

    def _indifferent(self, read: cst.CSTNode) -> bool:
        """Whether what is done with a variable does not depend on its number of dimensions."""
        node, above = read, self._tree.parent(read)
        asked = ""
        while isinstance(above, cst.Attribute) and above.value is node:
            asked = above.attr.value
            if asked not in INDIFFERENT | ABOUT_SHAPE:
                return False
            node, above = above, self._tree.parent(above)
            if isinstance(above, cst.Call) and above.func is node:
                node, above = above, self._tree.parent(above)
        return (asked != "" and asked not in ABOUT_SHAPE) or self._shown(node)

    def _shown(self, node: cst.CSTNode) -> bool:
        """Whether a value, or an element of it, is merely looked at."""
        above = self._tree.parent(node)
        if isinstance(above, cst.Subscript) and above.value is node:
            node, above = above, self._tree.parent(above)
        if isinstance(above, cst.Arg):
            call = self._tree.parent(above)
            return isinstance(call, cst.Call) and leaf(call.func) in SHOWING
        looks = (cst.FormattedStringExpression, cst.Expr, cst.Comparison, cst.ComparisonTarget)
        return isinstance(above, looks)


def _contradictory(paths: Mapping[str, _Path]) -> Iterator[str]:
    """Keys whose edits are not those of an earlier key at the same place."""
    made: dict[int, str] = {}
    for key, path in paths.items():
        for node, new in path.edits.items():
            if made.setdefault(id(node), code_of(new)) != code_of(new):
                yield key
                break


def _computed(
    operator: cst.BaseBinaryOp, left: int | Shape | None, right: int | Shape | None
) -> int | Shape | None:
    if isinstance(left, tuple) and isinstance(right, int) and isinstance(operator, cst.Multiply):
        return left * right if right < 64 else None
    if not isinstance(left, int) or not isinstance(right, int):
        return (
            left + right
            if (
                isinstance(left, tuple)
                and isinstance(right, tuple)
                and isinstance(operator, cst.Add)
            )
            else None
        )
    if isinstance(operator, cst.Add):
        return left + right
    if isinstance(operator, cst.Subtract):
        return left - right
    if isinstance(operator, cst.Multiply):
        return left * right
    if isinstance(operator, cst.FloorDivide) and right:
        return left // right
    return None
