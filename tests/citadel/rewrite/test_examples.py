"""The examples that document the rules are their tests."""

import libcst as cst
import pytest

from analysis.catalog.model import Api, ApiKind
from citadel.plan.model import Step
from citadel.rewrite import imports, messages, references, shapes, steps
from citadel.rewrite.examples import PAGE, page
from citadel.rewrite.pieces import Pieces
from citadel.rewrite.tree import Tree


@pytest.mark.parametrize(("text", "api", "expected"), imports.EXAMPLES)
def test_imports(text, api, expected):
    local = imports.aliases(cst.parse_module(text))
    assert imports.spelled(api, local) == (expected, None)


@pytest.mark.parametrize("text", ["", "import numpy as np", "def f():\n    import torch\n"])
def test_an_api_that_no_import_reaches_tells_what_is_missing(text):
    local = imports.aliases(cst.parse_module(text))
    assert imports.spelled("torch.linalg.eig", local) == ("torch.linalg.eig", "torch")


@pytest.mark.parametrize(
    ("api", "written"),
    [
        ("tf.norm", ("tensorflow.norm", "tensorflow")),
        ("tf.compat.v1.norm", ("tf.norm", None)),
        ("tf.keras.layers.Dense", ("tensorflow.keras.layers.Dense", "tensorflow")),
    ],
)
def test_a_name_that_stands_for_something_else_is_not_the_packages(api, written):
    local = imports.aliases(cst.parse_module("import tensorflow.compat.v1 as tf\n"))
    assert imports.spelled(api, local) == written
    kept = imports.respelled(cst.parse_expression("tf.cast(1, tf.float32)"), local)
    assert steps.code_of(kept) == "tf.cast(1, tf.float32)"


def test_what_is_called_on_the_way_to_a_name_keeps_its_arguments():
    made = cst.parse_expression("torch.f(x.unsqueeze(0).float(), torch.quint8)")
    assert steps.code_of(imports.respelled(made, {"th": "torch"})) == (
        "th.f(x.unsqueeze(0).float(), th.quint8)"
    )


@pytest.mark.parametrize(("before", "after"), imports.MISSING)
def test_missing_imports(before, after):
    assert imports.with_import(cst.parse_module(before), "torch").code == after


@pytest.mark.parametrize(("expression", "given", "expected"), steps.EXAMPLES)
def test_steps(expression, given, expected):
    changed = steps.apply_steps(cst.parse_expression(expression), given)
    assert steps.code_of(changed) == expected


@pytest.mark.parametrize(("expression", "value", "step", "expected"), steps.WITH_VALUES)
def test_steps_that_need_the_recorded_value(expression, value, step, expected):
    changed = steps.apply_steps(cst.parse_expression(expression), (step,), value)
    assert (changed and steps.code_of(changed)) == expected


def constant(node):
    """Integers and tuples of them; `n` is 7 and `size` is (7, 7)."""
    try:
        found = eval(steps.code_of(node), {"n": 7, "size": (7, 7)})
    except (NameError, SyntaxError):
        return None
    return tuple(found) if isinstance(found, (list, tuple)) else found


@pytest.mark.parametrize(("expression", "shape", "step", "expected"), shapes.EXAMPLES)
def test_shapes(expression, shape, step, expected):
    changed = shapes.with_shape(cst.parse_expression(expression), shape, (step,), constant)
    assert (changed and steps.code_of(changed)) == expected


@pytest.mark.parametrize(("reference", "source", "sibling", "expected"), references.EXAMPLES)
def test_references(reference, source, sibling, expected):
    module = cst.parse_module(reference)
    names = ("torch.segment_sum", "torch.segment_max")
    apis = {name: Api(name=name, kind=ApiKind.FUNCTION) for name in names}
    local = {"np": "numpy", "torch": "torch"}
    nodes = references.counterparts(module, local, source, sibling, apis.get)
    changed = Pieces(Tree(module)).replaced(nodes)
    assert changed == (expected or reference)


@pytest.mark.parametrize(
    ("dropped", "expected"),
    [
        ((1,), "np.sign(x)"),
        ((0,), "np.sign(v)"),
        ((2,), "np.sign(x, v)"),
        ((), "np.sign(x, v)"),
    ],
)
def test_a_reference_is_given_what_the_sibling_is(dropped, expected):
    module = cst.parse_module("np.heaviside(x, v)")
    nodes = references.counterparts(
        module, {"np": "numpy"}, "torch.heaviside", "torch.sign", dropped=dropped, given=2
    )
    assert Pieces(Tree(module)).replaced(nodes) == expected
    module = cst.parse_module("np.heaviside(x, x2=v)")
    nodes = references.counterparts(
        module, {"np": "numpy"}, "torch.heaviside", "torch.sign", dropped=(1,), given=2
    )
    assert nodes == {}


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("np.cumsum(x, 0, None)", "np.cumprod(x, 0, None)"),  # it has more than the source's call
        ("np.cumsum(np.cumsum(x, 0), 0)", "np.cumprod(np.cumprod(x, 0), 0)"),
    ],
)
def test_a_reference_of_other_arguments_keeps_them(reference, expected):
    module = cst.parse_module(reference)
    nodes = references.counterparts(
        module, {"np": "numpy"}, "torch.cumsum", "torch.cumprod", dropped=(1,), given=2
    )
    assert Pieces(Tree(module)).replaced(nodes) == expected


def test_several_steps_are_not_written_into_a_shape():
    lift = Step(name="lift", amount=1)
    expression = cst.parse_expression("torch.rand(2, 8, 16)")
    assert shapes.with_shape(expression, (2, 8, 16), (lift, lift), constant) is None
    assert shapes.with_shape(expression, (), (lift,), constant) is None


def test_the_page_shows_the_examples_as_they_are():
    """Renewed by `python -m citadel.rewrite.examples`."""
    text = PAGE.read_text()
    assert page(text) == text
    for name in ("imports", "references", "shapes", "steps", "values"):
        assert f"<!-- examples: {name} -->\n| " in text


@pytest.mark.parametrize(("text", "source", "target", "expected"), messages.EXAMPLES)
def test_messages(text, source, target, expected):
    module = cst.parse_module(f"import torch\nimport numpy as np\n{text}\n")
    tree, local = Tree(module), imports.aliases(module)
    code = Pieces(tree).replaced(messages.Messages(tree, local, source).renamed(target))
    assert code.splitlines()[2:] == [expected or text]
