"""Code that only defines what it wants to show -> code that runs it: calls of its tests, appended.

Bug reports often paste a test as it stands in a test suite, where a runner calls it. Runners catch
what tests raise; the calls made here let it through, and take the place of a runner's own.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from analysis.rules import Phrase, Registry
from harvest.report.repair import Repaired
from harvest.report.syntax import Refusal, dotted, parse

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("def test_a():\n    f()\ndef test_b():\n    f()\ndef g():\n    f()", "test_a()\ntest_b()"),
    ("x = ones(3)\ndef test_a():\n    f(x)", "test_a()"),
    ("seed(0)\ndef test_a():\n    f()\nprint(1)", "test_a()"),
    ("def test_a():\n    f()\ndef main():\n    test_a()", "main()"),
    ("def test_a():\n    f()\ntest_a()", ""),
    ("def test_a():\n    f()\nif __name__ == '__main__':\n    run_tests()", "test_a()"),
    ("def g(x=1):\n    f()", "g()"),
    ("x = ones(3)\ndef g():\n    f(x)", "g()"),
    ("def g(x):\n    f()", ""),
    ("def g():\n    f()\ng()", ""),
    ("def g():\n    f()\nprint(ones(3))", ""),
    ("class A(unittest.TestCase):\n    def test_a(self):\n        f()", 'A("test_a").debug()'),
    (
        "class A(TestCase):\n    pass\nclass B(A):\n    def test_b(self):\n        f()",
        'B("test_b").debug()',
    ),
    ("class TestA:\n    def test_a(self):\n        f()", "TestA().test_a()"),
    (
        "class TestA:\n    def setup_method(self):\n        self.x = 1\n"
        "    def test_a(self):\n        f(self.x)",
        "case = TestA()\ncase.setup_method()\ncase.test_a()",
    ),
    (
        "class TestA(unittest.TestCase):\n    def test_a(self):\n        f()\nunittest.main()",
        'TestA("test_a").debug()',
    ),
    ("def test_a():\n    f()\nsys.exit(pytest.main([__file__]))", "test_a()"),
    ("def main():\n    f()\ndef test_a():\n    f()\nif __name__ == '__main__':\n    main()", ""),
    ("class TestA(TestCase):\n    def test_a(self):\n        f()\nTestA('test_a').run()", ""),
    ("class TestA(Layer):\n    def test_a(self):\n        f()", ""),
)
"""(code, the calls that are appended: in place of a runner of tests, where there is one)."""

NAME = "calls of test functions"
_RUNNERS = frozenset(("main", "run_tests", "run", "debug"))
_OF_A_MODULE = Phrase(
    "test/runner-of-a-module",
    r"(?:\w+\.)*(?:\w*test\.main|run_tests)",
    finds=("unittest.main", "run_tests"),
    spares=("main",),
)
"""Functions that run the tests of the module in which they are called."""
_MAIN = ("main", "repro", "run")
_INERT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def add_calls(found: Repaired) -> Repaired:
    """Append calls of test functions and of test cases that the code defines and never calls.

    Where the code does nothing but define and assign, the only function there is counts as well.
    """
    body = found.tree.body
    begun = Counter(node.lineno for node in body)
    runners = [node for node in body if _runs_tests(node, body) and begun[node.lineno] == 1]
    calls = list(_calls([node for node in body if node not in runners]))
    if not calls:
        return found
    lines = found.code.rstrip("\n").split("\n")
    for node in reversed(runners):
        del lines[node.lineno - 1 : node.end_lineno]
    code = "\n".join([*lines, "", *calls])
    tree = parse(code)
    if isinstance(tree, Refusal):
        return found
    return Repaired(code=code, tree=tree, repairs=(*found.repairs, NAME))


def _calls(body: Sequence[ast.stmt]) -> Iterator[str]:
    acts = [node for node in body if not isinstance(node, _INERT) and _called(node)]
    if not any(_called(node) & _RUNNERS for node in acts):
        for calls in _TESTS.each(body, acts):
            yield from calls


_TESTS: Registry[[Sequence[ast.stmt], Sequence[ast.stmt]], list[str]] = Registry("test")
"""What is called, of all statements and those that do more than define."""


@_TESTS.rule("functions")
def _functions(body: Sequence[ast.stmt], acts: Sequence[ast.stmt]) -> list[str] | None:
    """Functions whose names say that they are tests, or the only function there is."""
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    unused = [node for node in functions if not _read(node.name, body, node)]
    ready = [node.name for node in unused if _is_ready(node)]
    tests = [name for name in ready if name.startswith("test")]
    if all(isinstance(node, ast.Assign | ast.AnnAssign) for node in acts):
        alone = ready if len(functions) == 1 else []
        tests = [name for name in ready if name.startswith(("test", *_MAIN))] or alone
    return [f"{name}()" for name in tests] or None


@_TESTS.rule("classes")
def _classes(body: Sequence[ast.stmt], acts: Sequence[ast.stmt]) -> list[str] | None:
    """Methods of test cases."""
    bases: set[str] = set()
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    unread = (node for node in classes if not _read(node.name, acts, node))
    return [call for node in unread for call in _test_calls(node, bases)] or None


def _runs_tests(node: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    """Whether a statement does nothing but call a runner of this module's tests."""
    if isinstance(node, ast.If):
        asks = isinstance(node.test, ast.Compare) and dotted(node.test.left) == "__name__"
        return asks and not node.orelse and all(_runs_tests(one, body) for one in node.body)
    if not isinstance(node, ast.Expr):
        return False
    calls = [dotted(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)]
    own = {one.name for one in body if isinstance(one, ast.FunctionDef)}
    return any(_OF_A_MODULE.fullmatch(name) and name not in own for name in calls)


def _called(node: ast.AST) -> set[str]:
    """The last names of all that is called in a statement."""
    calls = [child for child in ast.walk(node) if isinstance(child, ast.Call)]
    return {dotted(call.func).rpartition(".")[2] for call in calls}


def _read(name: str, body: Sequence[ast.stmt], own: ast.stmt) -> bool:
    """Whether a name is read outside its own definition."""
    others = (child for node in body if node is not own for child in ast.walk(node))
    return any(isinstance(child, ast.Name) and child.id == name for child in others)


def _is_ready(node: ast.FunctionDef) -> bool:
    """Whether a function can be called as it is."""
    arguments = node.args
    given = [*arguments.posonlyargs, *arguments.args]
    required = len(given) - len(arguments.defaults)
    return required <= 0 and all(arguments.kw_defaults)


def _test_calls(node: ast.ClassDef, bases: set[str]) -> Iterator[str]:
    """Calls of a class's test methods; `bases` are test cases of the code's own."""
    methods = [child.name for child in node.body if isinstance(child, ast.FunctionDef)]
    tests = [name for name in methods if name.startswith("test")]
    own = {dotted(base) for base in node.bases}
    if own & bases or any(base.endswith("TestCase") for base in own):
        bases.add(node.name)
        yield from (f'{node.name}("{name}").debug()' for name in tests)
    elif not own - {"object"} and node.name.startswith("Test") and "__init__" not in methods:
        yield from _plain_calls(node.name, tests, prepared="setup_method" in methods)


def _plain_calls(name: str, tests: Sequence[str], *, prepared: bool) -> Iterator[str]:
    for test in tests:
        if prepared:
            yield from (f"case = {name}()", "case.setup_method()", f"case.{test}()")
        else:
            yield f"{name}().{test}()"
