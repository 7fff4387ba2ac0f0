"""Other dimensions: tensors that come from parameters, attributes, branches and loops."""

import pytest

USES = {
    "chain": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            x = x.double()
            x = x.float() * 2 - 1
            x.requires_grad_()
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
            ]
        },
    },
    "harmless": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            print(x.shape, w.dtype)
            y = F.conv2d(x, w, groups=0)
            print(y.shape == x.shape)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("y = F.conv2d(x, w, groups=0)", "y = F.conv3d(x, w, groups=0)"),
            ]
        },
    },
    "elsewhere": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            print(F.conv2d(x, w, groups=1))
            y = F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "y = F.conv2d(x, w, groups=0)",
                    "y = F.conv3d(x.unsqueeze(-1), w.unsqueeze(-1), groups=0)",
                )
            ]
        },
    },
    "param": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            def run(x, w):
                print(x.dtype)
                return F.conv2d(x, w, groups=0)
            run(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3))
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("    return F.conv2d(x, w, groups=0)", "    return F.conv3d(x, w, groups=0)"),
                (
                    "run(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3))",
                    "run(torch.rand(1, 4, 8, 8, 1), torch.rand(4, 4, 3, 3, 1))",
                ),
            ]
        },
    },
    "param_var": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            def run(x, weight=None):
                return F.conv2d(x, weight, groups=0)
            x = torch.rand(1, 4, 8, 8)
            run(x, weight=torch.rand(4, 4, 3, 3))
        """,
        "at": "F.conv2d(x, weight, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "    return F.conv2d(x, weight, groups=0)",
                    "    return F.conv3d(x, weight, groups=0)",
                ),
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                (
                    "run(x, weight=torch.rand(4, 4, 3, 3))",
                    "run(x, weight=torch.rand(4, 4, 3, 3, 1))",
                ),
            ]
        },
    },
    "param_shape": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            def make(shape):
                return torch.rand(shape)
            x = make((1, 4, 8, 8))
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("x = make((1, 4, 8, 8))", "x = make((1, 4, 8, 8, 1))"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ]
        },
    },
    "param_sizes": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            def run(n, c):
                x = torch.rand(n, c, 8, 8)
                w = torch.rand(c, c, 3, 3)
                return F.conv2d(x, w, groups=0)
            run(1, 4)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("    x = torch.rand(n, c, 8, 8)", "    x = torch.rand(n, c, 8, 8, 1)"),
                ("    w = torch.rand(c, c, 3, 3)", "    w = torch.rand(c, c, 3, 3, 1)"),
                ("    return F.conv2d(x, w, groups=0)", "    return F.conv3d(x, w, groups=0)"),
            ]
        },
    },
    "like": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x = torch.rand(4, 4, 8, 8)
            w = torch.ones_like(x)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "args": [{(4, 4, 8, 8)}, {(4, 4, 8, 8)}],
        "kwargs": {"groups": 0},
        "to": {
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(4, 4, 8, 8)", "x = torch.rand(4, 4, 8, 8, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ]
        },
    },
    "tuple": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            x, w = torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "x, w = torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3)",
                    "x, w = torch.rand(1, 4, 8, 8, 1), torch.rand(4, 4, 3, 3, 1)",
                ),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ]
        },
    },
    "self": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.w = nn.Parameter(torch.rand(4, 4, 3, 3))
                def forward(self, x):
                    return F.conv2d(x, self.w, groups=0)
            Net()(torch.rand(1, 4, 8, 8))
        """,
        "at": "F.conv2d(x, self.w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                (
                    "        self.w = nn.Parameter(torch.rand(4, 4, 3, 3))",
                    "        self.w = nn.Parameter(torch.rand(4, 4, 3, 3, 1))",
                ),
                (
                    "        return F.conv2d(x, self.w, groups=0)",
                    "        return F.conv3d(x, self.w, groups=0)",
                ),
                ("Net()(torch.rand(1, 4, 8, 8))", "Net()(torch.rand(1, 4, 8, 8, 1))"),
            ]
        },
    },
    "loop": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            for g in (1, 0):
                x = torch.rand(1, 4, 8, 8)
                w = torch.rand(4, 4, 3, 3)
                F.conv2d(x, w, groups=g)
        """,
        "at": "F.conv2d(x, w, groups=g)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("    x = torch.rand(1, 4, 8, 8)", "    x = torch.rand(1, 4, 8, 8, 1)"),
                ("    w = torch.rand(4, 4, 3, 3)", "    w = torch.rand(4, 4, 3, 3, 1)"),
                ("    F.conv2d(x, w, groups=g)", "    F.conv3d(x, w, groups=g)"),
            ]
        },
    },
    "if": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            if True:
                x = torch.rand(1, 4, 8, 8)
            else:
                x = torch.rand(2, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x.unsqueeze(-1), w, groups=0)"),
            ]
        },
    },
    "const": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            N, C = 1, 4
            SIZE = (N, C, 8, 8)
            x = torch.rand(SIZE)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(x, w, groups=0)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("SIZE = (N, C, 8, 8)", "SIZE = (N, C, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, groups=0)", "F.conv3d(x, w, groups=0)"),
            ]
        },
    },
    "default": {
        "code": """
            import torch
            import torch.nn as nn
            import torch.nn.functional as F
            def run(shape=(1, 4, 8, 8)):
                return F.conv2d(torch.rand(shape), torch.rand(4, 4, 3, 3), groups=0)
            run()
        """,
        "at": "F.conv2d(torch.rand(shape), torch.rand(4, 4, 3, 3), groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv3d": [
                ("def run(shape=(1, 4, 8, 8)):", "def run(shape=(1, 4, 8, 8, 1)):"),
                (
                    "    return F.conv2d(torch.rand(shape), torch.rand(4, 4, 3, 3), groups=0)",
                    "    return F.conv3d(torch.rand(shape), torch.rand(4, 4, 3, 3, 1), groups=0)",
                ),
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
