"""What a report says a result is, and what it should be: numbers in prose, comments and output.

In: title, document, code. Out: `Expectation`s ("I expect `[1, 2]`", "returns inf instead of 2e20",
`# should be 0`), whether the report wants a call to be refused, and the output that it pastes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harvest.report.markdown import Document
from harvest.report.model import Expectation
from harvest.report.syntax import Refusal, parse
from harvest.report.text import shorten

MOST_LINES = 2000
MOST_NUMBERS = 64
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf(?:inity)?|nan|True|False)"
_LITERAL = re.compile(
    rf"(?:(?:torch\.|tf\.)?(?:tensor|Tensor|array|Size|TensorShape))?\(?(?P<list>[\[(][-+\w\s.,\[\]()]*?[\])]+)"
    rf"|(?<![\w.])(?P<one>{_NUMBER})(?![\w%]|\.\d)",
    re.IGNORECASE,
)
_ITEM = re.compile(rf"(?<![\w.]){_NUMBER}(?![\w.]*\w)", re.IGNORECASE)
_RIGHT = re.compile(
    r"\b(?:expect(?:s|ed|ing)?|should(?: (?:also|have))?(?: be(?:en)?| give| return| print| equal"
    r"| clip to| yield)?|instead of|rather than|correct(?:ly)?(?: (?:value|result|answer|output))?"
    r"|ought to be|supposed to be|must be|true (?:value|result)|and not"
    r"|right (?:value|result|answer)|(?:is|are) representable|says)\b",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:returns?|returned|gives?|gave|receive[sd]?|got|gets?|prints?|printed|outputs?"
    r"|results? in|comes? (?:out|back) as|becomes?|became|produces?|yields?|shows?|is|are|was"
    r"|actual(?:ly)?|results?|see|observe[sd]?|obtain(?:s|ed)?|but not)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:should|expect(?:ed|s)?|would|ought to|must)\b[^.\n]{0,80}?"
    r"\b(?:raise[sd]?|throw[sn]?|reject(?:s|ed)?|refuse[sd]?|error|exception|\w+Error|validat\w+)\b"
    r"|\b(?:\w*Error|exception|error)\s+(?:is |was )?expected"
    r"|\bno (?:error|exception|validation|check|complaint)"
    r"|\bwithout (?:an? |any )?(?:error|exception|complaint|validation|warning|check)"
    r"|\b(?:silently|happily|wrongly|incorrectly) (?:accept|return|succeed|run|pass)\w*"
    r"|\baccept(?:s|ed|ing)?\b"
    r"|\bdoes(?: not|n't) (?:raise|throw|check|validate|complain|reject|fail)",
    re.IGNORECASE,
)


def find_expectations(
    title: str, document: Document, *, code: str | None = None
) -> tuple[Expectation, ...]:
    """The values that a report calls right or wrong, in the order of the text."""
    texts = [title, document.prose, *(_comments(block.text) for block in document.blocks)]
    if code is not None:
        texts.append(_comments(code))
    found: list[Expectation] = []
    for text in texts:
        for sentence in _SENTENCE.split(text)[:MOST_LINES]:
            found += _of_sentence(sentence[:500])
    return tuple(dict.fromkeys(found))


def wants_refusal(title: str, document: Document) -> str | None:
    """The sentence in which a report asks for an error where there is none."""
    for text in (title, document.prose):
        for sentence in _SENTENCE.split(text)[:MOST_LINES]:
            if _REFUSAL.search(sentence[:500]):
                return shorten(sentence)
    return None


def pasted_output(document: Document) -> tuple[str, ...]:
    """The lines of what a report pastes that is no code, and those that comments hold."""
    lines: list[str] = []
    for block in document.blocks:
        tree = parse(block.text)
        plain = not isinstance(tree, Refusal) and bool(tree.body)
        lines += (_comments(block.text) if plain else block.text).splitlines()
    told = (" ".join(line.split()) for line in lines[:MOST_LINES])
    return tuple(dict.fromkeys(line for line in told if line))


def _comments(code: str) -> str:
    """The comments of some code, one per line."""
    found = (line.partition("#")[2] for line in code.splitlines()[:MOST_LINES])
    return "\n".join(comment.strip(" #") for comment in found if comment.strip(" #"))


def _of_sentence(sentence: str) -> Iterator[Expectation]:
    """Each literal belongs to the nearest word in front of it that calls it right or wrong."""
    marks = [(found.end(), True) for found in _RIGHT.finditer(sentence)]
    taken = [(found.start(), found.end()) for found in _RIGHT.finditer(sentence)]
    marks += [
        (found.end(), False)
        for found in _WRONG.finditer(sentence)
        if not any(start <= found.start() < end for start, end in taken)
    ]
    marks.sort()
    for literal in _LITERAL.finditer(sentence):
        before = [mark for mark in marks if mark[0] <= literal.start()]
        numbers = _numbers(literal[0])
        if not before or not numbers:
            continue
        end, right = before[-1]
        if not _reaches(sentence[end : literal.start()]):
            continue
        yield Expectation(
            right=right, numbers=numbers, literal=literal[0].strip(), sentence=shorten(sentence)
        )


def _reaches(between: str) -> bool:
    """Whether what stands between a word and a number lets the one speak of the other."""
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"`[^`]*\(", "", between))
    return len(words) <= 4


def _numbers(text: str) -> tuple[str, ...]:
    """The numbers of a literal, as written."""
    inner = re.sub(r"\b(?:dtype|device|requires_grad|grad_fn|shape)=[^,)\]]*", "", text)
    found = tuple(item[0].lower() for item in _ITEM.finditer(inner))
    return found if len(found) <= MOST_NUMBERS else ()
