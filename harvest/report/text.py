"""Text that every later stage can rely on: one kind of line end, no NUL, nothing UTF-8 refuses."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST_ROWS = 64
"""Lines over which a list that is printed may go."""
_NUMBERS = re.compile(
    r"(?:[-+\d.,\[\]()\s]|(?<=[\d.])(?:e[-+]?\d+|j)|\b(?:nan|inf)j?\b|\b(?:True|False)\b"
    r"|\b(?:tensor|array)\(|\b(?:dtype|device|shape|size|requires_grad|grad_fn)="
    r"(?=[\w'<(])[\w.:'<>]*)*+",
    re.IGNORECASE,
)
"""What a list of numbers, or of tensors, is printed as."""
OUT = r"Out ?\[\d*\]: ?"
"""What IPython writes in front of a result."""
_REPLACEMENT = "�"


def clean(text: str) -> str:
    """Return `text` with `\\n` line ends, and with NULs and lone surrogates replaced."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\0", _REPLACEMENT)


def shorten(text: str, limit: int = 200) -> str:
    """Return `text` on one line, cut to `limit` characters."""
    line = " ".join(text[: limit * 20].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def indent_of(line: str) -> int:
    """Return how many blanks `line` starts with."""
    return len(line) - len(line.lstrip(" \t"))


def continued(line: str, following: Sequence[str]) -> str:
    """A line with those behind it that close the lists which it opens, if they do.

    >>> continued("[[1, 2],", ["[3, 4]]", "[5]"])
    '[[1, 2], [3, 4]]'
    """
    more = following[: _rows(line, following)]
    return " ".join([line, *(one.strip() for one in more)])


def joined(text: str) -> str:
    """Text with lists that go over several lines on one line each."""
    lines = text.split("\n")
    found: list[str] = []
    at = 0
    while at < len(lines):
        following = lines[at + 1 : at + 1 + MOST_ROWS]
        found.append(continued(lines[at], following))
        at += 1 + _rows(lines[at], following)
    return "\n".join(found)


def _rows(line: str, following: Sequence[str]) -> int:
    """How many of the lines behind it close the lists of numbers that a line opens, if they do."""
    depth = _open_lists(line)
    for count, more in enumerate(following[:MOST_ROWS], start=1):
        if depth <= 0 or not more.strip():
            break
        depth += _open_lists(more)
        if depth == 0:
            return count if _are_of_numbers(line, following[:count]) else 0
    return 0


def _open_lists(line: str) -> int:
    return line.count("[") - line.count("]")


def _are_of_numbers(line: str, following: Sequence[str]) -> bool:
    """Whether lists may hold what is in them: `[0, 1)` opens none, and no heading is in one."""
    depth, inside = _in_lists(line, 0)
    for more in following:
        depth, row = _in_lists(more, depth)
        inside += row
    return inside.count(")") <= inside.count("(") and _NUMBERS.fullmatch(inside) is not None


def _in_lists(line: str, depth: int) -> tuple[int, str]:
    """How many lists are open behind a line, and what stands in them; not in those closed."""
    inside: list[str] = []
    for character in line:
        if character == "[":
            inside = inside if depth else []
            depth += 1
        elif character == "]":
            depth -= depth > 0
        elif depth:
            inside.append(character)
    return depth, "".join([*inside, "\n"])
