import ast

import pytest

from harvest.report.markdown import read_markdown
from harvest.report.model import Need
from harvest.report.parametrised import EXAMPLES, NAME, call_parametrised
from harvest.report.repair import Repaired
from harvest.report.snippets import find_snippets


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    found = call_parametrised(Repaired(code=before, tree=ast.parse(before)))
    assert found.code == (after or before)
    assert found.repairs == ((NAME,) if after else ())
    assert ast.dump(ast.parse(found.code)) == ast.dump(found.tree)


def test_a_parametrised_test_does_not_need_pytest():
    code = (
        "import pytest\nimport torch\n\n\n@pytest.mark.parametrize('d', ['cpu', 'cuda'])\n"
        "def test_sum(d):\n    assert torch.ones(2, device=d).sum() == 3\n"
    )
    (found,) = find_snippets(read_markdown(f"```python\n{code}```"))
    assert found.needs == ((Need.CUDA, "cuda"),)
    assert found.code.endswith("for d in ['cpu', 'cuda']:\n    test_sum(d=d)\n")
    assert "pytest" not in found.code
