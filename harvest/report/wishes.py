"""What stands under a heading such as "Expected behavior" -> apart from what a report tells.

In: the text of a report. Out: what happened, and what should have: "ValueError: size must be
positive" is a symptom in the one, and in the other the error that is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harvest.report.lines import heading_of
from harvest.report.markdown import Document
from harvest.report.symptoms import EXCEPTION_WORD, NEGATION

WANTED = re.compile(r"\W*(?:describe the )?expected\b|\W*what (?:i|you) expect", re.IGNORECASE)
"""How a heading of what should happen begins."""
_TRACEBACK = "Traceback (most recent call last)"
DENIED = re.compile(
    r"\b(?:no|without) (?:an? |any )?(?:\w+Error|errors?|exceptions?)\b"
    r"|\b(?:should|must|ought to|would)(?:n't| not| never)\b",
    re.IGNORECASE,
)
"""That there should be no error."""
_MISSING = re.compile(r"\W*(?:raise |throw |get |see )?an? (?:error|exception)\b", re.IGNORECASE)
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
        blank = [""] * len(section)
        told += blank if wish else section
        wished += section if wish else blank
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
        found = EXCEPTION_WORD.search(told) or _MISSING.match(told)
        if found is None or NEGATION.search(told[: found.start()]) or DENIED.search(told):
            continue
        return told.strip()
    return None


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
