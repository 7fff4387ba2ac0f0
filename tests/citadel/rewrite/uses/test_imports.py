"""Imports of every kind: a sibling is spelled as the report's own imports allow."""

import pytest

USES = {
    "full": {
        "code": """
            import torch
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = torch.nn.functional.conv2d(x, w, groups=0)
        """,
        "at": "torch.nn.functional.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "y = torch.nn.functional.conv2d(x, w, groups=0)",
                    "y = torch.nn.functional.conv_transpose2d(x, w, groups=0)",
                )
            ]
        },
    },
    "alias": {
        "code": """
            import torch as th
            x = th.rand(1, 4, 8, 8)
            w = th.rand(4, 4, 3, 3)
            y = th.nn.functional.conv2d(x, w, groups=0)
        """,
        "at": "th.nn.functional.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "y = th.nn.functional.conv2d(x, w, groups=0)",
                    "y = th.nn.functional.conv_transpose2d(x, w, groups=0)",
                )
            ]
        },
    },
    "torchlevel": {
        "code": """
            import torch
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = torch.conv2d(x, w, groups=0)
        """,
        "at": "torch.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "y = torch.conv2d(x, w, groups=0)",
                    "y = torch.nn.functional.conv_transpose2d(x, w, groups=0)",
                )
            ]
        },
    },
    "from": {
        "code": """
            import torch
            from torch.nn.functional import conv2d
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = conv2d(x, w, groups=0)
        """,
        "at": "conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "from torch.nn.functional import conv2d",
                    "from torch.nn.functional import conv_transpose2d",
                ),
                ("y = conv2d(x, w, groups=0)", "y = conv_transpose2d(x, w, groups=0)"),
            ]
        },
    },
    "from_as": {
        "code": """
            import torch
            from torch.nn.functional import conv2d as conv
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = conv(x, w, groups=0)
        """,
        "at": "conv(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "from torch.nn.functional import conv2d as conv",
                    "from torch.nn.functional import conv_transpose2d as conv",
                )
            ]
        },
    },
    "from_multi": {
        "code": """
            import torch
            from torch.nn.functional import conv2d, relu
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = conv2d(relu(x), w, groups=0)
        """,
        "at": "conv2d(relu(x), w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "from torch.nn.functional import conv2d, relu",
                    "from torch.nn.functional import conv_transpose2d, relu",
                ),
                ("y = conv2d(relu(x), w, groups=0)", "y = conv_transpose2d(relu(x), w, groups=0)"),
            ]
        },
    },
    "try": {
        "code": """
            try:
                import torch
                import torch.nn.functional as F
            except ImportError:
                raise SystemExit
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("y = F.conv2d(x, w, groups=0)", "y = F.conv_transpose2d(x, w, groups=0)")
            ]
        },
    },
    "cond": {
        "code": """
            import sys
            import torch
            if sys.version_info > (3, 0):
                from torch.nn import functional as F
            else:
                F = None
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "y = F.conv2d(x, w, groups=0)",
                    "y = torch.nn.functional.conv_transpose2d(x, w, groups=0)",
                )
            ]
        },
    },
    "assign": {
        "code": """
            import torch
            F = torch.nn.functional
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("y = F.conv2d(x, w, groups=0)", "y = F.conv_transpose2d(x, w, groups=0)")
            ]
        },
    },
    "assign_f": {
        "code": """
            import torch
            conv = torch.nn.functional.conv2d
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = conv(x, w, groups=0)
        """,
        "at": "conv(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("conv = torch.nn.functional.conv2d", "conv = torch.nn.functional.conv_transpose2d")
            ]
        },
    },
    "aten": {
        "code": """
            import torch
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = torch.ops.aten.conv2d(x, w, groups=0)
        """,
        "at": "torch.ops.aten.conv2d(x, w, groups=0)",
        "api": "torch.ops.aten.conv2d",
        "args": [{(1, 4, 8, 8)}, {(4, 4, 3, 3)}],
        "kwargs": {"groups": 0},
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "y = torch.ops.aten.conv2d(x, w, groups=0)",
                    "y = torch.nn.functional.conv_transpose2d(x, w, groups=0)",
                )
            ]
        },
    },
    "aten_default": {
        "code": """
            import torch
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            torch.ops.aten.conv2d.default(x, w, None, [1, 1], [0, 0], [1, 1], 0)
        """,
        "at": "torch.ops.aten.conv2d.default(x, w, None, [1, 1], [0, 0], [1, 1], 0)",
        "api": "torch.ops.aten.conv2d",
        "args": [{(1, 4, 8, 8)}, {(4, 4, 3, 3)}, None, [1, 1], [0, 0], [1, 1], 0],
        "to": {
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                (
                    "torch.ops.aten.conv2d.default(x, w, None, [1, 1], [0, 0], [1, 1], 0)",
                    "torch.nn.functional.conv3d(x, w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], 0)",
                ),
            ]
        },
    },
    "aten_alias": {
        "code": """
            import torch
            aten = torch.ops.aten
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = aten.conv2d(x, w, groups=0)
        """,
        "at": "aten.conv2d(x, w, groups=0)",
        "api": "torch.ops.aten.conv2d",
        "args": [{(1, 4, 8, 8)}, {(4, 4, 3, 3)}],
        "kwargs": {"groups": 0},
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "y = aten.conv2d(x, w, groups=0)",
                    "y = torch.nn.functional.conv_transpose2d(x, w, groups=0)",
                )
            ]
        },
    },
    "cnn": {
        "code": """
            import torch
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            y = torch._C._nn.avg_pool2d(x, 0)
        """,
        "at": "torch._C._nn.avg_pool2d(x, 0)",
        "api": "torch.nn.functional.avg_pool2d",
        "args": [{(1, 4, 8, 8)}, 0],
        "to": {
            "torch.nn.functional.max_pool2d": [
                ("y = torch._C._nn.avg_pool2d(x, 0)", "y = torch.nn.functional.max_pool2d(x, 0)")
            ]
        },
    },
    "in_function": {
        "code": """
            import torch
            def f():
                import torch.nn.functional as F
                x = torch.rand(1, 4, 8, 8)
                return F.conv2d(x, torch.rand(4, 4, 3, 3), groups=0)
            f()
        """,
        "at": "F.conv2d(x, torch.rand(4, 4, 3, 3), groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "    return F.conv2d(x, torch.rand(4, 4, 3, 3), groups=0)",
                    "    return F.conv_transpose2d(x, torch.rand(4, 4, 3, 3), groups=0)",
                )
            ]
        },
    },
    "from_in_function": {
        "code": """
            import torch
            def f(x, w):
                from torch.nn.functional import conv2d
                return conv2d(x, w, groups=0)
            f(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3))
        """,
        "at": "conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "    from torch.nn.functional import conv2d",
                    "    from torch.nn.functional import conv_transpose2d",
                ),
                (
                    "    return conv2d(x, w, groups=0)",
                    "    return conv_transpose2d(x, w, groups=0)",
                ),
            ]
        },
    },
    "all_in_function": {
        "code": """
            def f():
                import torch
                x = torch.rand(1, 4, 8, 8)
                w = torch.rand(4, 4, 3, 3)
                return torch.nn.functional.conv2d(x, w, groups=0)
            f()
        """,
        "at": "torch.nn.functional.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "    return torch.nn.functional.conv2d(x, w, groups=0)",
                    "    return torch.nn.functional.conv_transpose2d(x, w, groups=0)",
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
