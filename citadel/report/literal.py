"""Prints text of strangers literally: no markup, no escapes, no characters that it cannot show."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from citadel.report.text import plain


def table(*columns: str) -> Table:
    """A table without lines, whose cells fold."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def cell(console: Console, text: str) -> Text:
    """Make literal text of what may hold markup, escapes or characters the console cannot show."""
    indent = " " * (len(text) - len(text.lstrip(" ")))
    shown = plain(text).encode(console.encoding, "backslashreplace").decode(console.encoding)
    return Text(indent + shown)


def say(console: Console, text: str, style: str = "", indent: int = 0) -> None:
    """Print one paragraph, wrapped between words and, where a word is too long, inside it."""
    body = cell(console, text)
    body.stylize(style)
    for line in body.wrap(console, max(console.width - indent, 20), overflow="fold"):
        line.rstrip()
        console.print(Text(" " * indent) + line, soft_wrap=True, highlight=False)
