"""Words of docstrings, as the interpreter under test finds them."""

import sys
import time
from pathlib import Path

import pytest

INSIDE = Path(__file__).parents[3] / "analysis/inside"


@pytest.fixture
def words(monkeypatch):
    monkeypatch.syspath_prepend(str(INSIDE))
    sys.modules.pop("words", None)
    import words

    return words


def documented(doc):
    return type("Documented", (), {"__doc__": doc})


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        ("Computes the ReLU6 of x.", "computes relu the"),
        ("add(input, other) -> Tensor\n\nSee :func:`torch.add`", "add func see torch"),
        ("Sums. An example:\n\n>>> total(3)\n... more\n\nThat is all.", "all example sums that"),
        ("It uses f(everything here)\nand more", "and everything here more uses"),
        (None, ""),
        (3, ""),
    ],
)
def test_words(words, doc, expected):
    assert words.of(documented(doc)) == expected


def test_what_all_classes_inherit_is_no_documentation(words):
    class Bare:
        pass

    class Made:
        def __init__(self):
            """Makes one."""

    Bare.__doc__ = Made.__doc__ = None
    assert (words.of(Bare), words.of(Made)) == ("", "makes one")


def test_a_long_docstring_takes_no_time(words):
    started = time.monotonic()
    assert words.of(documented("\n" * 50_000 + " \n" * 50_000 + "word")) == "word"
    assert time.monotonic() - started < 5
