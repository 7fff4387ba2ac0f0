"""One runnable script out of the generated cases of a family.

In: (API, code) pairs, each a self-contained script. Out: one script that runs them all and prints a
line per API. Where the cases differ in a single call, the common set-up is written once and each
API is a lambda, the form that maintainers write by hand; else every case is embedded as a string.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from analysis import parsing

Pairs = Sequence[tuple[str, str]]

_OURS = ("CALLS", "CASES", "outcome", "main")

# Imports sit inside the functions so that they cannot clash with names of the report's code.
_IN_PROCESS = '''
def outcome(call):
    """Run one call and say in one line how it ended."""
    try:
        BODY
    except Exception as error:
        return f"{type(error).__name__}: {error}".strip().splitlines()[0]
    return "no exception"


for name, call in CALLS.items():
    print(f"{name}: {outcome(call)}")
'''

_OUT_OF_PROCESS = '''
def outcome(arguments):
    """Run a fresh interpreter, which may crash or hang, and say in one line how it ended."""
    import signal
    import subprocess
    import sys

    command = [sys.executable, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return "no end within 60 s"
    if done.returncode < 0:
        return f"killed by {signal.Signals(-done.returncode).name}"
    lines = done.stderr.strip().splitlines()
    raised = [line for line in lines if line[:1].isalpha() and "Error" in line.split(":")[0]]
    if done.returncode == 0:
        return "no exception"
    return (raised or lines or [f"exit status {done.returncode}"])[-1]
'''

_MAIN_OF_CALLS = '''

def main():
    """Without an argument, run every call in an interpreter of its own; with a name, that call."""
    import sys

    if len(sys.argv) > 1:
        BODY
        return
    for name in CALLS:
        print(f"{name}: {outcome([__file__, name])}", flush=True)


main()
'''

_LOOP_OF_CASES = """

for name, code in CASES.items():
    print(f"{name}: {outcome(['-c', code])}", flush=True)
"""


def family_script(cases: Pairs, *, isolated: bool) -> str:
    """Return one script for all cases.

    Args:
        cases: API and code, the source API first; names are distinct.
        isolated: whether a case may kill or hang its interpreter, so that each needs its own.
    """
    # A call that changes its arguments would spoil the shared set-up for those after it.
    mutates = any(api.endswith("_") or "out=" in code for api, code in cases)
    return _lambdas(cases, isolated=isolated or mutates) or _strings(cases)


_PRINTED = '''
def printed(code):
    """Run a fresh interpreter and return what it prints, and how it ends if not well."""
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, errors="replace")
    lines = done.stdout.strip().splitlines()
    if done.returncode:
        lines += done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
    return "".join(f"\\n    {line}" for line in lines)


for name, code in CASES.items():
    print(f"{name}:{printed(code)}", flush=True)
'''


def printing_script(cases: Pairs) -> str:
    """Return one script that shows what each case prints; `cases` as for `family_script`."""
    return _embedded(cases) + _PRINTED


def _strings(cases: Pairs) -> str:
    """Embed every case as a string and run each in a fresh interpreter."""
    return f"{_embedded(cases)}{_OUT_OF_PROCESS}{_LOOP_OF_CASES}"


def _embedded(cases: Pairs) -> str:
    entries = "".join(f"    {_literal(api)}: {_literal(code)},\n" for api, code in cases)
    return f"CASES = {{\n{entries}}}\n\n"


def _literal(text: str) -> str:
    """Return the most readable Python literal that is exactly `text`."""
    if "\n" in text and all(c.isprintable() or c == "\n" for c in text):
        for prefix in ("", "r"):
            for quote in ('"""', "'''"):
                candidate = f"{prefix}{quote}{text}{quote}"
                if _means(candidate, text):
                    return candidate
    quoted = f'"{text}"'
    return quoted if text.isascii() and text.isprintable() and _means(quoted, text) else ascii(text)


def _means(literal: str, text: str) -> bool:
    if "\\" in text and not literal.startswith("r"):
        return False  # what such a literal keeps as it stands is an invalid escape
    try:
        return bool(parsing.literal(literal) == text)
    except (ValueError, SyntaxError):
        return False


def _lambdas(cases: Pairs, *, isolated: bool) -> str | None:
    """Write the shared set-up once and a lambda per API; None where the cases do not allow it."""
    try:
        trees = [parsing.module(code) for _, code in cases]
    except (SyntaxError, ValueError):
        return None
    shape = _Shape.of(trees)
    if shape is None or _names(trees) & set(_OURS):
        return None
    calls = [_call(code, tree.body[shape.at]) for (_, code), tree in zip(cases, trees, strict=True)]
    first = trees[0].body
    if any(call is None for call in calls) or not _movable(first[shape.at + 1 :], shape.target):
        return None
    setup = _text_before(cases[0][1], first, shape.at)
    if setup is None:
        return None
    entries = "".join(
        f"    {_literal(api)}: lambda: {call},\n"
        for (api, _), call in zip(cases, calls, strict=True)
    )
    after = [ast.unparse(statement) for statement in first[shape.at + 1 :]]
    assigned = f"{shape.target} = " if shape.target and after else ""
    if isolated:
        body = "\n        ".join([f"{assigned}CALLS[sys.argv[1]]()", *after])
        tail = _OUT_OF_PROCESS + _MAIN_OF_CALLS.replace("BODY", body)
    else:
        body = "\n        ".join([f"{assigned}call()", *after])
        tail = _IN_PROCESS.replace("BODY", body)
    script = f"{setup}\nCALLS = {{\n{entries}}}\n\n{tail}"
    script = script.lstrip("\n")
    return script if _parses(script) else None


class _Shape:
    """Where the cases differ: statement `at`, which assigns to `target` or is an expression."""

    def __init__(self, at: int, target: str | None) -> None:
        self.at = at
        self.target = target

    @classmethod
    def of(cls, trees: Sequence[ast.Module]) -> _Shape | None:
        """Find the one statement in which all cases differ."""
        dumps = [[ast.dump(statement) for statement in tree.body] for tree in trees]
        if len({len(dump) for dump in dumps}) != 1:
            return None
        differing = [i for i, column in enumerate(zip(*dumps, strict=True)) if len(set(column)) > 1]
        if len(differing) != 1:
            return None
        targets = {_target(tree.body[differing[0]]) for tree in trees}
        return cls(differing[0], targets.pop()) if len(targets) == 1 else None


def _target(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return None


def _call(code: str, statement: ast.stmt) -> str | None:
    """Return the source of the expression that a statement evaluates, None for other statements."""
    match statement:
        case ast.Expr(value=value) | ast.Assign(targets=[ast.Name()], value=value):
            if any(isinstance(node, ast.NamedExpr | ast.Await) for node in ast.walk(value)):
                return None
            text = ast.get_source_segment(code, value)
            return text if text and "\n" not in text and _parses(text) else ast.unparse(value)
        case _:
            return None


def _movable(statements: Sequence[ast.stmt], target: str | None) -> bool:
    """Tell whether what follows the call can run inside a function: no bindings but the target."""
    bound = {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return not bound - {target} and all(isinstance(s, ast.Expr | ast.Assert) for s in statements)


def _text_before(code: str, statements: Sequence[ast.stmt], at: int) -> str | None:
    """Return the source before a statement with its comments; None where they share a line."""
    first = statements[at].lineno
    if at and (statements[at - 1].end_lineno or 0) >= first:
        return None
    # The line breaks that Python knows; `str.splitlines` knows more.
    lines = re.split(r"\r\n|\r|\n", code)[: first - 1]
    return "\n".join(lines).rstrip() + "\n"


def _names(trees: Sequence[ast.Module]) -> set[str]:
    return {
        name
        for tree in trees
        for node in ast.walk(tree)
        for name in (getattr(node, "id", None), getattr(node, "name", None))
        if isinstance(name, str)
    }


def _parses(code: str) -> bool:
    try:
        parsing.module(code)
    except (SyntaxError, ValueError):
        return False
    return True
