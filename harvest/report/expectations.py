"""What a report says a result is, and what it should be: numbers in prose, comments and output.

In: title, document, code. Out: `Expectation`s ("I expect `[1, 2]`", "returns inf instead of 2e20",
`# should be 0`; `verdicts_in_words` reads the sentences), whether the report wants a call to be
refused, and the output that it pastes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from analysis.rules import Phrase, Registry
from harvest.report.accepted import accepts, out_of_bounds, takes_what_is_none, unchecked
from harvest.report.intended import SUCCEEDS
from harvest.report.lines import heading_of
from harvest.report.markdown import Block, Document
from harvest.report.model import Expectation
from harvest.report.syntax import Refusal, is_session, parse, source_of
from harvest.report.text import MOST_ROWS, OUT, continued, joined, shorten
from harvest.report.verdicts_in_words import told
from harvest.report.wishes import (
    DENIED,
    HAPPENED,
    RESULT,
    WANTED,
    apart,
    asks_for_exception,
    wished_blocks,
)
from harvest.report.wordings import Wording, Wordings

MOST_LINES = 2000
MOST_LEAD = 60
"""Characters of a line that may stand above a value and call it expected, or actual."""
_ACTUAL = Wordings(
    Wording(
        "expectation/title-of-the-actual",
        rf"(?:actual|current|observed|wrong)\b{RESULT}",
        ("Actual output", "Observed:"),
        ("Expected output",),
    ),
    Wording(
        "expectation/what-i-get",
        r"what (?:i|you) (?:get|see)",
        ("What I get",),
        ("What I want",),
    ),
    Wording(
        "expectation/the-output-is",
        r"(?:the )?(?:results?|outputs?) (?:is|are)\b(?: (?:currently|now))?\W*$",
        ("The output is:",),
        ("The output is correct:",),
    ),
    flags=re.IGNORECASE,
)
_NO_RESULT = Phrase(
    "expectation/no-result",
    r"\b(?:shape|size|length|rank|d?type|time|duration|rate|tolerance|version|memory)s?\b",
    re.IGNORECASE,
    finds=("Expected shape",),
    spares=("Expected result",),
)
"""Numbers that are no result, though a line above may call them expected."""
_SENTENCE = re.compile(r"(?<=[!?;])\s+|(?<!\d\.)(?<=\.)\s+|(?<=\d\.)\s+(?![-+\d\]]|nan\b|inf\b)|\n")
"""Between sentences. NumPy prints whole numbers with a point: `[0. 3.]` is one word."""
_LEAD = Phrase(
    "expectation/comment-of-what-is-right",
    r"\W*(?:expect|desired|wanted|correct|right)",
    re.IGNORECASE,
    finds=("expected: 3", "(correct) 3"),
    spares=("gives 3",),
)
_PRINTED = Phrase(
    "expectation/printed-value",
    r"(?:tensor|array)\([-\d\[(]",
    finds=("tensor([1, 2], dtype=torch.int32)",),
    spares=("tensor(x)",),
)
"""How a value is printed, which may end in `dtype=torch.int32)`, as code does."""
_PROMPT = Phrase(
    "expectation/prompt",
    r"^\s*+(?:>>> ?|\.\.\. ?|In ?\[\d+\]: ?)",
    finds=(">>> f(x)", "In [3]: f(x)"),
    spares=("f(x)",),
)
_OUT = Phrase(
    "expectation/mark-of-a-result",
    rf"^\s*(?:{OUT}|[:>] (?=\S))",
    finds=("Out[3]: 4", ": 4"),
    spares=("4",),
)
_COMMENT = re.compile(r"(?:[^#'\"]|'[^'\n]*'|\"[^\"\n]*\")*#(.*)")
_VALUE = " ; "
"""Where a printed value stands among the words around it."""
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
        "refusal/should-only-accept",
        r"\b(?:should|must) only accept\b",
        ("fold must only accept numbers",),
        ("fold must accept numbers",),
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
        "refusal/against-the-docs",
        r"\b(?:works?|goes|is|runs?) against the (?:docs?|documentation|error messages?)\b",
        ("it works against the documentation",),
        ("it works as in the documentation",),
    ),
    Wording(
        "refusal/error-would-be-better",
        r"\ban? \w+(?:Error|Exception)\b[^.\n]{0,120}\b(?:is|are|were|would be) better than\b",
        ("a ValueError would be better than zeros",),
        ("zeros would be better than a ValueError",),
    ),
    Wording(
        "refusal/succeeds",
        SUCCEEDS,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """What a report has of texts; `codes` are its blocks and its script."""

    title: str
    document: Document
    codes: tuple[str, ...]


_SHOWN: Registry[[_Texts], list[Expectation]] = Registry("expectation")
"""Where values stand that a report calls right or wrong; all places count."""


def find_expectations(
    title: str, document: Document, *, code: str | None = None
) -> tuple[Expectation, ...]:
    """The values that a report calls right or wrong, those beside code first."""
    found = _SHOWN.each(_texts(title, document, code))
    return tuple(dict.fromkeys(one for place in found for one in place))


def _texts(title: str, document: Document, code: str | None) -> _Texts:
    codes = [block.text for block in document.blocks] + ([] if code is None else [code])
    return _Texts(title=title, document=document, codes=tuple(codes))


@_SHOWN.rule("beside-code")
def _in_codes(texts: _Texts) -> list[Expectation] | None:
    """Comments of code, and what it prints, say what a value should be."""
    return [one for text in texts.codes for one in _beside_code(text)] or None


@_SHOWN.rule("in-the-title")
def _in_title(texts: _Texts) -> list[Expectation] | None:
    """The title says what a value is, or should be."""
    return [*_of_text(texts.title)] or None


@_SHOWN.rule("in-the-text")
def _in_prose(texts: _Texts) -> list[Expectation] | None:
    """The text says what a value is, or should be."""
    return [*_of_text(texts.document.prose)] or None


@_SHOWN.rule("below-a-title")
def _in_output(texts: _Texts) -> list[Expectation] | None:
    """A block shows a value below "Expected" or "Actual"."""
    return [one for block in texts.document.blocks for one in _of_output(block)] or None


_REFUSED: Registry[[_Texts], str] = Registry("refusal")
"""How a report asks for an error where there is none; the first one counts."""


def wants_refusal(title: str, document: Document, *, code: str | None = None) -> str | None:
    """The sentence, or comment, in which a report asks for an error where there is none."""
    return _REFUSED.first(_texts(title, document, code))


@_REFUSED.rule("argument-out-of-bounds")
def _is_out_of_bounds(texts: _Texts) -> str | None:
    """The title says that an argument of the code can be beyond its bounds."""
    return shorten(texts.title) if out_of_bounds(texts.title, texts.codes) else None


@_REFUSED.rule("said-in-a-sentence")
def _is_said(texts: _Texts) -> str | None:
    """A sentence asks for an error, or says that something unfit is taken."""
    title, (prose, wished) = texts.title, apart(texts.document.prose)
    for text in (title, prose, wished):
        for sentence in _SENTENCE.split(text)[:MOST_LINES]:
            if text is wished and DENIED.search(sentence[:500]):
                continue
            said = _FREE.sub("", _PRINTED_WORDS.sub("", sentence[:500]))
            taken = accepts(said) or unchecked(said)
            taken = taken or (text is title and takes_what_is_none(said))
            if taken or _REFUSAL.search(said):
                return shorten(sentence)
    return None


@_REFUSED.rule("said-in-a-comment")
def _is_commented(texts: _Texts) -> str | None:
    """A comment of the code asks for an error."""
    for block in texts.codes:
        for line in block.splitlines()[:MOST_LINES]:
            comment = _comment(line[:500])
            said = _FREE.sub("", comment)
            if _ASKED.search(said) and not _AS_IT_SHOULD.search(said):
                return shorten(comment)
    return None


@_REFUSED.rule("said-in-output")
def _is_printed(texts: _Texts) -> str | None:
    """A run prints that nothing was raised."""
    for line in pasted_output(texts.document):
        if _UNRAISED.search(line[:500]) and not _AS_IT_SHOULD.search(line[:500]):
            return shorten(line)
    return None


@_REFUSED.rule("exception-below-a-title")
def _is_wished(texts: _Texts) -> str | None:
    """An exception stands below "Expected behavior"."""
    _, wished = apart(texts.document.prose)
    numbers = wished_blocks(texts.document)
    shown = [block.text for block in texts.document.blocks if block.number in numbers]
    asked = next(filter(None, map(asks_for_exception, (wished, *shown))), None)
    return None if asked is None else shorten(asked)


def pasted_output(document: Document) -> tuple[str, ...]:
    """The lines of what a report pastes that is no code, and those that comments hold."""
    lines: list[str] = []
    for block in document.blocks:
        tree = parse(block.text)
        plain = not isinstance(tree, Refusal) and _is_code(tree) and not is_session(tree)
        lines += [_comment(line) for line in block.text.splitlines()] if plain else []
        lines += [] if plain else block.text.splitlines()
    told = (" ".join(_OUT.sub("", line).split()) for line in lines[:MOST_LINES])
    return tuple(line for line in told if line)


def _is_code(tree: ast.Module) -> bool:
    """Whether a text that parses does something, rather than being numbers that were printed."""
    doing = (ast.Import, ast.ImportFrom, ast.Assign, ast.Attribute, ast.FunctionDef, ast.For)
    return any(isinstance(node, (*doing, ast.Assert, ast.If, ast.With)) for node in ast.walk(tree))


def _of_text(text: str) -> Iterator[Expectation]:
    """What prose says, sentence by sentence; under some headings it says what is wanted."""
    wanted = False
    for sentence in _SENTENCE.split(joined(text))[:MOST_LINES]:
        heading = heading_of(sentence)
        if heading is not None:
            wanted = WANTED.match(heading) is not None
        elif sentence.lstrip().startswith("**"):
            wanted = WANTED.match(sentence) is not None
        elif HAPPENED.match(sentence):
            wanted = False
        yield from told(sentence, wanted=wanted)


def _of_output(block: Block) -> Iterator[Expectation]:
    """The one value that a block shows, where what stands above calls it expected or actual.

    Of several it is unknown which is which of those that the code shows.
    """
    lead = block.lead.strip(" *_#:")
    right = WANTED.match(lead) is not None
    if len(lead) > MOST_LEAD or _NO_RESULT.search(lead) or not (right or _ACTUAL.match(lead)):
        return
    yield from _of_session(block, right=right)
    tree = parse(block.text)
    line = joined(block.text.strip())
    plain = isinstance(tree, Refusal) or not _is_code(tree) or _PRINTED.match(line) is not None
    if "\n" not in line and plain:
        shown = list(told(line, wanted=True))
        if len(shown) == 1:
            yield replace(shown[0], right=right, sentence=shorten(f"{lead}: {shown[0].literal}"))


def _of_session(block: Block, *, right: bool) -> Iterator[Expectation]:
    """What a session comes to, of each statement that shows one value."""
    lines = block.text.splitlines()[:MOST_LINES]
    starts = [number for number, line in enumerate(lines) if _PROMPT.match(line)]
    for number, until in pairwise((*starts, len(lines))):
        output = joined("\n".join(_OUT.sub("", line) for line in lines[number + 1 : until])).strip()
        shown = list(told(output, wanted=True)) if output and "\n" not in output else []
        if len(shown) == 1:
            statement = _PROMPT.sub("", lines[number]).strip()
            said = shorten(f"{statement}: {shown[0].literal}")
            yield replace(shown[0], right=right, beside=statement, sentence=said)


def _beside_code(code: str) -> Iterator[Expectation]:
    """What comments say of the statement that they stand at or below, and what is printed."""
    tree = parse(code)
    lines = code.split("\n")
    statements = {} if isinstance(tree, Refusal) else _statements(lines, tree)
    above = ""
    written = code.splitlines()[:MOST_LINES]
    for number, line in enumerate(written, start=1):
        behind = [_comment_alone(more) for more in written[number : number + MOST_ROWS]]
        comment = continued(_comment(line), behind)
        own = _PROMPT.sub("", line.partition("#")[0] if comment else line).strip()
        above = statements.get(number, own) if own else above if comment else ""
        for sentence in _SENTENCE.split(comment):
            yield from told(sentence, beside=above, wanted=_LEAD.match(sentence) is not None)
    if not isinstance(tree, Refusal):
        yield from _printed(lines, tree)


def _comment_alone(line: str) -> str:
    """The comment of a line that has nothing else."""
    return _comment(line) if line.lstrip().startswith("#") else ""


def _comment(line: str) -> str:
    """The comment of a line of code, or nothing."""
    found = _COMMENT.match(line)
    return "" if found is None else found[1].strip(" #")


def _statements(lines: Sequence[str], tree: ast.Module) -> dict[int, str]:
    """Line number -> the text of the simple statement that stands there."""
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            text = source_of(lines, node)
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = text
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A piece of what is printed: words, or a value whose source text is `value`."""

    words: str = ""
    value: str | None = None


def _printed(lines: Sequence[str], tree: ast.Module) -> Iterator[Expectation]:
    """What a case prints in words: of the value beside them, else of the one printed before."""
    last = ""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id == "print":
            parts = [part for arg in node.args for part in _parts(lines, arg)]
            values = [at for at, part in enumerate(parts) if part.value is not None]
            if values:
                last = source_of(lines, node)
            for found in told(_said(parts), beside=last):
                if len(values) > 1:
                    nearest = parts[_nearest(parts, values, found)].value
                    yield replace(found, beside=nearest or last)
                else:
                    yield found


def _said(parts: Sequence[_Part]) -> str:
    return " ".join(_VALUE if part.value is not None else part.words for part in parts)


def _nearest(parts: Sequence[_Part], values: Sequence[int], found: Expectation) -> int:
    """Which of several printed values is spoken of: the one in front of the words, or behind."""
    for at, until in zip(values, (*values[1:], len(parts)), strict=True):
        if _says(parts[at:until], found):
            return at
    return next((at for at in values if _says(parts[:at], found)), values[-1])


def _says(parts: Sequence[_Part], found: Expectation) -> bool:
    return any(one.literal == found.literal for one in told(_said(parts)))


def _parts(lines: Sequence[str], node: ast.expr) -> Iterator[_Part]:
    """What a printed expression says whatever happens, and the values in it."""
    if isinstance(node, ast.Constant):
        yield _Part(words=str(node.value))
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            yield from _parts(lines, inner)
    else:
        fixed = not any(isinstance(part, (ast.Name, ast.Call)) for part in ast.walk(node))
        text = source_of(lines, node)
        yield _Part(words=text) if fixed else _Part(value=text)
