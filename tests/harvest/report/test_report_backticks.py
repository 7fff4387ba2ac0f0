import pytest

from harvest.report.backticks import EXAMPLES, fence_backticks
from harvest.report.markdown import read_markdown


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    assert fence_backticks(before) == after


def test_backticks_are_read_as_blocks_beside_fences():
    text = "It dies:\n`\nimport torch\ntorch.f(1)\n`\nVersions:\n```\nPyTorch version: 2.0\n```\n"
    document = read_markdown(text)
    assert document.blocks[0].text == "import torch\ntorch.f(1)"
    assert document.blocks[0].lead == "It dies:"
    assert "torch.f" not in document.prose
