import ast

import pytest

from harvest.report import entries
from harvest.report.repair import Repaired, add_imports, repair
from harvest.report.steps import STEPS
from harvest.report.steps.brackets import CLOSERS
from harvest.report.syntax import Refusal

EXAMPLES = [
    pytest.param(step, before, after, id=f"{step.name} {number}")
    for step in STEPS
    for number, (before, after) in enumerate(step.examples)
]


@pytest.mark.parametrize(("step", "before", "after"), EXAMPLES)
def test_examples_of_steps(step, before, after):
    assert step.apply(before) == after


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_every_step_has_examples_and_leaves_good_code_alone(step):
    assert step.examples
    good = "import torch\n\n\ndef f(x):\n    return x + 1\n\n\nprint(f(torch.ones(2)))"
    assert step.apply(good) == good
    assert step.apply("") == ""


def code_of(text):
    found = repair(text)
    assert isinstance(found, Repaired), found
    assert ast.dump(ast.parse(found.code)) == ast.dump(found.tree)
    return found


@pytest.mark.parametrize(
    ("text", "code", "repairs"),
    [
        ("import torch\nf()", "import torch\nf()", ()),
        (
            ">>> import torch\n>>> x = torch.ones(2)\n>>> x\ntensor([1., 1.])",
            "import torch\nx = torch.ones(2)\nprint(repr(x))",
            ("prompts",),
        ),
        (
            ">>> import torch\n>>> torch.f()\nTraceback (most recent call last):\n"
            '  File "<stdin>", line 1, in <module>\nRuntimeError: no\n>>> ',
            "import torch\ntorch.f()",
            ("prompts",),
        ),
        (
            "$ cat a.py\nimport torch\nprint torch.ones(2)\n$ python a.py",
            "import torch\nprint(torch.ones(2))",
            ("shell lines", "python 2"),
        ),
        (
            "    %timeit torch.f(x)\n    y = 1",
            "import timeit\nprint(timeit.timeit(lambda: torch.f(x), number=20))\ny = 1",
            ("magics", "dedent"),
        ),
        (
            "import torch\nprint(torch.f())\n\nOutput:\ntensor(3)",
            "import torch\nprint(torch.f())",
            ("foreign lines", "echoed values"),
        ),
        (
            "import torch\nprint(torch.f())\ntensor(3)\nAborted",
            "import torch\nprint(torch.f())",
            ("echoed values",),
        ),
        (
            "import torch\nx: int\ny = torch.f()",
            "import torch\n\ny = torch.f()",
            ("echoed values",),
        ),
        (
            "import torch\nprint(a, b)\n(2, 3) (4,)",
            "import torch\nprint(a, b)",
            ("echoed values",),
        ),
        (
            "In [1]: x = torch.f()\n\nIn [2]: x\nOut[2]: 3",
            "x = torch.f()\nprint(repr(x))",
            ("prompts",),
        ),
        (
            "\nIn [6]: torch.__version__  \nOut[6]: '1.3.0'\nIn [8]:  torch.f(1)",
            "torch.__version__  \nprint(repr(torch.f(1)))",
            ("prompts",),
        ),
        ("python\nimport torch\nf = torch.f()", "import torch\nf = torch.f()", ("echoed values",)),
        (
            "1  import torch\n2  for i in range(2):\n3      torch.f(i)",
            "import torch\nfor i in range(2):\n    torch.f(i)",
            ("line numbers",),
        ),
    ],
)
def test_repairs_work_together(text, code, repairs):
    found = code_of(text)
    assert (found.code.strip("\n"), found.repairs) == (code, repairs)
    assert unparsed(found.code) == unparsed(found.tree)


def unparsed(code):
    """What code says and in which lines."""
    tree = ast.parse(code) if isinstance(code, str) else code
    return ast.dump(tree, include_attributes=True)


def test_only_needed_repairs_are_kept():
    text = "import torch\n\tx = 'a … b'\n\ty = 1"
    found = code_of(text)
    assert found.repairs == ("dedent",)
    assert "…" in found.code


@pytest.mark.parametrize("text", ["x = (", "def f(:\n    pass", "a b c", "x = 1\0", "\ud800("])
def test_what_cannot_be_mended_is_refused(text):
    assert isinstance(repair(text), Refusal)


@pytest.mark.parametrize(
    ("code", "imports"),
    [
        ("F.relu(torch.ones(2))", "import torch\nimport torch.nn.functional as F\n"),
        ("import tensorflow as tf\ntf.ones(np.array(2))", "import numpy as np\n"),
        ("F = 1\nnn = 2\nprint(F, nn)", ""),
        ("from torch import *\nnn.Linear(1, 1)", ""),
        ("def f(F):\n    return F(1)", ""),
    ],
)
def test_imports_of_well_known_names(code, imports):
    found = add_imports(code_of(code))
    assert found.code == imports + code
    assert found.repairs == (("missing imports",) if imports else ())


def test_imports_go_below_future_imports():
    found = add_imports(code_of('"""a"""\nfrom __future__ import annotations\ntorch.f()'))
    lines = ['"""a"""', "from __future__ import annotations", "import torch", "torch.f()"]
    assert found.code.split("\n") == lines


@pytest.mark.parametrize(("code", "calls"), entries.EXAMPLES)
def test_tests_that_nobody_calls_are_called(code, calls):
    found = entries.add_calls(code_of(code))
    if calls:
        kept, _, appended = found.code.partition("\n\n")
        assert appended == calls
        assert code.startswith(kept)
        left = code.removeprefix(kept)
        assert not left or "main" in left or "run_tests" in left
    else:
        assert found.code == code
    assert found.repairs == (("calls of test functions",) if calls else ())


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("y = f(x  # don't (", "y = f(x)"),
        ("y = f('#', x \t # it's 'so'", "y = f('#', x)"),
        (r"y = f('\'#', [x", r"y = f('\'#', [x])"),
    ],
)
def test_quotes_and_hashes_open_no_brackets(cut, whole):
    assert CLOSERS.apply(cut) == whole
