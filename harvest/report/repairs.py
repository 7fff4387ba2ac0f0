"""The repair steps: small functions from broken code to code that may parse.

Each step does one thing, returns its input unchanged where there is nothing to do, and carries
EXAMPLES (before, after) that are its tests. The order of `REPAIRS` is the order of trying.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from harvest.report.lines import is_foreign, is_prose
from harvest.report.syntax import Refusal, parse
from harvest.report.text import indent_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A named step with examples of what it does."""

    name: str
    apply: Callable[[str], str]
    examples: tuple[tuple[str, str], ...]


_SPACES = str.maketrans(
    {"\u00a0": " ", "\u3000": " ", "\u2003": " ", "\u2009": " ", "\u202f": " ", "\u200b": None}
    | {"\ufeff": None, "\u200e": None, "\u200c": None, "\u200d": None, "\u2060": None}
)
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "−": "-"})
_FULLWIDTH = str.maketrans({"（": "(", "）": ")", "，": ",", "：": ":", "＝": "="})  # noqa: RUF001


def _typography(code: str) -> str:
    return code.translate(_SPACES).translate(_QUOTES).translate(_FULLWIDTH)


def _entities(code: str) -> str:
    return html.unescape(code) if re.search(r"&(?:lt|gt|amp|quot|#39);", code) else code


_NAMED_FIRST = re.compile(
    r"(?:python ?3?|py|ipython|code|[\w./-]{1,80}\.(?:py|ipynb)):?", re.IGNORECASE
)


def _header_line(code: str) -> str:
    first, _, rest = code.lstrip("\n").partition("\n")
    bare = first.strip("`~ \t")
    return rest if _NAMED_FIRST.fullmatch(bare) or (first.strip() and not bare) else code


_NUMBERED = re.compile(r"\s*(\d{1,4})(?:[:.|)]|(?=\s|$))[ \t]?(.*)")


def _line_numbers(code: str) -> str:
    found = [_NUMBERED.fullmatch(line) for line in code.split("\n") if line.strip()]
    matches = [match for match in found if match]
    if len(matches) < 2 or len(matches) < len(found):
        return code
    numbers = [int(match[1]) for match in matches]
    if any(after != before + 1 for before, after in zip(numbers, numbers[1:], strict=False)):
        return code
    return textwrap.dedent("\n".join(match[2] for match in matches))


_PROMPT = re.compile(r"\s*(?:>>>|In ?\[\d*\]:)(?: (?P<code>.*)|$)")
_CONTINUED = re.compile(r"\s*\.{3,}:?(?: (?P<code>.*)|$)")
_GLUED_PROMPT = re.compile(r"\s*>>>(?P<code>[^\s>].*)")


def _prompts(code: str) -> str:
    kept: list[str] = []
    statement: list[str] = []
    session = False
    for line in code.split("\n"):
        start = _PROMPT.fullmatch(line) or _GLUED_PROMPT.fullmatch(line)
        more = _CONTINUED.fullmatch(line)
        if start:
            session = True
            statement = [start["code"] or ""]
            kept.append(statement[0])
        elif more and session:
            statement.append(more["code"] or "")
            kept.append(statement[-1])
        elif session and 0 < len(statement) < 40 and _is_cut_off(statement):
            statement.append(line)
            kept.append(line)
        else:
            statement = []
            if not session and _is_comment_or_import(line):
                kept.append(line)
    return "\n".join(kept) if session else code


def _is_cut_off(statement: list[str]) -> bool:
    """Tell whether a statement goes on without a prompt: a bracket or string is still open."""
    tree = parse("\n".join(statement))
    return isinstance(tree, Refusal) and (
        "never closed" in tree.message or "unterminated triple" in tree.message
    )


def _is_comment_or_import(line: str) -> bool:
    return bool(re.match(r"(?:import|from)\s+\w|#", line)) and not is_prose(line)


_HEREDOC = re.compile(r"<<-?\s*[\"']?(\w+)[\"']?")
_DASH_C = re.compile(r"python[\d.]*\s+(?:-[uBEsSIW]\s+)*-c\s+(?P<quote>[\"'])")


def _here_document(code: str) -> str:
    lines = code.split("\n")
    for at, line in enumerate(lines):
        found = _HEREDOC.search(line[:400])
        if found and re.search(r"\b(?:python[\d.]*|cat|tee)\b", line[:400]):
            body = lines[at + 1 :]
            ends = [n for n, text in enumerate(body) if text.strip() == found[1]]
            return "\n".join(body[: ends[0]] if ends else body)
    return code


def _dash_c(code: str) -> str:
    found = _DASH_C.search(code)
    if not found:
        return code
    end = code.rfind(found["quote"])
    inner = code[found.end() : end] if end > found.end() else ""
    if found["quote"] == '"':
        inner = inner.replace('\\"', '"').replace("\\$", "$")
    return inner or code


_SHELL = re.compile(
    r"""\s*(?:\$\s+\S | [\w.-]+@[\w.-]+:[^$#]*[$#]\s | \([\w.-]+\)\s*\$?\s*(?:[\w.-]+@|python|\$)
    | (?:sudo\s+)?(?:[A-Z_][A-Z0-9_]*=\S*\s+)+\S+
    | (?:sudo\s+)?(?:python[\d.]*|pip[\d.]*|conda|mamba|curl|wget|git|cd|export|apt(?:-get)?|bash|sh|source|nvidia-smi
      |docker|mkdir|ls|cat|echo|gdb|torchrun|ulimit|uname|chmod|uv|ipython|pytest|unzip|tar|cmake|make)
      (?:\s+[^\s=(.,\[].*|\s*)$
    )""",
    re.VERBOSE,
)


def _shell_lines(code: str) -> str:
    return _without(code, lambda line: bool(_SHELL.match(line[:400])))


def _without(code: str, unwanted: Callable[[str], bool]) -> str:
    lines = code.split("\n")
    kept = [line for line in lines if not (line.strip() and unwanted(line))]
    return code if len(kept) == len(lines) else "\n".join(kept)


_TIMED = re.compile(r"(\s*)%?%(?:timeit|time|memit|prun)\b((?:\s+-\w+(?:\s*\d+)?)*)(?:\s+(.*))?")


def _magics(code: str) -> str:
    kept: list[str] = []
    for line in code.split("\n"):
        timed = _TIMED.fullmatch(line)
        if timed:
            if timed[3]:
                kept.append(timed[1] + timed[3])
        elif re.match(r"\s*(?:%%?[A-Za-z]|![\w./{])", line):
            kept.append(line[: indent_of(line)] + "pass" if line[:1].isspace() else "")
        else:
            kept.append(line)
    return "\n".join(kept)


_PRINT = re.compile(
    r"(\s*(?:(?:if|for|while|else|try|except)\b[^:]*:\s*)?)print\s+(?![=.)])(.*\S)\s*"
)
_EXCEPT = re.compile(r"(\s*except\s+(?:[\w.]+|\([^()]*\)))\s*,\s*(\w+)\s*:(.*)")
_RAISE = re.compile(r"(\s*raise\s+[\w.]+)\s*,\s*(.+)")


def _python_2(code: str) -> str:
    kept: list[str] = []
    for line in code.split("\n"):
        printed = _PRINT.fullmatch(line) if len(line) < 2000 else None
        if printed and isinstance(parse(line.strip()), Refusal):
            kept.append(printed[1] + _print_call(printed[2]))
            continue
        line = _EXCEPT.sub(r"\1 as \2:\3", line) if "except" in line[:200] else line
        kept.append(_RAISE.sub(r"\1(\2)", line) if line.lstrip().startswith("raise ") else line)
    return "\n".join(kept)


def _print_call(arguments: str) -> str:
    arguments, mark, comment = arguments.partition("  #")
    arguments = arguments.rstrip()
    keywords = ""
    target = re.match(r">>\s*([\w.]+)\s*,\s*", arguments)
    if target:
        keywords, arguments = f", file={target[1]}", arguments[target.end() :]
    if arguments.endswith(","):
        arguments, keywords = arguments[:-1], keywords + ', end=" "'
    return f"print({arguments}{keywords}){mark}{comment}"


_DOTS = re.compile(
    r"(\s*)(?:\.{2}|\.{4,}|…+|(?:\. ){2,}\.|\[(?:\.\.\.|…)\]|<(?:snip|\.\.\.)>)\s*(#.*)?"
)


def _placeholders(code: str) -> str:
    lines = [
        _DOTS.sub(r"\1...", line) if _DOTS.fullmatch(line) else line for line in code.split("\n")
    ]
    return "\n".join(lines).replace("…", "...")


def _dedent(code: str) -> str:
    """Take common indentation, also where the first line alone stands at the margin."""
    code = code.expandtabs(4) if "\t" in code else code
    dedented = textwrap.dedent(code)
    if dedented != code:
        return dedented.strip("\n")
    first, _, rest = code.partition("\n")
    if first.rstrip().endswith((":", ",", "(", "[", "{", "\\")):
        return code
    return first + "\n" + textwrap.dedent(rest) if rest else code


_TRACE = re.compile(r"\s*Traceback \(most recent call last\)")
_TRACE_END = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b.*")


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


def _foreign_lines(code: str) -> str:
    """Drop the lines at which the parser stops, as long as they are output or prose."""
    lines = code.split("\n")
    for _ in range(min(len(lines), 150, 1 + 1_000_000 // (len(code) + 1))):
        tree = parse("\n".join(lines))
        if not isinstance(tree, Refusal):
            return "\n".join(lines)
        at = _foreign_at(lines, tree.line - 1)
        if at is None:
            return code
        del lines[at]
    return code


def _foreign_at(lines: list[str], near: int) -> int | None:
    """Return a foreign line at, before or after line `near`, where the parser may have meant it."""
    for at in (near, near - 1, near + 1):
        if 0 <= at < len(lines) and lines[at].strip() and is_foreign(lines[at]):
            return at
    return None


def _trailing_text(code: str) -> str:
    """Cut at the first foreign line from which on nothing but text and output follows."""
    lines = code.split("\n")
    end = len(lines)
    while end:
        line = lines[end - 1]
        if line.strip() and not is_foreign(line) and not isinstance(parse(line.strip()), Refusal):
            break
        end -= 1
        if len(lines) - end > 400:
            return code
    return "\n".join(lines[:end])


REPAIRS: tuple[Repair, ...] = (
    Repair(
        name="typography",
        apply=_typography,
        examples=(
            ("print(“a”)", 'print("a")'),
            ("x\u00a0= 1\u200b", "x = 1"),
        ),
    ),
    Repair(
        name="entities",
        apply=_entities,
        examples=(("if a &lt; b:\n    pass", "if a < b:\n    pass"),),
    ),
    Repair(
        name="header line",
        apply=_header_line,
        examples=(
            ("Python:\nx = 1", "x = 1"),
            ("tests/case1.py:\nx = 1", "x = 1"),
            ("```\nx = 1", "x = 1"),
        ),
    ),
    Repair(
        name="line numbers",
        apply=_line_numbers,
        examples=(
            ("1 def f():\n2     pass\n3 f()", "def f():\n    pass\nf()"),
            (" 9: x = 1\n10: y = 2", "x = 1\ny = 2"),
        ),
    ),
    Repair(
        name="here-document",
        apply=_here_document,
        examples=(
            ("$ python - <<'EOF'\nimport torch\nEOF\nTrue", "import torch"),
            ("cat > a.py <<EOF\nx = 1\nEOF\npython a.py", "x = 1"),
        ),
    ),
    Repair(
        name="python -c",
        apply=_dash_c,
        examples=(
            (
                "$ python3 -c 'import torch; print(torch.ones(2))'",
                "import torch; print(torch.ones(2))",
            ),
            ('python -c "x = 1; print(\\"a\\")"', 'x = 1; print("a")'),
        ),
    ),
    Repair(
        name="prompts",
        apply=_prompts,
        examples=(
            (
                ">>> x = 1\n>>> x\n1\n>>> for i in x:\n...     i\n... \n2",
                "x = 1\nx\nfor i in x:\n    i\n",
            ),
            ("In [1]: x = 1\n\nIn [2]: x\nOut[2]: 1", "x = 1\nx"),
            (">>> f([1,\n2])\n3", "f([1,\n2])"),
            ("import torch\n>>>x = 1\n1", "import torch\nx = 1"),
        ),
    ),
    Repair(
        name="shell lines",
        apply=_shell_lines,
        examples=(
            ("$ python x.py\nx = 1", "x = 1"),
            ("pip install torch\ncurl -O http://a/b\nls = 3", "ls = 3"),
            ("CUDA_VISIBLE_DEVICES= python a.py\nx = 1", "x = 1"),
        ),
    ),
    Repair(
        name="magics",
        apply=_magics,
        examples=(
            ("%timeit -n 10 f(x)\n", "f(x)\n"),
            ("!pip install torch\nx = 1", "\nx = 1"),
            ("%%timeit\nf(x)", "f(x)"),
            ("if a:\n    !ls", "if a:\n    pass"),
        ),
    ),
    Repair(
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
    ),
    Repair(
        name="placeholders",
        apply=_placeholders,
        examples=(
            ("def f():\n    ....", "def f():\n    ..."),
            ("f(…)", "f(...)"),
        ),
    ),
    Repair(
        name="dedent",
        apply=_dedent,
        examples=(
            ("  x = 1\n  y = 2", "x = 1\ny = 2"),
            ("x = 1\n    y = 2\n    z = 3", "x = 1\ny = 2\nz = 3"),
            ("if a:\n\tb()\n        c()", "if a:\n    b()\n        c()"),
        ),
    ),
    Repair(
        name="tracebacks",
        apply=_tracebacks,
        examples=(
            (
                'f()\nTraceback (most recent call last):\n  File "a", line 1\nValueError: no\nx = 1',
                "f()\nx = 1",
            ),
        ),
    ),
    Repair(
        name="foreign lines",
        apply=_foreign_lines,
        examples=(
            ("x = f()\nprint(x)\ntensor([1., 2.], grad_fn=<A>)\ny = 2", "x = f()\nprint(x)\ny = 2"),
            ("x = 1\nThis fails for me\ny = 2", "x = 1\ny = 2"),
        ),
    ),
    Repair(
        name="trailing text",
        apply=_trailing_text,
        examples=(("x = 1\nand the result is:\n(1, 2", "x = 1"),),
    ),
)
