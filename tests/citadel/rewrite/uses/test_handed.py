"""Functions that others call: map, vmap, threads, gradcheck, assertRaises."""

import pytest

USES = {
    "map": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            ys = list(map(torch.floor, [x.abs(), x]))
        """,
        "at": "map(torch.floor, [x.abs(), x])",
        "api": "torch.floor",
        "form": "handed",
        "to": {
            "torch.ceil": [
                (
                    "ys = list(map(torch.floor, [x.abs(), x]))",
                    "ys = list(map(torch.ceil, [x.abs(), x]))",
                )
            ],
            "torch.Tensor.ceil": [
                (
                    "ys = list(map(torch.floor, [x.abs(), x]))",
                    "ys = list(map(torch.Tensor.ceil, [x.abs(), x]))",
                )
            ],
        },
    },
    "map_lambda": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            ys = list(map(lambda t: torch.floor(t), [x]))
        """,
        "at": "torch.floor(t)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [
                (
                    "ys = list(map(lambda t: torch.floor(t), [x]))",
                    "ys = list(map(lambda t: torch.ceil(t), [x]))",
                )
            ],
            "torch.Tensor.ceil": [
                (
                    "ys = list(map(lambda t: torch.floor(t), [x]))",
                    "ys = list(map(lambda t: t.ceil(), [x]))",
                )
            ],
        },
    },
    "vmap": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            y = torch.vmap(torch.floor)(x)
        """,
        "at": "torch.vmap(torch.floor)",
        "api": "torch.floor",
        "form": "handed",
        "args": [{()}],
        "to": {
            "torch.ceil": [("y = torch.vmap(torch.floor)(x)", "y = torch.vmap(torch.ceil)(x)")],
            "torch.Tensor.ceil": [
                ("y = torch.vmap(torch.floor)(x)", "y = torch.vmap(torch.Tensor.ceil)(x)")
            ],
        },
    },
    "vmap_func": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            y = torch.func.vmap(torch.floor)(x)
        """,
        "at": "torch.func.vmap(torch.floor)",
        "api": "torch.floor",
        "form": "handed",
        "args": [{()}],
        "to": {
            "torch.ceil": [
                ("y = torch.func.vmap(torch.floor)(x)", "y = torch.func.vmap(torch.ceil)(x)")
            ],
            "torch.Tensor.ceil": [
                ("y = torch.func.vmap(torch.floor)(x)", "y = torch.func.vmap(torch.Tensor.ceil)(x)")
            ],
        },
    },
    "vmap_lambda": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            y = torch.vmap(lambda t: t.floor())(x)
        """,
        "at": "t.floor()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {()},
        "args": [],
        "to": {
            "torch.ceil": [
                (
                    "y = torch.vmap(lambda t: t.floor())(x)",
                    "y = torch.vmap(lambda t: torch.ceil(t))(x)",
                )
            ],
            "torch.Tensor.ceil": [
                ("y = torch.vmap(lambda t: t.floor())(x)", "y = torch.vmap(lambda t: t.ceil())(x)")
            ],
        },
    },
    "gradcheck": {
        "code": """
            import torch
            x = torch.rand(3, dtype=torch.double, requires_grad=True)
            a = torch.ones(3, dtype=torch.double, requires_grad=True)
            torch.autograd.gradcheck(torch.igamma, (a, x))
        """,
        "at": "torch.autograd.gradcheck(torch.igamma, (a, x))",
        "api": "torch.igamma",
        "form": "handed",
        "args": [{(3,)}, {(3,)}],
        "to": {
            "torch.igammac": [
                (
                    "torch.autograd.gradcheck(torch.igamma, (a, x))",
                    "torch.autograd.gradcheck(torch.igammac, (a, x))",
                )
            ]
        },
    },
    "assertraises": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            import unittest
            refuses = unittest.TestCase().assertRaises
            refuses(ValueError, F.conv2d, x, w, groups=0)
        """,
        "at": "refuses(ValueError, F.conv2d, x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "form": "handed",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "refuses(ValueError, F.conv2d, x, w, groups=0)",
                    "refuses(ValueError, F.conv_transpose2d, x, w, groups=0)",
                )
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                (
                    "refuses(ValueError, F.conv2d, x, w, groups=0)",
                    "refuses(ValueError, F.conv3d, x, w, groups=0)",
                ),
            ],
        },
    },
    "reduce": {
        "code": """
            import torch
            from functools import reduce
            xs = [torch.tensor([True])] * 2
            reduce(torch.sub, xs)
        """,
        "at": "reduce(torch.sub, xs)",
        "api": "torch.sub",
        "form": "handed",
        "args": [{(1,)}, {(1,)}],
        "to": {"torch.subtract": [("reduce(torch.sub, xs)", "reduce(torch.subtract, xs)")]},
    },
    "thread": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            from concurrent.futures import ThreadPoolExecutor
            with ThreadPoolExecutor(1) as pool:
                print(pool.submit(torch.floor, x).result())
        """,
        "at": "pool.submit(torch.floor, x)",
        "api": "torch.floor",
        "form": "handed",
        "to": {
            "torch.ceil": [
                (
                    "    print(pool.submit(torch.floor, x).result())",
                    "    print(pool.submit(torch.ceil, x).result())",
                )
            ],
            "torch.Tensor.ceil": [
                (
                    "    print(pool.submit(torch.floor, x).result())",
                    "    print(pool.submit(torch.Tensor.ceil, x).result())",
                )
            ],
        },
    },
    "checkpoint": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            from torch.utils.checkpoint import checkpoint
            checkpoint(torch.floor, x, use_reentrant=False)
        """,
        "at": "checkpoint(torch.floor, x, use_reentrant=False)",
        "api": "torch.floor",
        "form": "handed",
        "to": {
            "torch.ceil": [
                (
                    "checkpoint(torch.floor, x, use_reentrant=False)",
                    "checkpoint(torch.ceil, x, use_reentrant=False)",
                )
            ],
            "torch.Tensor.ceil": [
                (
                    "checkpoint(torch.floor, x, use_reentrant=False)",
                    "checkpoint(torch.Tensor.ceil, x, use_reentrant=False)",
                )
            ],
        },
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
