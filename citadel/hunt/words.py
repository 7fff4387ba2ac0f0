"""A report as words, for the classifier that orders a hunt.

In: a report, or its reading. Out: words of its title and of its body or script, and traits: a few
facts about the reading, as words, so that they can be kept and counted like the others. Both are
bounded and plain ASCII, whatever the report holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harvest.report.model import ClaimSource, Reading, Report

MOST_CHARACTERS = 8_000
"""What is read of a body: the report itself comes before logs and version dumps."""
MOST_OF_TITLE = 500
_NAME = re.compile(r"[a-z_][a-z0-9_]{1,40}(?:\.[a-z_][a-z0-9_]{0,40}){0,6}")


def words(report: Report) -> list[str]:
    """Words of a report; a dotted name is one word, and its last part another one."""
    title = [f"title:{word}" for word in _names(report.title[:MOST_OF_TITLE])]
    return [*title, *_names((report.code or report.body)[:MOST_CHARACTERS])]


def _names(text: str) -> Iterator[str]:
    for name in _NAME.findall(text.lower()):
        yield name
        _, dot, last = name.rpartition(".")
        if dot:
            yield last


def traits(reading: Reading) -> list[str]:
    """Facts about a reading as words without blanks, each once."""
    length = sum(len(snippet.code) for snippet in reading.candidates)
    found = [
        f"candidates:{min(len(reading.candidates), 4)}",
        f"code:{length.bit_length()}",
        f"mentions:{min(len(reading.mentions), 8).bit_length()}",
    ]
    for claim in reading.claims:
        found.append(f"claim:{claim.kind}")
        if claim.source is ClaimSource.LOG:
            found.append("log")
    for snippet in reading.candidates[:1]:
        found.extend(f"need:{need}" for need, _ in snippet.needs)
        found.extend(["repaired"] * bool(snippet.repairs) + ["incomplete"] * bool(snippet.missing))
    if reading.expectations or reading.refusal:
        found.append("expects")
    return list(dict.fromkeys(found))
