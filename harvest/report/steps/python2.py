"""Repair of Python 2: print statements, `except E, e`, `raise E, m`."""

from __future__ import annotations

import re

from harvest.report.steps.step import Step
from harvest.report.syntax import Refusal, parse

_PRINT = re.compile(
    r"([ \t]*(?:(?:if|for|while|else|try|except)\b[^:]*:[ \t]*)?)print[ \t]+(?![=.)])(.*)"
)
_EXCEPT = re.compile(r"([ \t]*except[ \t]+(?:[\w.]+|\([^()]*\)))[ \t]*,[ \t]*(\w+)[ \t]*:(.*)")
_RAISE = re.compile(r"([ \t]*raise[ \t]+[\w.]+)[ \t]*,[ \t]*(.+)")
_TARGET = re.compile(r">>[ \t]*([\w.]+)[ \t]*,[ \t]*")
_MAX_LINE = 2000


def _python_2(code: str) -> str:
    return "\n".join(_line(line) if len(line) < _MAX_LINE else line for line in code.split("\n"))


def _line(line: str) -> str:
    printed = _PRINT.fullmatch(line)
    if printed and (printed[2].startswith(">>") or isinstance(parse(line.strip()), Refusal)):
        return printed[1] + _print_call(printed[2].rstrip())
    for pattern, new in ((_EXCEPT, r"\1 as \2:\3"), (_RAISE, r"\1(\2)")):
        if pattern.fullmatch(line):
            return pattern.sub(new, line)
    return line


def _print_call(arguments: str) -> str:
    arguments, mark, comment = arguments.partition("  #")
    arguments = arguments.rstrip()
    keywords = ""
    target = _TARGET.match(arguments)
    if target:
        keywords, arguments = f", file={target[1]}", arguments[target.end() :]
    if arguments.endswith(","):
        arguments, keywords = arguments[:-1], keywords + ', end=" "'
    return f"print({arguments}{keywords}){mark}{comment}"


PYTHON_2 = Step(
    name="python 2",
    apply=_python_2,
    examples=(
        ('print "a", x', 'print("a", x)'),
        ("for i in x: print i", "for i in x: print(i)"),
        ("print >>sys.stderr, x,", 'print(x, file=sys.stderr, end=" ")'),
        (
            "try:\n    f()\nexcept E, e:\n    raise E, 'm'",
            "try:\n    f()\nexcept E as e:\n    raise E('m')",
        ),
    ),
)
