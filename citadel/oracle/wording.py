"""Which of two sides a report calls the slow one, what ratio it states, and what else it compares.

In: a report and the texts of two expressions with their labels. Read are names that say it (`slow`,
`baseline`), sentences that compare ("X is slower than Y"), and the numbers that the report pastes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analysis.rules import Phrase
from harvest.report.growth import Growing, growing
from harvest.report.model import Reading

_SLOW = frozenset(("slow", "slower", "slowest", "bad", "worse", "buggy", "leaky", "leaking"))
_FAST = frozenset(
    ("fast", "faster", "fastest", "good", "better", "best", "base", "baseline", "ref", "reference")
) | frozenset(("expected", "plain", "ideal"))
_WORD = re.compile(r"[a-z]+\d*|\d+")
_THAN = r"\b(?:than|compared (?:to|with)|versus|vs)\b"
_SLOWER = Phrase(
    "word/compared-as-slower",
    rf"(?P<one>[^.;\n]{{0,120}}?)\b(?:slower|slow|longer|larger|more|higher|worse|extra)\b"
    rf"(?P<more>[^.;\n]{{0,80}}?){_THAN}(?P<other>[^.;\n]{{0,80}})",
    re.IGNORECASE,
    finds=("f is much slower than g", "takes longer compared to g"),
    spares=("f is slow",),
)
_FASTER = Phrase(
    "word/compared-as-faster",
    rf"(?P<one>[^.;\n]{{0,120}}?)\b(?:faster|fewer|less|lower)\b"
    rf"(?P<more>[^.;\n]{{0,80}}?){_THAN}(?P<other>[^.;\n]{{0,80}})",
    re.IGNORECASE,
    finds=("f is faster than g", "fewer allocations than g"),
    spares=("f is fast",),
)
_NO_EFFECT = Phrase(
    "word/no-effect",
    r"\bno (?:effect|speed-?up|gain|benefit|saving|improvement|reduction|difference)\b"
    r"|\b(?:does|do|did|is|are)(?: not|n't) (?:any )?"
    r"(?:sav|reduc|lower|free|help|speed|improv|faster|less|smaller)\w*"
    r"|\b(?:same|identical|as much) (?:\w+ )?(?:memory|time|amount|speed|usage|number of bytes)\b"
    r"|\bas (?:slow|much memory|long) as\b",
    re.IGNORECASE,
    finds=("inplace=True has no effect", "it does not save memory", "takes the same memory"),
    spares=("it saves memory",),
)
_STATED = Phrase(
    "word/ratio",
    r"\bratios?(?: of| is|:| =)? ?(?:about |around |roughly |~)?(?P<one>\d+(?:\.\d+)?)"
    r"|(?P<two>\d+(?:\.\d+)?)(?: ?[x\u00d7](?!\w| ?\d)|[ -]?fold\b"
    r"| times (?:as|that|the|slower|faster|longer|more|larger|bigger|higher|greater|worse|less"
    r"|fewer|lower|smaller|better)\b)",
    re.IGNORECASE,
    finds=("it is 7x slower", "a ratio of 30", "ten fold: 10-fold"),
    spares=("a 3 x 3 kernel", "run it 1000 times"),
)
"""Sizes (`3 x 3`) and repetitions ("run it 1000 times") are no ratios."""
_NUMBER = r"v?\d+\.\d+(?:\.\d+)?"
_VERSIONS = Phrase(
    "word/versions",
    r"\b(?:performance|speed|time|memory|latency) regress\w+"
    r"|\bregress\w+ (?:since|from|in|between)\b|\bused to (?:be|take|need|use)\b"
    rf"|\b(?:torch|pytorch|tensorflow|tf|keras|versions?|releases?) {_NUMBER}|\bv\d+\.\d+"
    # Not a number with a unit: "slower than 1.5 s".
    rf"|\b(?:than|since|from|as) (?:in |on |of |with )?{_NUMBER}\b"
    r"(?! ?(?:[num\u00b5]?s|sec\w*|min\w*|x|times|%|[KMG]i?B)\b)",
    re.IGNORECASE,
    finds=("performance regression in f", "slower than in 1.13", "used to take 3 s"),
    spares=("slower than 1.5 s",),
)
MOST_TEXT = 5000
_AMOUNT = (
    r"(\d+(?:\.\d*)?(?:e[-+]?\d+)?)"
    r"(?: ?([num\u00b5\u03bc]s|s|[KMG]i?B|B)\b|(?! ?\w|[,.]\d|%))"
)
_UNITS = {
    **{"ns": 1e-9, "us": 1e-6, "\u00b5s": 1e-6, "\u03bcs": 1e-6, "ms": 1e-3, "s": 1.0},
    **{"B": 1.0, "KB": 2.0**10, "KiB": 2.0**10, "MB": 2.0**20, "MiB": 2.0**20},
    **{"GB": 2.0**30, "GiB": 2.0**30},
}
"""Two amounts without a unit, or with one, are compared; which one it is, does not matter."""


def slow_side(one: str, other: str, reading: Reading) -> int:
    """1 if the report calls `one` the slow (or wasteful) side, -1 if `other`, 0 if neither."""
    mine, its = _words(one), _words(other)
    shared = mine & its
    named = _score(mine - shared, _SLOW, _FAST) - _score(its - shared, _SLOW, _FAST)
    if named:
        return 1 if named > 0 else -1
    told = 0
    for text in (reading.report.title, reading.report.body[:MOST_TEXT]):
        for pattern, sign in ((_SLOWER, 1), (_FASTER, -1)):
            for found in pattern.finditer(text):
                slow = _words(found["one"]) | _words(found["more"])
                fast = _words(found["other"])
                score = _score(mine - shared, slow - fast, fast - slow)
                score -= _score(its - shared, slow - fast, fast - slow)
                told += sign * score
    return (told > 0) - (told < 0)


def pasted_side(one: str, other: str, reading: Reading) -> int:
    """1 if what the report pastes behind the label `one` is always more, -1 if less, else 0."""
    if one == other:
        return 0
    mine, its = (list(_behind(label, reading)) for label in (one, other))
    signs = {(a > b) - (a < b) for a, b in zip(mine, its, strict=False)}
    return signs.pop() if len(signs) == 1 else 0


def _behind(label: str, reading: Reading) -> Iterator[float]:
    """The amounts of time or memory that lines have behind a label, be it in a fence or not."""
    text = " ".join(label.split())
    if not _WORD.search(text.lower()):
        return
    amount = re.compile(rf"{re.escape(text)}(?<!\d(?=\d))\s*{_AMOUNT}")
    prose = (" ".join(line.split()) for line in reading.prose.splitlines())
    for line in (*reading.output, *prose):
        for found in amount.finditer(line):
            yield float(found[1]) * _UNITS.get(found[2] or "", 1.0)


def no_effect(reading: Reading) -> bool:
    """Whether the report complains that something makes no difference."""
    return bool(
        _NO_EFFECT.search(reading.report.title)
        or _NO_EFFECT.search(reading.report.body[:MOST_TEXT])
    )


def about_versions(reading: Reading) -> bool:
    """Whether the report's title or a claim in it compares two versions."""
    texts = (reading.report.title, *(claim.text for claim in reading.claims))
    return any(_VERSIONS.search(text) for text in texts)


def complaint(reading: Reading) -> Growing | None:
    """How the report says that time goes up, if it complains of that."""
    return growing(reading.report.title + "\n" + reading.report.body[:MOST_TEXT])


def stated(reading: Reading) -> float | None:
    """The largest ratio that the report states ("7x", "a ratio of 30"), if it is above 1."""
    text = reading.report.title + "\n" + reading.report.body[:MOST_TEXT]
    found = [float(match["one"] or match["two"]) for match in _STATED.finditer(text)]
    return max((ratio for ratio in found if 1 < ratio < 1e6), default=None)


def _score(
    words: set[str], slow: frozenset[str] | set[str], fast: frozenset[str] | set[str]
) -> int:
    return len(words & slow) - len(words & fast)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower().replace("fp16", "float16").replace("fp32", "float32")))
