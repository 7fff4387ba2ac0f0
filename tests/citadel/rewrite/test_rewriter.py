"""Before and after: the report's code, its failing call made through a sibling."""

from textwrap import dedent

import pytest

from analysis.catalog.model import ApiKind
from citadel.plan.model import Adaptation, Fill, Form, Slot, Take

CONV = "input: Tensor, weight: Tensor, bias: Tensor? = None, stride: int[2] = 1, groups: int = 1"


def text(code):
    return dedent(code).lstrip("\n")


@pytest.fixture
def conv2d(api):
    return api("torch.nn.functional.conv2d", CONV)


@pytest.fixture
def conv3d(api):
    return api("torch.nn.functional.conv3d", CONV)


@pytest.fixture
def transposed(api):
    return api("torch.nn.functional.conv_transpose2d", CONV)


@pytest.fixture
def failing(call):
    return call("torch.nn.functional.conv2d", {(1, 4, 8, 8)}, {(4, 4, 3, 3)}, groups=0)


def test_function_to_function_keeps_comments_and_layout(case, conv2d, transposed, failing):
    before = text("""
        # The report.
        import torch
        import torch.nn.functional as F

        x = torch.rand(1, 4, 8, 8)   # an image
        w = torch.rand(4, 4, 3, 3)
        y = F.conv2d(
            x,  # the input
            w,
            # this is wrong:
            groups=0,
        )
        print( y )
    """)
    after = before.replace("F.conv2d(", "F.conv_transpose2d(")
    assert case(before, conv2d, "F.conv2d(", failing).ways(transposed) == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("F.conv2d(x, w, groups=0)", "F.conv_transpose2d(x, w, groups=0)"),
        ("F.conv2d(x,w,groups=0)", "F.conv_transpose2d(x,w,groups=0)"),
        ("F.conv2d(x, w, groups = 0)", "F.conv_transpose2d(x, w, groups = 0)"),
        ("F.conv2d( x , w , groups=0 )", "F.conv_transpose2d( x , w , groups=0 )"),
        ("F.conv2d(x, w, groups=0,)", "F.conv_transpose2d(x, w, groups=0,)"),
        ("F.conv2d (x, w, groups=0)", "F.conv_transpose2d (x, w, groups=0)"),
        ("F.conv2d(x, w, groups=0).sum()", "F.conv_transpose2d(x, w, groups=0).sum()"),
        ("(F.conv2d(x, w, groups=0))", "(F.conv_transpose2d(x, w, groups=0))"),
        (
            "[F.conv2d(x, w, groups=0) for _ in z]",
            "[F.conv_transpose2d(x, w, groups=0) for _ in z]",
        ),
        ("lambda: F.conv2d(x, w, groups=0)", "lambda: F.conv_transpose2d(x, w, groups=0)"),
        ("print(f'{F.conv2d(x, w, groups=0)}')", "print(f'{F.conv_transpose2d(x, w, groups=0)}')"),
        (
            "with torch.no_grad(): F.conv2d(x, w, groups=0)",
            "with torch.no_grad(): F.conv_transpose2d(x, w, groups=0)",
        ),
        ("assert F.conv2d(x, w, groups=0)", "assert F.conv_transpose2d(x, w, groups=0)"),
        ("F.conv2d(f(x), w, groups=0)", "F.conv_transpose2d(f(x), w, groups=0)"),
        ("F.conv2d(x, w, groups=a if b else c)", "F.conv_transpose2d(x, w, groups=a if b else c)"),
        ("F.conv2d(*args, groups=0)", "F.conv_transpose2d(*args, groups=0)"),
        ("F.conv2d(*args, **kwargs)", "F.conv_transpose2d(*args, **kwargs)"),
    ],
)
def test_wherever_the_call_stands(case, conv2d, transposed, failing, before, after):
    head = "import torch\nfrom torch.nn import functional as F\n"
    ways = case(f"{head}{before}\n", conv2d, "F.conv2d", failing).ways(transposed)
    assert ways == [f"{head}{after}\n"]


def test_line_breaks_of_the_call_survive(case, conv2d, transposed, failing):
    before = text("""
        import torch
        torch.nn.functional.conv2d(x,
                                   w,
                                   groups=0)
    """)
    after = before.replace("functional.conv2d", "functional.conv_transpose2d")
    assert case(before, conv2d, "torch.nn.functional.conv2d", failing).ways(transposed) == [after]


def test_method_to_function(case, api, call):
    before = "import torch\nx = torch.rand(2)\ny = (x + 1).clamp(1, max=0)  # wrong\n"
    source = api(
        "torch.Tensor.clamp", "self: Tensor, min: Scalar?, max: Scalar?", kind=ApiKind.METHOD
    )
    made = call("torch.Tensor.clamp", 1, form="method", receiver={(2,)}, max=0)
    target = api("torch.clip", "input: Tensor, min: Scalar?, max: Scalar? = None")
    ways = case(before, source, "(x + 1).clamp", made).ways(target)
    assert ways == [before.replace("(x + 1).clamp(1, max=0)", "torch.clip((x + 1), 1, max=0)")]


@pytest.mark.parametrize(
    ("receiver", "expected"),
    [
        ("x", "x.mm(w)"),
        ("a + b", "(a + b).mm(w)"),
        ("-x", "(-x).mm(w)"),
        ("x[0]", "x[0].mm(w)"),
        ("f(x)", "f(x).mm(w)"),
        ("(a + b)", "(a + b).mm(w)"),
        ("a if b else c", "(a if b else c).mm(w)"),
        ("await_ or x", "(await_ or x).mm(w)"),
    ],
)
def test_function_to_method_parenthesises_the_receiver(case, api, call, receiver, expected):
    source = api("torch.matmul", "input: Tensor, other: Tensor")
    target = api("torch.Tensor.mm", "self: Tensor, mat2: Tensor", kind=ApiKind.METHOD)
    made = call("torch.matmul", {(2, 3)}, {(3, 2)})
    ways = case(f"import torch\ntorch.matmul({receiver}, w)\n", source, "torch.matmul", made).ways(
        target
    )
    assert ways == [f"import torch\n{expected}\n"]


def test_function_to_method_with_comments_between_the_arguments(case, api, call):
    before = text("""
        import torch
        torch.matmul(
            x,  # left
            w,  # right
        )
    """)
    target = api("torch.Tensor.mm", "self: Tensor, mat2: Tensor", kind=ApiKind.METHOD)
    source = api("torch.matmul", "input: Tensor, other: Tensor")
    made = call("torch.matmul", {(2, 3)}, {(3, 2)})
    (way,) = case(before, source, "torch.matmul", made).ways(target)
    compile(way, "case.py", "exec")
    assert "x.mm(" in way
    assert "w,  # right" in way


def test_dimensions_are_changed_where_the_shape_is_written(case, conv2d, conv3d, failing):
    before = text("""
        import torch
        import torch.nn.functional as F
        x = torch.rand(1, 4, 8, 8)
        w = torch.rand(4, 4, 3, 3)
        F.conv2d(x, w, groups=0)
    """)
    first, *_, last = case(before, conv2d, "F.conv2d", failing).ways(conv3d)
    assert first == text("""
        import torch
        import torch.nn.functional as F
        x = torch.rand(1, 4, 8, 8, 1)
        w = torch.rand(4, 4, 3, 3, 1)
        F.conv3d(x, w, groups=0)
    """)
    assert last == text("""
        import torch
        import torch.nn.functional as F
        x = torch.rand(1, 4, 8, 8)
        w = torch.rand(4, 4, 3, 3)
        F.conv3d(x.unsqueeze(-1), w.unsqueeze(-1), groups=0)
    """)


def test_a_variable_that_is_read_elsewhere_keeps_its_shape(case, conv2d, conv3d, failing):
    before = text("""
        import torch
        import torch.nn.functional as F
        x = torch.rand(1, 4, 8, 8)
        F.conv2d(x, weight(x), groups=0)
    """)
    assert case(before, conv2d, "F.conv2d", failing).ways(conv3d) == [
        before.replace(
            "F.conv2d(x, weight(x),", "F.conv3d(x.unsqueeze(-1), weight(x).unsqueeze(-1),"
        )
    ]


def test_one_tensor_given_twice_is_changed_twice(case, conv2d, conv3d, failing):
    before = text("""
        import torch
        import torch.nn.functional as F
        x = torch.rand(1, 4, 8, 8)
        F.conv2d(x, x, groups=0)
    """)
    assert case(before, conv2d, "F.conv2d", failing).ways(conv3d) == [
        before.replace("F.conv2d(x, x,", "F.conv3d(x.unsqueeze(-1), x.unsqueeze(-1),")
    ]


def test_fills_and_drops(case, api, conv2d, failing):
    target = api("torch.mystery", "input: Tensor, weight: Tensor, mode: bool, *, name: bool")
    before = "import torch\nimport torch.nn.functional as F\nF.conv2d(x, w, groups=0)\n"
    made = case(before, conv2d, "F.conv2d", failing)
    plan = made.plan(target)
    assert "dropped groups" in plan.edits
    (way,) = made.written(plan)
    assert way.code == before.replace(
        "F.conv2d(x, w, groups=0)", "torch.mystery(x, w, False, name=False)"
    )
    assert way.edits == plan.edits


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("import torch\n", "import torch\ntorch.clip(x, 1)\n"),
        ("import torch as th\n", "import torch as th\nth.clip(x, 1)\n"),
        ("from torch import *\n", "import torch\nfrom torch import *\ntorch.clip(x, 1)\n"),
        ("from torch import clip\n", "from torch import clip\nclip(x, 1)\n"),
        ("from torch import clip as c\n", "from torch import clip as c\nc(x, 1)\n"),
        ("", "import torch\ntorch.clip(x, 1)\n"),
        (
            "from __future__ import annotations\n",
            "from __future__ import annotations\nimport torch\ntorch.clip(x, 1)\n",
        ),
        (
            "def f():\n    import torch\n",
            "import torch\ndef f():\n    import torch\ntorch.clip(x, 1)\n",
        ),
    ],
)
def test_imports(case, api, call, head, expected):
    source = api("torch.Tensor.clamp", "self: Tensor, min: Scalar?", kind=ApiKind.METHOD)
    made = call("torch.Tensor.clamp", 1, form="method", receiver={(2,)})
    target = api("torch.clip", "input: Tensor, min: Scalar?")
    assert case(head + "x.clamp(1)\n", source, "x.clamp", made).ways(target) == [expected]


def test_a_shadowed_import_is_not_used(case, api, call):
    before = "import torch\nfrom torch import clip\ndef clip(x): return x\nx.clamp(1)\n"
    source = api("torch.Tensor.clamp", "self: Tensor, min: Scalar?", kind=ApiKind.METHOD)
    made = call("torch.Tensor.clamp", 1, form="method", receiver={(2,)})
    target = api("torch.clip", "input: Tensor, min: Scalar?")
    assert case(before, source, "x.clamp", made).ways(target) == [
        before.replace("x.clamp(1)", "torch.clip(x, 1)")
    ]


def test_fills_that_name_the_framework_use_the_reports_name_for_it(case, api, call):
    source = api("torch.Tensor.clamp", "self: Tensor, min: Scalar?", kind=ApiKind.METHOD)
    made = call("torch.Tensor.clamp", 1, form="method", receiver={(2,)})
    built = case("import torch as th\nx.clamp(1)\n", source, "x.clamp", made)
    plan = Adaptation(
        target="torch.Tensor.to",
        form=Form.METHOD,
        receiver=Take(key="recv"),
        new=(),
        call=(Slot(name="dtype", keyword=False, value=Fill(text="torch.float32")),),
        edits=(),
        plausibility=1.0,
    )
    (way,) = built.written(plan)
    assert way.code == "import torch as th\nx.to(th.float32)\n"


def test_a_fill_that_needs_an_import_brings_it(case, api, call):
    source = api("torch.Tensor.clamp", "self: Tensor, min: Scalar?", kind=ApiKind.METHOD)
    made = call("torch.Tensor.clamp", 1, form="method", receiver={(2,)})
    built = case("x.clamp(1)\n", source, "x.clamp", made)
    plan = Adaptation(
        target="torch.Tensor.to",
        form=Form.METHOD,
        receiver=Take(key="recv"),
        new=(),
        call=(Slot(name="dtype", keyword=False, value=Fill(text="torch.float32")),),
        edits=(),
        plausibility=1.0,
    )
    (way,) = built.written(plan)
    assert way.code == "import torch\nx.to(torch.float32)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x @ w", "torch.dot(x, w)"),
        ("(x + 1) @ w", "torch.dot((x + 1), w)"),
        ("print(x @ w @ v)", "print(torch.dot(x, w) @ v)"),
    ],
)
def test_operators(case, api, call, before, after):
    source = api("torch.Tensor.matmul", "self: Tensor, other: Tensor", kind=ApiKind.METHOD)
    made = call("torch.Tensor.__matmul__", {(3,)}, form="operator", receiver={(3,)})
    target = api("torch.dot", "input: Tensor, tensor: Tensor")
    at = before.removeprefix("print(").removesuffix(")").removesuffix(" @ v")
    built = case(f"import torch\n{before}\n", source, at, made)
    assert built.ways(target) == [f"import torch\n{after}\n"]


def test_what_stands_behind_a_star_is_kept_where_all_of_it_is_given_on(case, api, call):
    source = api("torch.matmul", "input: Tensor, other: Tensor")
    made = case(
        "import torch\ntorch.matmul(*pair)\n",
        source,
        "torch.matmul",
        call("torch.matmul", {(2, 3)}, {(3, 2)}),
    )
    same = api("torch.mm", "input: Tensor, mat2: Tensor")
    assert made.ways(same) == ["import torch\ntorch.mm(*pair)\n"]
    one = api("torch.abs", "input: Tensor")
    assert made.ways(one) == ["import torch\ntorch.abs(pair[0])\n"]


COMPILED = "import tensorflow as tf\ny = tf.function(tf.linalg.solved, jit_compile=True)(a, b)\n"


@pytest.mark.parametrize(
    ("at", "form", "arguments"),
    [
        ("tf.function(tf.linalg.solved, jit_compile=True)(", "function", ()),
        ("tf.function(tf.linalg.solved, jit_compile=True)", "handed", (True, None)),
    ],
)
@pytest.mark.parametrize("target", ["tf.linalg.unsolved", "tf.raw_ops.Solved"])
def test_what_is_made_of_a_function_is_made_of_the_sibling(
    case, api, call, at, form, arguments, target
):
    source = api("tf.linalg.solved", "matrix: Tensor, rhs: Tensor, lower: bool = True, name = None")
    made = call("tf.linalg.solved", {(2, 2)}, {(2, 1)}, *arguments, form=form)
    signature = "matrix: Tensor, rhs: Tensor, lower: bool = True, name = None"
    if "raw" in target:
        signature = "*, matrix: Tensor, rhs: Tensor, lower: bool = True"
    ways = case(COMPILED, source, at, made).ways(api(target, signature))
    if "raw" not in target:
        expected = COMPILED.replace("tf.linalg.solved", target)
    elif form == "handed":
        body = "lambda matrix, rhs, lower=True, name=None: tf.raw_ops.Solved("
        body += "matrix=matrix, rhs=rhs, lower=lower)"
        expected = COMPILED.replace("tf.linalg.solved", body)
    else:
        expected = COMPILED.replace("tf.linalg.solved", target).replace(
            "(a, b)", "(matrix=a, rhs=b)"
        )
    assert ways[0] == expected
