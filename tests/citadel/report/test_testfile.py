from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from citadel.model import Symptom, SymptomKind
from citadel.report.testfile import Broken, family_test

WRONG = Symptom(kind=SymptomKind.DISAGREES, where="f(x)", observed="1", expected="2")
HANGS = Symptom(kind=SymptomKind.HANGS)
DIES = Symptom(kind=SymptomKind.CRASHES, signal="SIGABRT")


def raises(name: str) -> Symptom:
    return Symptom(kind=SymptomKind.RAISES, exception=name, message="bad")


def outcomes(tmp_path: Path, *cases: Broken, title: str = "f is wrong") -> tuple[str, str]:
    """The last line that pytest prints of the test file, and all of it."""
    file = tmp_path / "test_family.py"
    file.write_text(family_test(title, "owner/repo#1", cases), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", file.name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    return done.stdout.splitlines()[-1].partition(" in ")[0], done.stdout


def test_what_fails_is_expected_and_what_is_fixed_is_told(tmp_path: Path) -> None:
    last, _ = outcomes(
        tmp_path,
        Broken("m.f", "x = 1\nassert x == 2\n", WRONG),
        Broken("m.g", "raise ValueError('bad')\n", raises("ValueError")),
        Broken(
            "m.h", "class OpError(Exception):\n    pass\nraise OpError('bad')\n", raises("OpError")
        ),
    )
    assert last == "3 xfailed"
    last, told = outcomes(tmp_path, Broken("m.f", "x = 2\nassert x == 2\n", WRONG))
    assert last == "1 failed"
    assert "[XPASS(strict)] f(x) is 1, expected 2" in told


def test_that_a_time_passes_once_says_nothing(tmp_path: Path) -> None:
    slow = Symptom(kind=SymptomKind.SLOW, where="slow / fast", ratio=9.0)
    last, _ = outcomes(tmp_path, Broken("m.f", "x = 1\nassert x < 4\n", slow))
    assert last == "1 xpassed"


def test_the_same_exception_in_other_words_is_another_failure(tmp_path: Path) -> None:
    """A fix may be to refuse the call with an exception of the same class."""
    last, told = outcomes(
        tmp_path,
        Broken("m.f", "raise ValueError('refused by now')\n", raises("ValueError")),
        Broken(
            "m.g",
            "import os\nos.set_x = id\nos.set_x(1)\nraise ValueError('no')\n",
            raises("ValueError"),
        ),
    )
    assert last == "2 failed"
    assert "refused by now" in told


def test_another_failure_is_none_that_is_expected(tmp_path: Path) -> None:
    last, told = outcomes(
        tmp_path,
        Broken("m.f", "import gone_by_now\n", WRONG),
        Broken("m.g", "raise TypeError('other')\n", raises("ValueError")),
    )
    assert last == "2 failed"
    assert "No module named 'gone_by_now'" in told


def test_what_ends_a_process_runs_alone(tmp_path: Path) -> None:
    last, told = outcomes(
        tmp_path,
        Broken("m.f", "import os\nos.abort()\n", DIES),
        Broken("m.g", "print('lives')\n", DIES),
        Broken("m.h", "raise ValueError('refused by now')\n", DIES),
    )
    assert last == "2 failed, 1 xfailed"
    assert "ValueError: refused by now" in told


def test_an_exception_that_goes_on_for_lines_is_the_same(tmp_path: Path) -> None:
    told = "Exception in f.call().\n\nbad\n\nArguments: inputs"
    code = "import os\nos.environ['A_BACKEND'] = 'b'\n"
    code += f"try:\n    raise KeyError('first')\nexcept KeyError:\n    raise ValueError({told!r})\n"
    last, _ = outcomes(
        tmp_path,
        Broken("m.f", code, raises("ValueError")),
        Broken("m.g", code, raises("KeyError")),
    )
    assert last == "1 failed, 1 xfailed"


def test_what_hangs_is_stopped(tmp_path: Path) -> None:
    text = family_test("f", "owner/repo#1", [Broken("m.f", "while True:\n    pass\n", HANGS)])
    file = tmp_path / "test_family.py"
    file.write_text(text.replace("timeout=60", "timeout=1"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file.name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert "1 xfailed" in done.stdout


def test_what_changes_an_interpreter_changes_no_other_case(tmp_path: Path) -> None:
    code = "import sys\nwas = sys.getrecursionlimit()\nsys.set_limit = sys.setrecursionlimit\n"
    code += "sys.set_limit(was + 50)\nassert was > 10**9\n"
    other = f"import sys\nassert sys.getrecursionlimit() != {sys.getrecursionlimit()}\n"
    assert outcomes(tmp_path, Broken("m.f", code, WRONG), Broken("m.g", other, WRONG))[0] == (
        "2 xfailed"
    )


def test_an_exception_of_the_framework_is_told_from_others(tmp_path: Path) -> None:
    known = "def fail():\n    raise type('OpError', (Exception,), {})('bad')\n\nfail()\n"
    last, _ = outcomes(
        tmp_path,
        Broken("m.f", known, raises("OpError")),
        Broken("m.g", "import gone_by_now\n", raises("OpError")),
    )
    assert last == "1 failed, 1 xfailed"


@pytest.mark.parametrize(
    "code",
    [
        'text = """one\ntwo"""\nassert text == "one\\n  two"\n',
        "from __future__ import annotations\nassert False\n",
        "from math import *\nassert cos(0) == 0\n",
        "if __name__ == '__main__':\n    assert False\n",
        "n = 0\ndef f():\n    global n\n    n += 1\nf()\nassert n == 2\n",
        "def f(k):\n    return k and f(k - 1)\nassert f(3) == 1\n",
        "class A:\n    b = 1\nassert [A.b for _ in range(2)] == [2]\n",
        "\ufeffassert False  # \u2028 \x0c \ud800\n".replace("\ud800", ""),
        "if True: assert (\n    False\n)\n",
        "max = max(1, 2)\nassert max == 1\n",
        "x = 1\nclass A:\n    x = x\nassert A.x == 2\n",
        "import pickle\nclass A:\n    pass\npickle.dumps(A())\nassert False\n",
        "import inspect\ndef f():\n    pass\ninspect.getsource(f)\nassert False\n",
        "text = 'a\u2028b'\nassert len(text) == 7\n",
    ],
)
def test_scripts_mean_the_same_in_a_test(tmp_path: Path, code: str) -> None:
    assert outcomes(tmp_path, Broken("m.f", code, WRONG))[0] == "1 xfailed"


@pytest.mark.parametrize("text", ['"""\nimport os; os.abort()', "\\", "'''", "\n\r\u2028x", "a\0b"])
def test_texts_of_strangers_stay_texts(tmp_path: Path, text: str) -> None:
    symptom = Symptom(kind=SymptomKind.DISAGREES, where=text, observed=text, expected=text)
    case = Broken(f"m.{text}", "assert False\n", symptom)
    other = Broken(f"m.{text}!", "assert False\n", symptom)
    assert outcomes(tmp_path, case, other, title=text)[0] == "2 xfailed"


def test_a_family_without_cases_has_no_test() -> None:
    with pytest.raises(ValueError, match="no cases"):
        family_test("f", "owner/repo#1", [])
