"""Other dimensions: sizes are changed where they are written, else at the call."""

import pytest

USES = {
    "plain": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3)"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "numpy": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            import numpy as np
            x = torch.from_numpy(np.random.rand(1, 4, 8, 8).astype(np.float32))
            w = torch.tensor(np.ones((4, 4, 3, 3), dtype=np.float32))
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "x = torch.from_numpy(np.random.rand(1, 4, 8, 8).astype(np.float32))",
                    "x = torch.from_numpy(np.random.rand(1, 4, 8, 8, 1).astype(np.float32))",
                ),
                (
                    "w = torch.tensor(np.ones((4, 4, 3, 3), dtype=np.float32))",
                    "w = torch.tensor(np.ones((4, 4, 3, 3, 1), dtype=np.float32))",
                ),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                (
                    "x = torch.from_numpy(np.random.rand(1, 4, 8, 8).astype(np.float32))",
                    "x = torch.from_numpy(np.random.rand(1, 4, 8).astype(np.float32))",
                ),
                (
                    "w = torch.tensor(np.ones((4, 4, 3, 3), dtype=np.float32))",
                    "w = torch.tensor(np.ones((4, 4, 3), dtype=np.float32))",
                ),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "numpy_steps": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            import numpy as np
            a = np.zeros((1, 4, 8, 8), dtype='float32')
            x = torch.from_numpy(a)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "a = np.zeros((1, 4, 8, 8), dtype='float32')",
                    "a = np.zeros((1, 4, 8, 8, 1), dtype='float32')",
                ),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                (
                    "a = np.zeros((1, 4, 8, 8), dtype='float32')",
                    "a = np.zeros((1, 4, 8), dtype='float32')",
                ),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3)"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "nested": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
            w = torch.tensor([[[[1.0]]]])
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "args": [{(1, 1, 2, 2)}, {(1, 1, 1, 1)}],
        "kwargs": {"groups": 0},
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "x = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])",
                    "x = torch.tensor([[[[[1.0], [2.0]], [[3.0], [4.0]]]]])",
                ),
                ("w = torch.tensor([[[[1.0]]]])", "w = torch.tensor([[[[[1.0]]]]])"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                (
                    "x = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])",
                    "x = torch.tensor([[[1.0, 3.0]]])",
                ),
                ("w = torch.tensor([[[[1.0]]]])", "w = torch.tensor([[[1.0]]])"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "inline": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            F.conv2d(torch.randn(1, 4, 8, 8), torch.randn(4, 4, 3, 3), groups=0)
        """,
        "at": "F.conv2d(torch.randn(1, 4, 8, 8), torch.randn(4, 4, 3, 3), groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "F.conv2d(torch.randn(1, 4, 8, 8), torch.randn(4, 4, 3, 3), groups=0)",
                    "F.conv3d(torch.randn(1, 4, 8, 8, 1), torch.randn(4, 4, 3, 3, 1), groups=0)",
                )
            ],
            "torch.nn.functional.conv1d": [
                (
                    "F.conv2d(torch.randn(1, 4, 8, 8), torch.randn(4, 4, 3, 3), groups=0)",
                    "F.conv1d(torch.randn(1, 4, 8), torch.randn(4, 4, 3), groups=0)",
                )
            ],
        },
    },
    "inline_kw": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            g = {"groups": 0}
            F.conv2d(input=torch.rand(1, 4, 8, 8), weight=torch.rand(4, 4, 3, 3), **g)
        """,
        "at": "F.conv2d(input",
        "api": "torch.nn.functional.conv2d",
        "args": [],
        "kwargs": {"input": {(1, 4, 8, 8)}, "weight": {(4, 4, 3, 3)}, "groups": 0},
        "to": {
            "torch.nn.functional.conv1d": [
                (
                    "F.conv2d(input=torch.rand(1, 4, 8, 8), weight=torch.rand(4, 4, 3, 3), **g)",
                    "F.conv1d(input=torch.rand(1, 4, 8), weight=torch.rand(4, 4, 3), **g)",
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
