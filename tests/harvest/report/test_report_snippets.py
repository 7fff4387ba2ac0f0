import pytest

from harvest.report.markdown import read_markdown
from harvest.report.model import Need
from harvest.report.snippets import find_snippets


def fences(*texts):
    return "\n\n".join(f"```\n{text}\n```" for text in texts)


def snippets(*texts):
    found = find_snippets(read_markdown(fences(*texts)))
    assert not isinstance(found, str), found
    return found


def origins(*texts):
    return [snippet.origin for snippet in snippets(*texts)]


ONE = "import torch\ntorch.f(1)"
TWO = "import torch\ntorch.f(2)"


@pytest.mark.parametrize(
    "output",
    [
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: x',
        "Aborted",
        "True",
        "tensor([1., 2.])",
        "tensor([1., 2.], grad_fn=<AddBackward0>)",
        "torch.Size([2, 3])",
        "[1.0, 2.0]",
        "eager [False]\nxla [ True]",
        "PyTorch version: 2.0\nIs debug build: False\nOS: Linux",
        "2024-01-01 10:00:00.123: F tensorflow/core/a.cc:7] Check failed: x",
        "pip install torch\npython a.py",
        '{"a": 1}',
        "int main() { return torch::ones(2); }",
    ],
)
def test_output_is_no_snippet(output):
    assert origins(ONE, output) == ["fence 1"]


def test_variants_are_candidates_of_their_own_and_duplicates_are_not():
    assert origins(ONE, TWO, ONE, ONE + "  # again") == ["fence 1", "fence 2"]


def test_what_needs_names_of_earlier_blocks_is_joined_with_them():
    found = snippets("import torch\nx = torch.ones(2)", "Aborted", "y = torch.f(x)")
    assert [snippet.origin for snippet in found] == ["fence 1", "fences 1+3"]
    assert found[1].code == "import torch\nx = torch.ones(2)\ny = torch.f(x)\n"


def test_names_are_looked_up_through_several_blocks():
    found = snippets("import torch\na = torch.f()", "b = a.g()", "print(b.h())")
    assert "fences 1+2+3" in [snippet.origin for snippet in found]


def test_code_without_imports_gets_them():
    (found,) = snippets("x = torch.ones(2)\nF.relu(x)")
    assert found.code.startswith("import torch\nimport torch.nn.functional as F\n")
    assert found.repairs == ("missing imports",)


def test_imports_of_other_blocks_are_used():
    found = snippets("import torch\nfrom torch.nn import functional as G", "G.relu(torch.ones(2))")
    assert [snippet.origin for snippet in found] == ["fence 2"]
    assert found[0].code.startswith("from torch.nn import functional as G\nimport torch\nG.relu")


def test_names_may_be_given_below():
    found = snippets("x.f(torch.ones(2))", "import torch\nx = torch.g()")
    assert "fences 2+1" in [snippet.origin for snippet in found]


def test_calls_in_the_text_where_there_is_no_block():
    text = "`torch.f(torch.ones(2), 0)` dies, `torch.f(x)` and `f()` too."
    (found,) = find_snippets(read_markdown(text))
    assert found.code == "import torch\ntorch.f(torch.ones(2), 0)\n"
    assert found.origin == "inline code 1"


def test_whole_code_comes_before_code_with_unknown_names():
    found = snippets("model.fit(torch.ones(2))", ONE)
    assert [snippet.origin for snippet in found] == ["fence 2", "fence 1"]
    assert found[1].missing == ("model",)


def test_a_workaround_comes_after_what_it_works_around():
    text = f"A workaround:\n{fences(TWO)}\nThe bug:\n{fences(ONE)}"
    found = find_snippets(read_markdown(text))
    assert [snippet.origin for snippet in found] == ["fence 2", "fence 1"]


def test_needs_travel_with_the_snippet():
    (found,) = snippets("import torch, torchvision\ntorchvision.f(torch.ones(2).cuda())")
    assert found.needs == ((Need.PACKAGE, "torchvision"), (Need.CUDA, "cuda"))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("Some text.", "no code"),
        ("See https://colab.research.google.com/x/y.", "code is only linked: colab.research"),
        ("See https://github.com/a/b/blob/main/x.py", "code is only linked: github.com"),
        (fences("Traceback (most recent call last):\nValueError: x"), "only logs, no code"),
        ("```cpp\nint main() {}\n```", "not Python"),
        ("```python\nimport torch\ntorch.f(\n```", "Python code that does not parse: '(' was"),
        ("```python\nimport torch\n```", "no code"),
    ],
)
def test_why_there_is_nothing_to_run(body, reason):
    found = find_snippets(read_markdown(body))
    assert isinstance(found, str)
    assert found.startswith(reason)


def test_a_script_is_one_snippet():
    (found,) = find_snippets(read_markdown(""), code="print torch.ones(2)\n")
    assert (found.origin, found.repairs) == ("file", ("python 2", "missing imports"))
    assert find_snippets(read_markdown(""), code="# nothing\n") == "no code"
    assert str(find_snippets(read_markdown(""), code="x = (")).startswith("Python code that does")
