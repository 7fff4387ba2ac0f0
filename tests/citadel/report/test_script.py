from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citadel.report.script import family_script

LAMBDAS = [
    ("builtins.int", "import math\n\nwidth = 'x'  # the input\nint(width)\n"),
    ("builtins.float", "import math\n\nwidth = 'x'  # the input\nfloat(width)\n"),
    ("math.sqrt", "import math\n\nwidth = 'x'  # the input\nmath.sqrt(4)\n"),
]
ASSIGNED = [
    ("builtins.min", "values = [1]\nx = min(values)\nassert x > 1, 'too small'\n"),
    ("builtins.max", "values = [1]\nx = max(values)\nassert x > 1, 'too small'\n"),
]
BLOCKS = [
    ("builtins.int", "try:\n    int('x')\nfinally:\n    '''text'''\n"),
    ("builtins.float", "float('x')\n"),
]
CRASH = "import os\nimport signal\n"


def run(script: str, folder: Path) -> list[str]:
    path = folder / "script.py"
    path.write_text(script)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_cases_that_differ_in_one_call_share_their_set_up(tmp_path: Path) -> None:
    script = family_script(LAMBDAS, isolated=False)
    assert script.count("width = 'x'  # the input") == 1
    assert '    "builtins.float": lambda: float(width),' in script.splitlines()
    assert run(script, tmp_path) == [
        "builtins.int: ValueError: invalid literal for int() with base 10: 'x'",
        "builtins.float: ValueError: could not convert string to float: 'x'",
        "math.sqrt: no exception",
    ]


@pytest.mark.parametrize("isolated", [False, True])
def test_what_follows_the_call_runs_too(tmp_path: Path, *, isolated: bool) -> None:
    script = family_script(ASSIGNED, isolated=isolated)
    assert "lambda: max(values)" in script
    assert run(script, tmp_path) == [
        "builtins.min: AssertionError: too small",
        "builtins.max: AssertionError: too small",
    ]


def test_crashing_cases_get_an_interpreter_each(tmp_path: Path) -> None:
    cases = [
        ("SEGV", CRASH + "os.kill(os.getpid(), signal.SIGSEGV)\n"),
        ("FPE", CRASH + "os.kill(os.getpid(), signal.SIGFPE)\n"),
        ("fine", CRASH + "os.getpid()\n"),
    ]
    script = family_script(cases, isolated=True)
    assert "lambda: os.kill(os.getpid(), signal.SIGFPE)" in script
    assert run(script, tmp_path) == [
        "SEGV: killed by SIGSEGV",
        "FPE: killed by SIGFPE",
        "fine: no exception",
    ]


def test_other_cases_are_embedded_whole(tmp_path: Path) -> None:
    script = family_script(BLOCKS, isolated=False)
    assert "lambda" not in script
    assert run(script, tmp_path) == [
        "builtins.int: ValueError: invalid literal for int() with base 10: 'x'",
        "builtins.float: ValueError: could not convert string to float: 'x'",
    ]


def test_calls_that_change_their_arguments_do_not_spoil_each_other(tmp_path: Path) -> None:
    cases = [
        ("list.clear_", "x = [1]\nx.clear() or x[0]\n"),
        ("list.pop", "x = [1]\nx.pop() and 1 / 0\n"),
    ]
    assert run(family_script(cases, isolated=False), tmp_path) == [
        "list.clear_: IndexError: list index out of range",
        "list.pop: ZeroDivisionError: division by zero",
    ]


@pytest.mark.parametrize(
    "cases",
    [
        [("a", "x = 1; int('x')\n"), ("b", "x = 1; float('x')\n")],
        [("a", "CALLS = 1\nint('x')\n"), ("b", "CALLS = 1\nfloat('x')\n")],
        [("a", "int('x')\ny = 1\n"), ("b", "float('x')\ny = 1\n")],
        [("a", "(y := int('x'))\nprint(y)\n"), ("b", "(y := float('x'))\nprint(y)\n")],
        [("a", "y = int('x')\nprint(y)\n"), ("b", "z = float('x')\nprint(z)\n")],
        [("a", "not a python\n"), ("b", "float('x')\n")],
    ],
)
def test_cases_that_a_lambda_would_change_are_embedded(cases: list[tuple[str, str]]) -> None:
    script = family_script(cases, isolated=False)
    assert "lambda" not in script
    ast.parse(script)


def test_future_imports_stay_first(tmp_path: Path) -> None:
    head = "from __future__ import annotations\n\n"
    cases = [("a", head + "int('x')\n"), ("b", head + "float('x')\n")]
    for isolated in (False, True):
        assert run(family_script(cases, isolated=isolated), tmp_path)[1].startswith("b: ValueError")


def test_a_call_over_several_lines(tmp_path: Path) -> None:
    cases = [("a", "int(\n    'x',\n)\n"), ("b", "float(\n    'x',\n)\n")]
    script = family_script(cases, isolated=False)
    assert "lambda: float('x')," in script
    assert len(run(script, tmp_path)) == 2


@given(st.lists(st.text(alphabet="ab'\"\\\n\r\t\x1b\u2028`#{}", max_size=20), max_size=3))
def test_embedded_code_is_exact(codes: list[str]) -> None:
    cases = [(f"api{i}'\"\n\\", code) for i, code in enumerate(["if (", *codes])]
    script = family_script(cases, isolated=False)
    tree = ast.parse(script)
    assigned = next(node for node in tree.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(assigned.value) == dict(cases)
    assert all(c.isprintable() or c == "\n" for c in script)
