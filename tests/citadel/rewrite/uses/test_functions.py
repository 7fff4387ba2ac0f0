"""Functions as values: in lists and dictionaries, bound, looked up by name."""

import pytest

USES = {
    "partial_kw": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            from functools import partial
            conv = partial(F.conv2d, groups=0)
            y = conv(x, w)
        """,
        "at": "conv(x, w)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "conv = partial(F.conv2d, groups=0)",
                    "conv = partial(F.conv_transpose2d, groups=0)",
                )
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("conv = partial(F.conv2d, groups=0)", "conv = partial(F.conv3d, groups=0)"),
            ],
        },
    },
    "partial_pos": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            import functools
            conv = functools.partial(F.conv2d, x)
            y = conv(w, groups=0)
        """,
        "at": "conv(w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "conv = functools.partial(F.conv2d, x)",
                    "conv = functools.partial(F.conv_transpose2d, x)",
                )
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("conv = functools.partial(F.conv2d, x)", "conv = functools.partial(F.conv3d, x)"),
            ],
        },
    },
    "partial_layer": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            from functools import partial
            Pool = partial(nn.MaxPool2d, stride=0)
            Pool(2)(x)
        """,
        "at": "Pool(2)(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("Pool(2)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("Pool = partial(nn.MaxPool2d, stride=0)", "Pool = partial(nn.AvgPool2d, stride=0)")
            ],
            "torch.nn.functional.avg_pool2d": [
                ("Pool(2)(x)", "nn.functional.avg_pool2d(x, 2, stride=0)")
            ],
        },
    },
    "getattr": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            y = getattr(torch, 'floor')(x)
        """,
        "at": "getattr(torch, 'floor')(x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("y = getattr(torch, 'floor')(x)", "y = getattr(torch, 'ceil')(x)")],
            "torch.Tensor.ceil": [("y = getattr(torch, 'floor')(x)", "y = x.ceil()")],
        },
    },
    "getattr_loop": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            for name in ['abs', 'floor']:
                print(name, getattr(torch, name)(x))
        """,
        "at": "getattr(torch, name)(x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("for name in ['abs', 'floor']:", "for name in ['abs', 'ceil']:")],
            "torch.Tensor.ceil": [
                ("    print(name, getattr(torch, name)(x))", "    print(name, x.ceil())")
            ],
        },
    },
    "getattr_method": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            for name in ('abs', 'floor'):
                getattr(x, name)()
        """,
        "at": "getattr(x, name)()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {
            "torch.ceil": [("    getattr(x, name)()", "    torch.ceil(x)")],
            "torch.Tensor.ceil": [
                ("for name in ('abs', 'floor'):", "for name in ('abs', 'ceil'):")
            ],
        },
    },
    "var": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            f = torch.floor
            y = f(x)
        """,
        "at": "f(x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("f = torch.floor", "f = torch.ceil")],
            "torch.Tensor.ceil": [("f = torch.floor", "f = torch.Tensor.ceil")],
        },
    },
    "list_loop": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            for fn in [torch.abs, torch.floor]:
                fn(x)
        """,
        "at": "fn(x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [
                ("for fn in [torch.abs, torch.floor]:", "for fn in [torch.abs, torch.ceil]:")
            ],
            "torch.Tensor.ceil": [
                ("for fn in [torch.abs, torch.floor]:", "for fn in [torch.abs, torch.Tensor.ceil]:")
            ],
        },
    },
    "list_var_loop": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            ops = [torch.abs, torch.floor]
            for fn in ops:
                fn(x)
        """,
        "at": "fn(x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("ops = [torch.abs, torch.floor]", "ops = [torch.abs, torch.ceil]")],
            "torch.Tensor.ceil": [
                ("ops = [torch.abs, torch.floor]", "ops = [torch.abs, torch.Tensor.ceil]")
            ],
        },
    },
    "dict_loop": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            ops = {'abs': torch.abs, 'floor': torch.floor}
            for name, fn in ops.items():
                print(name, fn(x))
        """,
        "at": "fn(x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [
                (
                    "ops = {'abs': torch.abs, 'floor': torch.floor}",
                    "ops = {'abs': torch.abs, 'ceil': torch.ceil}",
                )
            ],
            "torch.Tensor.ceil": [
                (
                    "ops = {'abs': torch.abs, 'floor': torch.floor}",
                    "ops = {'abs': torch.abs, 'ceil': torch.Tensor.ceil}",
                )
            ],
        },
    },
    "dict_index": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            ops = {'abs': torch.abs, 'floor': torch.floor}
            ops['floor'](x)
        """,
        "at": "ops['floor'](x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [
                (
                    "ops = {'abs': torch.abs, 'floor': torch.floor}",
                    "ops = {'abs': torch.abs, 'floor': torch.ceil}",
                )
            ],
            "torch.Tensor.ceil": [
                (
                    "ops = {'abs': torch.abs, 'floor': torch.floor}",
                    "ops = {'abs': torch.abs, 'floor': torch.Tensor.ceil}",
                )
            ],
        },
    },
    "tuple_loop": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            for conv, g in [(F.conv2d, 1), (F.conv2d, 0)]:
                conv(x, w, groups=g)
        """,
        "at": "conv(x, w, groups=g)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("    conv(x, w, groups=g)", "    F.conv_transpose2d(x, w, groups=g)")
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("    conv(x, w, groups=g)", "    F.conv3d(x, w, groups=g)"),
            ],
        },
    },
    "param": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            def run(fn, *args):
                return fn(*args)
            run(torch.abs, x)
            run(torch.floor, x)
        """,
        "at": "fn(*args)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("run(torch.floor, x)", "run(torch.ceil, x)")],
            "torch.Tensor.ceil": [("run(torch.floor, x)", "run(torch.Tensor.ceil, x)")],
        },
    },
    "param_one": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            def run(fn, t):
                return fn(t)
            run(torch.floor, x)
        """,
        "at": "fn(t)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("run(torch.floor, x)", "run(torch.ceil, x)")],
            "torch.Tensor.ceil": [("run(torch.floor, x)", "run(torch.Tensor.ceil, x)")],
        },
    },
    "self_attr": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            class A:
                def __init__(self, fn):
                    self.fn = fn
                def run(self, t):
                    return self.fn(t)
            A(torch.floor).run(x)
        """,
        "at": "self.fn(t)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("A(torch.floor).run(x)", "A(torch.ceil).run(x)")],
            "torch.Tensor.ceil": [("A(torch.floor).run(x)", "A(torch.Tensor.ceil).run(x)")],
        },
    },
    "apply_method": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            def apply(t, name, *a):
                return getattr(t, name)(*a)
            apply(x, 'floor')
        """,
        "at": "getattr(t, name)(*a)",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "args": [],
        "to": {
            "torch.ceil": [("    return getattr(t, name)(*a)", "    return torch.ceil(t)")],
            "torch.Tensor.ceil": [("apply(x, 'floor')", "apply(x, 'ceil')")],
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
