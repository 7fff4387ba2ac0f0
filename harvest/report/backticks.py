"""Code that stands in single backticks over several lines -> the same in fences.

In: Markdown as written. Out: the same, where a lone backtick above and below code, or backticks
around each line of it, are fences. Lists of names in backticks stay text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from harvest.report.syntax import Refusal, parse

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("A:\n`\nimport torch\nf()\n`\nB", "A:\n```\nimport torch\nf()\n```\nB"),
    ("``\nx = f(1)\ng(x)\n``", "```\nx = f(1)\ng(x)\n```"),
    ("`\nand then\nit crashes\n`", "`\nand then\nit crashes\n`"),
    (
        "A:\n`import torch`\n`try:`\n  `f(1)`\n`except E:`\n`  pass`\nB",
        "A:\n```\nimport torch\ntry:\n  f(1)\nexcept E:\n  pass\n```\nB",
    ),
    ("`\n>>> x = f(1)\n>>> x\n[nan]\n`\nB", "```\n>>> x = f(1)\n>>> x\n[nan]\n```\nB"),
    ("`\n>>> and then\nit crashes\n`", "`\n>>> and then\nit crashes\n`"),
    ("`torch.f(a)`\n`torch.g(a)`", "`torch.f(a)`\n`torch.g(a)`"),
    ("`torch.f`\n`torch.g`", "`torch.f`\n`torch.g`"),
    ("```\n`\nf(1)\n`\n```", "```\n`\nf(1)\n`\n```"),
)

_LONE = re.compile(r"[ \t]*`{1,2}[ \t]*")
_LINE = re.compile(r"([ \t]*)`([^`]+)`[ \t]*")
_FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_CALL = re.compile(r"\w\(")
_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)[ \t]?(.*)")
_MOST = 400


def fence_backticks(text: str) -> str:
    """Return Markdown with code in backticks of its own lines fenced."""
    if "`" not in text:
        return text
    lines = text.split("\n")
    told: list[str] = []
    at = 0
    fenced = False
    while at < len(lines):
        fenced = fenced != bool(_FENCE.match(lines[at]))
        end, code = (at, []) if fenced else _code_from(lines, at)
        if code:
            told += ["```", *code, "```"]
            at = end
        else:
            told.append(lines[at])
            at += 1
    return "\n".join(told)


def _code_from(lines: Sequence[str], at: int) -> tuple[int, list[str]]:
    """Return the code in backticks that begins at a line, if any, and the line behind it."""
    code: list[str] = []
    end = at
    if _LONE.fullmatch(lines[at]):
        end = _end_of_lone(lines, at) or at
        code = [*lines[at + 1 : end]]
        end += 1
    else:
        while end < len(lines) and (found := _LINE.fullmatch(lines[end])):
            code.append(found[1] + found[2])
            end += 1
    return end, code if len(code) > 1 and _is_code(code) else []


def _end_of_lone(lines: Sequence[str], at: int) -> int | None:
    until = min(len(lines), at + _MOST)
    return next((n for n in range(at + 1, until) if _LONE.fullmatch(lines[n])), None)


def _is_code(lines: Sequence[str]) -> bool:
    """Whether lines are Python, or a session, that brings its names and calls something."""
    prompted = [found[1] for line in lines if (found := _PROMPT.match(line))]
    text = "\n".join(prompted or lines)
    tree = parse(text) if _CALL.search(text) else Refusal(message="no call", line=1)
    binds = ast.Import | ast.ImportFrom | ast.Assign
    return isinstance(tree, ast.Module) and any(isinstance(node, binds) for node in tree.body)
