"""Makes text of strangers safe to show: one line, no control characters, no Markdown.

In: titles, messages and API names from bug reports and from the interpreter under test. Out: text
that a terminal, a comment or a Markdown page shows literally.
"""

from __future__ import annotations

import re
import unicodedata

_ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"


def plain(text: str) -> str:
    """Return `text` as one line of printable characters.

    White space of any kind becomes a single space, invisible format characters (also those that
    reverse the reading direction) vanish, and what remains unprintable is shown as an escape.
    """
    return " ".join("".join(_printable(character) for character in text).split())


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    if character.isspace():
        return " "
    return "" if unicodedata.category(character) == "Cf" else _escaped(character)


def shorten(text: str, limit: int) -> str:
    """Return `text` cut to `limit` characters, with a visible mark where it was cut.

    It is cut between words where one ends near the limit.

    >>> shorten("an internal assertion failed", 20)
    'an internal ...'
    """
    if len(text) <= limit:
        return text
    room = max(limit - 4, 1)
    kept = text[: room + 1].rpartition(" ")[0].rstrip()
    return (kept if len(kept) * 3 > room * 2 else text[:room].rstrip()) + " ..."


_FOLDERS = re.compile(
    r"""(?<![^\s"'(\[])[\w.+@/-]{0,300}/(?=[\w.+-]{1,100}\.(?:cpp|cc|cu|cuh|h|py)\b)"""
)


def without_folders(text: str) -> str:
    """Return `text` with source files by their names alone: where they lie on a build's machine
    says nothing, and takes the room of what does.

    >>> without_folders('FAILED at "/build/aten/src/Linear.cpp":46, float16/bfloat16/float32')
    'FAILED at "Linear.cpp":46, float16/bfloat16/float32'
    """
    return _FOLDERS.sub("", text)


def source_name(source: str) -> str:
    """Where a report was read, for people.

    >>> source_name("-"), source_name("reports/a.md")
    ('standard input', 'reports/a.md')
    """
    return "standard input" if source == "-" else source


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 item", "1,200 items"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def lines_of(code: str) -> int:
    """Lines of a script, without comments and empty ones."""
    lines = (line.strip() for line in code.splitlines())
    return sum(bool(line) and not line.startswith("#") for line in lines)


def code_span(text: str, limit: int = 300) -> str:
    """Return `text` as inline code, where Markdown knows no mention, reference, link or HTML."""
    line = shorten(plain(text), limit)
    if not line:
        return "(none)"
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def table_cell(text: str, limit: int = 120) -> str:
    r"""Return `text` as inline code for a table, whose cells end at a bar even inside code.

    A backslash before the bar would undo the bar's own escape for some readers, so the two are kept
    apart by an invisible space.
    """
    return code_span(text, limit).replace("\\|", f"\\{_ZERO_WIDTH}|").replace("|", "\\|")


def fence(code: str, language: str = "python") -> str:
    """Return `code` in a fence longer than any run of backticks inside it; what is not printable
    in it is shown as an escape."""
    shown = "".join(one if one in "\n\t" else _escaped(one) for one in code)
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return f"{ticks}{language}\n{shown.rstrip()}\n{ticks}"


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
