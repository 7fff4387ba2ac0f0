"""A test file of one family: what a maintainer lands before the fix.

In: the case of each operation, as a script that fails while the bug is there. Out: a module for
pytest with one expected failure per operation. It is strict: whatever a change fixes is told. It
needs nothing but pytest and the framework, and runs in the framework's own tree as well as alone.
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
from citadel.model import Symptom, SymptomKind
from citadel.report.text import plain, shorten

_ABOUT = '''"""{title}

Written by Citadel from {origin}.
Each case fails while the bug is there; XPASS says that it is gone.
"""
'''
_ALONE = '''

def alone(case):
    """Run a case in an interpreter of its own: it may end that."""
    done = subprocess.run(
        [sys.executable, __file__, case.__name__], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr[-500:]}"
'''
_MAIN = """

if __name__ == "__main__":
    globals()[sys.argv[1]]()
"""
_REASON = 160
_OF_MODULES = frozenset(("__name__", "__file__", "global", "globals", "locals", "exec", "eval"))
"""Names that mean something else in a function."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One operation: an API of it, its script, and what that shows."""

    api: str
    code: str
    symptom: Symptom


def family_test(title: str, origin: str, cases: Sequence[Broken]) -> str:
    """The text of the test file; `origin` says which report the cases come from.

    Raises:
        ValueError: when there are no cases.
    """
    if not cases:
        raise ValueError("no cases")
    alone = any(_ends_process(one.symptom) for one in cases)
    names = _names([one.api for one in cases])
    imports = ["import subprocess", "import sys", ""] if alone else []
    parts = [
        _ABOUT.format(title=_documented(title), origin=_documented(origin)),
        "\n".join([*imports, "import pytest"]),
        *(_function(name, one.code) for name, one in zip(names, cases, strict=True)),
        "\n\nCASES = [\n"
        + "".join(_entry(name, one) for name, one in zip(names, cases, strict=True))
        + "]",
        *([_ALONE.rstrip()] if alone else []),
        '\n\n@pytest.mark.parametrize("case", CASES)\ndef test_family(case):\n'
        + ("    alone(case)" if alone else "    case()"),
    ]
    return "\n".join(parts) + (_MAIN if alone else "\n")


def _ends_process(symptom: Symptom) -> bool:
    return symptom.kind in (SymptomKind.CRASHES, SymptomKind.HANGS)


def _names(apis: Sequence[str]) -> list[str]:
    """A function name for each API, all different."""
    found: list[str] = []
    for api in apis:
        name = "case_" + re.sub(r"\W+", "_", api).strip("_")
        while name in found:
            name += "_"
        found.append(name)
    return found


def _documented(text: str) -> str:
    """Text of strangers inside a docstring."""
    return shorten(plain(text), _REASON).replace("\\", "/").replace('"', "'")


def _entry(name: str, one: Broken) -> str:
    """What is expected of a case."""
    reason = _literal(shorten(plain(one.symptom.headline()), _REASON))
    return (
        f"    pytest.param(\n        {name},\n        id={_literal(plain(one.api))},\n"
        f"        marks=pytest.mark.xfail(\n            raises={_raises(one)},\n"
        f"            strict=True,\n            reason={reason},\n        ),\n    ),\n"
    )


def _literal(text: str) -> str:
    """A text as Python, which escapes what JSON does."""
    return json.dumps(text, ensure_ascii=False)


def _raises(case: Broken) -> str:
    """The exception that a test ends by, as Python."""
    symptom = case.symptom
    if symptom.kind is SymptomKind.HANGS:
        return "subprocess.TimeoutExpired"
    if symptom.kind is not SymptomKind.RAISES:
        return "AssertionError"
    known = getattr(builtins, symptom.exception or "", None)
    builtin = isinstance(known, type) and issubclass(known, Exception)
    name = str(symptom.exception) if builtin else "Exception"
    # Where two ways are compared, a check tells that one of them raises.
    return f"({name}, AssertionError)" if "\nassert " in case.code else name


def _function(name: str, code: str) -> str:
    """A script as a function; as a text that is run, where it would mean something else in one."""
    body = code.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").strip("\n")
    if _movable(body):
        return f"\n\ndef {name}():\n" + textwrap.indent(body, "    ")
    run = f'exec(compile({_literal(body)}, "{name}", "exec"), {{"__name__": "__main__"}})'
    return f"\n\ndef {name}():\n    {run}"


def _movable(code: str) -> bool:
    """Whether a script means the same inside of a function."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
        tree = parsing.module(f"def case():\n{textwrap.indent(code, '    ')}")
    except (SyntaxError, ValueError, tokenize.TokenError):
        return False
    if any(one.start[0] != one.end[0] for one in tokens):
        return False  # a text over several lines, which indentation would change
    names = {one.string for one in tokens if one.type == tokenize.NAME}
    taken = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)]
    top = any(one.module == "__future__" or one.names[0].name == "*" for one in taken)
    return not top and not names & _OF_MODULES
