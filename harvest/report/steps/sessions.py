"""Repairs of what terminals and notebooks add: prompts, shell commands, magics, here-documents.

The value of a bare expression in a session was shown to the reporter, so the code shows it too.
What was printed is dropped.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from analysis.rules import Phrase
from harvest.report.lines import is_output, is_prose
from harvest.report.steps.display import displayed
from harvest.report.steps.step import Step, without_lines
from harvest.report.syntax import Refusal, parse
from harvest.report.text import indent_of
from harvest.report.wordings import Wording, Wordings

_HEREDOC = Phrase(
    "session/here-document",
    r"<<-?[ \t]*[\"']?(\w+)[\"']?",
    finds=("python - <<'EOF'",),
    spares=("a < b",),
)
_READS_IT = Phrase(
    "session/reader-of-here-documents",
    r"\b(?:python[\d.]*|cat|tee)\b",
    finds=("python3 - <<EOF",),
    spares=("x << y",),
)


def _here_document(code: str) -> str:
    lines = code.split("\n")
    for at, line in enumerate(lines):
        found = _HEREDOC.search(line[:400])
        if found and _READS_IT.search(line[:400]):
            body = lines[at + 1 :]
            ends = [n for n, text in enumerate(body) if text.strip() == found[1]]
            return "\n".join(body[: ends[0]] if ends else body)
    return code


HERE_DOCUMENT = Step(
    name="here-document",
    apply=_here_document,
    examples=(
        ("$ python - <<'EOF'\nimport torch\nEOF\nTrue", "import torch"),
        ("cat > a.py <<EOF\nx = 1\nEOF\npython a.py", "x = 1"),
    ),
)

_DASH_C = Phrase(
    "session/python-dash-c",
    r"\bpython[\d.]*[ \t]+(?:-[uBEsSIW][ \t]+)*-c[ \t]+(?P<quote>[\"'])",
    finds=("python3 -u -c 'f()'",),
    spares=("python a.py",),
)


def _dash_c(code: str) -> str:
    found = _DASH_C.search(code)
    if not found:
        return code
    end = code.rfind(found["quote"])
    inner = code[found.end() : end] if end > found.end() else ""
    if found["quote"] == '"':
        inner = inner.replace('\\"', '"').replace("\\$", "$")
    return inner or code


DASH_C = Step(
    name="python -c",
    apply=_dash_c,
    examples=(
        ("$ python3 -c 'import torch; print(torch.ones(2))'", "import torch; print(torch.ones(2))"),
        ('python -c "x = 1; print(\\"a\\")"', 'x = 1; print("a")'),
    ),
)

_PROMPT = Phrase(
    "session/prompt",
    r"[ \t]*(?:>>>|In ?\[\d*\]:)(?:[ \t](?P<margin>[ \t]*)(?P<code>.*)|$)",
    finds=(">>> f()", "In [3]: f()"),
    spares=(">>>f()",),
)
_CONTINUED = Phrase(
    "session/continued",
    r"[ \t]*\.{3,}:?(?:[ \t](?P<code>.*)|$)",
    finds=("...     f()", "   ...: f()"),
    spares=("f(...)",),
)
_GLUED_PROMPT = Phrase(
    "session/prompt-without-a-blank",
    r"[ \t]*>>>(?P<margin>)(?P<code>[^\s>].*)",
    finds=(">>>f()",),
    spares=(">>> f()",),
)
_MAX_STATEMENT = 40


def _prompts(code: str) -> str:
    before: list[str] = []
    entered: list[tuple[list[str], list[str]]] = []
    """Per statement its lines and what the session shows below it."""
    margin = ""
    for line in code.split("\n"):
        start = _PROMPT.fullmatch(line) or _GLUED_PROMPT.fullmatch(line)
        statement, shown = entered[-1] if entered else ([], [])
        more = _CONTINUED.fullmatch(line) if entered and not any(map(str.strip, shown)) else None
        if start:
            margin = start["margin"] or ""
            entered.append(([start["code"] or ""], []))
        elif more:
            statement.append((more["code"] or "").removeprefix(margin))
        elif not shown and 0 < len(statement) < _MAX_STATEMENT and _is_cut_off(statement):
            statement.append(line)
        elif entered:
            shown.append(line)
        elif _precedes_session(line):
            before.append(line)
    return "\n".join([*before, *_displayed(entered)]) if entered else code


def _displayed(entered: list[tuple[list[str], list[str]]]) -> Iterator[str]:
    code = [at for at, (lines, _) in enumerate(entered) if any(map(_is_code, lines))]
    for at, (statement, shown) in enumerate(entered):
        yield from displayed(statement, shown, last=[at] == code[-1:])


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _is_cut_off(statement: list[str]) -> bool:
    """Tell whether a statement goes on without a prompt: a bracket or string is still open."""
    tree = parse("\n".join(statement))
    opened = ("never closed", "unterminated triple")
    return isinstance(tree, Refusal) and any(words in tree.message for words in opened)


def _precedes_session(line: str) -> bool:
    return bool(re.match(r"(?:import|from)\s+\w|#", line)) and not is_prose(line)


PROMPTS = Step(
    name="prompts",
    apply=_prompts,
    examples=(
        (
            ">>> x = 1\n>>> x\n1\n>>> for i in x:\n...     i\n... \n2",
            "x = 1\nprint(repr(x))\nfor i in x:\n    i\n",
        ),
        ("In [1]: x = 1\n\nIn [2]: x\nOut[2]: 1", "x = 1\nprint(repr(x))"),
        (
            ">>> f()  # None\n>>> print(x)\n1\n>>> y = x\n>>> y  # ä",
            "f()  # None\nprint(x)\ny = x\nprint(repr(y))  # ä",
        ),
        (">>> 'ä', f(1,\n...   2)\n('ä', 3)", "print(repr(('ä', f(1,\n  2))))"),
        (
            '>>> f()\nTraceback (most recent call last):\n  File "<stdin>", line 1\nValueError: no',
            "f()",
        ),
        (
            "In [1]: def f():\n   ...:     pass\n   ...: \n\nIn [2]: f()",
            "def f():\n    pass\n\nprint(repr(f()))",
        ),
        (">>> f([1,\n2])\n3", "print(repr(f([1,\n2])))"),
        ("import torch\n>>>x = 1\n1", "import torch\nx = 1"),
        ("In [1]:  x = f()\n\nIn [2]:  x\nOut[2]: 1\n\nIn [9]:", "x = f()\nprint(repr(x))\n"),
        (">>>   def f():\n...       pass", "def f():\n    pass"),
    ),
)

_ANSWER = Phrase(
    "session/marked-answer",
    r"(?::|=>) ?(?P<value>\S.*)",
    finds=(": tensor(0.)", "=> 3"),
    spares=("f(x)",),
)
_MARKED = Phrase(
    "session/marked-line",
    r">(?!>) ?(?P<text>.*)",
    finds=("> f(x)",),
    spares=("f(x)",),
)


def _marked(code: str) -> str:
    """Give a session the prompts of Python where it has but marks: `: 3` in front of results, or
    `> ` in front of everything."""
    lines = code.split("\n")
    told = [line for line in lines if line.strip()]
    if len(told) > 1 and all(map(_MARKED.match, told)):
        return "\n".join(map(_without_mark, lines))
    entered: list[str] = []
    answers = 0
    for line in lines:
        answer = _ANSWER.fullmatch(line) if entered and entered[-1].startswith((">", ".")) else None
        answers += answer is not None
        if answer:
            entered.append(answer["value"])
        elif line[:1].isspace() or not line:
            goes_on = bool(entered) and entered[-1].startswith((">", "."))
            entered.append(f"... {line}" if line and goes_on else line)
        else:
            entered.append(f">>> {line}")
    return "\n".join(entered) if answers else code


def _without_mark(line: str) -> str:
    found = _MARKED.match(line)
    text = "" if found is None else found["text"]
    if not text or is_output(text):
        return text
    return f"... {text}" if text[0].isspace() else f">>> {text}"


MARKED = Step(
    name="marked sessions",
    apply=_marked,
    examples=(
        ("f(x)\n: tensor(0.)\n\ng(x)\n: nan", ">>> f(x)\ntensor(0.)\n\n>>> g(x)\nnan"),
        ("> f(x)\n> tensor(-Inf)", ">>> f(x)\ntensor(-Inf)"),
        ("> for i in x:\n>     print(i)", ">>> for i in x:\n...     print(i)"),
        (">>> x = 1\n>>> f(x)", ">>> x = 1\n>>> f(x)"),
        ("x = f(1,\n  2)\nx\n: 3", ">>> x = f(1,\n...   2)\n>>> x\n3"),
        ("x = 1\n: y", ">>> x = 1\ny"),
        ("x = {1\n: 2}\n(", ">>> x = {1\n2}\n>>> ("),
    ),
)

_TOOLS = (
    r"python[\d.]*|pip[\d.]*|conda|mamba|curl|wget|git|cd|export|apt(?:-get)?|bash|sh|source"
    r"|nvidia-smi|docker|mkdir|ls|cat|echo|gdb|torchrun|ulimit|uname|chmod|uv|ipython|pytest"
    r"|unzip|tar|cmake|make"
)
_SHELL = Wordings(
    Wording("session/dollar", r"\$\s+\S", ("$ ls",), ("ls",)),
    Wording(
        "session/user-and-host",
        r"[\w.-]{1,60}@[\w.-]{1,60}:[^$#]*[$#](?:\s|$)",
        ("me@host:~/a$ ls",),
        ("a @ b",),
    ),
    Wording(
        "session/environment-of-conda",
        rf"\([\w.-]{{1,60}}\)\s*(?:\$|[\w.-]{{1,60}}@|(?:{_TOOLS})\s)",
        ("(base) $ ls", "(base) pip list"),
        ("(x) + y",),
    ),
    Wording(
        "session/command-with-variables",
        rf"(?:sudo\s+)?(?:[A-Z_][A-Z0-9_]*=\S*\s+){{1,9}}(?:{_TOOLS})\s",
        ("OMP_NUM_THREADS=1 python a.py",),
        ("N = 1",),
    ),
    Wording(
        "session/command",
        rf"(?:sudo\s+)?(?:{_TOOLS})(?:[ \t]+[^\s=(.,\[].*|[ \t]*)$",
        ("pip install einops", "nvidia-smi"),
        ("ls = 3", "cat(x)"),
    ),
    before=r"[ \t]*",
    flags=re.VERBOSE,
)


def _shell_lines(code: str) -> str:
    return without_lines(code, lambda line: bool(_SHELL.match(line[:400])))


SHELL_LINES = Step(
    name="shell lines",
    apply=_shell_lines,
    examples=(
        ("$ python x.py\nx = 1", "x = 1"),
        ("pip install torch\ncurl -O http://a/b\nls = 3", "ls = 3"),
        ("CUDA_VISIBLE_DEVICES= python a.py\nx = 1", "x = 1"),
        ("(base) user@host:~$ python a.py\nx = 1", "x = 1"),
    ),
)

_TIMED = Phrase(
    "session/timing-magic",
    r"(?P<indent>[ \t]*)(?P<cell>%?)%(?P<what>timeit|time|memit|prun)\b"
    r"(?P<options>(?:[ \t]+-\w+(?:[ \t]*\d+)?)*)[ \t]*",
    finds=("%timeit -n 10 f(x)", "%%time"),
    spares=("%matplotlib inline",),
)
_NUMBER = re.compile(r"-n[ \t]*(\d+)")
TIMES = 20
"""How often `%timeit` runs what it measures, where nobody says."""
_MAGIC = Phrase(
    "session/magic",
    r"[ \t]*(?:%%?[A-Za-z]|![\w./{])",
    finds=("%matplotlib inline", "!pip install einops"),
    spares=("3 % 2",),
)


def _magics(code: str) -> str:
    kept: list[str] = []
    for line in code.split("\n"):
        timed = _TIMED.match(line)
        if timed:
            kept += _timed(timed, line[timed.end() :], known=_IMPORT in kept)
        elif _MAGIC.match(line):
            kept.append(line[: indent_of(line)] + "pass" if line[:1].isspace() else "")
        else:
            kept.append(line)
    return "\n".join(kept)


_IMPORT = "import timeit"


def _timed(magic: re.Match[str], what: str, *, known: bool) -> Iterator[str]:
    """What is timed, by the module that the magic uses where it is an expression."""
    tree = parse(what.strip())
    expression = not isinstance(tree, Refusal) and [type(one) for one in tree.body] == [ast.Expr]
    if magic["cell"] or magic["what"] not in ("timeit", "time") or not expression:
        if what:
            yield magic["indent"] + what
        return
    number = _NUMBER.search(magic["options"])
    times = int(number[1]) if number else TIMES if magic["what"] == "timeit" else 1
    if not known:
        yield magic["indent"] + _IMPORT
    yield f"{magic['indent']}print(timeit.timeit(lambda: {what.strip()}, number={times}))"


MAGICS = Step(
    name="magics",
    apply=_magics,
    examples=(
        (
            "%timeit -n 10 f(x)\n%timeit g(x)",
            "import timeit\nprint(timeit.timeit(lambda: f(x), number=10))\n"
            "print(timeit.timeit(lambda: g(x), number=20))",
        ),
        ("%time y = f(x)", "y = f(x)"),
        ("!pip install torch\nx = 1", "\nx = 1"),
        ("%%timeit\nf(x)", "f(x)"),
        ("if a:\n    !ls", "if a:\n    pass"),
    ),
)
