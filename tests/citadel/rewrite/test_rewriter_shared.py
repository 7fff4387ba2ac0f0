"""Before and after, where one call is made with several functions: only one of them changes."""

from textwrap import dedent

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value


def text(code):
    return dedent(code).lstrip("\n")


@pytest.fixture
def scaled(case, api, call):
    """The ways of a case in which `torch.scaled(x, 2)` fails, for `torch.powered(x, p, top)`."""

    def make(before, at):
        source = api("torch.scaled", "input: Tensor, factor: float")
        target = api("torch.powered", "input: Tensor, factor: float, top: bool")
        return case(before, source, at, call("torch.scaled", {(2,)}, 2)).ways(target)

    return make


def test_of_functions_in_a_loop_one_becomes_a_lambda(scaled):
    before = text("""
        import torch
        x = torch.rand(2)
        for f in (torch.mul, torch.scaled):
            print(f(x, 2))
    """)
    lone = "lambda x, factor: torch.powered(x, factor, False)"
    assert scaled(before, "f(x, 2)")[0] == before.replace("torch.scaled", lone)


def test_a_function_of_the_case_that_is_called_twice_gets_a_lambda(scaled):
    before = text("""
        import torch
        def run(f):
            return f(torch.rand(2), 2)
        print(run(torch.mul), run(torch.scaled))
    """)
    lone = "lambda x, factor: torch.powered(x, factor, False)"
    assert scaled(before, "f(torch.rand")[0] == before.replace("torch.scaled", lone)


def test_a_function_that_is_called_once_keeps_its_name(scaled):
    before = text("""
        import torch
        def run(f):
            return f(torch.rand(2), 2)
        print(run(torch.scaled))
    """)
    after = before.replace("torch.scaled", "torch.powered").replace("(2), 2)", "(2), 2, False)")
    assert scaled(before, "f(torch.rand")[0] == after


def test_arguments_behind_a_star_are_changed_where_they_are(scaled):
    before = text("""
        import torch
        x = torch.rand(2)
        for f, given in [(torch.scaled, (x, 2))]:
            print(f(*given))
    """)
    assert "lambda" not in scaled(before, "f(*given")[0]


@pytest.fixture
def layer(api):
    def make(name, signature):
        return api(name, signature, kind=ApiKind.MODULE, call="input: Tensor")

    return make


def test_a_class_that_is_handed_over_beside_others_becomes_a_lambda(case, layer, call):
    before = text("""
        import torch
        from torch import nn
        def run(act):
            return act(inplace=True)(torch.rand(2))
        print(run(nn.ReLU), run(nn.ReLU6))
    """)
    made = call(
        "torch.nn.ReLU6",
        {(2,)},
        form="module",
        receiver=Value(kind="module", text="torch.nn.ReLU6"),
    )
    built = ("act(inplace", call("torch.nn.ReLU6", form="class", inplace=True))
    source = layer("torch.nn.ReLU6", "inplace: bool = False")
    found = case(before, source, "act(inplace=True)(", made, built=built)
    plain = found.ways(layer("torch.nn.SiLU", "inplace: bool = False"))
    assert plain[0] == before.replace("nn.ReLU6", "nn.SiLU")
    filled = found.ways(
        layer("torch.nn.Threshold", "threshold: float, value: float, inplace: bool")
    )
    lone = "lambda inplace=False: nn.Threshold(1, 1, inplace)"
    assert filled[0] == before.replace("nn.ReLU6", lone)


def test_a_function_for_a_class_that_is_handed_over_gets_a_layer_of_its_own(case, layer, api, call):
    before = text("""
        import torch
        from torch import nn
        def run(act):
            model = nn.Sequential(act(inplace=True))
            return model(torch.rand(2))
        print(run(nn.ReLU), run(nn.ReLU6))
    """)
    receiver = Value(kind="module", text="torch.nn.ReLU6")
    made = call("torch.nn.ReLU6", {(2,)}, form="inner", receiver=receiver)
    built = ("act(inplace", call("torch.nn.ReLU6", form="class", inplace=True))
    source = layer("torch.nn.ReLU6", "inplace: bool = False")
    target = api("torch.nn.functional.celu", "input: Tensor, inplace: bool = False")
    (way,) = case(before, source, "model(torch", made, built=built).ways(target)
    own = text("""


        class Celu(nn.Module):
            def forward(self, x):
                return nn.functional.celu(x, inplace=True)


    """)
    after = before.replace("import nn\n", "import nn\n\n\n" + own)
    assert way == after.replace("nn.ReLU6", "lambda inplace=False: Celu()")


@pytest.mark.parametrize(
    ("listed", "named"),
    [
        ("torch.mul, torch.compile(torch.scaled)", "torch.scaled"),
        ("partial(torch.mul, x), partial(torch.scaled, x)", "torch.scaled"),
        ("(torch.mul, 1), (torch.scaled, 2)", "torch.scaled"),
    ],
)
def test_functions_inside_of_what_is_listed(case, api, call, listed, named):
    taken = ["f(2)", "f"] if "partial" in listed else ["f(x, 2)", "f"]
    if "1)" in listed:
        taken = ["f(x, n)", "f, n"]
    used, over = taken
    before = (
        "import torch\nfrom functools import partial\nx = torch.rand(2)\n"
        f"for {over} in [{listed}]:\n    print({used})\n"
    )
    source = api("torch.scaled", "input: Tensor, factor: float")
    target = api("torch.powered", "input: Tensor, factor: float, top: bool")
    ways = case(before, source, used, call("torch.scaled", {(2,)}, 2)).ways(target)
    lone = "lambda x, factor: torch.powered(x, factor, False)"
    assert ways[0] == before.replace(named, lone)


def test_the_default_of_a_parameter_is_shared(scaled):
    before = text("""
        import torch
        def run(f=torch.scaled):
            return f(torch.rand(2), 2)
        print(run(), run(torch.mul))
    """)
    lone = "lambda x, factor: torch.powered(x, factor, False)"
    assert scaled(before, "f(torch.rand")[0] == before.replace("torch.scaled", lone)


def test_a_star_is_written_once(scaled):
    before = text("""
        import torch
        def run(f, *given):
            return f(*given, 2)
        print(run(torch.scaled, torch.rand(2)))
    """)
    assert "*given, *given" not in "".join(scaled(before, "f(*given"))
