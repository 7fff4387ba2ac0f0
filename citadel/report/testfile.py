"""A test file of one family: what a maintainer lands before the fix.

In: the case of each operation, as a script that fails while the bug is there. Out: a module for
pytest with one expected failure per operation. It is strict: whatever a change fixes is told. It
needs nothing but pytest and the framework.
"""

from __future__ import annotations

import ast
import builtins
import io
import json
import re
import textwrap
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass

from analysis import parsing
from citadel.model import MEASURED_KINDS, Symptom, SymptomKind
from citadel.report.text import plain, shorten

_ABOUT = '''"""{title}

Written by Citadel from {origin}.
Each case fails while the bug is there; XPASS says that it is gone.
"""
'''
_SHOWN = '''

class Shown(Exception):
    """The bug shows."""
'''
_RAISED = '''

def raised(case, name, message):
    """Run a case that raises; what it raises in other words is another failure."""
    try:
        case()
    except Exception as error:
        if type(error).__name__ == name and message in str(error):
            raise Shown(str(error)) from error
        raise
'''
_ALONE = '''

def alone(code, end, message=""):
    """Run a script in an interpreter of its own, which it may end, or change for others."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "case.py")
        script.write_text(code, encoding="utf-8")
        command = [sys.executable, str(script)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired as hang:
            if end != "hangs":
                raise
            raise Shown(end) from hang
    trace = done.stderr.rpartition("Traceback (most recent call last):")[2]
    lines = [one for one in trace.splitlines() if one and not one[0].isspace()]
    error = lines[0] if lines else ""  # the rest is the message, or what is told at the end
    told = end in error.partition(":")[0] and message in trace
    if done.returncode < 0 if end == "dies" else done.returncode and told:
        raise Shown(error)
    assert done.returncode == 0, error
'''
_REASON = 160
_OF_MODULES = frozenset(("__name__", "__file__", "__main__", "global", "globals", "locals", "exec"))
"""Names that mean something else in a function."""
_SETTINGS = re.compile(r"\b(?:set|use|enable|disable|allow)_\w+\(|\.backends\.|\benviron\b")
"""What may change an interpreter for the cases that come after."""
_VARYING = re.compile(r"""["'].*?["']|\S*[/\d]\S*""")
_LINES = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Where `str.splitlines` breaks lines, and Python does not."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One operation: an API of it, its script, and what that shows."""

    api: str
    code: str
    symptom: Symptom


@dataclass(frozen=True, slots=True)
class _Case:
    """A case as text of the test file: what defines it, what calls it, what that raises."""

    definition: str
    call: str
    raises: str


def family_test(title: str, origin: str, cases: Sequence[Broken]) -> str:
    """The text of the test file; `origin` says which report the cases come from.

    Raises:
        ValueError: when there are no cases.
    """
    if not cases:
        raise ValueError("no cases")
    made = [_case(name, one) for name, one in zip(_names(cases), cases, strict=True)]
    helpers = "".join(
        text for name, text in _HELPERS.items() if any(name in one.call for one in made)
    )
    imports = ["import functools\n"] if helpers else []
    if "def alone" in helpers:
        imports[0] = (
            "import functools\nimport pathlib\nimport subprocess\nimport sys\nimport tempfile\n"
        )
    entries = "".join(_entry(case, one) for case, one in zip(made, cases, strict=True))
    about = _ABOUT.format(title=_documented(title), origin=_documented(origin))
    return "".join(
        (
            about,
            "\n",
            *(f"{one}\n" for one in imports),
            "import pytest\n",
            _SHOWN if helpers else "",
            helpers,
            *(f"\n\n{one.definition}\n" for one in made),
            f"\n\nCASES = [\n{entries}]\n",
            '\n\n@pytest.mark.parametrize("case", CASES)\ndef test_family(case):\n    case()\n',
        )
    )


_HELPERS = {"(raised,": _RAISED, "(alone,": _ALONE}


def _case(name: str, one: Broken) -> _Case:
    """A case as a function; as a script of its own where it would be another one in a function, or
    may end its interpreter or change it."""
    code = one.code.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").strip("\n")
    end = _ENDS.get(one.symptom.kind, "")
    kind = _exception(one)
    words = "" if kind == "AssertionError" else _constant(one.symptom.message or "")
    if end or not _movable(code):
        told = f"{_literal(end or kind)}, {_literal(words)}"
        call = f"functools.partial(alone, {name.upper()}, {told})"
        return _Case(f"{name.upper()} = {_text(code)}", call, "Shown")
    function = f"def {name}():\n{textwrap.indent(code, '    ')}"
    if kind == "AssertionError":
        return _Case(function, name, kind)
    call = f"functools.partial(raised, {name}, {_literal(kind)}, {_literal(words)})"
    return _Case(function, call, "Shown")


def _constant(message: str) -> str:
    """The longest part of a message without numbers, quotations and places, which differ from
    build to build.

    >>> _constant('self.f() INTERNAL ASSERT FAILED at "/a/b.cpp":4668, please report a bug')
    'self.f() INTERNAL ASSERT FAILED at'
    """
    parts = _VARYING.split(plain(message))
    return max((one.strip() for one in parts), key=len)


_ENDS = {SymptomKind.CRASHES: "dies", SymptomKind.HANGS: "hangs"}


def _exception(one: Broken) -> str:
    """The class that a case ends by. Where two ways are compared, a check at the end tells that one
    of them raises."""
    checked = one.code.rstrip().rpartition("\n")[2].startswith("assert ")
    if one.symptom.kind is not SymptomKind.RAISES or checked:
        return "AssertionError"
    return plain(one.symptom.exception or "").rpartition(".")[2]


def _names(cases: Sequence[Broken]) -> list[str]:
    """A function name for each API, all different."""
    found: list[str] = []
    for one in cases:
        name = "case_" + re.sub(r"\W+", "_", one.api, flags=re.ASCII).strip("_")
        while name.lower() in (other.lower() for other in found):
            name += "_"
        found.append(name)
    return found


def _documented(text: str) -> str:
    """Text of strangers inside a docstring."""
    return shorten(plain(text), _REASON).replace("\\", "/").replace('"', "'")


def _entry(case: _Case, one: Broken) -> str:
    """What is expected of a case."""
    reason = _literal(shorten(plain(one.symptom.headline()), _REASON))
    strict = one.symptom.kind not in MEASURED_KINDS  # on a busy machine any time may pass
    return (
        f"    pytest.param(\n        {case.call},\n        id={_literal(plain(one.api))},\n"
        f"        marks=pytest.mark.xfail(\n            raises={case.raises},\n"
        f"            strict={strict},\n            reason={reason},\n        ),\n    ),\n"
    )


def _literal(text: str) -> str:
    """A text as Python, which escapes what JSON does."""
    return json.dumps(text, ensure_ascii=False)


def _text(code: str) -> str:
    """A script as Python, over several lines where these can be seen."""
    quoted = f'r"""{code}\n"""'
    printable = all(one.isprintable() or one == "\n" for one in code)
    whole = printable and '"""' not in code and not code.endswith(("\\", '"'))
    return quoted if whole else _literal(code + "\n")


def _movable(code: str) -> bool:
    """Whether a script means the same inside of a function, and leaves the interpreter as it is."""
    if _LINES.search(code) or _SETTINGS.search(code):
        return False
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
        tree = parsing.module(f"def case():\n{textwrap.indent(code, '    ')}")
    except (SyntaxError, ValueError, tokenize.TokenError):
        return False
    if any(one.start[0] != one.end[0] for one in tokens):
        return False  # a text over several lines, which indentation would change
    names = {one.string for one in tokens if one.type == tokenize.NAME}
    return not names & _OF_MODULES and not any(map(_of_a_module, ast.walk(tree)))


def _of_a_module(node: ast.AST) -> bool:
    """What has another meaning in a function: classes, which see no variables of it, and names of
    Python's own that become variables."""
    match node:
        case ast.ClassDef():
            return True
        case ast.ImportFrom(module=module, names=names):
            return module == "__future__" or names[0].name == "*"
        case ast.Name(id=name, ctx=ast.Store()):
            return hasattr(builtins, name)
    return False
