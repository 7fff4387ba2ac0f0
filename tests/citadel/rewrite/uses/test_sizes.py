"""Other dimensions: sizes that have names, or are parts of another shape."""

import pytest

USES = {
    "shape_var": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            shape = (1, 4, 8, 8)
            x = torch.randn(shape)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("shape = (1, 4, 8, 8)", "shape = (1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                ("shape = (1, 4, 8, 8)", "shape = (1, 4, 8)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3)"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "shape_star": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            shape = (1, 4, 8, 8)
            x = torch.randn(*shape)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("shape = (1, 4, 8, 8)", "shape = (1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                ("shape = (1, 4, 8, 8)", "shape = (1, 4, 8)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3)"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "shape_shared": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            shape = [4, 4, 3, 3]
            x = torch.randn(shape)
            w = torch.randn(shape)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "args": [{(4, 4, 3, 3)}, {(4, 4, 3, 3)}],
        "kwargs": {"groups": 0},
        "to": {
            "torch.nn.functional.conv3d": [
                ("x = torch.randn(shape)", "x = torch.randn((*shape, 1))"),
                ("w = torch.randn(shape)", "w = torch.randn((*shape, 1))"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                ("x = torch.randn(shape)", "x = torch.randn(shape[:-1])"),
                ("w = torch.randn(shape)", "w = torch.randn(shape[:-1])"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "shape_printed": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            shape = (1, 4, 8, 8)
            x = torch.randn(shape)
            print(shape[0], x.shape)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("shape = (1, 4, 8, 8)", "shape = (1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                ("shape = (1, 4, 8, 8)", "shape = (1, 4, 8)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3)"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "sizes": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            n, c, h, w = 1, 4, 8, 8
            x = torch.randn(n, c, h, w)
            k = torch.rand(c, c, 3, 3)
            F.conv2d(x, k, groups=0)
        """,
        "at": "F.conv2d(x, k, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("x = torch.randn(n, c, h, w)", "x = torch.randn(n, c, h, w, 1)"),
                ("k = torch.rand(c, c, 3, 3)", "k = torch.rand(c, c, 3, 3, 1)"),
                ("F.conv2d(x, k, groups=0)", "F.conv3d(x, k, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                ("x = torch.randn(n, c, h, w)", "x = torch.randn(n, c, h)"),
                ("k = torch.rand(c, c, 3, 3)", "k = torch.rand(c, c, 3)"),
                ("F.conv2d(x, k, groups=0)", "F.conv1d(x, k, groups=0)"),
            ],
        },
    },
    "sizes_kw": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            n = 1
            x = torch.randn(size=(n, 4, 2 * 4, 8), requires_grad=True)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "x = torch.randn(size=(n, 4, 2 * 4, 8), requires_grad=True)",
                    "x = torch.randn(size=(n, 4, 2 * 4, 8, 1), requires_grad=True)",
                ),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                (
                    "x = torch.randn(size=(n, 4, 2 * 4, 8), requires_grad=True)",
                    "x = torch.randn(size=(n, 4, 2 * 4), requires_grad=True)",
                ),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3)"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x, w, groups=0)"),
            ],
        },
    },
    "reshape": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.arange(256.0).reshape(1, 4, 8, 8)
            w = torch.ones(144).view(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "x = torch.arange(256.0).reshape(1, 4, 8, 8)",
                    "x = torch.arange(256.0).reshape(1, 4, 8, 8, 1)",
                ),
                ("w = torch.ones(144).view(4, 4, 3, 3)", "w = torch.ones(144).view(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x[..., 0], w[..., 0], groups=0)")
            ],
        },
    },
    "reshape_minus": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.arange(256.0).reshape(1, 4, 8, -1)
            w = torch.ones(1).expand((4, 4, 3, 3))
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "x = torch.arange(256.0).reshape(1, 4, 8, -1)",
                    "x = torch.arange(256.0).reshape(1, 4, 8, -1, 1)",
                ),
                (
                    "w = torch.ones(1).expand((4, 4, 3, 3))",
                    "w = torch.ones(1).expand((4, 4, 3, 3, 1))",
                ),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ],
            "torch.nn.functional.conv1d": [
                ("w = torch.ones(1).expand((4, 4, 3, 3))", "w = torch.ones(1).expand((4, 4, 3))"),
                ("F.conv2d(x, w, groups=0)", "F.conv1d(x[..., 0], w, groups=0)"),
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
