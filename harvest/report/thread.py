"""Code beside a report's own text: in its comments, and what was fetched from behind its links.

The best reproduction of a thread may be a comment ("here is a smaller one"): of all snippets that
stand on their own, the shortest comes first. A comment's code counts only where it is about the
same thing, i.e. calls something that the report calls or names, and it needs nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from analysis.rules import Rule
from harvest.report.markdown import Document, read_markdown
from harvest.report.model import Comment, Mention, Report, Snippet
from harvest.report.snippets import WORKAROUND, find_snippets
from harvest.report.syntax import Refusal, dotted, nodes, parse

MAX_COMMENTS = 30
"""Comments that are read: long threads repeat themselves."""
MAX_ANSWERS = 50
"""Snippets of comments that are looked at."""
MAX_COMMENT = 50_000
"""Characters up to which a comment is read: longer ones are logs."""


def with_thread(
    report: Report, own: tuple[Snippet, ...] | str, mentions: Iterable[Mention]
) -> tuple[Snippet, ...] | str:
    """Add what comments and links hold to a report's `own` snippets, or to why there are none."""
    found = () if isinstance(own, str) else own
    linked = _BEHIND_LINKS(report) or ()
    subject = _subject(called_names(found + linked), {_last(mention.name) for mention in mentions})
    answers = _unlike(found + linked, _IN_COMMENTS(report.thread, subject) or ())
    if not answers:
        return found + linked or own
    standing = [snippet for snippet in found + linked if not snippet.missing]
    others = [snippet for snippet in found + linked if snippet.missing]
    whole = sorted([*standing, *answers], key=lambda snippet: (len(snippet.needs), _size(snippet)))
    return (*whole, *others)


def _subject(called: frozenset[str], named: set[str]) -> frozenset[str]:
    """What the report is about: what it both calls and names, else what it does either with."""
    return called & named or called | named


def called_names(snippets: Iterable[Snippet]) -> frozenset[str]:
    """Return the last names of everything that the snippets call (`conv2d` of `F.conv2d`)."""
    trees = [parse(snippet.code) for snippet in snippets]
    return frozenset(
        _last(dotted(node.func))
        for tree in trees
        if not isinstance(tree, Refusal)
        for node in nodes(tree)
        if isinstance(node, ast.Call)
    ) - {"", "print"}


def _linked(report: Report) -> tuple[Snippet, ...] | None:
    """Code that was fetched from behind links."""
    read = (
        (number, find_snippets(Document(blocks=(), prose=""), code=linked.code))
        for number, linked in enumerate(report.linked_code, 1)
    )
    return (
        tuple(
            replace(snippet, origin=f"link {number}", blocks=())
            for number, found in read
            if not isinstance(found, str)
            for snippet in found
        )
        or None
    )


_BEHIND_LINKS = Rule("snippet/behind-links", _linked)


def _commented(thread: Iterable[Comment], subject: frozenset[str]) -> list[Snippet] | None:
    """Code of comments that is about the same subject."""
    return [*islice(_answers(thread, subject), MAX_ANSWERS)] or None


_IN_COMMENTS = Rule("snippet/in-comments", _commented)


def _answers(thread: Iterable[Comment], subject: frozenset[str]) -> Iterator[Snippet]:
    """Yield what stands on its own in comments and is about the subject."""
    for number, comment in enumerate(tuple(thread)[:MAX_COMMENTS], 1):
        if len(comment.body) > MAX_COMMENT or WORKAROUND.search(comment.body):
            continue
        if "`" not in comment.body and "import " not in comment.body and "    " not in comment.body:
            continue  # no code of any form
        found = find_snippets(read_markdown(comment.body))
        for snippet in () if isinstance(found, str) else found:
            about = not subject or called_names([snippet]) & subject
            if about and not snippet.missing and not snippet.origin.startswith("inline"):
                yield replace(snippet, origin=f"comment {number}, {snippet.origin}", blocks=())


def _unlike(known: Iterable[Snippet], found: Iterable[Snippet]) -> list[Snippet]:
    """Drop what is there already: people quote the report."""
    seen = {snippet.code for snippet in known}
    kept: list[Snippet] = []
    for snippet in found:
        if snippet.code not in seen:
            seen.add(snippet.code)
            kept.append(snippet)
    return kept


def _size(snippet: Snippet) -> int:
    return len("".join(snippet.code.split()))


def _last(name: str) -> str:
    return name.rpartition(".")[2]
