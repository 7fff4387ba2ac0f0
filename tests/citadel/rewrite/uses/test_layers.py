"""Layers: constructed here, called there."""

import pytest

USES = {
    "there": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            pool = nn.MaxPool2d(2, stride=0)
            y = pool(x)
        """,
        "at": "pool(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("pool = nn.MaxPool2d(2, stride=0)", "pool = nn.AvgPool2d(2, stride=0)")
            ],
            "torch.nn.functional.avg_pool2d": [
                (
                    "pool = nn.MaxPool2d(2, stride=0)\ny = pool(x)",
                    "y = nn.functional.avg_pool2d(x, 2, stride=0)",
                )
            ],
        },
    },
    "here": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            y = nn.MaxPool2d(2, stride=0)(x)
        """,
        "at": "nn.MaxPool2d(2, stride=0)(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("y = nn.MaxPool2d(2, stride=0)(x)", "y = nn.AvgPool2d(2, stride=0)(x)")
            ],
            "torch.nn.functional.avg_pool2d": [
                ("y = nn.MaxPool2d(2, stride=0)(x)", "y = nn.functional.avg_pool2d(x, 2, stride=0)")
            ],
        },
    },
    "ctor": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            conv = nn.Conv2d(4, 4, 3, groups=0)
            y = conv(x)
        """,
        "at": "nn.Conv2d(4, 4, 3, groups=0)",
        "api": "torch.nn.Conv2d",
        "form": "class",
        "args": [4, 4, 3],
        "kwargs": {"groups": 0},
        "to": {
            "torch.nn.ConvTranspose2d": [
                (
                    "conv = nn.Conv2d(4, 4, 3, groups=0)",
                    "conv = nn.ConvTranspose2d(4, 4, 3, groups=0)",
                )
            ],
            "torch.nn.Conv3d": [
                ("conv = nn.Conv2d(4, 4, 3, groups=0)", "conv = nn.Conv3d(4, 4, 3, groups=0)")
            ],
        },
    },
    "in_function": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            def run(t):
                pool = nn.MaxPool2d(2, stride=0)
                return pool(t)
            run(x)
        """,
        "at": "pool(t)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("    pool = nn.MaxPool2d(2, stride=0)", "    pool = nn.AvgPool2d(2, stride=0)")
            ],
            "torch.nn.functional.avg_pool2d": [
                (
                    "    pool = nn.MaxPool2d(2, stride=0)\n    return pool(t)",
                    "    return nn.functional.avg_pool2d(t, 2, stride=0)",
                )
            ],
        },
    },
    "passed": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            def run(layer, t):
                return layer(t)
            run(nn.MaxPool2d(2, stride=0), x)
        """,
        "at": "layer(t)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("run(nn.MaxPool2d(2, stride=0), x)", "run(nn.AvgPool2d(2, stride=0), x)")
            ],
            "torch.nn.functional.avg_pool2d": [
                ("    return layer(t)", "    return nn.functional.avg_pool2d(t, 2, stride=0)")
            ],
        },
    },
    "kwargs": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            cfg = {'kernel_size': 2, 'stride': 0}
            pool = nn.MaxPool2d(**cfg)
            pool(x)
        """,
        "at": "pool(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(**cfg)", {"kernel_size": 2, "stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [("pool = nn.MaxPool2d(**cfg)", "pool = nn.AvgPool2d(**cfg)")],
            "torch.nn.functional.avg_pool2d": [
                (
                    "cfg = {'kernel_size': 2, 'stride': 0}\npool = nn.MaxPool2d(**cfg)\npool(x)",
                    "nn.functional.avg_pool2d(x, 2, stride=0)",
                )
            ],
        },
    },
    "forward": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            pool = nn.MaxPool2d(2, stride=0)
            y = pool.forward(x)
        """,
        "at": "pool.forward(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("pool = nn.MaxPool2d(2, stride=0)", "pool = nn.AvgPool2d(2, stride=0)")
            ],
            "torch.nn.functional.avg_pool2d": [
                (
                    "pool = nn.MaxPool2d(2, stride=0)\ny = pool.forward(x)",
                    "y = nn.functional.avg_pool2d(x, 2, stride=0)",
                )
            ],
        },
    },
    "getattr_cls": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            for name in ['MaxPool2d']:
                getattr(nn, name)(2, stride=0)(x)
        """,
        "at": "getattr(nn, name)(2, stride=0)(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("getattr(nn, name)(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [("for name in ['MaxPool2d']:", "for name in ['AvgPool2d']:")],
            "torch.nn.functional.avg_pool2d": [
                (
                    "    getattr(nn, name)(2, stride=0)(x)",
                    "    nn.functional.avg_pool2d(x, 2, stride=0)",
                )
            ],
        },
    },
    "apply": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            def run(net, *args, **kwargs):
                return net(*args, **kwargs)
            run(nn.MaxPool2d(2, stride=0), x)
        """,
        "at": "net(*args, **kwargs)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("run(nn.MaxPool2d(2, stride=0), x)", "run(nn.AvgPool2d(2, stride=0), x)")
            ],
            "torch.nn.functional.avg_pool2d": [
                (
                    "    return net(*args, **kwargs)",
                    "    return nn.functional.avg_pool2d(*args, 2, stride=0)",
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
