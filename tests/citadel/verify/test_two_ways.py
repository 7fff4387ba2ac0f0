"""Reports that run one computation in two ways and label neither, by real runs.

Of each way there is one that differs on this build, and one that legitimately differs by rounding.
"""

import pytest

from citadel.model import BugKind
from citadel.verify.verified import NotVerified, Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow]

ROWS = """
    import torch
    import torch.nn.functional as F
    x = torch.randn(4, 3, 5)
    together = F.softmax(x{dim})
    alone = torch.stack([F.softmax(sample{dim}) for sample in x])
    print(together)
    print(alone)
"""
LOOP = """
    import torch
    import torch.nn.functional as F
    x = torch.randn(4, 3, 5)
    y = F.softmax(x{dim})
    for i in range(len(x)):
        print(y[i])
        print(F.softmax(x[i]{dim}))
"""
DERIVATIVES = """
    import torch
    from torch.func import jacfwd, jacrev
    x = torch.tensor([0.3, {second}])
    print(jacfwd(torch.acos)(x))
    print(jacrev(torch.acos)(x))
"""
AUTOCAST = """
    import torch
    import torch.nn.functional as F
    x = torch.tensor([[4097.0, {second}]])
    w = torch.ones(1, 2)
    a = F.linear(x, w)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        b = F.linear(x, w)
    print(a)
    print(b)
"""
IN_PLACE = """
    import torch
    x = torch.tensor([{first}, 1.0], dtype=torch.float16)
    y = torch.tensor([100.0, 1e-4])
    a = x.add(y)
    b = x.clone().add_(y)
    print(a)
    print(b)
"""
WAYS = [
    ("softmax gives other numbers for a batch than row by row", ROWS, "dim", "", ", dim=-1"),
    ("softmax of a batch is wrong for each sample", LOOP, "dim", "", ", dim=-1"),
    ("Wrong derivatives of torch.acos: modes differ", DERIVATIVES, "second", "2.0", "0.5"),
    ("Wrong result of F.linear under autocast", AUTOCAST, "second", "-4096.0", "4096.0"),
    ("Tensor.add_ in place differs from Tensor.add", IN_PLACE, "first", "65504.0", "3.0"),
]


@pytest.mark.parametrize(("title", "code", "name", "differs", "agrees"), WAYS)
def test_what_differs_is_found_and_what_is_rounding_is_not(
    verified, title, code, name, differs, agrees
):
    found = verified(title, code.replace(f"{{{name}}}", differs))
    assert isinstance(found, Verified), found
    assert (found.case.kind, found.case.reproduces) == (BugKind.VALUE, True)
    again = verified(title, code.replace(f"{{{name}}}", agrees))
    assert isinstance(again, NotVerified) or not again.case.reproduces, again.case.symptom
