"""Fenced code out of Markdown as people really write it.

In: the text. Out: the fences in order, and which lines they leave as text. CommonMark's rules are
followed where they make sense of the text; where they would turn a report inside out (a stray
closing fence, a fence inside the one that an issue form adds, code glued to a fence), the reading
that gives each fence a beginning and an end is taken.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field

from analysis.rules import Phrase

_FENCE = re.compile(
    r"(?P<prefix>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<mark>`{3,}+|~{3,}+)(?P<info>.*)"
)
_LANGUAGE = re.compile(r"\s*+\{?\.?(?P<word>[\w+#.-]*)\}?\s*")
_WORD_THEN_CODE = Phrase(
    "fence/language-and-import",
    r"\s*+(?:python|py|python3|Python)\s+(?P<code>(?:import|from)\s.*)",
    finds=("python import torch",),
    spares=("python",),
)
_CODE = Phrase(
    "fence/code-behind-the-mark",
    r"\s*(?:import\s+\w|from\s+[\w.]+\s+import\b|>>>|[\w.]+\s*=[^=]|[\w.]+\(|@|%)",
    finds=("import torch", "x = 1", ">>> f(x)"),
    spares=("python",),
)
_GLUED_OPENER = Phrase(
    "fence/glued-to-text",
    r"(?:\w{0,20}|\s*(?:import\s+\w|from\s+[\w.]+\s+import\b|>>>).*)\s*",
    finds=("python", "import torch"),
)
_TEXT_AFTER = Phrase(
    "fence/text-behind-its-end",
    r"#{2,6}\s|\*\*|</?\w|_No response_|cc @|- \[[ x]\]",
    finds=("### Versions", "</details>", "- [x] done"),
    spares=("x = 1",),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """One fence: its content without quote marks and common indentation, and its lines (from 0)."""

    text: str
    language: str
    first: int
    last: int


@dataclass(slots=True)
class _Open:
    mark: str
    language: str
    first: int
    quotes: int
    content: list[str] = field(default_factory=list)
    nested: int = 0

    @property
    def empty(self) -> bool:
        return not any(line.strip() for line in self.content)


def scan_fences(text: str) -> tuple[list[Fence], list[str]]:
    """Return the fences of `text`, and its lines with those of fences blanked."""
    scanner = _Scanner(text.split("\n"))
    scanner.run()
    return scanner.fences, scanner.prose


class _Scanner:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.marks = [_FENCE.match(line) for line in lines]
        self.prose = [""] * len(lines)
        self.fences: list[Fence] = []
        self.open: _Open | None = None
        self.closed_at = -1
        """The line of the last closing fence while only blank lines have followed it."""
        self.spare = 0
        """How many closing fences are still owed to wrappers that were already ended."""

    def run(self) -> None:
        for number, line in enumerate(self.lines):
            if self.open is not None and self._leaves_quote(line):
                self._close(number - 1)
            if self.open is None:
                self._outside(number, line)
            else:
                self._inside(number, line, self.open)
        if self.open is not None:
            self._close_unclosed(len(self.lines), self.open)

    # -- outside a fence

    def _outside(self, number: int, line: str) -> None:
        found = self.marks[number]
        if found is None:
            self._text(number, line)
            return
        mark, info, prefix = found["mark"], found["info"], found["prefix"]
        rest = info.rstrip()
        if mark[0] == "`" and "`" in info:
            if rest.endswith(mark) and _CODE.match(rest) and "`" not in rest[: -len(mark)]:
                code = rest[: -len(mark)]
                self.fences.append(Fence(text=code, language="", first=number, last=number))
                self.closed_at = number
            else:
                self._text(number, line)
            return
        if not rest and self._is_stray(number):
            return
        language, code = _read_info(info)
        opened = _Open(mark, language, number, prefix.count(">"))
        if code:
            opened.content.append(code)
        self.open = opened

    def _text(self, number: int, line: str) -> None:
        """Keep a line of prose, unless code or a fence is glued to its end."""
        if line.strip():
            self.closed_at, self.spare = -1, 0
        head, mark, tail = line.rpartition("```")
        glued = mark and head.count("```") % 2 == 0 and not head.endswith("`")
        if glued and head.strip(" \t>") and _GLUED_OPENER.fullmatch(tail):
            self.prose[number] = head
            language, code = _read_info(tail)
            self.open = _Open(mark, language, number, 0, [code] if code else [])
            return
        self.prose[number] = line

    def _is_stray(self, number: int) -> bool:
        """Tell whether a bare fence closes something that is closed already."""
        if self.closed_at < 0:
            return False
        if self.spare:
            self.spare -= 1
            return True
        following = number + 1
        while following < len(self.lines) and not self.lines[following].strip():
            following += 1
        if following == len(self.lines) or _TEXT_AFTER.match(self.lines[following]):
            return True
        return not self._has_bare_fence_before_opener(following)

    def _has_bare_fence_before_opener(self, start: int) -> bool:
        for at in range(start, len(self.marks)):
            found = self.marks[at]
            if found is not None and "`" not in found["info"]:
                return not found["info"].strip()
        return False

    # -- inside a fence

    def _inside(self, number: int, line: str, fence: _Open) -> None:
        found = self.marks[number]
        same = (
            found is not None
            and found["mark"][0] == fence.mark[0]
            and len(found["mark"]) >= len(fence.mark)
        )
        if same and found is not None:
            self._mark_inside(number, fence, found["info"])
        elif found is not None and fence.empty and _is_language(found["info"]):
            self._nest(fence, found["mark"], found["info"])
        elif _ends_with_mark(line, fence.mark):
            fence.content.append(line.rstrip().removesuffix(fence.mark))
            self._close(number)
        else:
            fence.content.append(line)

    def _mark_inside(self, number: int, fence: _Open, info: str) -> None:
        words = info.strip()
        if not words:
            if fence.empty and not fence.nested and self._wraps_bare(number):
                fence.nested += 1
                return
            self._close(number)
        elif _is_language(info):
            if fence.empty:
                self._nest(fence, fence.mark, info)
            else:
                self._reopen(number, fence)
        elif "`" in words:
            fence.content.append(self.lines[number])
        else:
            self._close(number)
            self._text(number, words)

    def _nest(self, fence: _Open, mark: str, info: str) -> None:
        fence.nested += 1
        fence.mark = mark
        fence.content.clear()
        fence.language = _read_info(info)[0] or fence.language
        code = _read_info(info)[1]
        if code:
            fence.content.append(code)

    def _reopen(self, number: int, fence: _Open) -> None:
        """A fence opens inside a fence with content: the outer one was stray or never closed."""
        if not fence.language:
            for at in range(fence.first + 1, number):
                self.prose[at] = self.lines[at]
            self.open = None
        else:
            self._close_unclosed(number, fence)
        self._outside(number, self.lines[number])

    def _close_unclosed(self, number: int, fence: _Open) -> None:
        """Close a fence that nobody closed before line `number`: at the first heading below it."""
        for at in range(fence.first + 1, number):
            if re.match(r"#{2,6}\s", self.lines[at]) and not self.lines[at - 1].strip():
                del fence.content[len(fence.content) - (number - at) :]
                self.prose[at:number] = self.lines[at:number]
                self._close(at - 1)
                return
        self._close(number - 1)

    def _wraps_bare(self, number: int) -> bool:
        """Tell whether a bare fence right after an opener begins the real one.

        It does when the next two fences are bare and adjacent: the inner and the outer end.
        """
        seen = 0
        for at in range(number + 1, len(self.lines)):
            line, found = self.lines[at], self.marks[at]
            if found is None:
                if seen and line.strip():
                    return False
                if re.match(r"#{2,6}\s", line):
                    return False
                continue
            if found["info"].strip():
                return False
            seen += 1
            if seen == 2:
                return True
        return False

    def _leaves_quote(self, line: str) -> bool:
        return self.open is not None and self.open.quotes > 0 and not line.lstrip().startswith(">")

    def _close(self, number: int) -> None:
        fence = self.open
        if fence is None:
            return
        self.open, self.closed_at, self.spare = None, number, fence.nested
        text = _strip(fence.content, fence.quotes)
        self.fences.append(
            Fence(text=text, language=fence.language.lower(), first=fence.first, last=number)
        )


def _is_language(info: str) -> bool:
    found = _LANGUAGE.fullmatch(info)
    return bool(found and found["word"]) or bool(_read_info(info)[1])


def _read_info(info: str) -> tuple[str, str]:
    """Return the language that a fence names, and code that is glued to the fence."""
    found = _LANGUAGE.fullmatch(info)
    if found:
        return found["word"], ""
    found = _WORD_THEN_CODE.fullmatch(info)
    if found:
        return "python", found["code"]
    if _CODE.match(info):
        return "", info
    return info.split(maxsplit=1)[0].strip("{}."), ""


def _ends_with_mark(line: str, mark: str) -> bool:
    end = line.rstrip()
    return end.endswith(mark) and mark not in end[: -len(mark)]


def _strip(content: list[str], quotes: int) -> str:
    """Take up to `quotes` quote marks from each line, then the common indentation."""
    lines = [_unquoted(line, quotes) for line in content]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return textwrap.dedent("\n".join(lines))


def _unquoted(line: str, quotes: int) -> str:
    for _ in range(quotes):
        bare = line.lstrip(" \t")
        if not bare.startswith(">"):
            break
        line = bare[1:].removeprefix(" ")
    return line
