"""What one sentence says of values: which numbers it calls right, and which wrong.

In: a sentence. Out: `Expectation`s. A number belongs to the nearest word in front of it that calls
it right ("should be 3") or wrong ("returns 4"), or to the one right behind it ("3 is expected").
Numbers that are arguments ("for x = 3"), negated ("no inf") or parts of a formula are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from analysis.rules import Phrase
from harvest.report.model import Expectation
from harvest.report.text import shorten
from harvest.report.wordings import Wording, Wordings

MOST_NUMBERS = 64
MOST_CHARACTERS = 500
_REACH = 3
"""Words that may stand between a word and the number that it speaks of, articles not counted."""
_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf(?:inity)?|nan|True|False)"
_LITERAL = re.compile(
    r"(?:(?:torch\.|tf\.)?(?:tensor|Tensor|array|Size|TensorShape))?"
    r"\(?(?P<list>[\[(][-+\w\s.,\[\]()]*?[\])]+)"
    rf"|(?<![\w.])(?P<one>{_NUMBER})(?![\w%]|\.\d)",
    re.IGNORECASE,
)
_INSIDE = re.compile(r"[-+\w\s.,=']")
"""What may stand in a list of numbers beside brackets."""
_ITEM = re.compile(rf"(?<![\w.]){_NUMBER}(?![\w.]*\w)", re.IGNORECASE)
_NAMED = Phrase(
    "value/named-argument",
    r"\b(?:dtype|device|requires_grad|grad_fn|shape)=[^,)\]]*",
    finds=("tensor(3, dtype=torch.int8)",),
    spares=("tensor(3)",),
)
_PRINTED_SHAPE = Phrase(
    "value/printed-shape",
    r"(?:[,:] )?\bshape=\([\d, ]*\)(?=, dtype=)",
    finds=("tf.Tensor([1 2], shape=(2,), dtype=int32)",),
    spares=("shape=(2,)",),
)
"""What TensorFlow prints beside the elements of a tensor."""
_REPRESENTED = Phrase(
    "value/represented-tensor",
    r"<tf\.\w+[^<>]{0,100}?\bnumpy=([^<>]*)>",
    finds=("<tf.Tensor: shape=(), dtype=float32, numpy=nan>",),
    spares=("<tf.Tensor>",),
)
"""A tensor of TensorFlow as a session shows it."""
_RIGHT = Wordings(
    Wording(
        "expectation/expected-to-be",
        r"expect(?:s|ed|ing)?(?: \w+){0,3}? to (?:be|have|get|give|return|print|equal|yield|see"
        r"|(?:evaluate|overflow|underflow) to)",
        ("we expect the sum to be 3",),
        ("we expect the sum",),
    ),
    Wording("expectation/expected", r"expect(?:s|ed|ing)?", ("expected 3",), ("unexpected",)),
    Wording(
        "expectation/should-be",
        r"should(?: (?:also|have))?(?: be(?:en)?| give| return| print| equal| clip to| yield"
        r"| (?:evaluate|overflow|underflow) to)?",
        ("it should return 3", "it should overflow to inf"),
        ("it returns 3",),
    ),
    Wording(
        "expectation/correct-result",
        r"correct(?:ly)?(?: (?:value|result|answer|output)"
        r"| (?:evaluate|overflow|underflow)s to)?",
        ("the correct value 3",),
        ("the incorrect value 3",),
    ),
    Wording(
        "expectation/must-be",
        r"ought to be|supposed to be|must be|must (?:evaluate|overflow|underflow) to",
        ("it is supposed to be 3", "it must be 3"),
        ("it must 3",),
    ),
    Wording(
        "expectation/true-value",
        r"true (?:value|result)|right (?:value|result|answer)",
        ("the true value is 3", "the right answer 3"),
        ("true 3",),
    ),
    Wording(
        "expectation/representable",
        r"(?:is|are) representable",
        ("3e38 is representable",),
        ("represented",),
    ),
    before=r"\b",
    after=r"\b",
    flags=re.IGNORECASE,
)
_WRONG = Wordings(
    Wording(
        "actual/returns",
        r"\b(?:returns?|returned|gives?|gave|outputs?|prints?|printed|produces?|yields?|shows?"
        r"|says)\b",
        ("it returns 3", "it printed 3"),
        ("it takes 3",),
    ),
    Wording(
        "actual/we-get",
        r"\b(?:receive[sd]?|got|gets?|see|observe[sd]?|obtain(?:s|ed)?)\b",
        ("we got 3", "they observed 3"),
        ("we want 3",),
    ),
    Wording(
        "actual/results-in",
        r"\b(?:results? in|comes? (?:out|back) as|becomes?|became|results?"
        r"|(?:over|under)flow(?:s|ed) to|evaluate[sd] to)\b",
        ("the sum comes out as 3", "it overflows to inf"),
        ("it comes to 3",),
    ),
    Wording("actual/is", r"\b(?:is|are|was)\b", ("the sum is 3",), ("this",)),
    Wording(
        "actual/actually",
        r"\b(?:actual(?:ly)?|but not)\b",
        ("actual: 3", "4 but not 3"),
        ("not 3",),
    ),
    Wording("actual/arrow", r"[-=]>|→", ("f(1) -> 3", "f(1) → 3"), ("f(1) - 3",)),
    flags=re.IGNORECASE,
)
_CONTRAST = Phrase(
    "expectation/instead-of",
    r"\b(?:instead of|rather than|and not)\b",
    re.IGNORECASE,
    finds=("3 instead of 4",),
    spares=("instead, 4",),
)
"""Right is what follows where wrong is what stands before, and the other way round."""
_CASE = Phrase(
    "value/of-an-input",
    r"\b(?:if|when\w*|where\w*|in case)\s+(?:[`'\w.]+\s+){0,4}(?:is|are|was)$",
    re.IGNORECASE,
    finds=("if the input is",),
    spares=("the input is",),
)
"""What a verb says of an input, up to that verb: "if the input is (invalid)"."""
_RAISED = Phrase(
    "value/that-is-refused",
    r"\b(?:rais\w+|throw\w*|exceptions?|\w+Error|reject\w*|refus\w*)\b",
    re.IGNORECASE,
    finds=("raise ValueError on ",),
    spares=("return ",),
)
"""Numbers behind these are what is refused: "should raise ValueError on NaN"."""
_BEHIND = Phrase(
    "expectation/called-so-behind",
    r"[`'\")\]]*\s*(?:(?:\u2190|<-+|<==+|\u2014|--)\s*)?\(?"
    r"(?:(?:is|was|are|were|would be|being)\s+(?:the\s+)?)?"
    r"(?:(?P<right>expected|correct|right|desired|wanted)|(?P<wrong>wrong|incorrect|a bug))\b"
    r"(?!\W*(?:[-+]?\d|nan|inf|true|false|tensor|array|to\b))",
    re.IGNORECASE,
    finds=("` is expected", " <-- wrong"),
    spares=(" expected 3",),
)
_WISHED = Phrase(
    "value/wished-of",
    r"[`'\")\]]*\s+(?:should|must|ought|would|shall)\b",
    re.IGNORECASE,
    finds=(" should be 3",),
    spares=(" is 3",),
)
"""The number in front is what something is wished of: "the sum of 0 should be ..."."""
_REFERENCE = Phrase(
    "reference/whose-results-are-right",
    r"\b(?:numpy|np|scipy|jax|jnp|python|matlab|julia|mpmath|wolfram\w*|octave|opencv|pil|docs?"
    r"|documentation|ieee|mathematically|theory|spec|standard|(?:all )?other frameworks|limit"
    r"|exact|analytic\w*|ground truth|float64|double precision|fp64)\b"
    r"(?!.*\b(?:torch|pytorch|tf|tensorflow|it|we|i|this|unlike|while|but)\b)[^,;]{0,40}$",
    re.IGNORECASE,
    finds=("NumPy ", "the analytic gradient "),
    spares=("unlike NumPy, it ",),
)
"""Whose results are the right ones, as the subject of what follows."""
_ARGUMENTS = re.compile(r"\([^()]*\)")
_CONDITION = Phrase(
    "value/in-a-condition",
    r"\b(?:at|for|when|if|where|with|by|between|than)\s+(?:\w+\s+){0,2}?"
    r"(?:[`'\"]*[\w.]+\s*(?:[<>]=?|==?|is)\s*)?[`'\"(\[]*$"
    r"|\b\w+\s*(?:[<>]=?|==)\s*$",
    re.IGNORECASE,
    finds=(" for x = ", " at ", "x > "),
    spares=(" the sum ",),
)
_NONE = Phrase(
    "value/that-there-is-not",
    r"\b(?:no|without|never|any|non)[ -]+(?:\w+\s+)?[`'\"]*$",
    re.IGNORECASE,
    finds=(" without any `",),
    spares=(" a `",),
)
_ALSO = Phrase(
    "reference/does-so-as-well",
    r"\W*(?:as well|too|also)\b",
    re.IGNORECASE,
    finds=(" as well",),
    spares=(" instead",),
)
"""Another library that does the same wrong is no reference."""
_NOT = Phrase(
    "value/negated",
    r"(?:\bnot|n't)\b",
    re.IGNORECASE,
    finds=(" not ", " isn't "),
    spares=(" is ",),
)
_ARTICLES = frozenset(
    (
        "a",
        "an",
        "the",
        "to",
        "be",
        "it",
        "that",
        "this",
        "me",
        "us",
        "too",
        "also",
        "always",
        "just",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """A word that calls what follows it right or wrong; `end` is where it ends."""

    end: int
    right: bool
    reference: bool = False
    contrast: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Literal:
    """A number or a list in a sentence, from `start` to `end`."""

    start: int
    end: int
    text: str


def told(sentence: str, *, beside: str = "", wanted: bool = False) -> Iterator[Expectation]:
    """The values that a sentence calls right or wrong.

    `beside` is the code that it stands next to. `wanted` sentences tell what should be, as under
    the heading "Expected behavior": what they say of results is right, unless they have called
    another one right before ("expected 3, got 4").
    """
    sentence = _REPRESENTED.sub(r"\1", sentence[:MOST_CHARACTERS])
    sentence = _PRINTED_SHAPE.sub("", sentence)
    marks = _marks(sentence, wanted=wanted)
    for literal in _literals(sentence):
        numbers = _numbers(literal.text)
        if not numbers or _part_of_formula(sentence, literal):
            continue
        called = list(_called(sentence, literal, marks, wanted=wanted))
        wanted = wanted and called != [True]
        for right in called:
            yield Expectation(
                right=right,
                numbers=numbers,
                literal=literal.text.strip(),
                sentence=shorten(sentence),
                beside=beside,
            )


def _literals(sentence: str) -> Iterator[_Literal]:
    """Numbers and lists of such, in lists to the bracket that closes them."""
    position = 0
    while (found := _LITERAL.search(sentence, position)) is not None:
        end = found.end()
        if found["list"] is not None:
            end = max(end, _closed(sentence, found.start("list")))
        yield _Literal(start=found.start(), end=end, text=sentence[found.start() : end])
        position = end


def _closed(sentence: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`, and any that follow it; 0 without one."""
    depth = 0
    for at in range(start, len(sentence)):
        if sentence[at] in "[(":
            depth += 1
        elif sentence[at] in "])":
            depth -= 1
        elif _INSIDE.match(sentence[at]) is None:
            return 0
        if depth == 0:
            end = at + 1
            while sentence[end : end + 1] in ("]", ")"):
                end += 1
            return end
    return 0


def _marks(sentence: str, *, wanted: bool) -> list[_Mark]:
    right = list(_RIGHT.finditer(sentence))
    marks = [_Mark(end=found.end(), right=True) for found in right]
    for found in _WRONG.finditer(sentence):
        if not any(one.start() <= found.start() < one.end() for one in right):
            subject = _ARGUMENTS.sub("", sentence[: found.start()])
            reference = _REFERENCE.search(subject) is not None
            marks.append(_Mark(end=found.end(), right=reference, reference=reference))
    for found in _CONTRAST.finditer(sentence):
        before = [
            mark
            for mark in marks
            if mark.end <= found.start() and not _CASE.search(sentence[: mark.end])
        ]
        said = max(before, key=lambda mark: mark.end, default=None)
        before_it = wanted if said is None else said.right
        marks.append(_Mark(end=found.end(), right=not before_it, contrast=True))
    return sorted(marks, key=lambda mark: mark.end)


def _called(
    sentence: str, literal: _Literal, marks: list[_Mark], *, wanted: bool
) -> Iterator[bool]:
    """Whether a literal is called right, or wrong; nothing where it is called neither."""
    behind = _BEHIND.match(sentence, literal.end)
    if behind is not None:
        yield behind["right"] is not None
        return
    mark = next((one for one in reversed(marks) if one.end <= literal.start), None)
    between = sentence[mark.end if mark is not None else 0 : literal.start]
    if _CONDITION.search(between) or _NONE.search(between) or _RAISED.search(between):
        return
    if mark is not None and mark.reference and _ALSO.match(sentence, literal.end):
        return
    if mark is not None and _reaches(between):
        yield mark.right and not _NOT.search(between)
        if wanted and not mark.right and not mark.contrast:
            yield True
    elif mark is None and wanted and _reaches(between):
        yield from () if _WISHED.match(sentence, literal.end) else (True,)


def _reaches(between: str) -> bool:
    """Whether what stands between a word and a number lets the one speak of the other."""
    words = re.findall(r"[A-Za-z]{2,}", re.sub(r"`[^`]*\(", "", between))
    return sum(word.lower() not in _ARTICLES for word in words) <= _REACH


def _part_of_formula(sentence: str, literal: _Literal) -> bool:
    """Whether a number is an operand: the 2 and the 3 of `pi**2/3`."""
    before, after = sentence[: literal.start].rstrip(), sentence[literal.end :].lstrip()
    return before.endswith(("*", "/", "^", "+")) or after.startswith(("*", "/", "^", "+"))


def _numbers(text: str) -> tuple[str, ...]:
    """The numbers of a literal, as written."""
    found = tuple(item[0].lower() for item in _ITEM.finditer(_NAMED.sub("", text)))
    return found if len(found) <= MOST_NUMBERS else ()
