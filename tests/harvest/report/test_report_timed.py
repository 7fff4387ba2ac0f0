"""What timers are handed as text."""

import ast
import timeit

import pytest

from harvest.report.markdown import read_markdown
from harvest.report.repair import Repaired
from harvest.report.snippets import find_snippets
from harvest.report.timed import EXAMPLES, NAME, call_timed


def timed(code):
    return call_timed(Repaired(code=code, tree=ast.parse(code)))


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    found = timed(before)
    assert found.code == (after or before)
    assert found.repairs == ((NAME,) if after else ())
    assert ast.dump(ast.parse(found.code)) == ast.dump(found.tree)


def test_what_is_timed_is_what_the_text_did():
    code = (
        "ran = []\nx = 1\n"
        "timeit.timeit('ran.append(x)', 'x = 2', number=2, globals={'ran': ran})\n"
        "timeit.timeit('ran.append(x)', number=1, globals={'x': 3, 'ran': ran})\n"
        "timeit.timeit('y = x\\nran.append(y)', number=1, globals=globals())\n"
    )
    scope = {"timeit": timeit}
    exec(timed(code).code, scope)
    assert scope["ran"] == [2, 2, 3, 1]


def test_snippets_of_reports_are_timed_so():
    (found,) = find_snippets(read_markdown("```python\nimport torch\nt = Timer('f(2)')\n```"))
    assert NAME in found.repairs
    assert "        f(2)" in found.code
