"""Which two parts of a report's code its words call slow and fast, where nothing measures them.

In: code that parses, and the report's sentences. Out: two spans of statements in one suite, or why
there are none. Labels count first, then sentences that name what two statements call ("`f(x)` is
slower than `g(x)`", "`f` takes 3 s, but `g` 10 ms").
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from harvest.report.labels import Label, labels
from harvest.report.slower import THAN, slower, told
from harvest.report.suites import Span, Suite, bound, expressions, read, suites
from harvest.report.syntax import Refusal, dotted, parse
from harvest.report.text import shorten

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*#])")
_CLAUSE = re.compile(r"[,;](?=\s)|\s[-\u2013\u2014]+\s|\b(?:but|while|whereas|and|yet)\b")
_NAMED = re.compile(
    r"`([^`\n]{2,300}+)`|(?<![\w.`])((?:[A-Za-z_]\w*\.)+\w+(?:\([^()\n]{0,200}\))?|\w+\([^()\n]{0,200}\))"
)
_MOST = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """What is called slow, what is called fast beside it, and the suite that both are of."""

    slow: Span
    fast: Span
    suite: Suite


def find_sides(code: str, sentences: Sequence[str]) -> Sides | str:
    """The two sides that words tell apart, or what they say of one; "" if nothing."""
    tree = parse(code)
    if isinstance(tree, Refusal):
        return ""
    found = [(suite, list(labels(code, tree, suite))) for suite in suites(tree) if suite.body]
    for suite, labelled in found:
        for sides in _labelled(suite, labelled):
            return sides
    for suite, _ in found:
        for sides in (sides for sentence in sentences for sides in _named(suite, sentence)):
            return sides
    of_one = (label for _, labelled in found for label in labelled)
    return next((_alone(label) for label in of_one), "")


def sentences_of(title: str, prose: str) -> tuple[str, ...]:
    """The sentences of a report that may compare."""
    return (title, *_SENTENCE.split(prose[:_MOST]))


def _labelled(suite: Suite, found: Sequence[Label]) -> Iterator[Sides]:
    for one in found:
        for other in found:
            apart = set(one.span.lines).isdisjoint(other.span.lines)
            if apart and slower(one.told, other.told) > 0:
                yield Sides(slow=one.span, fast=other.span, suite=suite)


def _alone(label: Label) -> str:
    text = shorten(ast.unparse(label.span.first), 60)
    if label.told.slow is None:
        return f"only `{text}` is said to take {label.told.seconds:g} s"
    return f"only `{text}` is called {'slow' if label.told.slow else 'fast'}"


def _named(suite: Suite, sentence: str) -> Iterator[Sides]:
    """The two statements that a sentence compares by naming what they call."""
    for slow, fast in _compared(sentence):
        first, second = _only(suite, slow), _only(suite, fast)
        if first is not None and second is not None and first is not second:
            slow_one, fast_one = (Span(first=node, last=node) for node in (first, second))
            yield Sides(slow=slow_one, fast=fast_one, suite=suite)


def _compared(sentence: str) -> Iterator[tuple[list[str], list[str]]]:
    """What a sentence names on the slow side, and on the fast one."""
    hidden = _NAMED.sub(lambda found: "_" * len(found[0]), sentence)
    than = THAN.search(hidden)
    said = None if than is None else told(hidden[: than.start()])
    if than is not None and said is not None and said.slow is not None:
        sides = _names(sentence[: than.start()]), _names(sentence[than.start() :])
        yield sides if said.slow else sides[::-1]
    ends = [0, *(found.start() for found in _CLAUSE.finditer(hidden)), len(sentence)]
    clauses = [slice(*both) for both in pairwise(ends)]
    telling = [(_names(sentence[at]), told(hidden[at])) for at in clauses]
    for one, said in telling:
        for other, also in telling:
            if slower(said, also) > 0:
                yield one, other


def _names(text: str) -> list[str]:
    return [(one or other).strip() for one, other in _NAMED.findall(text)]


def _only(suite: Suite, names: Sequence[str]) -> ast.stmt | None:
    """The one statement that does what is named."""
    found = {node for name in names for node in _doing(suite, name)}
    return found.pop() if len(found) == 1 else None


def _doing(suite: Suite, name: str) -> list[ast.stmt]:
    """The statements that work and have such an expression in them, or call what has the name.

    Where an object is made of that, it is what uses the object.
    """
    wanted = parse(name)
    match wanted:
        case ast.Module(body=[ast.Expr(value=expression)]):
            shape = ast.dump(expression)
        case _:
            return []
    whole = [n for n in suite.body if any(ast.dump(part) == shape for part in expressions(n))]
    called = expression.func if isinstance(expression, ast.Call) else expression
    leaf = dotted(called).rpartition(".")[2]
    found = whole or [n for n in suite.body if leaf and leaf in _called(n)]
    made = frozenset(name for node in found if node in suite.inputs for name in bound(node))
    working = [node for node in found if suite.works(node)]
    return working or [n for n in suite.body if suite.works(n) and read(n) & made]


def _called(node: ast.stmt) -> set[str]:
    """The last parts of the names that a statement calls."""
    calls = (part.func for part in expressions(node) if isinstance(part, ast.Call))
    return {dotted(function).rpartition(".")[2] for function in calls}
