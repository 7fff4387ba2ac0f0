"""Functions in the place of layers that others call: a class of the case's own stands in."""

import pytest


def stand_in(name, base, body):
    """A class with empty lines around it."""
    return f"\n\nclass {name}({base}):\n    def forward(self, x):\n        return {body}\n\n\n"


AVERAGED = stand_in("AvgPool2d", "nn.Module", "nn.functional.avg_pool2d(x, 2, stride=0)")
POOL = {
    "api": "torch.nn.MaxPool2d",
    "form": "inner",
    "built": ("nn.MaxPool2d(2, stride=0)", 2, {"stride": 0}),
}
USES = {
    "sequential": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            net = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2, stride=0), nn.Flatten())
            net(x)
        """,
        "at": "net(x)",
        **POOL,
        "to": {
            "torch.nn.functional.avg_pool2d": [
                (
                    "net = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2, stride=0), nn.Flatten())",
                    AVERAGED + "net = nn.Sequential(nn.ReLU(), AvgPool2d(), nn.Flatten())",
                )
            ]
        },
    },
    "sequential_in_module": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)

            # What the report is about.
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.body = nn.Sequential(
                        nn.ReLU(),
                        nn.MaxPool2d(2, stride=0),
                    )

                def forward(self, x):
                    return self.body(x)

            Net()(x)
        """,
        "at": "self.body(x)",
        **POOL,
        "to": {
            "torch.nn.functional.avg_pool2d": [
                (
                    "\n# What the report is about.",
                    AVERAGED[:-1] + "\n# What the report is about.",
                ),
                ("            nn.MaxPool2d(2, stride=0),", "            AvgPool2d(),"),
            ]
        },
    },
    "list": {
        "code": """
            import torch
            from torch import nn
            x = torch.rand(1, 4, 8, 8)
            for layer in [nn.ReLU(), nn.MaxPool2d(2, stride=0)]:
                x = layer(x)
        """,
        "at": "layer(x)",
        **POOL,
        "form": "module",
        "args": [{(1, 4, 8, 8)}],
        "to": {
            "torch.nn.functional.avg_pool2d": [
                (
                    "for layer in [nn.ReLU(), nn.MaxPool2d(2, stride=0)]:",
                    AVERAGED + "for layer in [nn.ReLU(), AvgPool2d()]:",
                )
            ]
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
