"""Failures that show later: the call that made the value is blamed and rewritten."""

import pytest

USES = {
    "backward": {
        "code": """
            import torch
            a = torch.ones(3, requires_grad=True)
            x = torch.rand(3)
            loss = torch.igamma(a, x).sum()
            loss.backward()
        """,
        "at": "torch.igamma(a, x)",
        "api": "torch.igamma",
        "args": [{(3,)}, {(3,)}],
        "to": {
            "torch.igammac": [
                ("loss = torch.igamma(a, x).sum()", "loss = torch.igammac(a, x).sum()")
            ],
            "torch.special.gammainc": [
                ("loss = torch.igamma(a, x).sum()", "loss = torch.special.gammainc(a, x).sum()")
            ],
        },
    },
    "backward_chain": {
        "code": """
            import torch
            a = torch.ones(3, requires_grad=True)
            x = torch.rand(3)
            torch.igamma(a, x).sum().backward()
        """,
        "at": "torch.igamma(a, x)",
        "api": "torch.igamma",
        "args": [{(3,)}, {(3,)}],
        "to": {
            "torch.igammac": [
                ("torch.igamma(a, x).sum().backward()", "torch.igammac(a, x).sum().backward()")
            ],
            "torch.special.gammainc": [
                (
                    "torch.igamma(a, x).sum().backward()",
                    "torch.special.gammainc(a, x).sum().backward()",
                )
            ],
        },
    },
    "grad": {
        "code": """
            import torch
            a = torch.ones(3, requires_grad=True)
            x = torch.rand(3)
            y = torch.igamma(a, x)
            torch.autograd.grad(y.sum(), a)
        """,
        "at": "torch.igamma(a, x)",
        "api": "torch.igamma",
        "args": [{(3,)}, {(3,)}],
        "to": {
            "torch.igammac": [("y = torch.igamma(a, x)", "y = torch.igammac(a, x)")],
            "torch.special.gammainc": [
                ("y = torch.igamma(a, x)", "y = torch.special.gammainc(a, x)")
            ],
        },
    },
    "print_layout": {
        "code": """
            import torch
            y = torch.rand(3).to_mkldnn()
            z = torch.relu(y)
            print(z.numpy())
        """,
        "at": "torch.relu(y)",
        "api": "torch.relu",
        "args": [{(3,)}],
        "to": {"torch.sigmoid": [("z = torch.relu(y)", "z = torch.sigmoid(y)")]},
    },
}


@pytest.mark.parametrize("use", USES)
def test_text(use, check_text):
    check_text(**USES[use])


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("use", USES)
def test_replay(use, check_replay):
    check_replay(**USES[use])
