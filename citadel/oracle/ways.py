"""One computation that code shows in two ways without a label: by its form alone.

In: two shown points. Out: what the two ways are, "" where they are none that is known here.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from analysis import parsing
from analysis.rules import Phrase, Registry
from analysis.target.watch import Point

BATCHES = Phrase(
    "hint/batches",
    r"\b(?:(?:un)?batched|batches|vectori[sz]ed|vmap(?:ped)?"
    r"|(?:row|sample|element|example|item|image|one) (?:by|at a) (?:row|sample|element|example|item"
    r"|image|one|time)|(?:per|each|every|single|individual)[- ](?:row|sample|element|example|item"
    r"|image|matri\w+|vector)s?)\b",
    re.IGNORECASE,
    finds=("vmapped results differ", "one item at a time", "for each row"),
    spares=("for a matrix",),
)
"""Words for what is computed of several at once, or of each alone."""
_DENIED = (
    r"not|never|cannot|\w+n['\u2019]t|errors?|exceptions?|raised?|refuse\w*|devices?|sizes?|shapes?"
)
_OTHERS = r"errors?|exceptions?|devices?|sizes?|shapes?|dtypes?|lengths?|number|messages?"
EQUAL = Phrase(
    "hint/should-be-equal",
    rf"\b(?:expect(?:ed|s)?|should|ought|supposed)\b"
    rf"(?:(?!\b(?:{_DENIED})\b)(?:[^.?!\n]|\.(?=\w)|\n(?!\s))){{1,100}}?"
    rf"\b(?:equal|same|identical|agree|match|coincide)\b(?!(?:\s\w+){{0,1}}\s(?:{_OTHERS})\b)",
    re.IGNORECASE,
    finds=("the two results should be equal", "expected to be the same"),
    spares=("it should not be equal", "should have the same dtype"),
)
"""Words for results that are to be alike: no errors, and no shapes."""
AT_ONCE = "the same call for all at once, and for each alone"
_DERIVATIVES = frozenset(("jacfwd", "jacrev"))
"""What makes a function's derivatives of it, forwards and backwards."""
_JOINS = frozenset(("stack", "cat", "concat", "concatenate", "vstack", "array"))
_ALONG = re.compile(r"\b(?:dim|axis) ?= ?\d")
_GPU = re.compile(r"\.cuda\(|[\"'](?:cuda|gpu)(?::\d+)?[\"']")
_PLACED = re.compile(
    r"\.(?:cuda|cpu)\([^()]*\)|\.to\((?:device=)?[\"'](?:cuda|cpu)(?::\d+)?[\"']\)"
    r"|,?\bdevice=[\"'](?:cuda|cpu)(?::\d+)?[\"']"
)
"""Where in a call's text it is said on which device something is."""
_WIDENED = re.compile(
    r"\.(?:to|type|astype)\((?:dtype=)?[\w.]*?\b(float32|float64|complex128|int16|int32|int64)\)"
    r"|\.(float|double|short|int|long)\(\)"
)
"""Where in a text something gets a dtype that holds more."""
_INDEX = re.compile(r"\[\w+\]$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """Two shown points. `batches`: the report speaks of what is done at once. `equal`: it says of
    results that they should be. `whole`: both are of whole numbers."""

    one: Point
    other: Point
    batches: bool
    equal: bool
    whole: bool


WAYS: Registry[[Both], str] = Registry("way")


@WAYS.rule("two-devices")
def _two_devices(both: Both) -> str | None:
    """One expression is computed on a GPU and on the CPU."""
    return "the same call on two devices" if _on_devices(both.one, both.other) else None


@WAYS.rule("two-derivatives")
def _two_derivatives(both: Both) -> str | None:
    """Derivatives of one function, by forward and by reverse mode."""
    alike = _derived(both.one, both.other)
    return "the same derivatives, forwards and backwards" if alike else None


@WAYS.rule("all-at-once")
def _all_at_once(both: Both) -> str | None:
    """A batch, and its items one by one."""
    pairs = (both.one, both.other), (both.other, both.one)
    alike = both.batches and any(_each(*pair) or _joined(*pair) for pair in pairs)
    return AT_ONCE if alike else None


@WAYS.rule("two-dtypes")
def _two_dtypes(both: Both) -> str | None:
    """The same numbers in a wider dtype."""
    alike = both.equal and _in_dtypes(both.one, both.other, whole=both.whole)
    return "the same call, given the same numbers in two dtypes" if alike else None


def in_two_ways(
    one: Point, other: Point, *, batches: bool, equal: bool = False, whole: bool = False
) -> str:
    """How two points show one computation; "" where they do not (see `Both`)."""
    both = Both(one=one, other=other, batches=batches, equal=equal, whole=whole)
    return WAYS.first(both) or ""


def _on_devices(one: Point, other: Point) -> bool:
    """Whether one expression is computed on a GPU and on the CPU."""
    first, second = one.origin.inlined, other.origin.inlined
    on_gpu = [_GPU.search(inlined.text) is not None for inlined in (first, second)]
    bare = {_PLACED.sub("", _bare(inlined.text)) for inlined in (first, second)}
    return len(bare) == 1 and on_gpu[0] != on_gpu[1] and first.steady and second.steady


def _in_dtypes(one: Point, other: Point, *, whole: bool) -> bool:
    """Whether one expression is computed of the same numbers in another dtype: whole numbers stay
    what they are in wider ones, which fractions do not go into."""
    first, second = one.origin.inlined, other.origin.inlined
    texts = [_bare(inlined.text) for inlined in (first, second)]
    bare = {_WIDENED.sub("", text) for text in texts}
    named = {name for text in texts for pair in _WIDENED.findall(text) for name in pair if name}
    cut = any(name.startswith(("int", "short", "long")) for name in named)
    alike = len(bare) == 1 and one.origin.call == other.origin.call != ""
    apart = bool(named) and first.text != second.text and (whole or not cut)
    return alike and apart and first.steady and second.steady


def _derived(one: Point, other: Point) -> bool:
    """Whether derivatives of one function at one place are taken by different modes."""
    first, second = one.origin.inlined, other.origin.inlined
    ways = [[_leaf(name) for name, _ in inlined.ways] for inlined in (first, second)]
    rest = [
        [text for _, text in inlined.ways if _leaf(text.partition("(")[0]) not in _DERIVATIVES]
        for inlined in (first, second)
    ]
    derived = all(_DERIVATIVES.intersection(way) for way in ways) and ways[0] != ways[1]
    given = [[text.partition("(")[2] for _, text in inlined.ways] for inlined in (first, second)]
    same = first.text == second.text != "" and rest[0] == rest[1] and given[0] == given[1]
    return derived and same and first.steady and second.steady


def _each(whole: Point, part: Point) -> bool:
    """`f(x)[i]` and `f(x[i])`."""
    text, other = whole.origin.inlined.text, part.origin.inlined.text
    index = _INDEX.search(text)
    if _ALONG.search(text):  # an axis counted from the front is another one for an item
        return False
    if index is None or other.count(index[0]) != 1 or other.endswith(index[0]):
        return False
    return other.replace(index[0], "") == text.removesuffix(index[0])


def _joined(whole: Point, joined: Point) -> bool:
    """`f(x)` and `stack([f(row) for row in x])`."""
    given = joined.origin.given
    if _leaf(joined.origin.call) not in _JOINS or not given:
        return False
    try:
        listed = parsing.module(given[0]).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    match listed:
        case [
            ast.Expr(
                value=ast.ListComp(
                    elt=made,
                    generators=[ast.comprehension(target=ast.Name(id=name), iter=over, ifs=[])],
                )
            )
        ]:
            done = _Whole(name, over).visit(made)
            return _bare(ast.unparse(done)) == _bare(whole.origin.inlined.text)
    return False


class _Whole(ast.NodeTransformer):
    """Puts what a comprehension goes through in the place of what it has of that."""

    def __init__(self, name: str, over: ast.expr) -> None:
        self.name, self.over = name, over

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """An element is all of it."""
        return self.over if node.id == self.name else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`x[i]` for `i in range(...)`, too."""
        match node.slice:
            case ast.Name(id=name) if name == self.name and isinstance(self.over, ast.Call):
                return node.value
        return self.generic_visit(node)


def _leaf(name: str) -> str:
    return name.rpartition(".")[2]


def _bare(text: str) -> str:
    return "".join(text.split())
