"""Before and after, where a layer takes the place of a function that was given its weights."""

from dataclasses import replace
from textwrap import dedent

import libcst as cst
import pytest

from analysis.target.instrument import instrument, sites_of
from analysis.values import Value
from citadel.plan.model import Adaptation, Fill, Form, Slot, Take
from citadel.rewrite.sites import _standing_in

LINEAR = "input: Tensor, weight: Tensor, bias: Tensor? = None"


def text(code):
    return dedent(code).lstrip("\n")


def plan(target="torch.nn.Linear", **state):
    slots = {
        name: Slot(name=name, keyword=True, value=Take(key=key)) for name, key in state.items()
    }
    return Adaptation(
        target=target,
        form=Form.MODULE,
        receiver=None,
        new=tuple(Slot(name=t, keyword=False, value=Fill(text=t)) for t in ("3", "2")),
        call=(Slot(name="input", keyword=False, value=Take(key="arg:0")),),
        edits=(),
        plausibility=1.0,
        state=tuple(slots.values()),
    )  # fmt: skip


@pytest.fixture
def ways(case, api, call):
    def find(code, plan, **named):
        made = call("torch.nn.functional.linear", {(4, 3)}, {(2, 3)}, **named)
        made = case(text(code), api("torch.nn.functional.linear", LINEAR), "F.linear", made)
        return [way.code for way in made.written(plan)]

    return find


def test_a_layer_is_made_and_filled_in_front_of_its_call(ways):
    before = """
        import torch
        import torch.nn.functional as F
        x, w = torch.ones(4, 3), torch.rand(2, 3)
        if w.numel():
            # the call
            y = F.linear(x, w).sum()  # wrong
            print(y)
    """
    assert ways(before, plan(weight="arg:1")) == [
        text("""
        import torch
        import torch.nn.functional as F
        x, w = torch.ones(4, 3), torch.rand(2, 3)
        if w.numel():
            # the call
            linear = torch.nn.Linear(3, 2)
            linear.load_state_dict({'weight': w})
            y = linear(x).sum()  # wrong
            print(y)
    """)
    ]


def test_many_values_stand_in_lines_of_their_own(ways):
    before = """
        import torch
        import torch.nn.functional as F
        weights_of_the_first, biases_of_the_first = torch.rand(2, 3), torch.rand(2)
        linear = F.linear(torch.ones(4, 3), weights_of_the_first, bias=biases_of_the_first)
    """
    made = plan(weight="arg:1", bias="kw:bias")
    assert ways(before, made, bias={(2,)}) == [
        text("""
        import torch
        import torch.nn.functional as F
        weights_of_the_first, biases_of_the_first = torch.rand(2, 3), torch.rand(2)
        linear_layer = torch.nn.Linear(3, 2)
        linear_layer.load_state_dict({
            'weight': weights_of_the_first,
            'bias': biases_of_the_first,
        })
        linear = linear_layer(torch.ones(4, 3))
    """)
    ]


def test_variables_of_keras_are_made_and_assigned(case, api, call):
    before = "import tensorflow as tf\ny = tf.matmul({x}, w)\n"
    made = call("tf.matmul", {(4, 3)}, {(3, 2)})

    def ways(x):
        source = case(before.format(x=x), api("tf.matmul", "a: Tensor, b: Tensor"), "tf.mat", made)
        return [way.code for way in source.written(plan("tf.keras.layers.Dense", kernel="arg:1"))]

    assert ways("x") == [
        text("""
        import tensorflow as tf
        dense = tf.keras.layers.Dense(3, 2)
        dense.build(x.shape)
        dense.kernel.assign(w)
        y = dense(x)
    """)
    ]
    assert ways("tf.random.uniform((4, 3))") == []  # it would be drawn twice
    assert ways("[[1.0]]") == []  # has no shape
    assert "dense.build((x + 1).shape)\n" in ways("x + 1")[0]


def test_a_long_construction_has_its_arguments_in_lines(ways):
    before = """
        import torch
        import torch.nn.functional as F
        y = F.linear(x, w)
    """
    made = plan(weight="arg:1")
    words = "'a name that is as long as half of a line, and more'"
    new = tuple(Slot(name="n", keyword=False, value=Fill(text=words)) for _ in range(2))
    (code,) = ways(before, replace(made, new=new))
    assert f"Linear(\n    {words},\n    {words},\n)\n" in code
    assert code.endswith("y = linear(x)\n")


@pytest.mark.parametrize(
    "line",
    [
        "ys = [F.linear(x, w) for x in (a, a)]",
        "f = lambda: F.linear(a, w)",
        "y = F.linear(a, w) if w.numel() else a",
        "z = 1; y = F.linear(a, w)",
        "y = F.linear(a, w := torch.rand(2, 3))",
        "y = (w := torch.rand(2, 3)), F.linear(a, w)",
        "if F.linear(a, w).any(): pass",
    ],
)
def test_no_line_can_stand_in_front_of_what_is_not_evaluated_there(ways, line):
    before = (
        "import torch\nimport torch.nn.functional as F\n"
        f"a, w = torch.ones(4, 3), torch.rand(2, 3)\n{line}\n"
    )
    assert ways(before, plan(weight="arg:1")) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("False", "Linear(3, 2).eval()("),
        ("mode", "Linear(3, 2).train(mode)("),
        ("True", "Linear(3, 2)("),
    ],
)
def test_a_mode_is_set_where_the_layer_is_made(ways, given, said):
    before = f"""
        import torch
        import torch.nn.functional as F
        mode = False
        print(F.linear(torch.ones(4, 3), torch.rand(2, 3), training={given}))
    """
    made = plan(training="kw:training")
    value = Value(kind="bool", text="False")
    (code,) = ways(before, made, training=value)
    assert said in code


def test_sites_behind_the_new_lines_are_told(case, api, call):
    head = "import torch\nimport torch.nn.functional as F\n"
    code = f"{head}x = torch.ones(4, 3)\nF.linear(x, x).sum()\n"
    made = call("torch.nn.functional.linear", {(4, 3)}, {(4, 3)})
    made = case(code, api("torch.nn.functional.linear", LINEAR), "F.linear", made)
    (way,) = made.written(plan(weight="arg:1"))
    before, after = made.source.nodes, instrument(way.code).nodes
    names = cst.Module(body=()).code_for_node
    found = {names(before[old]): names(after[new]) for old, new in way.sites.items()}
    assert found == {
        "torch.ones(4, 3)": "torch.ones(4, 3)",
        "F.linear(x, x)": "linear(x)",
        "F.linear(x, x).sum()": "linear(x).sum()",
    }


@pytest.mark.parametrize(
    ("made", "stands"), [("f(x)[0]", "f(x)"), ("[f(x)] * 2", "f(x)"), ("x + g(y)", "x + g(y)")]
)
def test_of_what_is_made_the_call_stands_in(made, stands):
    sites = sites_of(cst.parse_expression(made))
    assert cst.Module(body=()).code_for_node(sites[_standing_in(sites)]) == stands
