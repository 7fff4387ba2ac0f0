"""Whether a report wants a call to be refused: an error where there is none.

In: title, document, code. Out: the sentence, comment or line of output that says so.
"""

from __future__ import annotations

import re

from analysis.rules import Phrase, Registry
from harvest.report.accepted import accepts, takes_what_is_none, unchecked
from harvest.report.expectations import (
    MOST_LINES,
    SENTENCE,
    Texts,
    comment_of,
    pasted_output,
    texts_of,
)
from harvest.report.markdown import Document
from harvest.report.text import shorten
from harvest.report.wishes import DENIED, apart, asks_for_exception, wished_blocks
from harvest.report.wordings import Wording, Wordings

_REFUSAL = Wordings(
    Wording(
        "refusal/should-raise",
        r"\b(?:should|expect(?:ed|s)?|would|ought to|must)\b(?:(?!\b(?:currently|fix\w*"
        r"|go(?:es)? away|(?:instead of|rather than) (?:an? |the |raising |throwing ))\b)"
        r"(?:[^.\n]|\.(?=\w))){0,80}?"
        r"\b(?:raise[sd]?|throw[sn]?|reject(?:s|ed)?|refuse[sd]?"
        r"|error(?! (?:appear|occur)s)|exception|\w+Error|validat\w+)\b",
        ("fold should raise here", "we would expect a ValueError"),
        ("fold should give zeros instead of an error",),
    ),
    Wording(
        "refusal/error-expected",
        r"\b(?:\w*Error|exception|error)\s+(?:is |was )?expected",
        ("a ValueError is expected",),
        ("a ValueError is raised",),
    ),
    Wording(
        "refusal/no-error",
        r"\bno (?:error|exception|validation|check|complaint)",
        ("there is no validation",),
        ("there is no kernel",),
    ),
    Wording(
        "refusal/without-error",
        r"\bwithout (?:an? |any )?(?:error|exception|complaint|validation|warning|check)",
        ("it ends without a warning",),
        ("it ends without a result",),
    ),
    Wording(
        "refusal/silently-accepts",
        r"\b(?:silently|happily|wrongly|incorrectly) (?:accept|return|succeed|run|pass)\w*",
        ("fold happily runs",),
        ("fold silently dies",),
    ),
    Wording(
        "refusal/returns-instead-of-raising",
        r"(?<!should )(?<!must )"
        r"\b(?:returns?|gives?|yields?|produces?|prints?|outputs?|computes?|succeeds?|runs?"
        r"|works?)\b[^.\n]{0,60}\b(?:instead of|rather than) (?:an? |the )?"
        r"(?:raising|throwing|failing|error(?:ing)?|exception|\w+Error)\b",
        ("fold returns zeros instead of raising",),
        ("fold returns zeros instead of ones",),
    ),
    Wording(
        "refusal/does-not-raise",
        r"\bdo(?:es)?(?: not|n['\u2019]?t) (?:raise|throw|check|validate|complain|reject|fail"
        r"|(?:do|perform) \w+ (?:check|validation))",
        ("fold doesn't complain", "fold does not perform shape checks"),
        ("fold does not work",),
    ),
    Wording(
        "refusal/should-check",
        r"\bshould (?:also )?(?:check|verify|forbid|disallow|prohibit)\b",
        ("fold should also verify the stride",),
        ("fold should use the stride",),
    ),
    Wording(
        "refusal/missing-check-of-something",
        r"\b(?:lacks?|missing|insufficient|no|lack of|absence of) (?:proper |\w+ )?"
        r"(?:type|argument|input|bounds?|range|shape|parameter|value|sanity|error)"
        r" ?-?(?:check\w*|validation)",
        ("fold lacks proper bounds checking",),
        ("fold lacks a kernel",),
    ),
    Wording(
        "refusal/missing-check",
        r"\b(?:lacks?|missing|lack of|insufficient) (?:validation|checks?|checking)\b",
        ("missing validation in fold",),
        ("missing docs of fold",),
    ),
    Wording(
        "refusal/error-would-be-better",
        r"\ban? \w+(?:Error|Exception)\b[^.\n]{0,120}\b(?:is|are|were|would be) better than\b",
        ("a ValueError would be better than zeros",),
        ("zeros would be better than a ValueError",),
    ),
    Wording(
        "refusal/succeeds",
        r"(?<!n't )(?<!not )\b(?:(?:can|will|would|could)(?: still| silently)? succeed\b"
        r"|succeeds? (?:with|when|for|if|even|on|silently)\b)",
        ("fold succeeds with a stride of 0",),
        ("fold does not succeed with it",),
    ),
    flags=re.IGNORECASE,
)
_ASKED = Wordings(
    Wording(
        "refusal/asked-in-a-comment",
        r"\b(?:should|must|ought to) (?:also |rather |instead )?(?:raise|throw|reject|refuse|error"
        r"|fail|be (?:an? )?(?:rejected|refused|error|exception|\w*Error))\b",
        ("should also raise", "must be an error"),
        ("should be 3",),
    ),
    Wording(
        "refusal/nothing-raised-in-a-comment",
        r"\bno (?:error|exception) (?:is |was )?(?:raised|thrown)\b",
        ("no error is raised",),
        ("an error is raised",),
    ),
    flags=re.IGNORECASE,
)
"""A comment that asks for an error: beside code, the others tell of one that there is."""
_UNRAISED = Phrase(
    "refusal/nothing-raised-in-output",
    r"\bno (?:\w*error|exception) (?:is |was )?(?:raised|thrown)\b",
    re.IGNORECASE,
    finds=("3: no ValueError was raised",),
    spares=("3: ValueError was raised",),
)
"""What a run prints of an error that there is not."""
_AS_IT_SHOULD = Phrase(
    "refusal/as-it-should",
    r"\b(?:should|must)(?:n't| not| never)|\bas (?:it |they )?(?:should|expected|intended)|correct",
    re.IGNORECASE,
    finds=("no error is raised, as expected", "must not fail"),
    spares=("no error is raised",),
)
_PRINTED_WORDS = Phrase(
    "refusal/words-of-a-run",
    r"`(?=[^`\n]*\b(?:got|but|found|received|actual)\b)(?=[^`\n]*\bexpected\b)[^`\n]*`",
    finds=("it prints `expected 3 but got 4`",),
    spares=("I expected 3 but got 4",),
)
"""What a run prints of a result beside the expected one: these words are none of the report's."""
_WRONG = r"(?:wrong|incorrect|garbage|bad)"
_RESULTS = r"(?:results?|outputs?|values?|answers?|gradients?)"
_FREE = Wordings(
    Wording(
        "refusal/runs-or-dies-without-error",
        r"\b(?:can|could|should|handles?|computes?|crash\w*|die[sd]?|abort\w*)\b"
        r"[^.,;\n]{0,60}\bwithout (?:an? |any )?(?:error|exception|complaint|warning)",
        ("fold should run without an error", "fold crashes without any warning"),
        ("fold runs without an error",),
    ),
    Wording(
        "refusal/wrong-without-warning",
        rf"\b(?:{_WRONG} (?:\w+ )?{_RESULTS}|{_RESULTS}\b[^.,;\n]{{0,20}}\b{_WRONG})\b"
        r"[^.,;\n]{0,30}\bwithout (?:an? |any )?warning",
        ("fold gives wrong results without any warning",),
        ("fold gives results without any warning",),
    ),
    Wording(
        "refusal/silently-wrong",
        rf"\bsilently \w+ (?:\w+ )?{_WRONG} (?:\w+ )?{_RESULTS}\b",
        ("fold silently returns incorrect values",),
        ("fold silently returns values",),
    ),
    Wording(
        "refusal/request",
        r"^\W*(?:handle|support|allow|make|let)\b[^.\n]*\bwithout (?:an? |any )?"
        r"(?:error|exception)",
        ("Allow a stride of 0 without an error",),
        ("They allow a stride of 0 without an error",),
    ),
    flags=re.IGNORECASE,
)
"""Something that runs without an error as it should, or ends in worse than an error."""


_REFUSED: Registry[[Texts], str] = Registry("refusal")
"""How a report asks for an error where there is none; the first one counts."""


def wants_refusal(title: str, document: Document, *, code: str | None = None) -> str | None:
    """The sentence, or comment, in which a report asks for an error where there is none."""
    return _REFUSED.first(texts_of(title, document, code))


@_REFUSED.rule("said-in-a-sentence")
def _is_said(texts: Texts) -> str | None:
    """A sentence asks for an error, or says that something unfit is taken."""
    title, (prose, wished) = texts.title, apart(texts.document.prose)
    for text in (title, prose, wished):
        for sentence in SENTENCE.split(text)[:MOST_LINES]:
            if text is wished and DENIED.search(sentence[:500]):
                continue
            said = _FREE.sub("", _PRINTED_WORDS.sub("", sentence[:500]))
            taken = accepts(said) or unchecked(said)
            taken = taken or (text is title and takes_what_is_none(said))
            if taken or _REFUSAL.search(said):
                return shorten(sentence)
    return None


@_REFUSED.rule("said-in-a-comment")
def _is_commented(texts: Texts) -> str | None:
    """A comment of the code asks for an error."""
    for block in texts.codes:
        for line in block.splitlines()[:MOST_LINES]:
            comment = comment_of(line[:500])
            said = _FREE.sub("", comment)
            if _ASKED.search(said) and not _AS_IT_SHOULD.search(said):
                return shorten(comment)
    return None


@_REFUSED.rule("said-in-output")
def _is_printed(texts: Texts) -> str | None:
    """A run prints that nothing was raised."""
    for line in pasted_output(texts.document):
        if _UNRAISED.search(line[:500]) and not _AS_IT_SHOULD.search(line[:500]):
            return shorten(line)
    return None


@_REFUSED.rule("exception-below-a-title")
def _is_wished(texts: Texts) -> str | None:
    """An exception stands below "Expected behavior"."""
    _, wished = apart(texts.document.prose)
    numbers = wished_blocks(texts.document)
    shown = [block.text for block in texts.document.blocks if block.number in numbers]
    asked = next(filter(None, map(asks_for_exception, (wished, *shown))), None)
    return None if asked is None else shorten(asked)
