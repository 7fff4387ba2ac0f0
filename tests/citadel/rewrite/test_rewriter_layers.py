"""Before and after, for layers: constructed in one place, called in another."""

from textwrap import dedent

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value


def text(code):
    return dedent(code).lstrip("\n")


LAYER = Value(
    kind="module",
    text="torch.nn.Linear",
    keys=("weight", "bias"),
    items=(Value(kind="tensor", shape=(4, 3)), Value(kind="tensor", shape=(4,))),
)


@pytest.fixture
def linear(api):
    return api(
        "torch.nn.Linear",
        "in_features: int, out_features: int, bias: bool = True",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )


@pytest.fixture
def layered(case, linear, call):
    """A case of `nn.Linear(3, 4)`, whose construction and call begin as given."""

    def make(before, built, used, *arguments):
        construction = call("torch.nn.Linear", *(arguments or (3, 4)), form="class")
        made = call("torch.nn.Linear", {(2, 3)}, form="module", receiver=LAYER)
        return case(before, linear, used, made, built=(built, construction))

    return make


def test_a_layer_is_replaced_where_it_is_constructed(layered, api):
    before = text("""
        import torch
        from torch import nn
        layer = nn.Linear(3, 4)  # small
        x = torch.rand(2, 3)
        print(layer(x))
    """)
    target = api(
        "torch.nn.LazyLinear",
        "in_features: int, out_features: int",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )
    ways = layered(before, "nn.Linear", "layer(x)").ways(target)
    assert ways[0] == before.replace("nn.Linear", "nn.LazyLinear")
    assert ways[1] == text("""
        import torch
        from torch import nn
        x = torch.rand(2, 3)
        print(nn.LazyLinear(3, 4)(x))
    """)


def test_a_layer_that_is_constructed_and_called_in_one_go(layered, api):
    before = "import torch\ntorch.nn.Linear(3, 4)(torch.rand(2, 3))\n"
    target = api(
        "torch.nn.Other",
        "in_features: int, out_features: int",
        kind=ApiKind.MODULE,
        call="input: Tensor",
    )
    ways = layered(before, "torch.nn.Linear(3, 4)", "torch.nn.Linear(3, 4)(").ways(target)
    assert ways == [before.replace("nn.Linear", "nn.Other")]


def test_a_layer_becomes_a_function_with_its_parameters(layered, api):
    before = text("""
        import torch
        layer = torch.nn.Linear(3, 4)
        print(layer(x), layer.weight)
    """)
    target = api(
        "torch.nn.functional.linear", "input: Tensor, weight: Tensor, bias: Tensor? = None"
    )
    ways = layered(before, "torch.nn.Linear", "layer(x)").ways(target)
    assert ways == [
        before.replace("layer(x)", "torch.nn.functional.linear(x, layer.weight, layer.bias)")
    ]


def test_a_layer_that_nothing_reads_any_more_is_dropped(layered, api):
    before = text("""
        import torch
        layer = torch.nn.Linear(3, 4)
        y = layer(x)
    """)
    target = api("torch.narrow", "input: Tensor, in_features: int, out_features: int")
    assert layered(before, "torch.nn.Linear", "layer(x)").ways(target) == [
        "import torch\ny = torch.narrow(x, 3, 4)\n"
    ]


def test_a_block_that_loses_its_only_line_keeps_a_pass(layered, api):
    before = text("""
        import torch
        if True:
            layer = torch.nn.Linear(3, 4)
        y = layer(x)
    """)
    target = api("torch.narrow", "input: Tensor, in_features: int, out_features: int")
    assert layered(before, "torch.nn.Linear", "layer(x)").ways(target) == [
        "import torch\nif True:\n    pass\ny = torch.narrow(x, 3, 4)\n"
    ]


def test_arguments_of_the_construction_move_as_literals(layered, api):
    """`n` may have changed, or be out of reach, where the layer is called."""
    before = text("""
        import torch
        def make(n):
            return torch.nn.Linear(n, out_features=2 * 2)
        layer = make(3)
        y = layer(x)
    """)
    target = api("torch.narrow", "input: Tensor, in_features: int, out_features: int")
    case = layered(before, "torch.nn.Linear", "layer(x)", 3)
    assert case.ways(target)[0].splitlines()[-1] == "y = torch.narrow(x, 3, 1)"


@pytest.mark.parametrize(
    ("code", "last"),
    [
        ('make("same")', 'y = torch.narrow(x, 3, "same")'),
        ("make('same')", "y = torch.narrow(x, 3, 'same')"),
        ("""make("it's")""", """y = torch.narrow(x, 3, "it's")"""),
        ("""make('"')""", """y = torch.narrow(x, 3, '"')"""),
    ],
)
def test_new_strings_stand_in_the_marks_of_the_reports_own(layered, api, code, last):
    before = text(f"""
        import torch
        def make(mode):
            return torch.nn.Linear(3, mode)
        layer = {code}
        y = layer(x)
    """)
    mode = code[len("make(") + 1 : -2]
    case = layered(before, "torch.nn.Linear", "layer(x)", 3, mode)
    target = api("torch.narrow", "input: Tensor, in_features: int, out_features: str")
    assert case.ways(target)[0].splitlines()[-1] == last


@pytest.mark.parametrize(
    ("code", "goes"),
    [
        ("n = (3, 4)\nlayer = torch.nn.Linear(*n)", True),
        ("n = (3, 4)  # small\nlayer = torch.nn.Linear(*n)", False),
        ("n = (3, 4)\nprint(n)\nlayer = torch.nn.Linear(*n)", False),
        ("n = (3, 4)\nprint(eval('n[0]'))\nlayer = torch.nn.Linear(*n)", False),
        ("n = (3, 4)\nprint('one')\nlayer = torch.nn.Linear(*n)", True),
        ("n = (3, 4)\nn = (3, 4)\nlayer = torch.nn.Linear(*n)", False),
        ("n = size(3, 4)\nlayer = torch.nn.Linear(*n)", False),
        ("n = (3, 4)\nshow(sys.modules[__name__])\nlayer = torch.nn.Linear(*n)", False),
        ("n = (3, 4)\nprint(x.n, dict(n=1))\nlayer = torch.nn.Linear(*n)", True),
        ("n = (3, 4)\nm = 5\nlayer = torch.nn.Linear(*n)", True),
    ],
)
def test_a_literal_that_nothing_reads_any_more_is_dropped(layered, api, code, goes):
    before = f"import torch\n{code}\ny = layer(x)\n"
    target = api("torch.narrow", "input: Tensor, in_features: int, out_features: int")
    (after,) = layered(before, "torch.nn.Linear", "layer(x)").ways(target)
    kept = [line for line in code.splitlines()[:-1] if not (goes and line.startswith("n ="))]
    assert after.splitlines() == ["import torch", *kept, "y = torch.narrow(x, 3, 4)"]


def test_what_a_class_has_may_be_read_by_its_bases(layered, api):
    before = text("""
        import torch
        class Sizes(Base):
            n = (3, 4)
            layer = torch.nn.Linear(*n)
        y = Sizes.layer(x)
    """)
    target = api("torch.narrow", "input: Tensor, in_features: int, out_features: int")
    (after,) = layered(before, "torch.nn.Linear", "Sizes.layer(x)").ways(target)
    assert "    n = (3, 4)\n" in after


def test_new_strings_within_an_f_string_stand_in_the_other_marks(layered, api):
    before = text("""
        import torch
        def make(mode):
            return torch.nn.Linear(3, mode)
        layer = make("same")
        print(f"{layer(x)}")
    """)
    case = layered(before, "torch.nn.Linear", "layer(x)", 3, "same")
    target = api("torch.narrow", "input: Tensor, in_features: int, out_features: str")
    assert case.ways(target)[0].endswith("print(f\"{torch.narrow(x, 3, 'same')}\")\n")


def test_a_block_that_loses_all_of_its_lines_keeps_a_pass(layered, api):
    before = text("""
        import torch
        if True:
            n = 3
            layer = torch.nn.Linear(n, 4)
        y = layer(x)
    """)
    target = api("torch.narrow", "input: Tensor, out_features: int, start: int = 0")
    assert layered(before, "torch.nn.Linear", "layer(x)").ways(target) == [
        "import torch\nif True:\n    pass\ny = torch.narrow(x, 4)\n"
    ]


def test_arguments_of_the_construction_that_mean_the_same_at_the_call_move_as_they_are(
    layered, api
):
    before = text("""
        import torch
        for sizes in ((3, 4), (0, 4)):
            n, m = sizes
            layer = torch.nn.Linear(n, m + 0)
            y = layer(x)
    """)
    target = api("torch.narrow", "input: Tensor, in_features: int, out_features: int")
    case = layered(before, "torch.nn.Linear", "layer(x)")
    assert case.ways(target)[0].splitlines()[-2:] == [
        "    n, m = sizes",
        "    y = torch.narrow(x, n, m + 0)",
    ]


def test_a_failing_construction(case, api, call):
    before = "from torch import nn\nlayer = nn.Conv2d(4, 4, 3, groups=0)  # raises\nlayer(x)\n"
    conv = "in_channels: int, out_channels: int, kernel_size: int[2], groups: int = 1"
    source = api("torch.nn.Conv2d", conv, kind=ApiKind.MODULE, call="input: Tensor")
    target = api("torch.nn.Conv3d", conv, kind=ApiKind.MODULE, call="input: Tensor")
    made = call("torch.nn.Conv2d", 4, 4, 3, form="class", groups=0)
    assert case(before, source, "nn.Conv2d", made).ways(target) == [
        before.replace("Conv2d", "Conv3d")
    ]


def test_a_function_with_parameters_in_a_row_of_layers(layered, api):
    """They are those of the layer, which goes on constructing them."""
    before = text("""
        import torch.nn.functional as F
        from torch import nn
        Linear = None
        layers = [nn.ReLU(), nn.Linear(3, 4)]
        for layer in layers:
            x = layer(x)
    """)
    target = api("torch.nn.functional.linear", "input: Tensor, weight: Tensor, bias: Tensor = None")
    case = layered(before, "nn.Linear", "layer(x)")
    way = next(case.written(case.plan(target)))
    line = "layers = [nn.ReLU(), nn.Linear(3, 4)]\n"
    own = (
        "\n\nclass LinearLayer(nn.Linear):\n    def forward(self, x):\n"
        "        return F.linear(x, self.weight, self.bias)\n\n\n"
        "layers = [nn.ReLU(), LinearLayer(3, 4)]\n"
    )
    assert way.code == before.replace(line, own)
    # One site more, in front of the statement: `nn.ReLU()` is 0, `layer(x)` is 2.
    assert [way.sites[site] for site in (0, 1, 2)] == [1, 2, 3]


def test_no_class_where_its_module_is_imported_elsewhere(layered, api):
    before = text("""
        def make():
            from torch import nn
            return [nn.Linear(3, 4)]
        for layer in make():
            x = layer(x)
    """)
    target = api("torch.nn.functional.linear", "input: Tensor, weight: Tensor, bias: Tensor = None")
    ways = layered(before, "nn.Linear", "layer(x)").ways(target)
    assert not any("class" in way for way in ways)


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("tf.nn.relu", "layers.Lambda(tf.nn.relu)"),
        ("tf.nn.softmax", "layers.Lambda(lambda x: tf.nn.softmax(x, axis=1))"),
    ],
)
def test_a_function_among_the_layers_of_keras(case, api, call, target, written):
    before = text("""
        import tensorflow as tf
        from tensorflow.keras import layers
        model = tf.keras.Sequential()
        model.add(layers.Softmax(axis=1))
        model(x)
    """)
    layer = Value(kind="module", text="tf.keras.layers.Softmax")
    source = api("tf.keras.layers.Softmax", "axis: int", kind=ApiKind.MODULE, call="input: Tensor")
    made = call("tf.keras.layers.Softmax", {(2, 3)}, form="inner", receiver=layer)
    built = ("layers.Softmax", call("tf.keras.layers.Softmax", form="class", axis=1))
    signature = "logits: Tensor, axis: int = -1" if "softmax" in target else "features: Tensor"
    (way,) = case(before, source, "model(x)", made, built=built).ways(api(target, signature))
    assert way == before.replace("layers.Softmax(axis=1)", written)


def test_arguments_of_a_models_call_need_not_be_those_of_its_layers(case, api, call):
    before = text("""
        import tensorflow as tf
        model = tf.keras.Sequential([tf.keras.layers.GaussianNoise(stddev=-1.0)])
        model(x, training=True)
    """)
    noise, dropout = "tf.keras.layers.GaussianNoise", "tf.keras.layers.GaussianDropout"
    layer = Value(kind="module", text=noise)
    source = api(noise, "stddev: float", kind=ApiKind.MODULE, call="inputs: Tensor")
    made = call(noise, {(2, 3)}, form="inner", receiver=layer)
    built = (noise, call(noise, form="class", stddev=-1.0))
    target = api(dropout, "rate: float", kind=ApiKind.MODULE, call="inputs: Tensor")
    (way,) = case(before, source, "model(x", made, built=built).ways(target)
    assert way == before.replace("GaussianNoise(stddev=-1.0)", "GaussianDropout(-1.0)")
