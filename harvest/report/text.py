"""Text that every later stage can rely on: one kind of line end, no NUL, nothing UTF-8 refuses."""

from __future__ import annotations

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
