"""The API under other names: bound late, a default, an attribute, a method of one object."""

import pytest

COMPLEX = """
            import torch
            x = torch.tensor([1j, 2.5])
"""
CONV = """
            import torch
            import torch.nn.functional as F
            x = torch.rand(1, 4, 8, 8)
            w = torch.rand(4, 4, 3, 3)
"""
LIFTED = [
    ("x = torch.rand(1, 4, 8, 8)", "x = torch.rand(1, 4, 8, 8, 1)"),
    ("w = torch.rand(4, 4, 3, 3)", "w = torch.rand(4, 4, 3, 3, 1)"),
]


def convolved(code, at, line):
    """A use of `F.conv2d` and the one line that names it."""
    others = {
        name: [*more, (line, line.replace("F.conv2d", f"F.{name}"))]
        for name, more in (("conv_transpose2d", ()), ("conv3d", LIFTED))
    }
    to = {f"torch.nn.functional.{name}": lines for name, lines in others.items()}
    return {"code": CONV + code, "at": at, "api": "torch.nn.functional.conv2d", "to": to}


def floored(code, at, line):
    """The same for `torch.floor` of a complex tensor."""
    to = {
        name: [(line, line.replace("torch.floor", name))]
        for name in ("torch.ceil", "torch.Tensor.ceil")
    }
    return {"code": COMPLEX + code, "at": at, "api": "torch.floor", "to": to}


USES = {
    "late": convolved(
        """
            g = 0
            conv = F.conv2d
            conv(x, w, groups=g)
        """,
        "conv(x, w, groups=g)",
        "conv = F.conv2d",
    ),
    "late_in_function": convolved(
        """
            def run(t):
                conv = F.conv2d
                return conv(t, w, groups=0)
            run(x)
        """,
        "conv(t, w, groups=0)",
        "    conv = F.conv2d",
    ),
    "attribute": convolved(
        """
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.conv = F.conv2d
                def forward(self, t):
                    return self.conv(t, w, groups=0)
            Net()(x)
        """,
        "self.conv(t, w, groups=0)",
        "        self.conv = F.conv2d",
    ),
    "default": convolved(
        """
            def run(t, conv=F.conv2d):
                return conv(t, w, groups=0)
            run(x)
        """,
        "conv(t, w, groups=0)",
        "def run(t, conv=F.conv2d):",
    ),
    "partial_attribute": convolved(
        """
            from functools import partial
            class Net:
                def __init__(self):
                    self.conv = partial(F.conv2d, groups=0)
                def run(self):
                    return self.conv(x, w)
            Net().run()
        """,
        "self.conv(x, w)",
        "        self.conv = partial(F.conv2d, groups=0)",
    ),
    "decorated": convolved(
        """
            def twice(function):
                return lambda *args: function(function(*args), *args[1:])
            @twice
            def run(t, k):
                return F.conv2d(t, k, groups=0)
            run(x, w)
        """,
        "F.conv2d(t, k, groups=0)",
        "    return F.conv2d(t, k, groups=0)",
    ),
    "static": floored(
        """
            class Net:
                act = staticmethod(torch.floor)
            Net().act(x)
        """,
        "Net().act(x)",
        "    act = staticmethod(torch.floor)",
    ),
    "filled_dict": floored(
        """
            ops = {}
            ops['act'] = torch.floor
            for name, op in ops.items():
                print(name, op(x))
        """,
        "op(x)",
        "ops['act'] = torch.floor",
    ),
    "keyword": floored(
        """
            def run(op=None, t=None):
                return op(t)
            run(op=torch.floor, t=x)
        """,
        "op(t)",
        "run(op=torch.floor, t=x)",
    ),
    "zipped": floored(
        """
            for op, t in zip([torch.abs, torch.floor], [x, x]):
                op(t)
        """,
        "op(t)",
        "for op, t in zip([torch.abs, torch.floor], [x, x]):",
    ),
    "chosen": floored(
        """
            op = torch.floor if x.is_complex() else torch.abs
            op(x)
        """,
        "op(x)",
        "op = torch.floor if x.is_complex() else torch.abs",
    ),
    "made": {
        "code": COMPLEX
        + """
            def make():
                return [torch.floor]
            make()[0](x)
        """,
        "at": "make()[0](x)",
        "api": "torch.floor",
        "to": {
            "torch.ceil": [("    return [torch.floor]", "    return [torch.ceil]")],
            "torch.Tensor.ceil": [("    return [torch.floor]", "    return [torch.Tensor.ceil]")],
        },
    },
    "operator_of_torch": {
        "code": COMPLEX
        + """
            aten = torch.ops.aten
            op = aten.floor.default
            op(x)
        """,
        "at": "op(x)",
        "api": "torch.ops.aten.floor",
        "to": {
            "torch.ceil": [("op = aten.floor.default", "op = torch.ceil")],
            "torch.Tensor.ceil": [("op = aten.floor.default", "op = torch.Tensor.ceil")],
        },
        "args": [{(2,)}],
    },
    "method": {
        "code": COMPLEX
        + """
            op = x.floor
            print(op())
        """,
        "at": "op()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "to": {
            "torch.Tensor.ceil": [("op = x.floor", "op = x.ceil")],
            "torch.ceil": [("print(op())", "print(torch.ceil(x))")],
        },
    },
    "method_in_attribute": {
        "code": COMPLEX
        + """
            class Lazy:
                def __init__(self, t):
                    self.op = t.floor
                def run(self):
                    return self.op()
            Lazy(x).run()
        """,
        "at": "self.op()",
        "api": "torch.Tensor.floor",
        "form": "method",
        "receiver": {(2,)},
        "to": {"torch.Tensor.ceil": [("        self.op = t.floor", "        self.op = t.ceil")]},
    },
    "function_of_operator": {
        "code": COMPLEX
        + """
            import operator
            operator.floordiv(x, 2)
        """,
        "at": "operator.floordiv(x, 2)",
        "api": "torch.Tensor.__floordiv__",
        "form": "operator",
        "receiver": {(2,)},
        "args": [2],
        "to": {
            "torch.fmod": [("operator.floordiv(x, 2)", "torch.fmod(x, 2)")],
            "torch.Tensor.fmod": [("operator.floordiv(x, 2)", "x.fmod(2)")],
        },
    },
    "super_with_arguments": {
        "code": """
            import torch
            x = torch.rand(1, 4, 8, 8)
            class Pool(torch.nn.AvgPool2d):
                def forward(self, t):
                    return super(Pool, self).forward(t)
            Pool(3, padding=2)(x)
        """,
        "at": "super(Pool, self).forward(t)",
        "api": "torch.nn.AvgPool2d",
        "form": "module",
        "built": ("Pool(3, padding=2)", 3, {"padding": 2}),
        "to": {
            "torch.nn.MaxPool2d": [
                ("class Pool(torch.nn.AvgPool2d):", "class Pool(torch.nn.MaxPool2d):")
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
