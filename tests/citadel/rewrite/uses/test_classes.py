"""Layers inside others: in the report's own classes, in containers; classes made of them."""

import pytest

USES = {
    "subclass": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.pool = nn.MaxPool2d(2, stride=0)

                def forward(self, x):
                    return self.pool(x).relu()

            net = Net()
            net(x)
        """,
        "at": "self.pool(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                (
                    "        self.pool = nn.MaxPool2d(2, stride=0)",
                    "        self.pool = nn.AvgPool2d(2, stride=0)",
                )
            ],
            "torch.nn.functional.avg_pool2d": [
                (
                    "        return self.pool(x).relu()",
                    "        return nn.functional.avg_pool2d(x, 2, stride=0).relu()",
                )
            ],
        },
    },
    "sequential": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            net = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2, stride=0), nn.Flatten())
            net(x)
        """,
        "at": "net(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "inner",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                (
                    "net = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2, stride=0), nn.Flatten())",
                    "net = nn.Sequential(nn.ReLU(), nn.AvgPool2d(2, stride=0), nn.Flatten())",
                )
            ]
        },
    },
    "sequential_in_module": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            class Net(nn.Module):
                def __init__(self):
                    super(Net, self).__init__()
                    self.body = nn.Sequential(
                        nn.ReLU(),
                        nn.MaxPool2d(2, stride=0),
                    )

                def forward(self, x):
                    return self.body(x)

            Net()(x)
        """,
        "at": "self.body(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "inner",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("            nn.MaxPool2d(2, stride=0),", "            nn.AvgPool2d(2, stride=0),")
            ]
        },
    },
    "modulelist": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            layers = nn.ModuleList([nn.ReLU(), nn.MaxPool2d(2, stride=0)])
            for layer in layers:
                x = layer(x)
        """,
        "at": "layer(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                (
                    "layers = nn.ModuleList([nn.ReLU(), nn.MaxPool2d(2, stride=0)])",
                    "layers = nn.ModuleList([nn.ReLU(), nn.AvgPool2d(2, stride=0)])",
                )
            ],
            "torch.nn.functional.avg_pool2d": [
                (
                    "layers = nn.ModuleList([nn.ReLU(), nn.MaxPool2d(2, stride=0)])",
                    "\n\nclass AvgPool2d(nn.Module):\n    def forward(self, x):\n"
                    "        return nn.functional.avg_pool2d(x, 2, stride=0)\n\n\n"
                    "layers = nn.ModuleList([nn.ReLU(), AvgPool2d()])",
                )
            ],
        },
    },
    "moduledict": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            layers = nn.ModuleDict({'act': nn.ReLU(), 'pool': nn.MaxPool2d(2, stride=0)})
            layers['pool'](x)
        """,
        "at": "layers['pool'](x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                (
                    "layers = nn.ModuleDict({'act': nn.ReLU(), 'pool': nn.MaxPool2d(2, stride=0)})",
                    "layers = nn.ModuleDict({'act': nn.ReLU(), 'pool': nn.AvgPool2d(2, stride=0)})",
                )
            ],
            "torch.nn.functional.avg_pool2d": [
                ("layers['pool'](x)", "nn.functional.avg_pool2d(x, 2, stride=0)")
            ],
        },
    },
    "sub_own": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            class Pool(nn.MaxPool2d):
                pass
            Pool(2, stride=0)(x)
        """,
        "at": "Pool(2, stride=0)(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("Pool(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [("class Pool(nn.MaxPool2d):", "class Pool(nn.AvgPool2d):")],
            "torch.nn.functional.avg_pool2d": [
                ("Pool(2, stride=0)(x)", "nn.functional.avg_pool2d(x, 2, stride=0)")
            ],
        },
    },
    "sub_init": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            class Pool(nn.MaxPool2d):
                def __init__(self):
                    super().__init__(2, stride=0)
            pool = Pool()
            pool(x)
        """,
        "at": "pool(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("super().__init__(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [("class Pool(nn.MaxPool2d):", "class Pool(nn.AvgPool2d):")],
            "torch.nn.functional.avg_pool2d": [
                ("pool(x)", "nn.functional.avg_pool2d(x, 2, stride=0)")
            ],
        },
    },
    "sub_ctor": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            class Conv(nn.Conv2d):
                def __init__(self, n):
                    super().__init__(n, n, 3, groups=0)
            Conv(4)(x)
        """,
        "at": "super().__init__(n, n, 3, groups=0)",
        "api": "torch.nn.Conv2d",
        "form": "class",
        "args": [4, 4, 3],
        "kwargs": {"groups": 0},
        "to": {
            "torch.nn.ConvTranspose2d": [
                ("class Conv(nn.Conv2d):", "class Conv(nn.ConvTranspose2d):")
            ],
            "torch.nn.Conv3d": [("class Conv(nn.Conv2d):", "class Conv(nn.Conv3d):")],
        },
    },
    "sub_fwd": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            class Pool(nn.MaxPool2d):
                def forward(self, x):
                    return super().forward(x) + 1
            Pool(2, stride=0)(x)
        """,
        "at": "super().forward(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("Pool(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [("class Pool(nn.MaxPool2d):", "class Pool(nn.AvgPool2d):")],
            "torch.nn.functional.avg_pool2d": [
                (
                    "        return super().forward(x) + 1",
                    "        return nn.functional.avg_pool2d(x, 2, stride=0) + 1",
                )
            ],
        },
    },
    "self_functional": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            import torch.nn.functional as F
            class Net(nn.Module):
                def forward(self, x):
                    return F.max_pool2d(x, 2, stride=0)
            Net()(x)
        """,
        "at": "F.max_pool2d(x, 2, stride=0)",
        "api": "torch.nn.functional.max_pool2d",
        "args": [{(1, 4, 8, 8)}, 2],
        "kwargs": {"stride": 0},
        "to": {
            "torch.nn.AvgPool2d": [
                (
                    "        return F.max_pool2d(x, 2, stride=0)",
                    "        return nn.AvgPool2d(2, stride=0)(x)",
                )
            ],
            "torch.nn.functional.avg_pool2d": [
                (
                    "        return F.max_pool2d(x, 2, stride=0)",
                    "        return F.avg_pool2d(x, 2, stride=0)",
                )
            ],
        },
    },
    "model_attr": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            class Net(nn.Module):
                pool = nn.MaxPool2d(2, stride=0)
                def forward(self, x):
                    return self.pool(x)
            Net()(x)
        """,
        "at": "self.pool(x)",
        "api": "torch.nn.MaxPool2d",
        "form": "module",
        "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
        "to": {
            "torch.nn.AvgPool2d": [
                ("    pool = nn.MaxPool2d(2, stride=0)", "    pool = nn.AvgPool2d(2, stride=0)")
            ],
            "torch.nn.functional.avg_pool2d": [
                ("    pool = nn.MaxPool2d(2, stride=0)", ""),
                (
                    "        return self.pool(x)",
                    "        return nn.functional.avg_pool2d(x, 2, stride=0)",
                ),
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
