"""Labels of statements that speak of time: comments, what is printed, names of the report's own.

In: code, its tree and a suite of it. Out: what is said of which statements. A comment behind a
statement is of that; one of its own, or a text that is printed, is of those below it up to the next
blank line or label; where nothing stands below the last one, each is of those above it.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harvest.report.slower import Told, told
from harvest.report.suites import Span, Suite, computes, end_of, expressions, is_shown
from harvest.report.syntax import bound_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What is said of a part of a suite."""

    told: Told
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    first: int
    last: int
    text: str


def labels(code: str, tree: ast.Module, suite: Suite) -> Iterator[Label]:
    """The labels of a suite's statements, in no particular order."""
    comments = _comments(code)
    own = bound_names(tree)
    for node in suite.body:
        for text in _of(node, comments, own):
            said, span = told(text), suite.behind(node)
            if said is not None:
                if span is not None:
                    yield Label(told=said, span=span)
                break
    headings = list(_headings(code, suite, comments))
    for heading, there in _headed(code, suite, headings):
        said, span = told(heading.text), suite.span(there)
        if said is not None and span is not None:
            yield Label(told=said, span=span)


def _of(node: ast.stmt, comments: Mapping[int, str], own: frozenset[str]) -> Iterator[str]:
    """What stands behind a statement, in what it prints, and in names of the report's own."""
    if not computes(node) and not is_shown(node):
        return
    yield " ".join(comments.get(line, "") for line in range(node.lineno, end_of(node) + 1))
    if is_shown(node) and not _says(node):
        yield " ".join(_texts(node))
    parts = expressions(node)
    calls = (part.func for part in parts if isinstance(part, ast.Call))
    yield " ".join(f.id for f in calls if isinstance(f, ast.Name) and f.id in own)
    if isinstance(node, ast.Assign):
        yield " ".join(target.id for target in node.targets if isinstance(target, ast.Name))


def _texts(node: ast.stmt) -> list[str]:
    return [
        part.value
        for part in expressions(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def _says(node: ast.stmt) -> bool:
    """Whether a statement prints text alone."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[ast.Constant(value=str())])):
            return True
    return False


def _comments(code: str) -> dict[int, str]:
    """The comments of a code by line."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return {}
    found = (token for token in tokens if token.type == tokenize.COMMENT)
    return {token.start[0]: token.string.lstrip("#! ") for token in found}


def _headings(code: str, suite: Suite, comments: Mapping[int, str]) -> Iterator[_Heading]:
    """Comments of their own between a suite's statements, and texts that these print."""
    inside = {line for n in suite.body for line in range(n.lineno, end_of(n) + 1)}
    first, last = suite.body[0].lineno, end_of(suite.body[-1])
    alone = [line for line in sorted(comments) if line not in inside]
    group: list[int] = []
    for line in [*alone, 0]:
        if group and line != group[-1] + 1:
            if first - len(group) - 1 <= group[0] <= last + 1:
                text = " ".join(comments[at] for at in group)
                yield _Heading(first=group[0], last=group[-1], text=text)
            group = []
        group.append(line)
    for node in suite.body:
        if _says(node):
            yield _Heading(first=node.lineno, last=end_of(node), text=" ".join(_texts(node)))


def _headed(
    code: str, suite: Suite, headings: Sequence[_Heading]
) -> Iterator[tuple[_Heading, list[ast.stmt]]]:
    """Each heading with the statements that it is of; nothing where that is open."""
    headings = sorted(headings, key=lambda one: one.first)
    telling = [one for one in headings if told(one.text) is not None]
    if not telling:
        return
    works = [node for node in suite.body if suite.works(node)]
    below = any(node.lineno > telling[-1].last for node in works)
    if below and any(end_of(node) == telling[0].first - 1 for node in works):
        return
    blank = {at for at, line in enumerate(code.split("\n"), 1) if not line.strip()}
    headed = {line for one in headings for line in range(one.first, one.last + 1)}
    for one in telling:
        if below:
            yield one, _next_to(suite.body, one.last, 1, blank, headed)
        else:
            yield one, _next_to(suite.body[::-1], one.first, -1, blank, headed)


def _next_to(
    body: Sequence[ast.stmt], edge: int, step: int, blank: set[int], headed: set[int]
) -> list[ast.stmt]:
    """The statements from a line on, down or up, to the next blank line or heading."""
    found: list[ast.stmt] = []
    for node in body:
        near, far = (node.lineno, end_of(node))[::step]
        if (near - edge) * step <= 0:
            continue
        ends = headed | blank if found else headed
        if not ends.isdisjoint(range(edge + step, near + step, step)):
            break
        found.append(node)
        edge = far
    return found[::step]
