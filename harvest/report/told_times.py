"""Which two parts of a report's code its words call slow and fast, where nothing measures them.

In: code that parses, and the snippets with the lines above them. Out: the statements of both sides.
Only what cannot be misread counts: a comment behind a statement or directly above some, the names
of two functions, or the line above each of two snippets, and in these no other words than those
that say how long something takes. Exactly one side must be slow, and one fast.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from analysis.rules import Phrase, Registry
from harvest.report.syntax import dotted

FAR = 2.0
"""Ratio of two times told from which on one of the two is the slow one."""
_SLOW = ("slow", "slower", "slowest", "slowly", "sluggish", "forever", "ages")
_FAST = ("fast", "faster", "fastest", "quick", "quicker", "quickly", "instant", "instantly")
_BESIDE = (
    *("a", "about", "also", "approximately", "approx", "around", "below", "but", "case", "code"),
    *("even", "example", "extremely", "following", "here", "however", "implementation", "is"),
    *("it", "just", "much", "one", "only", "quite", "really", "run", "runs", "same", "snippet"),
    *("so", "super", "take", "takes", "that", "the", "this", "too", "took", "variant", "version"),
    *("very", "way", "while", "whereas", "with"),
)
"""Words beside which slow and fast mean what they say: neither "not", "should" nor "than"."""
_AMOUNT = Phrase(
    "clock/amount-of-time",
    r"(?<![\w.,])(\d+(?:\.\d+)?) ?"
    r"(ns|us|\u00b5s|\u03bcs|ms|milliseconds?|s|secs?|seconds?|min|minutes?)\b",
    finds=("about 20 ms", "1.5s"),
    spares=("20 rows",),
)
_UNITS = (("n", 1e-9), ("u", 1e-6), ("\u00b5", 1e-6), ("\u03bc", 1e-6), ("ms", 1e-3))
_LONGER = (("mil", 1e-3), ("min", 60.0), ("s", 1.0))
_COMPOUND = (ast.For, ast.While, ast.With, ast.If, ast.Try)
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What words say of one part: whether it is slow or fast, and how long it takes."""

    slow: bool | None
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The statements of a module that are called slow, and those that are called fast."""

    slow: tuple[ast.stmt, ...]
    fast: tuple[ast.stmt, ...]


def told(text: str) -> Told | None:
    """What a text says of how long something takes, if it says nothing else.

    >>> told("this is slow!"), told("should be fast"), told("~20 ms")
    (Told(slow=True, seconds=None), None, Told(slow=None, seconds=0.02))
    """
    amounts = _AMOUNT.findall(text.lower())
    words = set(re.findall(r"[^\W_]+", _AMOUNT.sub(" ", text.lower())))
    slow, fast = bool(words & {*_SLOW}), bool(words & {*_FAST})
    unclear = len(amounts) > 1 or (slow and fast) or not (slow or fast or amounts)
    if unclear or words - {*_SLOW, *_FAST, *_BESIDE} or "?" in text:
        return None
    seconds = float(amounts[0][0]) * _unit(amounts[0][1]) if amounts else None
    return Told(slow=slow if slow or fast else None, seconds=seconds)


def _unit(name: str) -> float:
    return next(factor for start, factor in (*_UNITS, *_LONGER) if name.startswith(start))


def slower(one: Told, other: Told) -> bool:
    """Whether `one` is told to be the slow side of the two; what contradicts itself tells none."""
    words = (one.slow, other.slow) == (True, False)
    if None in (one.seconds, other.seconds):
        return words
    far = (one.seconds or 0.0) >= FAR * (other.seconds or 0.0)
    return far and (words or (one.slow is not False and other.slow is not True))


def in_code(code: str, tree: ast.Module) -> Sides | str:
    """The two sides that comments or names of functions tell apart, else what is missing."""
    return _TOLD_APART.first(code, tree) or _NOTHING


_NOTHING = "nothing tells which part of its code is slow, and which one fast"
_TOLD_APART: Registry[[str, ast.Module], Sides | str] = Registry("clock")
"""What tells a slow and a fast side apart; the first that says anything counts."""


@_TOLD_APART.rule("comments")
def _by_comments(code: str, tree: ast.Module) -> Sides | str | None:
    """Comments call two parts slow and fast, or say how long they take."""
    marked = [one for one in _commented(code, tree) if any(map(computes, one[1]))]
    if not marked:
        return None
    if len(marked) == 1:
        text = ast.unparse(marked[0][1][0]).split("\n")[0]
        return f"nothing in its code is said to be fast or slow beside `{text[:60]}`"
    if len(marked) > 2:
        return f"{len(marked)} parts of its code are said to be fast or slow, not two"
    for (one, here), (other, there) in (marked, marked[::-1]):
        if slower(one, other):
            return Sides(slow=tuple(here), fast=tuple(there))
    return "of the two parts of its code that times stand beside, neither is clearly the slow one"


def computes(node: ast.stmt) -> bool:
    """Whether a statement calls something that does not only show, or has an operator."""
    if isinstance(node, _DEFINES):
        return False
    return any(
        isinstance(part, ast.BinOp | ast.AugAssign)
        or (isinstance(part, ast.Call) and dotted(part.func) != "print")
        for part in ast.walk(node)
    )


def _commented(code: str, tree: ast.Module) -> Iterator[tuple[Told, list[ast.stmt]]]:
    """What comments say of statements of the module: of one, or of those up to a blank line."""
    comments = _comments(code)
    above: list[str] = []
    end = 0
    for at, node in enumerate(tree.body):
        inner = isinstance(node, (*_COMPOUND, *_DEFINES))
        last = node.body[0].lineno - 1 if inner and hasattr(node, "body") else _end(node)
        behind = [comments[n] for n in range(node.lineno, last + 1) if n in comments]
        lines = takewhile(lambda n: n in comments, range(node.lineno - 1, end, -1))
        above = [comments[n] for n in lines][::-1]
        end = _end(node)
        if (said := told(" ".join(behind))) is not None:
            yield said, [node]
        elif (said := told(" ".join(above))) is not None:
            yield said, _paragraph(tree.body, at)


def _paragraph(body: Sequence[ast.stmt], first: int) -> list[ast.stmt]:
    """The statements from one on, up to a blank line or a comment; what only shows at their end is
    none of them."""
    end = first + 1
    while end < len(body) and body[end].lineno == _end(body[end - 1]) + 1:
        end += 1
    while end > first + 1 and not computes(body[end - 1]):
        end -= 1
    return list(body[first:end])


def _comments(code: str) -> dict[int, str]:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return {}
    found = (token for token in tokens if token.type == tokenize.COMMENT)
    return {token.start[0]: token.string.lstrip("#! ") for token in found}


@_TOLD_APART.rule("names-of-functions")
def _by_functions(code: str, tree: ast.Module) -> Sides | str | None:
    """The calls of two functions whose names say it; those that nobody calls are called then."""
    own = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    slow, fast = ([f for f in own if {*f.name.split("_")} & {*words}] for words in (_SLOW, _FAST))
    if len(slow) != 1 or len(fast) != 1 or slow == fast:
        return None
    sides = [_calls(tree, function) for function in (slow[0], fast[0])]
    if not any(sides) and not any(_required(f) for f in (*slow, *fast)):
        sides = [[ast.parse(f"{f.name}()").body[0]] for f in (*slow, *fast)]
    if [len(side) for side in sides] != [1, 1] or sides[0] == sides[1]:
        return f"`{slow[0].name}` and `{fast[0].name}` are not called once each"
    return Sides(slow=tuple(sides[0]), fast=tuple(sides[1]))


def _calls(tree: ast.Module, function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements outside of functions that call one."""
    return [
        node
        for node in tree.body
        if not isinstance(node, _DEFINES)
        and any(isinstance(n, ast.Name) and n.id == function.name for n in ast.walk(node))
    ]


def _required(function: ast.FunctionDef) -> bool:
    given = function.args
    positional = len(given.posonlyargs) + len(given.args) > len(given.defaults)
    return positional or None in given.kw_defaults


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
