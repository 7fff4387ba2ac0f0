"""Python modules to functions."""

import pytest

from analysis.static.python import extract

SOURCE = '''
import math, os.path
import torch.nn.functional as F
from torch import Tensor
from .overrides import handle

def fold(input: Tensor, size, *rest, dim: int = 0) -> Tensor:
    """About folding."""
    if handle(input):
        return F.relu(input.view(size).contiguous())
    def inner(x):
        return math.sqrt(x)
    return sorted(rest, key=lambda r: helper(r))[0]()

class Layer(Module):
    def forward(self, x):
        return self.act(F.conv2d(x, self.weight))

try:
    import fast
except ImportError:
    async def late(): await fast.go()

@overload
def twice(x: int) -> int: ...
def twice(x): return x
'''


def test_functions_methods_and_what_they_call():
    found = {row[0]: row for row in extract(SOURCE.encode())}
    assert set(found) == {"fold", "Layer.forward", "late", "twice"}
    assert found["fold"][6] == [
        "handle",
        "torch.nn.functional.relu",
        ".contiguous",
        ".view",
        "math.sqrt",
        "sorted",
        "helper",
    ]
    assert found["fold"][7] == 2
    assert found["Layer.forward"][6] == [".act", "torch.nn.functional.conv2d"]
    assert found["late"][6] == ["fast.go"]


def test_parameters():
    (fold, *_) = extract(SOURCE.encode())
    assert fold[4] == [["Tensor", "input"], ["", "size"], ["int", "dim"], ["", "*rest"]]
    assert fold[5] == "Tensor"


@pytest.mark.parametrize("text", [b"def f(:", b"\0", b"x = " + b"(" * 500, b"# coding: nonsense\n"])
def test_what_is_no_python(text):
    with pytest.raises((SyntaxError, ValueError, RecursionError, MemoryError)):
        extract(text)
