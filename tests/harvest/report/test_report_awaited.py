import ast

import pytest

from harvest.report.awaited import EXAMPLES, NAME, put_in_blocks
from harvest.report.model import Report
from harvest.report.repair import Repaired
from harvest.report.understand import understand


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    found = put_in_blocks(Repaired(code=before, tree=ast.parse(before)))
    assert found.code == (after or before)
    assert found.repairs == ((NAME,) if after else ())
    ast.parse(found.code)


def test_the_calls_of_a_test_case_are_in_blocks():
    code = (
        "import unittest\nimport torch\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        self.assertRaises(ValueError, torch.nn.MaxPool2d, -1)\nunittest.main()\n"
    )
    reading = understand(Report(source="r.md", title="t", body=f"```python\n{code}```\n"))
    assert "        with self.assertRaises(ValueError):\n" in reading.candidates[0].code
    assert "            torch.nn.MaxPool2d(-1)\n" in reading.candidates[0].code
