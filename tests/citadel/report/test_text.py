from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from citadel.report.text import code_span, fence, plain, shorten, table_cell


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines\r\n\u2028of\x0b\x0ctext", "two lines of text"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("abc\u202edcba", "abcdcba"),
        ("lone \ud800", "lone \\ud800"),
        ("umlaut ä, emoji \U0001f41b", "umlaut ä, emoji \U0001f41b"),
    ],
)
def test_plain_is_one_printable_line(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(st.text(alphabet=st.characters(), max_size=40))
def test_plain_never_leaves_control_characters(text: str) -> None:
    assert plain(text) == "" or plain(text).isprintable()


@given(st.text(alphabet="`\\|a@#<>![]() \n*", max_size=20))
def test_code_span_survives_markdown(text: str) -> None:
    """The parser reads back exactly the text, as code and nothing else."""
    inline = MarkdownIt("gfm-like", {"linkify": False}).parse("x " + code_span(text) + " y")[1]
    codes = [t for t in inline.children or [] if t.type == "code_inline"]
    if not plain(text):
        assert codes == []
        return
    assert [t.content.strip() for t in codes] == [plain(text)]
    assert [t.type for t in inline.children or []] == ["text", "code_inline", "text"]


@given(st.text(alphabet="`\\|a@#<>! \n", min_size=1, max_size=20))
def test_table_cell_stays_one_cell(text: str) -> None:
    source = f"| a | b |\n| --- | --- |\n| {table_cell(text)} | second |\n\nafter\n"
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(source)
    cells = [t.content for i, t in enumerate(tokens) if i and tokens[i - 1].type == "td_open"]
    assert len(cells) == 2
    assert cells[1] == "second"


def test_table_cell_keeps_bar_and_backslash_apart() -> None:
    assert "\\\\|" not in table_cell("a\\|b")


@given(st.text(alphabet="`~a\n ", max_size=30))
def test_fence_cannot_be_closed_from_inside(text: str) -> None:
    tokens = MarkdownIt().parse(fence(text) + "\n\nafter\n")
    assert [t.type for t in tokens] == [
        "fence",
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]


def test_shorten_marks_the_cut() -> None:
    assert shorten("abcdefghij", 8) == "abcd ..."
    assert shorten("abc", 8) == "abc"
    assert shorten("an internal assertion failed", 20) == "an internal ..."
    assert shorten("Error: anunbrokenwordthatislong", 16) == "Error: anunb ..."
