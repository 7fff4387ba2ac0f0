"""What a report says a result is, and what it should be: numbers in prose, comments and output.

In: title, document, code. Out: `Expectation`s ("I expect `[1, 2]`", "returns inf instead of 2e20",
`# should be 0`; `verdicts_in_words` reads the sentences), and the output that the report pastes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from analysis.rules import Phrase, Registry
from harvest.report.lines import heading_of
from harvest.report.markdown import Block, Document
from harvest.report.model import Expectation
from harvest.report.syntax import Refusal, is_session, parse, source_of
from harvest.report.text import MOST_ROWS, OUT, continued, joined, shorten
from harvest.report.verdicts_in_words import told
from harvest.report.wishes import HAPPENED, RESULT, WANTED
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
SENTENCE = re.compile(r"(?<=[!?;])\s+|(?<!\d\.)(?<=\.)\s+|(?<=\d\.)\s+(?![-+\d\]]|nan\b|inf\b)|\n")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """What a report has of texts; `codes` are its blocks and its script."""

    title: str
    document: Document
    codes: tuple[str, ...]


_SHOWN: Registry[[Texts], list[Expectation]] = Registry("expectation")
"""Where values stand that a report calls right or wrong; all places count."""


def find_expectations(
    title: str, document: Document, *, code: str | None = None
) -> tuple[Expectation, ...]:
    """The values that a report calls right or wrong, those beside code first."""
    found = _SHOWN.each(texts_of(title, document, code))
    return tuple(dict.fromkeys(one for place in found for one in place))


def texts_of(title: str, document: Document, code: str | None) -> Texts:
    """The texts of a report; `code` is its script, if it is one."""
    codes = [block.text for block in document.blocks] + ([] if code is None else [code])
    return Texts(title=title, document=document, codes=tuple(codes))


@_SHOWN.rule("beside-code")
def _in_codes(texts: Texts) -> list[Expectation] | None:
    """Comments of code, and what it prints, say what a value should be."""
    return [one for text in texts.codes for one in _beside_code(text)] or None


@_SHOWN.rule("in-the-title")
def _in_title(texts: Texts) -> list[Expectation] | None:
    """The title says what a value is, or should be."""
    return [*_of_text(texts.title)] or None


@_SHOWN.rule("in-the-text")
def _in_prose(texts: Texts) -> list[Expectation] | None:
    """The text says what a value is, or should be."""
    return [*_of_text(texts.document.prose)] or None


@_SHOWN.rule("below-a-title")
def _in_output(texts: Texts) -> list[Expectation] | None:
    """A block shows a value below "Expected" or "Actual"."""
    return [one for block in texts.document.blocks for one in _of_output(block)] or None


def pasted_output(document: Document) -> tuple[str, ...]:
    """The lines of what a report pastes that is no code, and those that comments hold."""
    lines: list[str] = []
    for block in document.blocks:
        tree = parse(block.text)
        plain = not isinstance(tree, Refusal) and _is_code(tree) and not is_session(tree)
        lines += [comment_of(line) for line in block.text.splitlines()] if plain else []
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
    for sentence in SENTENCE.split(joined(text))[:MOST_LINES]:
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
        comment = continued(comment_of(line), behind)
        own = _PROMPT.sub("", line.partition("#")[0] if comment else line).strip()
        above = statements.get(number, own) if own else above if comment else ""
        for sentence in SENTENCE.split(comment):
            yield from told(sentence, beside=above, wanted=_LEAD.match(sentence) is not None)
    if not isinstance(tree, Refusal):
        yield from _printed(lines, tree)


def _comment_alone(line: str) -> str:
    """The comment of a line that has nothing else."""
    return comment_of(line) if line.lstrip().startswith("#") else ""


def comment_of(line: str) -> str:
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
