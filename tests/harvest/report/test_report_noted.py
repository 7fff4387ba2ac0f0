import ast

import pytest

from harvest.report.model import Report
from harvest.report.noted import EXAMPLES, NAME, print_noted
from harvest.report.repair import Repaired
from harvest.report.understand import understand


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    found = print_noted(Repaired(code=before, tree=ast.parse(before)))
    assert found.code == (after or before)
    assert found.repairs == ((NAME,) if after else ())
    assert ast.dump(found.tree) == ast.dump(ast.parse(found.code))


def test_columns_count_bytes():
    before = "f('\u00e4')  # tensor([1.])"
    found = print_noted(Repaired(code=before, tree=ast.parse(before)))
    assert found.code == "print(repr(f('\u00e4')))  # tensor([1.])"


def test_what_is_noted_is_printed_and_is_the_output_of_the_report():
    body = "```python\nimport torch\ntorch.erf(torch.ones(1))\n# Out[3]: tensor([0.5000])\n```\n"
    reading = understand(Report(source="r.md", title="torch.erf is wrong", body=body))
    assert "print(repr(torch.erf(torch.ones(1))))" in reading.candidates[0].code
    assert reading.output == ("tensor([0.5000])",)


def test_what_a_session_of_ipython_shows_is_the_output_though_it_parses():
    body = "```\nIn [1]: t = torch.ones(1)\n\nIn [2]: t.erf()\nOut[2]: tensor([0.5000])\n```\n"
    reading = understand(Report(source="r.md", title="torch.erf is wrong", body=body))
    assert "tensor([0.5000])" in reading.output


@pytest.mark.parametrize("session", ["f(x)\n: tensor(0.)\n", "> f(x)\n> tensor(0.)\n"])
def test_sessions_may_have_marks_for_prompts(session):
    body = f"```\n{session}```\n"
    reading = understand(Report(source="r.md", title="torch.f is wrong", body=body))
    assert reading.candidates[0].code.strip() == "print(repr(f(x)))"
    assert "tensor(0.)" in reading.output


def test_what_is_wanted_of_scipy_is_an_import_of_it():
    body = "```\n>>> import torch\n>>> torch.f(1)\n2\n>>> scipy.special.f(1)\n3\n```\n"
    (snippet,) = understand(Report(source="r.md", title="f is wrong", body=body)).candidates
    assert "import scipy" in snippet.code.split("\n")


SESSION = """It is abnormal when the input has nans.

```python
In [3]: a = tf.constant([float('nan')] * 2)
In [4]: tf.sigmoid(a)
Out[4]: <tf.Tensor: id=1, shape=(2,), dtype=float32, numpy=array([1., nan], dtype=float32)>
```
**Describe the expected behavior**
```python
In [4]: tf.sigmoid(a)
Out[4]: <tf.Tensor: id=1, shape=(2,), dtype=float32, numpy=array([nan, nan], dtype=float32)>
```
"""


def test_a_session_under_a_heading_tells_what_each_statement_should_come_to():
    (found,) = understand(Report(source="r.md", title="t", body=SESSION)).expectations
    assert (found.right, found.numbers, found.beside) == (True, ("nan", "nan"), "tf.sigmoid(a)")
