"""Other dimensions: the sizes of kernels and of layers."""

import pytest

USES = {
    "layer": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            pool = nn.AvgPool2d((2, 2), stride=(0, 0))
            x = torch.rand(1, 4, 8, 8)
            pool(x)
        """,
        "at": "pool(x)",
        "api": "torch.nn.AvgPool2d",
        "form": "module",
        "built": (
            "nn.AvgPool2d((2, 2), stride=(0, 0))",
            (
                2,
                2,
            ),
            {
                "stride": (
                    0,
                    0,
                )
            },
        ),
        "to": {
            "torch.nn.AvgPool3d": [
                (
                    "pool = nn.AvgPool2d((2, 2), stride=(0, 0))",
                    "pool = nn.AvgPool3d((2, 2, 2), stride=(0, 0, 0))",
                ),
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
            ],
            "torch.nn.AvgPool1d": [
                (
                    "pool = nn.AvgPool2d((2, 2), stride=(0, 0))",
                    "pool = nn.AvgPool1d((2,), stride=(0,))",
                ),
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8)"),
            ],
        },
    },
    "layer_net": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self, k):
                    super().__init__()
                    self.pool = nn.AvgPool2d(kernel_size=k, stride=(0, 0))
                def forward(self, x):
                    return self.pool(x)
            Net((2, 2))(torch.rand(1, 4, 8, 8))
        """,
        "at": "self.pool(x)",
        "api": "torch.nn.AvgPool2d",
        "form": "module",
        "built": (
            "nn.AvgPool2d(kernel_size=k, stride=(0, 0))",
            {
                "kernel_size": (
                    2,
                    2,
                ),
                "stride": (
                    0,
                    0,
                ),
            },
        ),
        "to": {
            "torch.nn.AvgPool3d": [
                (
                    "        self.pool = nn.AvgPool2d(kernel_size=k, stride=(0, 0))",
                    "        self.pool = nn.AvgPool3d(kernel_size=k, stride=(0, 0, 0))",
                ),
                (
                    "Net((2, 2))(torch.rand(1, 4, 8, 8))",
                    "Net((2, 2, 2))(torch.rand(1, 4, 8, 8, 1))",
                ),
            ],
            "torch.nn.AvgPool1d": [
                (
                    "        self.pool = nn.AvgPool2d(kernel_size=k, stride=(0, 0))",
                    "        self.pool = nn.AvgPool1d(kernel_size=k, stride=(0,))",
                ),
                ("Net((2, 2))(torch.rand(1, 4, 8, 8))", "Net((2,))(torch.rand(1, 4, 8))"),
            ],
        },
    },
    "kernel_var": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            k = (2, 2)
            stride = [0, 0]
            x = torch.rand(1, 4, 8, 8)
            F.avg_pool2d(x, k, stride)
        """,
        "at": "F.avg_pool2d(x, k, stride)",
        "api": "torch.nn.functional.avg_pool2d",
        "args": [
            {(1, 4, 8, 8)},
            (
                2,
                2,
            ),
            [0, 0],
        ],
        "to": {
            "torch.nn.functional.avg_pool1d": [
                ("k = (2, 2)", "k = (2,)"),
                ("stride = [0, 0]", "stride = [0]"),
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8)"),
                ("F.avg_pool2d(x, k, stride)", "F.avg_pool1d(x, k, stride)"),
            ],
            "torch.nn.AvgPool3d": [
                ("k = (2, 2)", "k = (2, 2, 2)"),
                ("stride = [0, 0]", "stride = [0, 0, 0]"),
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("F.avg_pool2d(x, k, stride)", "nn.AvgPool3d(k, stride)(x)"),
            ],
        },
    },
    "kernel_pair": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            k = 2
            x = torch.rand(1, 4, 8, 8)
            F.avg_pool2d(x, (k, k), (0, 0))
        """,
        "at": "F.avg_pool2d(x, (k, k), (0, 0))",
        "api": "torch.nn.functional.avg_pool2d",
        "args": [
            {(1, 4, 8, 8)},
            (
                2,
                2,
            ),
            (
                0,
                0,
            ),
        ],
        "to": {
            "torch.nn.functional.avg_pool1d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8)"),
                ("F.avg_pool2d(x, (k, k), (0, 0))", "F.avg_pool1d(x, (k,), (0,))"),
            ],
            "torch.nn.AvgPool3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("F.avg_pool2d(x, (k, k), (0, 0))", "nn.AvgPool3d((k, k, k), (0, 0, 0))(x)"),
            ],
        },
    },
    "kernel_mult": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            k = 2
            x = torch.rand(1, 4, 8, 8)
            F.avg_pool2d(x, (k,) * 2, [0] * 2)
        """,
        "at": "F.avg_pool2d(x, (k,) * 2, [0] * 2)",
        "api": "torch.nn.functional.avg_pool2d",
        "args": [
            {(1, 4, 8, 8)},
            (
                2,
                2,
            ),
            [0, 0],
        ],
        "to": {
            "torch.nn.functional.avg_pool1d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8)"),
                ("F.avg_pool2d(x, (k,) * 2, [0] * 2)", "F.avg_pool1d(x, (k,) * 1, [0] * 1)"),
            ]
        },
    },
    "kernel_shared": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            k = (2, 2)
            x = torch.rand(1, 4, 8, 8)
            print(k)
            F.avg_pool2d(x, k, (0, 0))
            F.avg_pool2d(x, k)
        """,
        "at": "F.avg_pool2d(x, k, (0, 0))",
        "api": "torch.nn.functional.avg_pool2d",
        "args": [
            {(1, 4, 8, 8)},
            (
                2,
                2,
            ),
            (
                0,
                0,
            ),
        ],
        "to": {
            "torch.nn.functional.avg_pool1d": [
                ("F.avg_pool2d(x, k, (0, 0))", "F.avg_pool1d(x[..., 0], (2,), (0,))")
            ]
        },
    },
    "kernel_kwargs": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            cfg = dict(kernel_size=(2, 2), stride=(0, 0))
            F.avg_pool2d(torch.rand(1, 4, 8, 8), **cfg)
        """,
        "at": "F.avg_pool2d(torch.rand(1, 4, 8, 8), **cfg)",
        "api": "torch.nn.functional.avg_pool2d",
        "args": [{(1, 4, 8, 8)}],
        "kwargs": {
            "kernel_size": (
                2,
                2,
            ),
            "stride": (
                0,
                0,
            ),
        },
        "to": {
            "torch.nn.functional.avg_pool1d": [
                (
                    "cfg = dict(kernel_size=(2, 2), stride=(0, 0))",
                    "cfg = dict(kernel_size=(2,), stride=(0,))",
                ),
                (
                    "F.avg_pool2d(torch.rand(1, 4, 8, 8), **cfg)",
                    "F.avg_pool1d(torch.rand(1, 4, 8), **cfg)",
                ),
            ]
        },
    },
    "seq": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            net = nn.Sequential(nn.ReLU(), nn.AvgPool2d((2, 2), stride=(0, 0)))
            net(torch.rand(1, 4, 8, 8))
        """,
        "at": "net(torch.rand(1, 4, 8, 8))",
        "api": "torch.nn.AvgPool2d",
        "form": "inner",
        "built": (
            "nn.AvgPool2d((2, 2), stride=(0, 0))",
            (
                2,
                2,
            ),
            {
                "stride": (
                    0,
                    0,
                )
            },
        ),
        "to": {
            "torch.nn.AvgPool3d": [
                (
                    "net = nn.Sequential(nn.ReLU(), nn.AvgPool2d((2, 2), stride=(0, 0)))",
                    "net = nn.Sequential(nn.ReLU(), nn.AvgPool3d((2, 2, 2), stride=(0, 0, 0)))",
                ),
                ("net(torch.rand(1, 4, 8, 8))", "net(torch.rand(1, 4, 8, 8, 1))"),
            ],
            "torch.nn.AvgPool1d": [
                (
                    "net = nn.Sequential(nn.ReLU(), nn.AvgPool2d((2, 2), stride=(0, 0)))",
                    "net = nn.Sequential(nn.ReLU(), nn.AvgPool1d((2,), stride=(0,)))",
                ),
                ("net(torch.rand(1, 4, 8, 8))", "net(torch.rand(1, 4, 8))"),
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
