"""A report's texts -> the symptoms it records, strongest first.

Pasted logs and tracebacks (in blocks, in comments of the code, in the text) outrank the words of
the title, those outrank the words of the body, and what a text attributes to another version or
device comes last. Wishes ("should raise ValueError") and negations ("no crash") are no symptoms.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.rules import Phrase, Registry
from harvest.report.failures import find_failures
from harvest.report.markdown import Document
from harvest.report.model import Claim, ClaimKind, ClaimSource
from harvest.report.symptoms import (
    COMPILED,
    ELSEWHERE,
    EXCEPTION_WORD,
    INSTEAD,
    NEGATION,
    PREFERRED,
    WISH,
    Symptom,
    reference,
)
from harvest.report.symptoms_in_logs import IN_LOGS
from harvest.report.symptoms_in_words import IN_WORDS
from harvest.report.syntax import Refusal, parse
from harvest.report.text import shorten
from harvest.report.tracebacks import Raised, find_raised
from harvest.report.wishes import apart, wished_blocks

MAX_LINE = 2000
MAX_LINES = 20_000
_ORDER = {ClaimSource.LOG: 0, ClaimSource.TITLE: 1, ClaimSource.BODY: 2}
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n\s*\n|\n(?=\s*[-*#])")
_CLAUSE = Phrase(
    "claim/clause-ends",
    r"(?:[,;]|(?<!Error)(?<!Exception):)(?=\s)|\s[-\u2013\u2014]+\s"
    r"|\b(?:but|while|whereas|and|yet)\b",
    finds=("it fails, NumPy does not", "it fails whereas NumPy does not"),
    spares=("it fails", "ValueError: it fails"),
)
_LOGGED = Phrase(
    "log/begins-a-line",
    r"\s*(?:F \w|\d{4}-\d\d-\d\d|Process finished|Fatal Python)",
    finds=("2024-03-01 10:00:00.5: F shape.cc:7] Check failed", "Process finished with exit code"),
    spares=("It finished",),
)
"""What a line begins with that stands in the text as it was logged."""
_DUMP = Phrase(
    "title/of-versions",
    r"\W*(?:versions?|env\w*|system)(?: info\w*)?\W*",
    re.IGNORECASE,
    finds=("Versions:", "System information"),
    spares=("Output",),
)
"""What stands above blocks that tell of versions, and of what went wrong while listing them."""
_DIED = Phrase(
    "log/told-by-the-shell",
    r"\W*(?:Aborted|Segmentation fault|Floating point exception|Bus error|Illegal instruction)"
    r"(?: \(core dumped\))?\W*",
    finds=("Aborted (core dumped)",),
    spares=("it ended",),
)
"""What a shell says of a process that has died."""
_OF_TRACEBACK = Phrase(
    "traceback/part-of-one",
    r"Traceback|^\W*File \S.*, line \d|^\s*-+> ?\d",
    finds=('  File "a.py", line 3', "----> 1 f()"),
    spares=("ValueError: no",),
)
_INLINE_CODE = Phrase(
    "claim/inline-code",
    r"`(?!\w{1,60} ?= ?-?[\d.]{1,30}`)[^`\n]*?[=(\[][^`\n]*+`",
    finds=("call `f(x, fill=nan)` once",),
    spares=("give it `k=-1`",),
)
"""Code in a sentence, whose words say nothing; an argument and its number (`k=-1`) do."""
_GIVEN = Phrase(
    "claim/call-with-nan",
    r"(?P<verb>\b(?:returns?|gives?|is|are|becomes?|yields?|prints?|gets?|got|outputs?)\s+)?"
    r"(?<![\w.])(?P<name>(?:\w{1,40}\.){0,4}\w{1,60})"
    r"\((?:[^()\n]{0,60}, ?)?[-+]?(?:\w{1,20}\.)?(?:nan|inf|infinity)\)",
    finds=("torch.round(nan) fails",),
    spares=("torch.round(nan, 3) fails",),
)
"""A call whose last argument is no finite number."""
_VALUES = Phrase(
    "claim/value-by-its-type",
    r"(?:tensor|array|complex|b?float)\d*",
    re.IGNORECASE,
    finds=("tensor", "float32"),
    spares=("round",),
)
"""What a value is printed as."""
_OF_TIME = Phrase(
    "cost/chosen-in-the-form",
    r"^[^\w\n]{0,20}issue type[^\w\n]{0,20}\n\s{0,20}performance[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
    finds=("### Issue type\n\nPerformance\n",),
    spares=("### Issue type\n\nBug\n",),
)
"""What reporters choose in TensorFlow's form where something takes too long."""
_EXCEPTION_LINE = Phrase(
    "log/line-of-an-exception",
    r"\W{0,8}[\w.]{1,150}(?:Error|Exception):\s",
    finds=("RuntimeError: no kernel",),
    spares=("Check failed: no kernel",),
)
_NOT_CLOSE = Phrase(
    "log/not-close",
    r"not (?:close|equal)",
    finds=("AssertionError: the tensors are not close",),
    spares=("AssertionError: no tensors",),
)


_Ranked = list[tuple[int, Claim]]
"""Claims, each with a number that puts it behind others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """Where a report may record a symptom; `other` begins clauses of what it compares with."""

    title: str
    document: Document
    code: str | None
    told: str
    wished: str
    other: Sequence[Phrase]


_PLACES: Registry[[_Texts], _Ranked] = Registry("claim")
"""All places count."""


def find_claims(title: str, document: Document, *, code: str | None = None) -> tuple[Claim, ...]:
    """Return the recorded symptoms, each (kind, exception, signal) once, strongest first."""
    told, wished = apart(document.prose)
    texts = _Texts(
        title=title,
        document=document,
        code=code,
        told=told,
        wished=wished,
        other=reference(title),
    )
    ranked = [item for place in _PLACES.each(texts) for item in place]
    ranked.sort(key=lambda item: item[0] + _ORDER[item[1].source])
    found: dict[tuple[object, ...], Claim] = {}
    for _, claim in ranked:
        found.setdefault((claim.kind, claim.exception, claim.signal), claim)
    return _without_vague(tuple(found.values()))


@_PLACES.rule("in-blocks")
def _in_blocks(texts: _Texts) -> _Ranked | None:
    """Blocks hold logs, unless they show what should happen."""
    document = texts.document
    wished = wished_blocks(document)
    blocks = [block for block in document.blocks if not _DUMP.fullmatch(block.lead[:80])]
    telling = [block for block in blocks if block.number not in wished]
    found: _Ranked = []
    for block in telling or blocks:
        late = 10 if ELSEWHERE.search(_SENTENCE.split(block.lead.strip())[-1]) else 0
        found += [(late, claim) for claim in _from_log(_log_lines(block.text))]
    return found or None


@_PLACES.rule("in-comments-of-a-script")
def _in_script(texts: _Texts) -> _Ranked | None:
    """Comments of a script hold logs."""
    lines = [] if texts.code is None else _comments(texts.code)
    return [(0, claim) for claim in _from_log(lines)] or None


@_PLACES.rule("in-the-title")
def _in_title(texts: _Texts) -> _Ranked | None:
    """The title tells of a symptom."""
    return [*_from_text(texts.title, ClaimSource.TITLE, texts.other)] or None


@_PLACES.rule("pasted-in-the-text")
def _in_lines(texts: _Texts) -> _Ranked | None:
    """The text holds logs without a fence."""
    return [*_pasted_in_text(texts.told)] or None


@_PLACES.rule("in-the-text")
def _in_text(texts: _Texts) -> _Ranked | None:
    """The text tells of a symptom."""
    return [*_from_text(texts.told, ClaimSource.BODY, texts.other)] or None


@_PLACES.rule("in-the-wish")
def _in_wish(texts: _Texts) -> _Ranked | None:
    """What should happen is compared with what does; an exception in it is only wished for."""
    wishes = _from_text(texts.wished, ClaimSource.BODY, texts.other)
    return [one for one in wishes if one[1].kind is not ClaimKind.RAISES] or None


def chosen(body: str, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """The claims, and last the kind of bug that is chosen in a form, where none is of it."""
    kinds = {claim.kind for claim in claims}
    if ClaimKind.PERFORMANCE in kinds or _OF_TIME.search(body) is None:
        return claims
    kind, source = ClaimKind.PERFORMANCE, ClaimSource.BODY
    return (*claims, Claim(kind=kind, source=source, text="issue type: performance"))


def _without_vague(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Drop claims that only name their kind where another claim of that kind says more."""
    precise = {claim.kind for claim in claims if claim.exception or claim.signal}
    return tuple(
        claim
        for claim in claims
        if claim.exception or claim.signal or claim.message or claim.kind not in precise
    )


def _lines(text: str) -> list[str]:
    return [line[:MAX_LINE] for line in text.split("\n")[:MAX_LINES]]


def _comments(code: str) -> list[str]:
    """Return what the comments of some code say; one behind code stands for itself."""
    found: list[str] = []
    for line in _lines(code):
        before, mark, comment = line.partition("#")
        while mark and (before.count('"') % 2 or before.count("'") % 2):
            more, mark, comment = comment.partition("#")
            before += "#" + more
        if mark:
            told = comment.lstrip("#").removeprefix(" ")
            found += ["", told, ""] if before.strip() else [told]
    return found


def _log_lines(text: str) -> list[str]:
    """Return the lines of a block that may record what happened: of plain code, its comments."""
    tree = parse(text)
    if isinstance(tree, Refusal):
        return [line for line in _lines(text) if not line.lstrip().startswith(">>> ")]
    if any(isinstance(node, ast.Import | ast.ImportFrom | ast.Assign) for node in tree.body):
        return _comments(text)
    return _lines(text)


def _from_log(lines: list[str]) -> Iterator[Claim]:
    """Yield the exceptions of a log, and its crashes.

    First comes the crash that a shell tells of on the last line, where exceptions without a
    traceback stand above: the code may well have printed these.
    """
    raised = find_raised(lines)
    told = [line for line in lines if line.strip()]
    if raised and _DIED.fullmatch(told[-1]) and not any(map(_OF_TRACEBACK.search, told)):
        yield from _crashes(told[-1])
    for one in raised:
        yield _raised(one)
    for line in lines:
        yield from _crashes(line)
    for failure in () if raised else find_failures(lines):
        yield Claim(
            kind=ClaimKind.RAISES,
            source=ClaimSource.LOG,
            exception=failure.exception,
            message=failure.message,
            text=shorten(": ".join(filter(None, (failure.exception, failure.message)))),
        )


def _raised(raised: Raised) -> Claim:
    if raised.exception == "KeyboardInterrupt":
        return Claim(kind=ClaimKind.HANGS, source=ClaimSource.LOG, text="KeyboardInterrupt")
    return Claim(
        kind=ClaimKind.RAISES,
        source=ClaimSource.LOG,
        exception=raised.exception,
        message=raised.message or None,
        text=shorten(f"{raised.exception}: {raised.message}"),
    )


def _crashes(line: str) -> Iterator[Claim]:
    """Yield what a line of a log says about a native crash."""
    if not line.strip() or _is_exception(line):
        return
    for symptom in IN_LOGS:
        if symptom.pattern.search(line):
            at = line.find("Check failed:")
            yield Claim(
                kind=symptom.kind,
                source=ClaimSource.LOG,
                exception=symptom.exception,
                signal=symptom.signal,
                message=line[at:].strip() if at >= 0 else None,
                text=shorten(line),
            )


def _is_exception(line: str) -> bool:
    return _EXCEPTION_LINE.match(line) is not None and not _NOT_CLOSE.search(line)


def _pasted_in_text(prose: str) -> Iterator[tuple[int, Claim]]:
    """Yield logs that stand in the text without a fence: whole lines only."""
    lines = _lines(prose)
    for raised in find_raised(lines):
        yield 0, _raised(raised)
    for line in lines:
        if len(line.split()) <= 6 or _LOGGED.match(line):
            bare = line.strip("\t `*>\"'")
            if bare[:1].isupper() and not ELSEWHERE.search(line) and not WISH.search(line):
                yield from ((0, claim) for claim in _crashes(bare))


def _from_text(
    text: str, source: ClaimSource, other: Sequence[Phrase]
) -> Iterator[tuple[int, Claim]]:
    for sentence in _SENTENCE.split(text[: MAX_LINE * 100]):
        late = 10 if ELSEWHERE.search(sentence[:MAX_LINE]) else 0
        for claim in _from_sentence(sentence[:MAX_LINE], source, other):
            yield late, claim


def _from_sentence(told: str, source: ClaimSource, other: Sequence[Phrase]) -> Iterator[Claim]:
    """Yield the claims of a sentence; in inline code, `f(x, fill=nan)`, nothing is told.

    What something to compare with does (NumPy raises, as eager mode does) is no symptom.
    """
    text = shorten(told)
    sentence = _GIVEN.sub(_without_arguments, _INLINE_CODE.sub("`_`", told))
    named = False
    for found in EXCEPTION_WORD.finditer(told):
        if _is_said_of(other, told, found.start()):
            continue
        if not _is_denied(told, found.start(), wishes=True):
            named = True
            yield Claim(
                kind=ClaimKind.RAISES,
                source=source,
                exception=found["type"],
                message=_quoted(found),
                text=text,
            )
    for symptom in IN_WORDS:
        at = _where(symptom, sentence, other)
        vague = symptom.kind is ClaimKind.CRASHES and not symptom.signal
        if at is not None and not (named and vague):
            yield Claim(
                kind=symptom.kind,
                source=source,
                exception=symptom.exception,
                signal=symptom.signal,
                text=text,
            )


def _without_arguments(found: re.Match[str]) -> str:
    """The call without what it is given, which is not said of its result; a value as it stands."""
    if found["verb"] or _VALUES.fullmatch(found["name"].rpartition(".")[2]):
        return found[0]
    return f"{found['name']}()"


def _quoted(found: re.Match[str]) -> str | None:
    """Return the message where a sentence quotes the whole line: `"ValueError: no"`."""
    quote = found["quote"]
    message, end, _ = (found["rest"] or "").partition(quote) if quote else ("", "", "")
    return message.strip() or None if end else None


def _is_said_of(subjects: Sequence[Phrase], sentence: str, at: int) -> bool:
    """Whether the clause that a place is in has one of these subjects, and no other."""
    masked = _INLINE_CODE.sub(lambda code: "_" * len(code[0]), sentence)
    clause = _CLAUSE.split(masked[:at])[-1]
    named = any(phrase.search(clause) for phrase in subjects)
    return named and COMPILED.search(clause) is None


def _where(symptom: Symptom, sentence: str, other: Sequence[Phrase]) -> int | None:
    wishes = symptom.kind is not ClaimKind.VALUE
    for found in symptom.pattern.finditer(sentence):
        compared = symptom.kind is ClaimKind.RAISES or found[0].lower().startswith("accept")
        if compared and _is_said_of(other, sentence, found.start()):
            continue
        if not _is_denied(sentence, found.start(), wishes=wishes):
            return found.start()
    return None


def _is_denied(sentence: str, at: int, *, wishes: bool) -> bool:
    before = sentence[max(0, at - 80) : at]
    if NEGATION.search(before) or INSTEAD.search(before):
        return True
    wished = WISH.search(before) or PREFERRED.search(sentence[at : at + 160])
    return wishes and wished is not None
