"""Statements that are handed to a timer as text -> functions, whose calls can be seen and changed.

In: code that parses. Out: the code with `Timer("f(x)", globals={"x": x})`, `timeit("f(1)")` and the
like calling a function that stands above them. Text that is put together at run time, or that
assigns to what it reads, is left alone.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from harvest.report.edits import Edit, apply_edits
from harvest.report.repair import Repaired
from harvest.report.syntax import Refusal, bound_names, dotted, import_lines, nodes, parse

NAME = "timed text"
MOST = 40
"""Timers of one report whose text is looked at."""
EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "import torch\nt = Timer('torch.exp(x)', globals={'x': y, 'torch': torch}).timeit(9)",
        "import torch\ndef timed_1(x=y):\n    def run():\n        torch.exp(x)\n    return run\n"
        "t = Timer('run()', 'run = timed_1()', globals={'timed_1': timed_1}).timeit(9)",
    ),
    (
        "for n in sizes:\n    print(timeit.timeit(stmt='y = f(n)\\ng(y)', setup='import a',\n"
        "          number=5, globals=globals()))  # slow",
        "for n in sizes:\n    def timed_1():\n        import a\n        def run():\n"
        "            y = f(n)\n            g(y)\n        return run\n"
        "    print(timeit.timeit('run()', 'run = timed_1()', number=5,"
        " globals={'timed_1': timed_1}))  # slow",
    ),
    (
        "a = timeit('f(x)', 'x = 1')\nb = timeit('f(x)', 'x = 2')",
        "def timed_1():\n    x = 1\n    def run():\n        f(x)\n    return run\n"
        "a = timeit('run()', 'run = timed_1()', globals={'timed_1': timed_1})\n"
        "def timed_2():\n    x = 2\n    def run():\n        f(x)\n    return run\n"
        "b = timeit('run()', 'run = timed_2()', globals={'timed_2': timed_2})",
    ),
    ("timeit('x = f(x)', 'x = 1')", ""),
    ("timeit('f(1)', text)", ""),
    ("timeit(f'f({n})')", ""),
    ("timeit('f(x)', globals=names)", ""),
    ("timeit('from a import *; f(1)')", ""),
    ("a = 1; timeit('f(1)')", ""),
    ("einops.repeat('a b -> b', 3)", ""),
    ("tf.repeat('f(1)', repeats=2)", ""),
    ("t = [timeit('f(n)', globals={'n': n}) for n in sizes]", ""),
    ("t = lambda n: timeit('f(n)', globals={'n': n})", ""),
    ("Timer('f(1)', language='c++')", ""),
    ("timeit('f(run)', 'run = 3')", ""),
    ("if timeit('f(1)') > 1:\n    print(1)", ""),
)
"""(code, what it becomes; "" where nothing may change)."""
_TIMERS = frozenset({"Timer", "timeit"})
_REPEATS = "timeit.repeat"
_RUN = "run"
"""The name of what a timer is made to call."""
_INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""What has variables of its own."""
_TEXTS = ("stmt", "setup")
"""The first parameters of all timers."""
_SCOPES = frozenset({"globals()", "locals()"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Timed:
    """A timer's call in a statement: the trees of its texts, and what its names stand for."""

    call: ast.Call
    statement: ast.stmt
    texts: dict[str, ast.Module]
    given: dict[str, ast.expr]


def call_timed(found: Repaired) -> Repaired:
    """Return the code with functions for what timers are handed as text."""
    try:
        return _called(found)
    except RecursionError:  # text that is nested too deeply to be written
        return found


def _called(found: Repaired) -> Repaired:
    code, tree = found.code, found.tree
    if "\r" in code:  # the parser's lines are others then
        return found
    for number in range(1, MOST + 1):
        timed = next(_timed(tree, code.split("\n")), None)
        if timed is None:
            break
        changed = _with_function(code, timed, f"timed_{number}", import_lines(tree).keys())
        again = parse(changed)
        if isinstance(again, Refusal):
            break
        code, tree = changed, again
    if code == found.code:
        return found
    return Repaired(code=code, tree=tree, repairs=(*found.repairs, NAME))


def _timed(tree: ast.Module, lines: list[str]) -> Iterator[_Timed]:
    for statement in nodes(tree):
        if not isinstance(statement, ast.stmt) or hasattr(statement, "body"):
            continue
        head = lines[statement.lineno - 1].encode()[: statement.col_offset]
        if head.strip():
            continue  # another statement stands in front of it
        inner = [n for part in ast.walk(statement) if isinstance(part, _INNER) for n in _in(part)]
        for call in ast.walk(statement):
            if isinstance(call, ast.Call) and _is_timer(call) and call not in inner:
                texts, given = _texts(call), _given(call)
                if texts and given is not None:
                    yield _Timed(call=call, statement=statement, texts=texts, given=given)


def _in(node: ast.AST) -> list[ast.AST]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Call)]


def _is_timer(call: ast.Call) -> bool:
    """Whether a call makes a timer for Python: `tf.repeat` and timers of C++ are none."""
    name = dotted(call.func)
    known = name.rpartition(".")[2] in _TIMERS or name == _REPEATS
    return known and all(word.arg != "language" for word in call.keywords)


def _texts(call: ast.Call) -> dict[str, ast.Module]:
    """What a timer runs, by parameter; nothing if it need not be the same as a function."""
    handed = dict(zip(_TEXTS, call.args, strict=False))
    handed |= {word.arg: word.value for word in call.keywords if word.arg in _TEXTS}
    found: dict[str, ast.Module] = {}
    for name, node in handed.items():
        text = node.value if isinstance(node, ast.Constant) else None
        tree = parse(textwrap.dedent(text)) if isinstance(text, str) else None
        if tree is None or isinstance(tree, Refusal) or "*" in bound_names(tree):
            return {}
        found[name] = tree
    run = found.get("stmt")
    names = {n.id for tree in found.values() for n in nodes(tree) if isinstance(n, ast.Name)}
    if run is None or (_RUN in names and not _is_ours(run)) or not _calls_something(run):
        return {}
    read = {n.id for n in ast.walk(run) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    outer = bound_names(run) & read
    return {} if outer and not _binds_first(run, outer) else found


def _is_ours(tree: ast.Module) -> bool:
    """Whether a text is `run()`, which this module leaves behind."""
    match tree.body:
        case [ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[], keywords=[]))]:
            return name == _RUN
    return False


def _calls_something(tree: ast.Module) -> bool:
    calls = (isinstance(node, ast.Call | ast.BinOp) for node in nodes(tree))
    return not _is_ours(tree) and any(calls)


def _binds_first(tree: ast.Module, names: frozenset[str]) -> bool:
    """Whether each name is bound by a statement before any that reads it."""
    bound: set[str] = set()
    for statement in tree.body:
        read = {
            node.id
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        if isinstance(statement, ast.AugAssign) or read & names - bound:
            return False
        bound |= bound_names(statement)
    return True


def _given(call: ast.Call) -> dict[str, ast.expr] | None:
    """The names that a timer's `globals` give values; None where nobody knows them."""
    handed = next((word.value for word in call.keywords if word.arg == "globals"), None)
    if any(word.arg is None for word in call.keywords) or len(call.args) > len(_TEXTS):
        return None
    if handed is None or ast.unparse(handed) in _SCOPES:
        return {}
    if not isinstance(handed, ast.Dict):
        return None
    names = [key.value if isinstance(key, ast.Constant) else None for key in handed.keys]
    if not all(isinstance(name, str) and name.isidentifier() for name in names):
        return None
    return {str(name): value for name, value in zip(names, handed.values, strict=True)}


def _with_function(code: str, timed: _Timed, name: str, imported: Collection[str]) -> str:
    own = {
        key: value
        for key, value in timed.given.items()
        if not (isinstance(value, ast.Name) and value.id == key and key in imported)
    }
    parameters = ", ".join(f"{key}={ast.unparse(value)}" for key, value in own.items())
    setup = timed.texts.get("setup")
    function = [f"def {name}({parameters}):"]
    if setup is not None and setup.body:
        function += textwrap.indent(ast.unparse(setup), "    ").split("\n")
    function += ["    def run():"]
    function += textwrap.indent(ast.unparse(timed.texts["stmt"]), " " * 8).split("\n")
    function += ["    return run"]
    others = [word for word in timed.call.keywords if word.arg not in (*_TEXTS, "globals")]
    words = [f"{word.arg}={ast.unparse(word.value)}" for word in others]
    handed = ["'run()'", f"'run = {name}()'", *words, f"globals={{'{name}': {name}}}"]
    text = f"{ast.unparse(timed.call.func)}({', '.join(handed)})"
    lines = apply_edits(code, [Edit(node=timed.call, text=text)]).split("\n")
    at, margin = timed.statement.lineno - 1, " " * timed.statement.col_offset
    lines[at:at] = [margin + line for line in function]
    return "\n".join(lines)
