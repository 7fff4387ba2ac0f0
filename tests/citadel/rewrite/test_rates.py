"""What becomes of rewritten cases, and whether the two ways to apply a plan agree.

The floors lie below what `python -m benchmarks.rewriting` prints for whole folders of reports.
"""

import pytest

from benchmarks.rewriting import Tally, measure

pytestmark = [pytest.mark.torch, pytest.mark.slow]

CASES = {
    "a function": """
        import torch
        import torch.nn.functional as F
        for groups in (1, 0):
            y = F.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=groups)
            print(y.shape)
    """,
    "a layer": """
        import torch
        from torch import nn
        pool = nn.AvgPool2d(3, padding=2)
        x = torch.rand(1, 2, 8, 8)
        print(pool(x).shape)
    """,
    "a method": """
        import torch
        x = torch.rand(2, 3).to_sparse_csr()
        values, places = x.kthvalue(1)
        print(values)
    """,
    "a result used later": """
        import torch
        x = torch.rand(3, requires_grad=True)
        y = x.exp()
        y.add_(1)
        y.sum().backward()
    """,
}


def test_rates(bench, read):
    total = Tally()
    for name, code in CASES.items():
        tally = measure(read(name, code).report, bench, 20, ())
        assert tally is not None, name
        total.add(tally)
    assert total.pairs == 80
    assert total.counts["refused"] <= 0.05 * total.pairs
    assert total.counts["observed"] >= 0.8 * total.pairs
    compared = total.counts["agreeing"] + total.counts["disagreeing"]
    assert total.counts["agreeing"] >= 0.9 * compared
