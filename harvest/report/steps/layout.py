"""Repairs of what copying does to code: typography, margins, line numbers, headers, ellipses."""

from __future__ import annotations

import html
import itertools
import re
import textwrap

from analysis.rules import Phrase
from harvest.report.steps.step import Step
from harvest.report.syntax import Refusal, parse

_CHARACTERS = str.maketrans(
    {
        "\N{NO-BREAK SPACE}": " ",
        "\N{NARROW NO-BREAK SPACE}": " ",
        "\N{IDEOGRAPHIC SPACE}": " ",
        "\N{EM SPACE}": " ",
        "\N{THIN SPACE}": " ",
        "\N{ZERO WIDTH SPACE}": None,
        "\N{ZERO WIDTH JOINER}": None,
        "\N{ZERO WIDTH NON-JOINER}": None,
        "\N{ZERO WIDTH NO-BREAK SPACE}": None,
        "\N{WORD JOINER}": None,
        "\N{LEFT DOUBLE QUOTATION MARK}": '"',
        "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
        "\N{DOUBLE LOW-9 QUOTATION MARK}": '"',
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{EN DASH}": "-",
        "\N{MINUS SIGN}": "-",
        "\N{FULLWIDTH LEFT PARENTHESIS}": "(",
        "\N{FULLWIDTH RIGHT PARENTHESIS}": ")",
        "\N{FULLWIDTH COMMA}": ",",
        "\N{FULLWIDTH COLON}": ":",
        "\N{FULLWIDTH EQUALS SIGN}": "=",
    }
)


def _typography(code: str) -> str:
    return code.translate(_CHARACTERS)


TYPOGRAPHY = Step(
    name="typography",
    apply=_typography,
    examples=(
        (
            "print(\N{LEFT DOUBLE QUOTATION MARK}a\N{RIGHT DOUBLE QUOTATION MARK})",
            'print("a")',
        ),
        ("x\N{NO-BREAK SPACE}= 1\N{ZERO WIDTH SPACE}", "x = 1"),
    ),
)


_ENTITY = Phrase(
    "copying/entity",
    r"&(?:lt|gt|amp|quot|#39);",
    finds=("a &lt; b",),
    spares=("a & b",),
)


def _entities(code: str) -> str:
    return html.unescape(code) if _ENTITY.search(code) else code


ENTITIES = Step(
    name="entities",
    apply=_entities,
    examples=(("if a &lt; b:\n    pass", "if a < b:\n    pass"),),
)

_HEADER = Phrase(
    "copying/header-line",
    r"(?:python ?3?|py|ipython|code|[\w./-]{1,80}\.(?:py|ipynb)):?(?:[ \t].{0,80})?",
    re.IGNORECASE,
    finds=("Python:", "tests/case1.py"),
    spares=("x = 1",),
)


def _header_line(code: str) -> str:
    """Drop a first line that only names the language or a file, or is a fence."""
    first, _, rest = code.lstrip("\n").partition("\n")
    bare = first.strip("`~ \t")
    return rest if _HEADER.fullmatch(bare) or (first.strip() and not bare) else code


HEADER_LINE = Step(
    name="header line",
    apply=_header_line,
    examples=(
        ("Python:\nx = 1", "x = 1"),
        ("tests/case1.py:\nx = 1", "x = 1"),
        ("```\nx = 1", "x = 1"),
    ),
)

_NUMBERED = re.compile(r"[ \t]*(\d{1,4})(?:[:.|)]|(?=\s|$))[ \t]?(.*)")


def _line_numbers(code: str) -> str:
    found = [_NUMBERED.fullmatch(line) for line in code.split("\n") if line.strip()]
    matches = [match for match in found if match]
    if len(matches) < 2 or len(matches) < len(found):
        return code
    numbers = [int(match[1]) for match in matches]
    if any(after != before + 1 for before, after in itertools.pairwise(numbers)):
        return code
    return textwrap.dedent("\n".join(match[2] for match in matches))


LINE_NUMBERS = Step(
    name="line numbers",
    apply=_line_numbers,
    examples=(
        ("1 def f():\n2     pass\n3 f()", "def f():\n    pass\nf()"),
        (" 9: x = 1\n10: y = 2", "x = 1\ny = 2"),
        ("1 = x\n5 = y", "1 = x\n5 = y"),
    ),
)

_DOTS = Phrase(
    "copying/placeholder",
    r"([ \t]*)(?:\.{2}|\.{4,}|…+|(?:\. ){2,}\.|\[(?:\.\.\.|…)\]|<(?:snip|\.\.\.)>)[ \t]*(#.*)?",
    finds=("    ....", "<snip>", "[...]"),
    spares=("x = 1",),
)


def _placeholders(code: str) -> str:
    found = [(line, _DOTS.fullmatch(line)) for line in code.split("\n")]
    kept = [dots[1] + "..." if dots else line for line, dots in found]
    return "\n".join(kept).replace("…", "...")


PLACEHOLDERS = Step(
    name="placeholders",
    apply=_placeholders,
    examples=(
        ("def f():\n    ....", "def f():\n    ..."),
        ("f(…)", "f(...)"),
        ("x = 1\n<snip>\ny = 2", "x = 1\n...\ny = 2"),
    ),
)


_UNPARTED = re.compile(r"(\"[^\"\n]*\"|'[^'\n]*')[ \t]+(?=[A-Za-z_]\w*[.(\[])")
_MOST_COMMAS = 20


def _missing_commas(code: str) -> str:
    """Part a string from what follows it, in the lines in which the parser misses a comma."""
    for _ in range(_MOST_COMMAS):
        tree = parse(code)
        if not isinstance(tree, Refusal) or "forgot a comma" not in tree.message:
            break
        lines = code.split("\n")
        changed = _UNPARTED.sub(r"\1, ", lines[tree.line - 1], count=1)
        if changed == lines[tree.line - 1]:
            break
        lines[tree.line - 1] = changed
        code = "\n".join(lines)
    return code


MISSING_COMMAS = Step(
    name="missing commas",
    apply=_missing_commas,
    examples=(
        ("x = 1\nprint('a:' x.f(), \"b\"  g(x))", "x = 1\nprint('a:', x.f(), \"b\", g(x))"),
        ("f(a b)", "f(a b)"),
    ),
)


def _dedent(code: str) -> str:
    """Take common indentation, also where the first line alone stands at the margin."""
    code = code.expandtabs(4) if "\t" in code else code
    dedented = textwrap.dedent(code)
    if dedented != code:
        return dedented.strip("\n")
    first, _, rest = code.partition("\n")
    if not rest or first.rstrip().endswith((":", ",", "(", "[", "{", "\\")):
        return code
    return first + "\n" + textwrap.dedent(rest)


DEDENT = Step(
    name="dedent",
    apply=_dedent,
    examples=(
        ("  x = 1\n  y = 2", "x = 1\ny = 2"),
        ("x = 1\n    y = 2\n    z = 3", "x = 1\ny = 2\nz = 3"),
        ("if a:\n\tb()\n        c()", "if a:\n    b()\n        c()"),
        ("def f():\n    pass", "def f():\n    pass"),
    ),
)
