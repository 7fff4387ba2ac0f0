"""What a fact is: something that can be brought into a valid call, or how else it can be made.

As in a variation, each way to bring a fact about has a condition and an expression per framework;
`x` is the argument, and `{value}` what the fact names ("dtype float16"), `{quoted}` the same as a
text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from analysis import parsing
from citadel.evidence.variations import Way

FRAMEWORKS = {"torch": "torch", "tensorflow": "tf", "keras": "keras"}
"""The roots by which expressions name a framework."""


class Takes(StrEnum):
    """What a fact names besides itself."""

    NOTHING = ""
    DTYPE = "dtype"
    WHOLE = "integer dtype"
    NUMBER = "number"
    LAYOUT = "layout"
    VALUE = "value"
    CONDITION = "condition"
    CONTEXT = "context"
    SWITCH = "switch"


_VALUES = {
    Takes.DTYPE: re.compile(r"[a-z]{3,9}\d{0,3}"),
    Takes.WHOLE: re.compile(r"u?int\d{1,2}"),
    Takes.NUMBER: re.compile(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf)|nan"),
    Takes.LAYOUT: re.compile(r"coo|csr|csc"),
    Takes.SWITCH: re.compile(r"(torch|tf)(\.[A-Za-z_]\w*)+"),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fact:
    """One fact. `says` completes "`input` ..."; `examples` has per framework a value, an argument
    and what becomes of it. `elsewhere` are further ways, each list to another place of a tensor.
    `brings_back`: the variations that take it away, of plain numbers `of_numbers` if there are any;
    `only` those of the parameter of that name; `role` is the one that it is brought to, where that
    is no other's. `fixed`: the argument becomes what the fact names, whatever it was. `refused`: of
    all ways that which the plain call refuses; `refuses`: as a way, one that is right to refuse.
    `other` is an expression for the first input of the same dtype, which `ways` may name so.
    `preserves`: the right result stays the same; `harmless`: nor is there another reason to refuse
    the call. `promotes`: one tensor that has it among others of the dtype that it had before is no
    reason to refuse the call, either. `together`: one tensor alone would be unlike the others.
    `known_by`: the attribute of a `Value`, and what it is, by which a tensor of a call is known to
    be so.

    A fact about the call as a whole has `run`, which is put around a function of its inputs, behind
    the lines of `setup`; `layer` is put behind what constructs a layer. `called`: the APIs (and
    behind a blank the keyword that is true) by which code makes a call so. `against`: the fact that
    such a call should agree with, and `beyond` the one that must work if it is to fail by itself.
    `documented`: the word by which documentation tells that an API treats it in a way of its own.
    `told`: how people are told of it as one of two ways, where its name alone says little.
    """

    name: str
    says: str
    ways: tuple[Way, ...] = ()
    elsewhere: tuple[tuple[Way, ...], ...] = ()
    takes: Takes = Takes.NOTHING
    fixed: bool = False
    refused: bool = False
    refuses: bool = False
    brings_back: tuple[str, ...] = ()
    only: str = ""
    role: str = ""
    other: Mapping[str, str] = field(default_factory=dict)
    of_numbers: tuple[str, ...] = ()
    known_by: tuple[str, str | None] = ("", "")
    preserves: bool = False
    harmless: bool = False
    promotes: bool = False
    together: bool = False
    examples: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    run: Mapping[str, str] = field(default_factory=dict)
    setup: Mapping[str, str] = field(default_factory=dict)
    called: tuple[str, ...] = ()
    against: str = "plain"
    beyond: str = "plain"
    documented: str = ""
    told: str = ""
    layer: Mapping[str, str] = field(default_factory=dict)
    compiles: bool = False

    def available(self, root: str) -> bool:
        """Whether a framework (`torch`, `tf`) has it."""
        return bool(expressions(self.ways, root, "") or self.run.get(root))

    def takes_value(self, value: str) -> bool:
        """Whether something may be named by it."""
        if self.takes is Takes.NOTHING:
            return not value
        if self.takes is Takes.VALUE:
            return _is_value(value)
        if self.takes is Takes.CONDITION:
            return is_condition(value)
        if self.takes is Takes.CONTEXT:
            return is_context(value)
        return _VALUES[self.takes].fullmatch(value) is not None


_OF_VALUES = (
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.UnaryOp,
    ast.USub,
    ast.Load,
    ast.Attribute,
    ast.Name,
    ast.Call,
    ast.keyword,
)
_CALLS = ("float", "torch.tensor", "tf.constant")
RESULT = "result"
"""What a condition calls the result of a call."""
_IN_CONDITIONS = {
    *("torch", "tf", "np", "math"),
    *("abs", "all", "any", "bool", "float", "int", "isinstance", "len", "list", "max", "min"),
    *("round", "set", "str", "sum", "tuple", "type"),
}


def is_condition(text: str) -> bool:
    """Whether a text is an expression of a result and of nothing else but modules and built-ins.

    >>> [is_condition(one) for one in ("(result >= 0).all()", "result == x", "True", "result =")]
    [True, False, False, False]
    """
    try:
        nodes = list(ast.walk(parsing.expression(text.strip()).body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = {one.id for one in nodes if isinstance(one, ast.Name)}
    return RESULT in names and names <= {RESULT, *_IN_CONDITIONS}


def is_context(text: str) -> bool:
    """Whether a text is calls of a framework with plain arguments, parted by commas.

    >>> [is_context(one) for one in ("torch.no_grad()", "torch.device('meta'), open('x')", "x")]
    [True, False, False]
    """
    try:
        found = parsing.expression(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    calls = found.elts if isinstance(found, ast.Tuple) else [found]
    ends = not text.rstrip().endswith(",")  # no `with a(),:`
    return ends and bool(calls) and all(map(_is_plain_call, calls))


def _is_plain_call(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = _VALUES[Takes.SWITCH].fullmatch(ast.unparse(node.func))
    given = (*node.args, *(one.value for one in node.keywords))
    return name is not None and all(_is_value(ast.unparse(one)) for one in given)


def _is_value(text: str) -> bool:
    """Whether a text is a literal, a dtype or the like of a framework, or a small tensor.

    >>> [_is_value(one) for one in ("'same'", "torch.int8", "tf.constant([1.0])", "f()", "x", "")]
    [True, True, True, False, False, False]
    """
    try:
        nodes = list(ast.walk(parsing.expression(text.strip()).body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    calls = {ast.unparse(one.func) for one in nodes if isinstance(one, ast.Call)}
    names = {one.id for one in nodes if isinstance(one, ast.Name)}
    known = all(isinstance(one, _OF_VALUES) for one in nodes)
    return known and calls <= {*_CALLS} and names <= {"torch", "tf", "float"}


def expressions(ways: Sequence[Way], root: str, value: str) -> list[list[str]]:
    """[condition, expression] for each way that a framework has, with the value in them."""
    found = ((one.when, one.to.get(root, one.to.get("plain", ""))) for one in ways)
    return [[with_value(when, value), with_value(text, value)] for when, text in found if text]


def with_value(text: str, value: str) -> str:
    """A text with the value in the places for it."""
    number = f"float('{value}')" if value.lstrip("+-") in ("nan", "inf") else value
    text = text.replace("{quoted}", repr(value))
    return text.replace("{value}", value).replace("{number}", number)


PLAIN = Fact(name="plain", says="as it is", told="the plain call")
"""The call as it is."""
