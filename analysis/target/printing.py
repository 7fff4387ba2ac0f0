"""What code prints: which calls do, and what stands in their texts beside the values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import libcst as cst
import libcst.matchers as m

from analysis.target.checks import leaf

_PRINTS = frozenset(("print", "pprint", "display"))
_LOGS = frozenset(("info", "warning", "debug", "error", "log"))
"""Methods that print, of what is called a log: `torch.log` does not."""
_LOG = re.compile(r"(?:^|_)(?:log|logger|logging)$", re.IGNORECASE)


def prints(call: cst.Call) -> bool:
    """Whether a call prints or logs."""
    name = leaf(call.func)
    if name in _LOGS and isinstance(call.func, cst.Attribute):
        return _LOG.search(leaf(call.func.value)) is not None
    return name in _PRINTS


def printed_names(module: cst.Module) -> frozenset[str]:
    """The names that a `print` has alone."""
    collector = _Printed()
    module.visit(collector)
    return frozenset(collector.names)


class _Printed(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def visit_Call(self, node: cst.Call) -> None:
        match node:
            case cst.Call(func=cst.Name(value="print"), args=[cst.Arg(value=cst.Name(value=name))]):
                self.names.add(name)


def displayed(node: cst.BaseExpression) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    """The literal texts and the values of what is printed, in their order."""
    match node:
        case cst.SimpleString():
            yield _text(node), None
        case cst.ConcatenatedString():
            yield from displayed(node.left)
            yield from displayed(node.right)
        case cst.FormattedString():
            for part in node.parts:
                if isinstance(part, cst.FormattedStringText):
                    yield part.value, None
                elif isinstance(part, cst.FormattedStringExpression) and part.equal is None:
                    yield "", part.expression
        case cst.BinaryOperation(operator=cst.Modulo(), left=cst.SimpleString() as template):
            values = node.right.elements if isinstance(node.right, cst.Tuple) else ()
            yield from _filled(_text(template), [e.value for e in values] or [node.right], r"%")
        case cst.BinaryOperation(operator=cst.Add()) if _is_text(node):
            yield from displayed(node.left)
            yield from displayed(node.right)
        case cst.Call(func=cst.Attribute(value=cst.SimpleString() as template), args=args) if (
            leaf(node.func) == "format"
        ):
            yield from _filled(_text(template), [arg.value for arg in args], "{")
        case cst.Call(func=cst.Name(value="str" | "repr"), args=[cst.Arg(value=inner, star="")]):
            yield from displayed(inner)
        case _:
            yield "", node


def said(branch: cst.CSTNode) -> str:
    """What a branch says: its literal texts, and that it raises."""
    raises = ["raise"] if m.findall(branch, m.Raise()) else []
    texts = m.findall(branch, m.SimpleString() | m.FormattedStringText())
    return " ".join([*raises, *(_literal(text) for text in texts)])[:200]


def _is_text(node: cst.BaseExpression) -> bool:
    """Whether texts are joined, rather than numbers added: `"x: " + str(x) + repr(y)`."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        return node.func.value in ("str", "repr")
    return is_message(node)


def is_message(node: cst.BaseExpression) -> bool:
    """Whether a text is put together: `"failed: " + str(problem)`."""
    if isinstance(node, cst.BinaryOperation):
        return is_message(node.left) or is_message(node.right)
    return isinstance(node, (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString))


def _filled(
    template: str, values: Sequence[cst.BaseExpression], mark: str
) -> Iterator[tuple[str, cst.BaseExpression | None]]:
    """The values of a template, each behind the text in front of its place."""
    yield from zip(template.split(mark), values, strict=False)


def _literal(node: cst.CSTNode) -> str:
    return _text(node) if isinstance(node, cst.SimpleString) else getattr(node, "value", "")


def _text(node: cst.SimpleString) -> str:
    value = node.evaluated_value
    return value if isinstance(value, str) else ""
