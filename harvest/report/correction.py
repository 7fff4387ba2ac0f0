"""What a person says of a report where it is read wrong: it comes before the report's own words.

In: options of a command, or a comment in the report (`<!-- citadel: api=torch.matmul block=2 -->`),
which the report keeps. Out: the report, its code and the names in it as they should be read.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from analysis import parsing
from analysis.errors import CitadelError
from harvest.report.fences import scan_fences
from harvest.report.markdown import Block, Document
from harvest.report.mentions import find_mentions
from harvest.report.model import Mention, Report, Snippet
from harvest.report.snippets import is_code
from harvest.report.syntax import Refusal, dotted, nodes, parse

_OPENS, _CLOSES, _MARK = "<!--", "-->", "citadel:"
_INLINE = re.compile(r"`[^`\n]*`")
MOST_WORDS = 2000
"""Characters of a comment."""
_EXAMPLE = "it is written like <!-- citadel: api=torch.matmul block=2 -->"
MOST_DIGITS = 6
_SYMPTOM = re.compile(r"(?P<word>\w+)(?:\s+(?P<what>[\w.]+))?(?::\s*(?P<message>.*))?", re.DOTALL)
_TOLD_BY_SHELL = {
    "SIGSEGV": "Segmentation fault (core dumped)",
    "SIGABRT": "Aborted (core dumped)",
    "SIGFPE": "Floating point exception (core dumped)",
}


class Shows(StrEnum):
    """How the bug shows: the words of `--symptom`."""

    RAISES = "raises"
    CRASHES = "crashes"
    HANGS = "hangs"
    ACCEPTS = "accepts"
    NONFINITE = "nonfinite"
    WRONG = "wrong"
    SLOW = "slow"
    MEMORY = "memory"


_TITLES = {
    Shows.RAISES: "raises an error",
    Shows.CRASHES: "crashes",
    Shows.HANGS: "hangs forever",
    Shows.ACCEPTS: "accepts invalid arguments instead of raising an error",
    Shows.NONFINITE: "returns nan",
    Shows.WRONG: "returns a wrong result",
    Shows.SLOW: "is slow",
    Shows.MEMORY: "uses too much memory",
}
"""What a report's title would say."""
KINDS = {"status": Shows.RAISES, "value": Shows.WRONG, "performance": Shows.SLOW}
"""What `--kind` alone says of how the bug shows."""


class BadCorrection(CitadelError):
    """A correction that cannot hold; its hint says what could."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a person says of a report; what is empty says nothing.

    `block` counts the blocks of the report from 1, those of output, too; several are put together
    in this order. `line` is one of the code that is run then: the bug shows there, and what follows
    is left out. `expect` is an expression that should be true at the end.
    """

    api: str = ""
    kind: str = ""
    symptom: str = ""
    block: tuple[int, ...] = ()
    line: int = 0
    expect: str = ""

    def __bool__(self) -> bool:
        return self != NO_CORRECTION

    def over(self, other: Correction) -> Correction:
        """This one, and what only the other says: how it shows is one thing to say, and where it
        stands another one."""
        shown = self if self.kind or self.symptom else other
        place = self if self.block or self.line else other
        return Correction(
            api=self.api or other.api,
            kind=shown.kind,
            symptom=shown.symptom,
            block=place.block,
            line=place.line,
            expect=self.expect or other.expect,
        )

    @property
    def shows(self) -> Shows | None:
        """How the bug shows, if anything is said of that."""
        if self.symptom:
            return Shows(_parts(self.symptom)[0])
        return KINDS[self.kind] if self.kind else None

    def title(self, own: str) -> str:
        """The title that says this: the report's own, where it says nothing of a symptom."""
        if self.shows is None:
            return own
        _, what, _ = _parts(self.symptom)
        words = f"raises {what}" if what and self.shows is Shows.RAISES else _TITLES[self.shows]
        named = (one.name for one in find_mentions(own, "") if "." in one.name)
        return f"{self.api or next(named, 'it')} {words}"

    def report(self, report: Report) -> Report:
        """The report with the title that says this; where it says how the bug shows, none of the
        report's own words count."""
        if self.shows is None:
            return report
        return replace(report, title=self.title(report.title), body="")

    def document(self, document: Document) -> Document:
        """What is read of the report: of its code the blocks that are said, and its words, unless
        it is said how the bug shows.

        Raises:
            BadCorrection: when there is no such block.
        """
        count = len(document.blocks)
        missing = [number for number in self.block if number > count]
        if missing:
            told = "1 block" if count == 1 else f"{count or 'no'} blocks"
            hint = "`citadel read` shows them with their numbers; a script has none"
            raise BadCorrection(f"block {missing[0]}: the report has {told}", hint)
        code = [one for one in document.blocks if is_code(one)]
        others = [one for one in document.blocks if one not in code]
        if self.block:
            chosen = [document.blocks[number - 1] for number in self.block]
            text = "\n".join(one.text.strip("\n") for one in chosen)
            code = [replace(chosen[0], text=text)]
            others = [one for one in others if one not in chosen]
        if self.shows is None:
            return replace(document, blocks=(*code, *others)) if self.block else document
        told_by = [Block(text=text, language="text", number=0, lead="") for text in self._log()]
        return Document(blocks=(*(replace(one, lead="") for one in code), *told_by), prose="")

    def _log(self) -> list[str]:
        """What the report would paste of such a failure, if anything."""
        _, what, message = _parts(self.symptom)
        if self.shows is Shows.CRASHES and what:
            return [_TOLD_BY_SHELL[what]]
        return [f"{what}: {message}"] if self.shows is Shows.RAISES and message else []

    def snippets(self, own: tuple[Snippet, ...]) -> tuple[Snippet, ...]:
        """The code to run.

        Raises:
            BadCorrection: when the code has no such line.
        """
        found = own
        if len(self.block) > 1:
            origin = "fences " + "+".join(map(str, self.block))
            found = tuple(replace(one, origin=origin, blocks=self.block) for one in own)
        if self.line:
            found = tuple(_cut(one, self.line) for one in found[:1])
        if not self.expect:
            return found
        wanted = ast.unparse(parsing.expression(self.expect.strip()))
        return tuple(replace(one, code=f"{one.code}assert {wanted}\n") for one in found)

    def mentions(
        self, own: tuple[Mention, ...], snippets: tuple[Snippet, ...]
    ) -> tuple[Mention, ...]:
        """The names that the report is about: that of `api`, else what `line` calls."""
        name = self.api
        if self.line and not name and snippets:
            name = _called(snippets[0].code, self.line)
        return (Mention(name=name, title=1, body=0),) if name else own


NO_CORRECTION = Correction()


def correction(said: Mapping[str, str]) -> Correction:
    """What is said by names and words, as options and comments have them.

    >>> correction({"api": "torch.matmul", "block": "2,3"}).block
    (2, 3)

    Raises:
        BadCorrection: when there is no such name, or its words make no sense.
    """
    names = [field.name for field in fields(Correction)]
    unknown = [name for name in said if name not in names]
    if unknown:
        raise BadCorrection(f"no correction is called {unknown[0]!r}", f"they are {_all(names)}")
    for name, check in _CHECKS.items():
        if said.get(name):
            check(said[name])
    if said.get("kind") and said.get("symptom"):
        raise BadCorrection("a symptom has its kind", "leave out the kind")
    return Correction(
        api=said.get("api", ""),
        kind=said.get("kind", ""),
        symptom=said.get("symptom", ""),
        block=tuple(int(number) for number in said.get("block", "").split(",") if number),
        line=int(said.get("line") or 0),
        expect=said.get("expect", ""),
    )


def written(body: str) -> Correction:
    """What the comments in a report say; later ones count.

    >>> written("It fails. <!-- citadel: api=torch.matmul expect='y.sum() == 0' -->").expect
    'y.sum() == 0'

    Raises:
        BadCorrection: as `correction`, or when a comment is no list of `name=words`.
    """
    found = NO_CORRECTION
    for said in _comments(body):
        if len(said) > MOST_WORDS:
            raise BadCorrection("the comment for citadel is too long", _EXAMPLE)
        try:
            words = shlex.split(said)
        except ValueError as problem:
            raise BadCorrection(f"the comment for citadel: {problem}", _EXAMPLE) from None
        if not all("=" in word for word in words):
            raise BadCorrection("the comment for citadel says no name=words", _EXAMPLE)
        pairs = (word.partition("=") for word in words)
        found = correction({name: text for name, _, text in pairs}).over(found)
    return found


def _comments(body: str) -> Iterator[str]:
    """What comments for Citadel hold, outside of code."""
    if _OPENS not in body or _MARK not in body:
        return
    _, lines = scan_fences(body)
    text = _INLINE.sub("", "\n".join(lines))
    start = text.find(_OPENS)
    while start >= 0 and (end := text.find(_CLOSES, start)) >= 0:
        inside = text[start + len(_OPENS) : end].strip()
        if inside.startswith(_MARK):
            yield inside.removeprefix(_MARK).strip()
        start = text.find(_OPENS, end)


def _all(words: Iterable[str]) -> str:
    return ", ".join(words)


def _counts(text: str) -> bool:
    """Whether it is a number from 1 on."""
    return text.isdecimal() and len(text) <= MOST_DIGITS and int(text) > 0


def _api(text: str) -> None:
    if not all(part.isidentifier() for part in text.split(".")):
        raise BadCorrection(f"{text!r} is no name of an API", "say it as torch.matmul")


def _kind(text: str) -> None:
    if text not in KINDS:
        raise BadCorrection(f"no kind is called {text!r}", f"they are {_all(KINDS)}")


def _symptom(text: str) -> None:
    word, what, message = _parts(text)
    hint = f"say 'raises RuntimeError: its message', or one of {_all(Shows)}"
    if word not in list(Shows):
        raise BadCorrection(f"no symptom is called {word!r}", hint)
    if word == Shows.CRASHES and (message or what not in ("", *_TOLD_BY_SHELL)):
        raise BadCorrection(f"no crash is called {text!r}", f"they are {_all(_TOLD_BY_SHELL)}")
    if word not in (Shows.RAISES, Shows.CRASHES) and (what or message):
        raise BadCorrection(f"{word} is all that is said of it, not {text!r}", hint)


def _block(text: str) -> None:
    numbers = text.split(",")
    if not all(map(_counts, numbers)) or len(numbers) > len(set(numbers)):
        raise BadCorrection(f"{text!r} are no numbers of blocks", "say them as 2 or 2,3")


def _line(text: str) -> None:
    if not _counts(text):
        raise BadCorrection(f"{text!r} is no number of a line", "lines count from 1")


def _expect(text: str) -> None:
    hint = "say what should be true at the end, as y.isfinite().all()"
    try:
        wanted = parsing.expression(text.strip()).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise BadCorrection(f"{text!r} is no expression of Python", hint) from None
    if isinstance(wanted, ast.Tuple):
        raise BadCorrection(f"{text!r} are several expressions", hint)


_CHECKS = {
    "api": _api,
    "kind": _kind,
    "symptom": _symptom,
    "block": _block,
    "line": _line,
    "expect": _expect,
}


def _parts(symptom: str) -> tuple[str, str, str]:
    """Its word, the exception or signal that it names, and the message: "" where it has none."""
    found = _SYMPTOM.fullmatch(symptom.strip())
    if found is None:
        return symptom, "", ""
    return found["word"], found["what"] or "", (found["message"] or "").strip()


def _cut(snippet: Snippet, line: int) -> Snippet:
    """The code up to the end of the statement in that line; all of it, where that stands in a
    function or a class, which is called further down."""
    tree = parse(snippet.code)
    body = [] if isinstance(tree, Refusal) else tree.body
    before = [one for one in body if one.lineno <= line]
    end = (before[-1].end_lineno or before[-1].lineno) if before else 0
    if end < line:
        hint = "`citadel read` shows it with the numbers of its lines"
        raise BadCorrection(f"line {line}: no statement of the code is there", hint)
    if isinstance(before[-1], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return snippet
    return replace(snippet, code="\n".join(snippet.code.split("\n")[:end]) + "\n")


def _called(code: str, line: int) -> str:
    """The name of what a line calls: that of the outermost call with a dotted name."""
    tree = parse(code)
    calls = () if isinstance(tree, Refusal) else (n for n in nodes(tree) if isinstance(n, ast.Call))
    there = (one for one in calls if one.lineno <= line <= (one.end_lineno or one.lineno))
    return next((name for one in there if "." in (name := dotted(one.func))), "")
