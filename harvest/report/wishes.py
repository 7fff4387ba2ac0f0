"""What stands under a heading such as "Expected behavior" -> apart from what a report tells.

In: the text of a report. Out: what happened, and what should have: "ValueError: size must be
positive" is a symptom in the one, and in the other the error that is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analysis.rules import Phrase
from harvest.report.lines import heading_of
from harvest.report.markdown import Document
from harvest.report.symptoms import EXCEPTION_WORD, NEGATION, WISH
from harvest.report.wordings import Wording, Wordings

RESULT = (
    r"[*_\s]*(?:(?:(?:correct|returned|return|printed|numerical|numpy|scipy)\s+)?"
    r"(?:behaviou?rs?|results?|outputs?|values?|outcomes?|answers?|gradients?|exceptions?|errors?)"
    r"(?=\s*(?:[^\w\s]|$)|\s+(?:if|from|in|of|with|for|on|when|is|would|should|and|or|as)\b)"
    r"|(?=[:,(=\u2013\u2014-]|$))"
)
"""What may follow "Expected", or "Actual", in a heading: a result, or nothing."""
WANTED = Phrase(
    "wish/title-of-what-should-be",
    r"(?!.{0,100}\b(?:actual(?:ly)?|observed|got|vs|versus)\b)"
    rf"\W*(?:(?:describe )?(?:the )?expected\b{RESULT}|what (?:did |do )?(?:i|you|we) expect)",
    re.IGNORECASE,
    finds=("Expected behavior", "What did you expect to happen?"),
    spares=("Expected vs actual", "Output"),
)
"""How a heading of what should happen begins, where it is not of what happened as well."""
HAPPENED = Phrase(
    "wish/title-of-what-happened",
    r"\W*(?:actual(?:ly)?\b|(?:but |and )?(?:i|we) (?:get|got|see)\b|instead\b(?! of\b)"
    r"|errors?\b(?! (?:should|must|would|ought|(?:is|to be) (?:raised|thrown))\b))",
    re.IGNORECASE,
    finds=("Actual result", "But we get:"),
    spares=("Expected",),
)
"""A line below such a heading from which on it is told what happened."""
_TRACEBACK = "Traceback (most recent call last)"
DENIED = Wordings(
    Wording(
        "wish/no-error",
        r"\b(?:no|without) (?:an? |any )?(?:\w+Error|errors?|exceptions?)\b",
        ("it runs without any error",),
        ("an error",),
    ),
    Wording(
        "wish/should-not",
        r"\b(?:should|must|ought to|would)(?:n't| not| never)\b",
        ("it shouldn't raise",),
        ("it should raise",),
    ),
    flags=re.IGNORECASE,
)
"""That there should be no error."""
_ASKED = Phrase(
    "wish/asked-for",
    r"(?:^\W*|\b(?:rais\w+|throw\w*|gets?|sees?|expect\w*|an?)\b(?: \S+){0,2}\W*)$",
    re.IGNORECASE,
    finds=("it raises a ", ""),
    spares=("there is nothing like ",),
)
"""What stands in front of an exception that should come."""
_PRESENT = Phrase(
    "wish/at-present",
    r"\b(?:currently|now|at present|instead of|rather than)\b[^;]*$",
    re.IGNORECASE,
    finds=("now there is ",),
    spares=("there is ",),
)
_TO_GO = Phrase(
    "wish/to-go-away",
    r"\b(?:go(?:es)? away|disappears?|vanish(?:es)?|fix\w*|resolved?|removed?)\b",
    re.IGNORECASE,
    finds=("the ValueError goes away",),
    spares=("a ValueError",),
)
"""Of an exception that there is, and that should not come."""
_MISSING = Phrase(
    "wish/an-error",
    r"\W*(?:raise |throw |get |see )?an? (?:error|exception)\b",
    re.IGNORECASE,
    finds=("Raise an error.", "an exception"),
    spares=("a result",),
)
MOST_LINES = 20_000


def apart(prose: str) -> tuple[str, str]:
    """Return what a text tells and what it wishes, each with empty lines for the other.

    A traceback is what happened, wherever it is pasted.
    """
    told: list[str] = []
    wished: list[str] = []
    for section in _sections(prose.split("\n")[:MOST_LINES]):
        wish = WANTED.match(section[0].lstrip("*_# ")) is not None and _opens(section[0])
        wish = wish and not any(_TRACEBACK in line for line in section)
        end = _wish_ends(section) if wish else 0
        if not wish and WISH.search(section[0]):
            section.insert(1, "")  # what follows such a heading is no part of its sentence
        told += [*[""] * end, *section[end:]]
        wished += [*section[:end], *[""] * (len(section) - end)]
    return "\n".join(told), "\n".join(wished)


def wished_blocks(document: Document) -> frozenset[int]:
    """The numbers of the blocks that show what should happen."""
    return frozenset(
        block.number
        for block in document.blocks
        if WANTED.match(block.lead) and len(block.lead) <= 60 and _TRACEBACK not in block.text
    )


def asks_for_exception(wished: str) -> str | None:
    """The line that names an exception, or an error, as what should come."""
    for line in wished.split("\n"):
        told = line[:500]
        if DENIED.search(told) or _TO_GO.search(told):
            continue
        named = (found.start() for found in EXCEPTION_WORD.finditer(told))
        if _MISSING.match(told) or any(_is_asked_for(told[:at]) for at in named):
            return told.strip()
    return None


def _is_asked_for(before: str) -> bool:
    """Whether the words in front of an exception say that it should come."""
    return (
        _ASKED.search(before) is not None
        and NEGATION.search(before) is None
        and _PRESENT.search(before) is None
    )


def _wish_ends(section: list[str]) -> int:
    """The line from which on a section of what should happen tells what did."""
    told = (at for at, line in enumerate(section) if at and HAPPENED.match(line))
    return next(told, len(section))


def _sections(lines: list[str]) -> Iterator[list[str]]:
    section: list[str] = []
    for line in lines:
        if _opens(line) and section:
            yield section
            section = []
        section.append(line)
    if section:
        yield section


def _opens(line: str) -> bool:
    """Whether a line is a heading, or begins with one in bold."""
    return heading_of(line) is not None or line.lstrip().startswith("**")
