"""Repairs of code with text in it: tracebacks, printed values, sentences before, between, after."""

from __future__ import annotations

import ast
import re

from analysis.rules import Phrase
from harvest.report.lines import is_foreign, is_output, is_values
from harvest.report.steps.step import Step
from harvest.report.syntax import Refusal, parse

_TRACE = Phrase(
    "traceback/head-in-code",
    r"[ \t]*(?:-{20,}$|Traceback \(most recent call last\))",
    finds=("Traceback (most recent call last):", "-" * 40),
    spares=("f()",),
)
_TRACE_END = Phrase(
    "traceback/end-in-code",
    r"[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b",
    finds=("ValueError: no", "KeyboardInterrupt"),
    spares=("f()",),
)
_GOES_ON = frozenset(("elif", "else", "except", "finally", "case"))
"""Words that begin a line which is no Python without the ones above it."""
_MAX_LINE = 2000
_WORK = 1_000_000
"""Characters that the parser may be given in all while lines are dropped one by one."""


def _tracebacks(code: str) -> str:
    kept: list[str] = []
    inside = False
    for line in code.split("\n"):
        if _TRACE.match(line):
            inside = True
        elif inside:
            inside = not _TRACE_END.match(line.strip()[:200])
        else:
            kept.append(line)
    return "\n".join(kept)


TRACEBACKS = Step(
    name="tracebacks",
    apply=_tracebacks,
    examples=(
        (
            "f()\nTraceback (most recent call last):\n  File 'a', line 1\nValueError: no\nx = 1",
            "f()\nx = 1",
        ),
    ),
)


def _foreign_lines(code: str) -> str:
    """Drop the lines at which the parser stops, as long as they are output or prose, or are no
    Python by themselves: those must not be the most."""
    lines = code.split("\n")
    unknown = 0
    for _ in range(min(len(lines), 150, 1 + _WORK // (len(code) + 1))):
        tree = parse("\n".join(lines))
        if not isinstance(tree, Refusal):
            written = sum(1 for line in lines if line.strip())
            return code if unknown > written else "\n".join(lines)
        at = _foreign_at(lines, tree.line - 1)
        if at is None:
            return code
        unknown += not is_foreign(lines[at])
        del lines[at : _printed_end(lines, at)]
    return code


def _foreign_at(lines: list[str], near: int) -> int | None:
    """Return the foreign line that the parser means: at, around, or above line `near`."""
    for at in (near, near - 1, near + 1):
        if 0 <= at < len(lines) and lines[at].strip() and is_foreign(lines[at]):
            return at
    if near < len(lines) and _is_no_python(lines[near]):
        return near
    at = min(near, len(lines) - 1)
    for _ in range(60):
        if at < 0 or lines[at][:1] not in (" ", "\t", "[", "]", ""):
            break
        at -= 1
    return at if at >= 0 and is_output(lines[at]) else None


def _is_no_python(line: str) -> bool:
    """Tell whether a line stands for itself, and yet is no Python."""
    whole = all(line.count(opened) == line.count(closed) for opened, closed in ("()", "[]", "{}"))
    begins = line[:1] not in (" ", "\t", "@", "#", ")", "]", "}", "")
    goes_on = line.rstrip().endswith((":", "\\", ",")) or bool(
        _GOES_ON & set(line.split(None, 1)[:1])
    )
    return begins and whole and not goes_on and isinstance(parse(line), Refusal)


def _printed_end(lines: list[str], at: int) -> int:
    """Return the line after a printed value: arrays go on until their brackets are closed."""
    depth = 0
    for end in range(at, min(len(lines), at + 400)):
        depth += sum(map(lines[end].count, "([")) - sum(map(lines[end].count, ")]"))
        going_on = end + 1 < len(lines) and lines[end + 1][:1] in (" ", "\t", "[")
        if depth <= 0 or not (is_output(lines[at]) and going_on):
            return end + 1
    return at + 1


FOREIGN_LINES = Step(
    name="foreign lines",
    apply=_foreign_lines,
    examples=(
        ("x = f()\nprint(x)\ntensor([1., 2.], grad_fn=<A>)\ny = 2", "x = f()\nprint(x)\ny = 2"),
        ("f()\ntensor([[1., 2.],\n        [3., 4.]], grad_fn=<A>)\ny = 2", "f()\ny = 2"),
        ("x = 1\nThis fails for me\ny = 2", "x = 1\ny = 2"),
        ("https://example.org/012/a#b\nx = 1", "x = 1"),
        ("x = f()\n\nOutput:\n(2, 0) same: False", "x = f()\n"),
    ),
)


_SHOWN = Phrase(
    "value/behind-a-call",
    r"(?P<indent>[ \t]*)(?P<call>[\w.]+\(.*\))\s*(?:=|->|=>)\s*(?P<value>[^=\s>].*)",
    finds=("f(1) -> nan", "g(x) = [2, 0]"),
    spares=("f(1) == 2", "x = f(1)"),
)


def _shown_results(code: str) -> str:
    """Turn `f(x) = 3`, which is no Python, into the call, shown, and a comment with the rest."""
    lines = code.split("\n")
    for at, line in enumerate(lines):
        found = _SHOWN.fullmatch(line[:_MAX_LINE])
        if found and isinstance(parse(line.strip()), Refusal) and _is_call(found["call"]):
            told = re.sub(r"\s*#\s*", " ", found["value"])
            lines[at] = f"{found['indent']}print({found['call']})  # {told}"
    return "\n".join(lines)


def _is_call(text: str) -> bool:
    match parse(text):
        case ast.Module(body=[ast.Expr(value=ast.Call())]):
            return True
        case _:
            return False


SHOWN_RESULTS = Step(
    name="shown results",
    apply=_shown_results,
    examples=(
        ("x = f()\ng(x[:, 1]) = [2, 0]  # wrong", "x = f()\nprint(g(x[:, 1]))  # [2, 0] wrong"),
        ("f(1) -> nan\nf(a=2)", "print(f(1))  # nan\nf(a=2)"),
        ("x = f(1)\nx = (\n", "x = f(1)\nx = (\n"),
    ),
)


def _trailing_text(code: str) -> str:
    """Cut at the first line from which on nothing but text and output follows."""
    lines = code.split("\n")
    end = len(lines)
    while end:
        line = lines[end - 1]
        told = is_foreign(line) or is_values(line)
        if line.strip() and not told and not isinstance(parse(line.strip()), Refusal):
            break
        end -= 1
        if len(lines) - end > 400:
            return code
    cut = next((at for at in range(end, len(lines)) if is_foreign(lines[at])), len(lines))
    return "\n".join(lines[:cut])


TRAILING_TEXT = Step(
    name="trailing text",
    apply=_trailing_text,
    examples=(
        ("x = 1\nand the result is:\n(1, 2", "x = 1"),
        ("x = f()\n\ny = 'a': <tf.Tensor: b=\narray([[1],\n\n  [2],\n  [3]])>", "x = f()\n"),
        ("x = 1\nf(", "x = 1\nf("),
    ),
)
