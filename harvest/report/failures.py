"""Failures that a program printed itself, on one line -> exception (where told) and message.

Code that catches what it provokes prints `torch.half -> RuntimeError no kernel`, `FAILED: no
kernel` or `ERROR RuntimeError: no kernel`: no traceback, but a record of what happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.rules import Phrase
from harvest.report.symptoms import NEGATION, WISH
from harvest.report.symptoms_in_logs import IN_LOGS
from harvest.report.tracebacks import MAX_MESSAGE

_NAME = r"(?:[A-Za-z_]\w{0,60}\.){0,6}(?P<type>_{0,2}[A-Z]\w{0,60}(?:Error|Exception))"
_LABEL = (
    r"(?:ERRORS?|[Ee]rror|FAIL(?:ED|URE|S)?|[Ff]ail(?:ed|ure|s)?|EXCEPTION|[Ee]xception"
    r"|[Cc]aught|[Rr]aise[ds]|[Tt]hrew)"
    r"(?: (?:an )?(?:error|exception|with|by))?"
)
_QUOTE = r"[`'\"<(\[]{0,3}"
_PRINTED = (
    Phrase(
        "failure/behind-an-arrow",
        rf"(?P<before>[^\n]{{0,120}}?)(?:[-=~]>|→)\s{{0,4}}{_QUOTE}{_NAME}"
        r"\W{0,4}?(?:[:(]\s*|\s+)(?P<message>\S.*)",
        finds=("torch.half -> RuntimeError no kernel",),
        spares=("torch.half -> no kernel",),
    ),
    Phrase(
        "failure/behind-a-colon",
        rf"(?P<before>[^\n]{{0,120}}?)(?::|\||\s-)\s{{1,4}}{_QUOTE}{_NAME}:\s+(?P<message>\S.*)",
        finds=("half: RuntimeError: no kernel", "a.py::test_a - ValueError: no"),
        spares=("half: no kernel",),
    ),
    Phrase(
        "failure/behind-a-label",
        rf"(?P<before>\W{{0,6}}{_LABEL}):?\s{{1,4}}{_QUOTE}{_NAME}"
        r"\W{0,4}?(?:[:(]\s*|\s+)(?P<message>\S.*)",
        finds=("ERROR RuntimeError: no kernel", "caught ValueError (no)"),
        spares=("ERROR: no kernel",),
    ),
    Phrase(
        "failure/without-a-name",
        rf"(?P<before>[^\n]{{0,80}}?(?:[-=~]>|→)\s{{0,4}}|\W{{0,6}}){_LABEL}:\s+(?P<message>\S.*)",
        finds=("FAILED: no kernel", "half -> error: no kernel"),
        spares=("no kernel",),
    ),
)
"""In the order in which a line is held against them."""
_WORD = re.compile(r"[A-Za-z_]{2,}")
_TOOLS = Phrase(
    "failure/of-another-tool",
    r"(?:test_\w+|AddressSanitizer|LeakSanitizer|command|pip|cannot install|linker|ld"
    r"|could not find a version)\b",
    re.IGNORECASE,
    finds=("linker command failed", "pip could not be found"),
    spares=("no kernel",),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What a line tells; `exception` is None where it gives only the message."""

    exception: str | None
    message: str


def find_failures(lines: Sequence[str]) -> Iterator[Failure]:
    """Yield the failures that lines of output tell, in order."""
    for line in lines:
        found = _read(line[:MAX_MESSAGE])
        if found is not None and not any(symptom.pattern.search(line) for symptom in IN_LOGS):
            yield found


def _read(line: str) -> Failure | None:
    for pattern in _PRINTED:
        found = pattern.match(line)
        if found is None or WISH.search(found["before"]) or NEGATION.search(found["before"]):
            continue
        message = found["message"].strip().rstrip("`*")
        exception = found.groupdict().get("type")
        if _TOOLS.match(message) or (exception is None and len(_WORD.findall(message)) < 2):
            return None
        return Failure(exception=exception, message=message)
    return None
