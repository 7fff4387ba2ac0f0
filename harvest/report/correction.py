"""What a person says of a report where it is read wrong: it comes before the report's own words.

In: options of a command, or a comment in the report (`<!-- citadel: api=torch.matmul block=2 -->`),
which the report keeps. Out: the report, its code and the names in it as they should be read.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from analysis.errors import CitadelError
from harvest.report.markdown import Block, read_markdown
from harvest.report.mentions import find_mentions
from harvest.report.model import Mention, Report, Snippet
from harvest.report.syntax import Refusal, dotted, nodes, parse

_COMMENT = re.compile(r"<!--\s*citadel:\s*(?P<said>.{0,2000}?)\s*-->", re.DOTALL)
_EXAMPLE = "it is written like <!-- citadel: api=torch.matmul block=2 -->"
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_NUMBER = re.compile(r"[1-9]\d{0,5}")
_NUMBERS = re.compile(r"[1-9]\d{0,3}(?:,[1-9]\d{0,3})*")
_SYMPTOM = re.compile(r"(?P<word>\w+)(?:\s+(?P<what>[\w.]+))?(?::\s*(?P<message>.*))?", re.DOTALL)
_TICKS = re.compile(r"`+")
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
        """This one, and what only the other says."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(other, **{name: value for name, value in own.items() if value})

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
        """The report as it should have been written: with the blocks and the symptom that are said.

        Where a symptom is said, none of the report's own words count.

        Raises:
            BadCorrection: when there is no such block.
        """
        if self.shows is None and not self.block:
            return report
        document = read_markdown(report.body)
        count = len(document.blocks)
        missing = [number for number in self.block if number > count]
        if missing:
            blocks_told = "1 block" if count == 1 else f"{count or 'no'} blocks"
            told = f"--block {missing[0]}: the report has {blocks_told}"
            raise BadCorrection(told, "`citadel read` shows them with their numbers")
        blocks = document.blocks
        if self.block:
            chosen = [document.blocks[number - 1] for number in self.block]
            text = "\n".join(one.text.strip("\n") for one in chosen)
            blocks = (replace(chosen[0], text=text),)
        parts = [document.prose]
        if self.shows is not None:
            parts, blocks = [], tuple(replace(one, lead="") for one in blocks)
        parts += [_fenced(one) for one in blocks]
        if log := self._log():
            parts.append(_fenced(Block(text=log, language="text", number=0, lead="")))
        return replace(report, title=self.title(report.title), body="\n\n".join(parts))

    def _log(self) -> str:
        """What the report would paste of such a failure."""
        _, what, message = _parts(self.symptom)
        if self.shows is Shows.CRASHES:
            return _TOLD_BY_SHELL.get(what.upper(), "")
        return f"{what}: {message}" if self.shows is Shows.RAISES and message else ""

    def snippets(self, own: tuple[Snippet, ...]) -> tuple[Snippet, ...]:
        """The code to run.

        Raises:
            BadCorrection: when the code has no such line.
        """
        found = tuple(_cut(one, self.line) for one in own[:1]) if self.line else own
        if not self.expect:
            return found
        return tuple(replace(one, code=f"{one.code}assert {self.expect}\n") for one in found)

    def mentions(
        self, own: tuple[Mention, ...], snippets: tuple[Snippet, ...]
    ) -> tuple[Mention, ...]:
        """The names that the report is about: that of `api`, else what `line` calls."""
        name = self.api
        if self.line and not name and snippets:
            name = _called(snippets[0].code, self.line)
        return (Mention(name=name, title=1, body=0),) if name else own


NO_CORRECTION = Correction()


def _fenced(block: Block) -> str:
    """A block below the line of text above it."""
    longest = max(map(len, _TICKS.findall(block.text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{block.lead}\n\n{fence}{block.language}\n{block.text}\n{fence}"


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
    for comment in _COMMENT.finditer(body):
        try:
            words = shlex.split(comment["said"])
        except ValueError as problem:
            raise BadCorrection(f"the comment for citadel: {problem}", _EXAMPLE) from None
        if not all("=" in word for word in words):
            raise BadCorrection("the comment for citadel says no name=words", _EXAMPLE)
        pairs = (word.partition("=") for word in words)
        found = correction({name: text for name, _, text in pairs}).over(found)
    return found


def _all(words: Iterable[str]) -> str:
    return ", ".join(words)


def _api(text: str) -> None:
    if not _NAME.fullmatch(text):
        raise BadCorrection(f"{text!r} is no name of an API", "say it as torch.matmul")


def _kind(text: str) -> None:
    if text not in KINDS:
        raise BadCorrection(f"no kind is called {text!r}", f"they are {_all(KINDS)}")


def _symptom(text: str) -> None:
    word = _parts(text)[0]
    if word not in list(Shows):
        hint = f"say 'raises RuntimeError: its message', or one of {_all(Shows)}"
        raise BadCorrection(f"no symptom is called {word!r}", hint)


def _block(text: str) -> None:
    if not _NUMBERS.fullmatch(text):
        raise BadCorrection(f"{text!r} are no numbers of blocks", "say them as 2 or 2,3")


def _line(text: str) -> None:
    if not _NUMBER.fullmatch(text):
        raise BadCorrection(f"{text!r} is no number of a line", "lines count from 1")


def _expect(text: str) -> None:
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        hint = "say what should be true at the end, as y.isfinite().all()"
        raise BadCorrection(f"{text!r} is no expression of Python", hint) from None


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
    """The code up to the end of the statement in that line."""
    tree = parse(snippet.code)
    body = [] if isinstance(tree, Refusal) else tree.body
    ends = [one.end_lineno or one.lineno for one in body if one.lineno <= line]
    if not ends or ends[-1] < line:
        hint = "`citadel read` shows it with the numbers of its lines"
        raise BadCorrection(f"--line {line}: no statement of the code is there", hint)
    lines = snippet.code.split("\n")
    return replace(snippet, code="\n".join(lines[: ends[-1]]) + "\n")


def _called(code: str, line: int) -> str:
    """The name of what a line calls: that of the outermost call with a dotted name."""
    tree = parse(code)
    calls = () if isinstance(tree, Refusal) else (n for n in nodes(tree) if isinstance(n, ast.Call))
    there = (one for one in calls if one.lineno <= line <= (one.end_lineno or one.lineno))
    return next((name for one in there if "." in (name := dotted(one.func))), "")
