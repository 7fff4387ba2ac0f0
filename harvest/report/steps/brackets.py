"""Repair of brackets that copying has cut off: `y = f(x` at the end of a line, or of the code."""

from __future__ import annotations

import re

from harvest.report.steps.step import Step
from harvest.report.syntax import Refusal, parse

_MOST = 8
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_GOES_ON = re.compile(r"[(\[{,=+\-*/.]\s*$")
"""The end of code behind which something must follow."""
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?")
"""A string, up to the end of its line where it is cut off: else each quote would be tried anew."""
_COMMENT = re.compile(r"(?<![ \t])[ \t]*+#.*$")


def _closed(code: str) -> str:
    """Close what the parser finds open: at the end of its line, else at the end of the code.

    Where something must have followed, more is lost than brackets.
    """
    for _ in range(_MOST):
        tree = parse(code)
        if not isinstance(tree, Refusal) or "was never closed" not in tree.message:
            break
        lines = code.split("\n")
        line = _bare(lines[tree.line - 1])
        changed = "\n".join([*lines[: tree.line - 1], line + _missing(line), *lines[tree.line :]])
        here = parse(changed)
        if _GOES_ON.search(line) or (isinstance(here, Refusal) and here.line <= tree.line):
            whole = "\n".join(map(_bare, lines)).rstrip()
            return code if _GOES_ON.search(whole) else whole + _missing(whole)
        code = changed
    return code


def _bare(line: str) -> str:
    """A line without its comment."""
    masked = _STRING.sub(lambda found: "_" * len(found[0]), line)
    return line[: len(_COMMENT.sub("", masked))]


def _missing(text: str) -> str:
    """What closes the brackets that a text leaves open, the innermost first."""
    waiting: list[str] = []
    for character in _STRING.sub("", text):
        if character in _CLOSERS:
            waiting.append(_CLOSERS[character])
        elif waiting and character == waiting[-1]:
            waiting.pop()
    return "".join(reversed(waiting))


CLOSERS = Step(
    name="closing brackets",
    apply=_closed,
    examples=(
        ("y = f(x", "y = f(x)"),
        ("y = f([x\nprint(y)", "y = f([x])\nprint(y)"),
        ("y = f(x  # bad\nprint(')')", "y = f(x)\nprint(')')"),
        ("y = f(\n    x,\n    [1, 2", "y = f(\n    x,\n    [1, 2])"),
    ),
)
