"""Before and after, for siblings of more dimensions whose result is the report's own."""

from textwrap import dedent

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.lexicon import Lexicon

POOL = "input: Tensor, kernel_size: int[{0}], stride: int[{0}] = [], padding: int[{0}] = 0"
LAYER = Value(kind="module", text="torch.nn.AvgPool1d")
LEXICON = Lexicon(windows=("kernel_size", "stride", "padding"))


@pytest.fixture
def ways(case):
    """All texts for the plan that keeps the result as it is."""

    def write(code, source, target, at, made, **more):
        before = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n" + code
        found = case(before, source, at, made, **more)
        kept = [plan for plan in plans(found.invocation, target, lexicon=LEXICON) if plan.after]
        return [
            way.code.removeprefix(before.removesuffix(code))
            for plan in kept
            for way in found.written(plan)
        ]

    return write


@pytest.fixture
def pool(api):
    def make(rank, name="torch.nn.functional.avg_pool{}d"):
        return api(name.format(rank), POOL.format(rank))

    return make


@pytest.fixture
def layer(api):
    def make(rank):
        signature = POOL.format(rank).removeprefix("input: Tensor, ")
        name = f"torch.nn.AvgPool{rank}d"
        return api(name, signature, kind=ApiKind.MODULE, call="input: Tensor")

    return make


@pytest.mark.parametrize(
    ("before", "keywords", "after"),
    [
        (
            "y = F.avg_pool1d(x, 3)  # here",
            {},
            "y = F.avg_pool2d(x.unsqueeze(-1), (3, 1))[..., 0]  # here",
        ),
        (
            "y = F.avg_pool1d(x, k, padding=p)",
            {"padding": 1},
            "y = F.avg_pool2d(x.unsqueeze(-1), (k, 1), padding=(p, 0))[..., 0]",
        ),
        (
            "print(F.avg_pool1d(x[0], 3).sum())",
            {},
            "print(F.avg_pool2d(x[0].unsqueeze(-1), (3, 1))[..., 0].sum())",
        ),
        (
            "y = [F.avg_pool1d(a + b, 3) for _ in z]",
            {},
            "y = [F.avg_pool2d((a + b).unsqueeze(-1), (3, 1))[..., 0] for _ in z]",
        ),
    ],
)
def test_only_the_call_changes(ways, pool, call, before, keywords, after):
    made = call("torch.nn.functional.avg_pool1d", {(1, 2, 8)}, 3, result={(1, 2, 2)}, **keywords)
    assert ways(before + "\n", pool(1), pool(2), "F.avg_pool1d", made) == [after + "\n"]


def test_what_the_input_is_made_of_stays(ways, pool, call):
    code = dedent("""
        x = torch.rand(1, 2, 8)
        y = F.avg_pool1d(x, 3)
        assert y.shape == (1, 2, 2)
        assert torch.allclose(y[0, 0, 0], x[0, 0, :3].mean())
    """).lstrip()
    made = call("torch.nn.functional.avg_pool1d", {(1, 2, 8)}, 3, result={(1, 2, 2)})
    (way,) = ways(code, pool(1), pool(3), "F.avg_pool1d", made)
    wanted = "F.avg_pool3d(x.unsqueeze(-1).unsqueeze(-1), (3, 1, 1))[..., 0, 0]"
    assert way == code.replace("F.avg_pool1d(x, 3)", wanted)


def test_a_layer_is_constructed_in_one_place_and_called_in_another(ways, layer, call):
    code = "pool = nn.AvgPool1d(3, stride=2)\ny = pool(x)\n"
    construction = call("torch.nn.AvgPool1d", 3, form="class", stride=2)
    made = call(
        "torch.nn.AvgPool1d", {(1, 2, 8)}, form="module", receiver=LAYER, result={(1, 2, 3)}
    )
    found = ways(code, layer(1), layer(2), "pool(x)", made, built=("nn.AvgPool1d", construction))
    assert found[0] == (
        "pool = nn.AvgPool2d((3, 1), stride=(2, 1))\ny = pool(x.unsqueeze(-1))[..., 0]\n"
    )
    assert found[1] == "y = nn.AvgPool2d((3, 1), stride=(2, 1))(x.unsqueeze(-1))[..., 0]\n"


def test_a_layer_inside_of_a_model_reshapes_what_the_model_gives_it(ways, layer, call):
    code = "model = nn.Sequential(nn.AvgPool1d(3))\ny = model(x)\n"
    made = call("torch.nn.AvgPool1d", {(1, 2, 8)}, form="inner", receiver=LAYER, result={(1, 2, 2)})
    built = ("nn.AvgPool1d", call("torch.nn.AvgPool1d", 3, form="class"))
    (way,) = ways(code, layer(1), layer(2), "model(x", made, built=built)
    assert way.endswith(
        "class ReshapedAvgPool2d(nn.AvgPool2d):\n    def forward(self, x):\n"
        "        return super().forward(x.unsqueeze(-1))[..., 0]\n\n\n"
        "model = nn.Sequential(ReshapedAvgPool2d((3, 1)))\ny = model(x)\n"
    )


def test_what_is_handed_over_becomes_a_lambda(ways, pool, call):
    code = "y = torch.vmap(F.avg_pool1d)(x, 3)\n"
    made = call("torch.nn.functional.avg_pool1d", {(1, 2, 8)}, 3, form="handed", result={(1, 2, 2)})
    (way,) = ways(code, pool(1), pool(2), "torch.vmap(F.avg_pool1d)", made)
    called = "F.avg_pool2d(x.unsqueeze(-1), (kernel_size, 1))[..., 0]"
    assert way == code.replace("F.avg_pool1d", f"lambda x, kernel_size: {called}")


def test_the_call_inside_of_the_index_is_the_siblings(case, pool, call):
    code = "import torch.nn.functional as F\nx = f()\ny = F.avg_pool1d(x, 3, padding=k())\nh(y)\n"
    made = call("torch.nn.functional.avg_pool1d", {(1, 2, 8)}, 3, result={(1, 2, 2)}, padding=1)
    found = case(code, pool(1), "F.avg_pool1d", made)
    (plan,) = [p for p in plans(found.invocation, pool(2), lexicon=LEXICON) if p.after]
    (way,) = found.written(plan)
    # f, [...], avg_pool2d, unsqueeze, k, h
    assert way.sites == {0: 0, 1: 2, 2: 4, 3: 5}
