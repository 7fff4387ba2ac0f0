"""What the text of a case says of the values that it shows: inputs, references, modes, outcomes.

In: watched points. Out: which are made by the text itself, which are what another should be, which
outcome of a check is the bad one. Words are those that reporters print and put into messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst
import libcst.helpers as h
import libcst.matchers as m

from analysis.target.watch import Check, Point, Role, leaf
from citadel.oracle.compilers import is_compiler
from citadel.oracle.foreign import MAKERS, has_gradient, is_foreign
from citadel.oracle.phrases import (
    BAD,
    DIFFERENT,
    GOOD,
    INFINITY_IS_LOST,
    NAMED_REFERENCE,
    NAN_IS_LOST,
    NOT_FINITE,
    REFERENCE,
    WHERE_FULL,
)
from citadel.oracle.quantities import CLOCK

CHECKS = {
    Check.EQUAL: False,
    Check.CLOSE: False,
    Check.UNEQUAL: True,
    Check.NAN: True,
    Check.INFINITE: True,
    Check.FINITE: False,
}
"""The outcome of a check that speaks of a bug."""
NEAR = 2
"""Statements that may lie between a value and its reference, both being shown."""
_MORE = re.compile(r"(?:\(-?\d*\))?(?:\[[^\[\]]*\])?\s*")
"""What may stand behind a shape that is shown itself: the number of a dimension."""
_FORM = re.compile(r"\.(?:shape|size|ndim|dim|dtype|device|layout|stride|is_\w+)\b(?! ?=[^=])")
PRECISION = {
    **{"float64": 3, "complex128": 3, "float32": 2, "complex64": 2, "float16": 1, "bfloat16": 1}
}


def not_finite(text: str) -> set[str]:
    """Which numbers that are not finite a text speaks of: "nan", and "inf" for all others."""
    words = [word.lower() for word in NOT_FINITE.findall(WHERE_FULL.sub(r"\1", text))]
    return {"nan" if "nan" in word else "inf" for word in words}


def lost_numbers(title: str) -> set[str]:
    """Which of them a title misses.

    >>> lost_numbers("f turns -inf into the lowest number"), lost_numbers("f gives NaN")
    ({'inf'}, set())
    """
    words = (("nan", NAN_IS_LOST), ("inf", INFINITY_IS_LOST))
    return {kind for kind, pattern in words if pattern.search(title)}


def tells_apart(title: str) -> bool:
    """Whether a title says that values differ, or misses NaN or infinity in one of them."""
    return DIFFERENT.search(title) is not None or bool(lost_numbers(title))


def is_input(point: Point) -> bool:
    """Whether a value is what the text itself makes: a tensor of literals, say."""
    if has_gradient(point):
        return False  # `backward` makes that
    computed = _bare(point.node)
    if isinstance(computed, cst.BinaryOperation) and not _has_number(computed):
        return False  # `x / 0` makes what something else is given
    calls = {call.rpartition(".")[2] for call in point.origin.calls}
    return point.origin.fixed and bool(calls) and calls <= MAKERS


def _has_number(node: cst.BinaryOperation) -> bool:
    """Whether an operand is a number that stands there."""
    return any(
        isinstance(one, cst.BaseNumber | cst.UnaryOperation) for one in (node.left, node.right)
    )


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """What `repr(...)`, `.item()` and such are of."""
    while isinstance(node, cst.Call):
        match node:
            case cst.Call(func=cst.Attribute(value=inner), args=[]):
                node = inner
            case cst.Call(func=cst.Name(value="repr" | "str"), args=[cst.Arg(value=inner)]):
                node = inner
            case _:
                return node
    return node


def is_duration(point: Point) -> bool:
    """Whether a value comes of a clock: it is another one in each run, and no result."""
    return any(map(CLOCK.search, (point.text, *point.origin.calls)))


def is_form(point: Point, *, alone: bool = False) -> bool:
    """Whether a shape, a dtype or the like is shown, which other numbers do not change; `alone`:
    nothing is made of it."""
    found = _FORM.search(point.text)
    return found is not None and not (alone and _MORE.fullmatch(point.text[found.end() :]) is None)


def is_slope(point: Point) -> bool:
    """Whether a gradient is shown."""
    names = (point.text, *point.origin.calls, *point.origin.names)
    return any("grad" in name or "jacobian" in name for name in map(str.lower, names))


def is_reference(point: Point) -> bool:
    """Whether a value is shown as what another should be."""
    return (
        is_foreign(point) or REFERENCE.search(point.label) is not None or is_called_reference(point)
    )


def is_called_reference(point: Point) -> bool:
    """Whether a value is of a variable whose name says that another should be like it."""
    node = point.node
    while isinstance(node, (cst.Attribute, cst.Call, cst.Subscript)):
        node = node.func if isinstance(node, cst.Call) else node.value
    return isinstance(node, cst.Name) and NAMED_REFERENCE.search(node.value) is not None


def bad_outcome(point: Point) -> bool | None:
    """The outcome of a check that the text around it calls bad; None where it does not say."""
    if point.asserted:
        return False
    if point.role is Role.SHOWN:
        return None
    for words, outcome in ((point.label, True), (point.otherwise, False)):
        if BAD.search(words):
            return outcome
    for words, outcome in ((point.label, False), (point.otherwise, True)):
        if GOOD.search(words):
            return outcome
    return None


def bare(line: str) -> str:
    """A printed line without what differs from build to build."""
    return " ".join(re.sub(r",? ?grad_fn=<\w+>", "", line).split())


def says_good(point: Point) -> bool:
    """Whether the words shown with a comparison say that all is well when it is true."""
    return GOOD.search(point.label) is not None


def have_common(one: Point, other: Point) -> bool:
    """Whether two values have something in common that they are made of."""
    atoms = _atoms(one.node) | one.origin.names
    return bool(atoms & (_atoms(other.node) | other.origin.names))


def _atoms(node: cst.CSTNode) -> frozenset[str]:
    """The names that an expression is made of."""
    names = {n.value for n in m.findall(node, m.Name()) if isinstance(n, cst.Name)}
    return frozenset(names - {"torch", "tf", "np", "numpy", "print", "item", "tolist"})


_FRAMEWORKS = frozenset(("torch", "tf", "tensorflow", "keras", "jax"))
_OTHER_FUNCTIONS = frozenset(
    (
        *("grad", "value_and_grad", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "vmap"),
        *("jacobian", "linearize", "grad_and_value", "vectorize"),
    )
)
"""What makes another function of a function, rather than another way to compute it."""


def wrapped(one: cst.BaseExpression, other: cst.BaseExpression) -> bool:
    """Whether two calls are handed the same arguments, and one's function holds the other's."""
    if (_atoms(one) ^ _atoms(other)) & _OTHER_FUNCTIONS:
        return False
    first, second = _core(one), _core(other)
    if first is None or second is None or not first.args:
        return False
    if len(first.args) != len(second.args):
        return False
    pairs = zip(first.args, second.args, strict=True)
    if not all(a.value.deep_equals(b.value) for a, b in pairs):
        return False
    return not first.func.deep_equals(second.func) and any(
        one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")
        for one in _functions(first.func)
        for other in _functions(second.func)
    )


def made_of(one: Point, other: Point) -> bool:
    """Whether two calls are handed the same arguments, and one's function was made of the other's.

    `g = torch.jit.trace(f, x)`, and then `f(x)` and `g(x)` are shown.
    """
    first, second = _core(one.node), _core(other.node)
    if first is None or second is None or not first.args or len(first.args) != len(second.args):
        return False
    pairs = zip(first.args, second.args, strict=True)
    if not all(a.value.deep_equals(b.value) for a, b in pairs):
        return False
    by = [(one, next(_functions(first.func), "")), (other, next(_functions(second.func), ""))]
    for (plain, name), (made, another) in (by, by[::-1]):
        makers = made.origin.functions - plain.origin.functions
        if name != another and name in made.origin.names and any(map(is_compiler, makers)):
            return True
    return False


def written_out(one: Point, other: Point) -> bool:
    """Whether two values are computed by the same, with the text's own functions written out, and
    only compilers made one or both of these.

    `v, _ = top_k(x, k=3)` and `f(x)[0]` of a compiled `f` that returns `top_k(y, k=3)`.
    """
    first, second = one.origin.inlined, other.origin.inlined
    differing = set(first.ways) ^ set(second.ways)
    compiled = bool(differing) and all(is_compiler(name) for name, _ in differing)
    steady = first.steady and second.steady
    return compiled and steady and first.text == second.text != ""


def _functions(node: cst.BaseExpression) -> Iterator[str]:
    """The dotted names that a function is made of: of `F.relu` that is all, and not the module.

    What a framework makes a function of functions by, as `torch.compile(f)`, is none of them.
    """
    match node:
        case cst.Name() | cst.Attribute():
            yield h.get_full_name_for_node(node) or ""
        case cst.Call(func=function, args=args):
            wrappers = (name.partition(".")[0] in _FRAMEWORKS for name in _functions(function))
            if not (args and any(wrappers)):
                yield from _functions(function)
            for argument in args:
                yield from _functions(argument.value)


def _core(node: cst.BaseExpression) -> cst.Call | None:
    """The call behind `.numpy()`, `.item()` and such."""
    while isinstance(node, cst.Call) and not node.args:
        if not isinstance(node.func, cst.Attribute):
            return None
        node = node.func.value
    return node if isinstance(node, cst.Call) and leaf(node.func) != "" else _called(node)


def _called(node: cst.BaseExpression) -> cst.Call | None:
    """`f(g)(x)` is a call as well."""
    return node if isinstance(node, cst.Call) else None
