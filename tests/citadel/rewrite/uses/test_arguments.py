"""Arguments of every kind: stars, keywords, in several lines, assigned on the way."""

import pytest

USES = {
    "star": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            pair = (x, w)
            F.conv2d(*pair, groups=0)
        """,
        "at": "F.conv2d(*pair, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("F.conv2d(*pair, groups=0)", "F.conv_transpose2d(*pair, groups=0)")
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(*pair, groups=0)", "F.conv3d(*pair, groups=0)"),
            ],
        },
    },
    "starkw": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            kw = dict(groups=0)
            F.conv2d(x, w, **kw)
        """,
        "at": "F.conv2d(x, w, **kw)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("F.conv2d(x, w, **kw)", "F.conv_transpose2d(x, w, **kw)")
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(x, w, **kw)", "F.conv3d(x, w, **kw)"),
            ],
        },
    },
    "starkw2": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            kw = {'stride': (1, 1), 'groups': 0}
            F.conv2d(x, w, **kw)
        """,
        "at": "F.conv2d(x, w, **kw)",
        "api": "torch.nn.functional.conv2d",
        "args": [{(1, 4, 8, 8)}, {(4, 4, 3, 3)}],
        "kwargs": {
            "stride": (
                1,
                1,
            ),
            "groups": 0,
        },
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("F.conv2d(x, w, **kw)", "F.conv_transpose2d(x, w, **kw)")
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("kw = {'stride': (1, 1), 'groups': 0}", "kw = {'stride': (1, 1, 1), 'groups': 0}"),
                ("F.conv2d(x, w, **kw)", "F.conv3d(x, w, **kw)"),
            ],
        },
    },
    "starboth": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            args = [x, w]
            kw = {'groups': 0}
            F.conv2d(*args, **kw)
        """,
        "at": "F.conv2d(*args, **kw)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                ("F.conv2d(*args, **kw)", "F.conv_transpose2d(*args, **kw)")
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(*args, **kw)", "F.conv3d(*args, **kw)"),
            ],
        },
    },
    "sizes": {
        "code": """
            import torch
            x = torch.ones(2, -3, dtype=torch.half)
        """,
        "at": "torch.ones(2, -3, dtype=torch.half)",
        "api": "torch.ones",
        "args": [2, -3],
        "kwargs": {"dtype": "torch.half"},
        "to": {
            "torch.rand": [
                (
                    "x = torch.ones(2, -3, dtype=torch.half)",
                    "x = torch.rand(2, -3, dtype=torch.half)",
                )
            ]
        },
    },
    "sizes_of_a_method": {
        "code": """
            import torch
            x = torch.arange(6.)
            y = x.view(-1,  4)
        """,
        "at": "x.view(-1,  4)",
        "api": "torch.Tensor.view",
        "form": "method",
        "receiver": {(6,)},
        "args": [-1, 4],
        "to": {
            "torch.reshape": [("y = x.view(-1,  4)", "y = torch.reshape(x, [-1, 4])")],
            "torch.Tensor.reshape": [("y = x.view(-1,  4)", "y = x.reshape(-1,  4)")],
        },
    },
    "walrus": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            if (y := F.conv2d(x, w, groups=0)) is not None:
                print(y)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "if (y := F.conv2d(x, w, groups=0)) is not None:",
                    "if (y := F.conv_transpose2d(x, w, groups=0)) is not None:",
                )
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                (
                    "if (y := F.conv2d(x, w, groups=0)) is not None:",
                    "if (y := F.conv3d(x, w, groups=0)) is not None:",
                ),
            ],
        },
    },
    "walrus_arg": {
        "code": """
            import torch
            x = torch.tensor([1j, 2.5])
            print(torch.floor(y := x + 1), y)
        """,
        "at": "torch.floor(y := x + 1)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [
                ("print(torch.floor(y := x + 1), y)", "print(torch.ceil(y := x + 1), y)")
            ],
            "torch.Tensor.ceil": [
                ("print(torch.floor(y := x + 1), y)", "print((y := x + 1).ceil(), y)")
            ],
        },
    },
    "several": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            a = F.conv2d(x, w, groups=1)
            b = F.conv2d(x, w, groups=0)  # fails
            c = F.conv2d(x, w)
        """,
        "at": "F.conv2d(x, w, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "b = F.conv2d(x, w, groups=0)  # fails",
                    "b = F.conv_transpose2d(x, w, groups=0)  # fails",
                )
            ],
            "torch.nn.functional.conv3d": [
                (
                    "b = F.conv2d(x, w, groups=0)  # fails",
                    "b = F.conv3d(x.unsqueeze(-1), w.unsqueeze(-1), groups=0)  # fails",
                )
            ],
        },
    },
    "multi_line": {
        "code": """
            import torch
            import torch.nn.functional as F
            y = F.conv2d(
                torch.rand(1, 4, 8, 8),  # input
                torch.rand(4, 4, 3, 3),
                groups=0,
            )
        """,
        "at": "F.conv2d(",
        "api": "torch.nn.functional.conv2d",
        "to": {
            "torch.nn.functional.conv_transpose2d": [("y = F.conv2d(", "y = F.conv_transpose2d(")],
            "torch.nn.functional.conv3d": [
                ("y = F.conv2d(", "y = F.conv3d("),
                ("    torch.rand(1, 4, 8, 8),  # input", "    torch.rand(1, 4, 8, 8, 1),  # input"),
                ("    torch.rand(4, 4, 3, 3),", "    torch.rand(4, 4, 3, 3, 1),"),
            ],
        },
    },
    "kwonly": {
        "code": """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
            F.conv2d(weight=w, input=x, groups=0)
        """,
        "at": "F.conv2d(weight=w, input=x, groups=0)",
        "api": "torch.nn.functional.conv2d",
        "args": [],
        "kwargs": {"weight": {(4, 4, 3, 3)}, "input": {(1, 4, 8, 8)}, "groups": 0},
        "to": {
            "torch.nn.functional.conv_transpose2d": [
                (
                    "F.conv2d(weight=w, input=x, groups=0)",
                    "F.conv_transpose2d(weight=w, input=x, groups=0)",
                )
            ],
            "torch.nn.functional.conv3d": [
                ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
                ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
                ("F.conv2d(weight=w, input=x, groups=0)", "F.conv3d(weight=w, input=x, groups=0)"),
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
