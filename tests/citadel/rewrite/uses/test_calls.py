"""Calls of every kind: methods, chains, operators."""

import pytest

USES = {
    "method": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            x.floor()
        """,
        "at": "x.floor()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {
            "torch.ceil": [("x.floor()", "torch.ceil(x)")],
            "torch.Tensor.ceil": [("x.floor()", "x.ceil()")],
        },
    },
    "method_expr": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            (x + 1).floor()
        """,
        "at": "(x + 1).floor()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {
            "torch.ceil": [("(x + 1).floor()", "torch.ceil((x + 1))")],
            "torch.Tensor.ceil": [("(x + 1).floor()", "(x + 1).ceil()")],
        },
    },
    "chain": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            y = x.abs().mul(1j).floor().sum()
        """,
        "at": "x.abs().mul(1j).floor()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {
            "torch.ceil": [
                ("y = x.abs().mul(1j).floor().sum()", "y = torch.ceil(x.abs().mul(1j)).sum()")
            ],
            "torch.Tensor.ceil": [
                ("y = x.abs().mul(1j).floor().sum()", "y = x.abs().mul(1j).ceil().sum()")
            ],
        },
    },
    "chain2": {
        "code": """
            import torch
            x = torch.rand(3)
            y = x.relu().cumsum(7)
        """,
        "at": "x.relu().cumsum(7)",
        "api": "torch.Tensor.cumsum",
        "form": "method",
        "receiver": {(3,)},
        "args": [7],
        "to": {
            "torch.cumprod": [("y = x.relu().cumsum(7)", "y = torch.cumprod(x.relu(), 7)")],
            "torch.Tensor.cumprod": [("y = x.relu().cumsum(7)", "y = x.relu().cumprod(7)")],
        },
    },
    "inplace_elsewhere": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            def f():
                x.floor_()
            f()
        """,
        "at": "x.floor_()",
        "api": "torch.Tensor.floor_",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {"torch.ceil": [("    x.floor_()", "    torch.ceil(x)")]},
    },
    "inplace": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            x.floor_()
        """,
        "at": "x.floor_()",
        "api": "torch.Tensor.floor_",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {
            "torch.ceil": [("x.floor_()", "x = torch.ceil(x)")],
            "torch.Tensor.ceil": [("x.floor_()", "x = x.ceil()")],
            "torch.Tensor.ceil_": [("x.floor_()", "x.ceil_()")],
        },
    },
    "operator": {
        "code": """
            import torch
            a = torch.tensor([True])
            b = a - a
        """,
        "at": "a - a",
        "api": "torch.Tensor.sub",
        "form": "operator",
        "receiver": {(1,)},
        "args": [{(1,)}],
        "to": {
            "torch.sub": [("b = a - a", "b = torch.sub(a, a)")],
            "torch.Tensor.sub_": [("b = a - a", "b = a.sub_(a)")],
        },
    },
    "operator_nested": {
        "code": """
            import torch
            a = torch.tensor([True])
            b = torch.cat([a, a - a]) + 1
        """,
        "at": "a - a",
        "api": "torch.Tensor.sub",
        "form": "operator",
        "receiver": {(1,)},
        "args": [{(1,)}],
        "to": {
            "torch.subtract": [
                ("b = torch.cat([a, a - a]) + 1", "b = torch.cat([a, torch.subtract(a, a)]) + 1")
            ],
            "torch.Tensor.subtract": [
                ("b = torch.cat([a, a - a]) + 1", "b = torch.cat([a, a.subtract(a)]) + 1")
            ],
        },
    },
    "matmul": {
        "code": """
            import torch
            a = torch.rand(2, 3)
            print((a + 1) @ a.t() @ a.t())
        """,
        "at": "(a + 1) @ a.t() @ a.t()",
        "api": "torch.Tensor.matmul",
        "form": "operator",
        "receiver": {(2, 2)},
        "args": [{(3, 2)}],
        "to": {
            "torch.mm": [
                ("print((a + 1) @ a.t() @ a.t())", "print(torch.mm((a + 1) @ a.t(), a.t()))")
            ],
            "torch.Tensor.mm": [
                ("print((a + 1) @ a.t() @ a.t())", "print(((a + 1) @ a.t()).mm(a.t()))")
            ],
        },
    },
    "augassign": {
        "code": """
            import torch
            a = torch.tensor([True])
            a -= a
        """,
        "at": "a -= a",
        "api": "torch.Tensor.sub_",
        "form": "operator",
        "receiver": {(1,)},
        "args": [{(1,)}],
        "to": {
            "torch.subtract": [("a -= a", "a = torch.subtract(a, a)")],
            "torch.Tensor.subtract_": [("a -= a", "a = a.subtract_(a)")],
        },
    },
    "unbound": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            torch.Tensor.floor(x)
        """,
        "at": "torch.Tensor.floor(x)",
        "api": "torch.Tensor.floor",
        "form": "unbound",
        "args": [{(2,)}],
        "to": {
            "torch.ceil": [("torch.Tensor.floor(x)", "torch.ceil(x)")],
            "torch.Tensor.ceil": [("torch.Tensor.floor(x)", "x.ceil()")],
        },
    },
    "defaults": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            def f(x, op=torch.floor):
                return op(x)
            f(x)
        """,
        "at": "op(x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("def f(x, op=torch.floor):", "def f(x, op=torch.ceil):")],
            "torch.Tensor.ceil": [("def f(x, op=torch.floor):", "def f(x, op=torch.Tensor.ceil):")],
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
