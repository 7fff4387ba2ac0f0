"""Cases that run once more with some of their calls made otherwise, on real frameworks."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Outcome

pytestmark = pytest.mark.torch

RESULTS = [
    "torch.sort(x).values",
    "torch.sort(x)[1]",
    "torch.split(x, 1)[0]",
    "[torch.sort(x, out=(v, i)), v][1]",
    "[torch.add(x, 1, out=v), v][1]",
    "torch.abs(x)",
    "[w.masked_fill_(torch.tensor([True, False, False]), 5.0), w][1]",
    "torch.quantize_per_tensor(x, 0.0, 0, torch.quint8).dequantize()",
    "torch.quantize_per_channel(x, torch.ones(3), zeros, 0, torch.qint8).dequantize()",
    "x.to_sparse().to_dense()",
    "x[None].to_sparse_csr().to_dense()",
    "x[None].to_sparse_csc().to_dense()",
    "x.to_mkldnn().to_dense()",
]
PRECISE = [
    "torch.cat([x, x]).dtype",
    "torch.stack(tensors=(x, x)).dtype",
    "torch.abs(x).dtype",
    "x.abs().dtype",
    "torch.nn.Linear(3, 2, dtype=torch.float32).weight.dtype",
]


def shown(session, expression, entry, name):
    """What an expression comes to, where the calls of a name are made otherwise."""
    code = dedent(
        f"""
        import torch
        x = torch.tensor([3.0, 1.0, 2.0])
        v, i = torch.empty(3), torch.empty(3, dtype=torch.int64)
        none, r = torch.empty(0), torch.ones(3, requires_grad=True)
        h = r * 2
        w, zeros = torch.zeros(1).expand(3), torch.zeros(3, dtype=torch.int64)
        print({expression})
        """
    )
    case = instrument(code)
    sites = [n for n, node in enumerate(case.nodes) if name in case.module.code_for_node(node)]
    run = session.run(
        code, traced=watched(case).traced, entry=entry, arguments={"sites": sites[-1:]}
    )
    assert run.outcome is Outcome.OK, run.stderr
    plain = session.run(code, traced=watched(case).text)
    return run.seen[0].value, plain.seen[0].value


@pytest.mark.parametrize("expression", RESULTS)
def test_what_depends_on_a_call_changes_with_its_result(bubblewrap_session, expression):
    names = ("torch.sort", "torch.split", "torch.add", "torch.abs", "masked_fill_")
    names += ("torch.quantize_per_tensor", "torch.quantize_per_channel", "to_sparse", "to_mkldnn")
    name = next(n for n in names if n in expression)
    other, plain = shown(bubblewrap_session, expression, "perturb:run", name)
    assert other.numbers.few != plain.numbers.few
    assert other.shape == plain.shape


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        ("torch.exp(x)", "x"),
        ("torch.exp(torch.neg(x) + torch.exp(x))", "-x + x"),
        ("torch.stack([x, x])", "x"),
        ("torch.clamp(min=0, input=x)", "x"),
        ("x.neg()", "x"),
        ("torch.zeros(3)", "torch.zeros(3)"),
    ],
)
def test_what_a_call_is_given_stands_for_what_it_gives(bubblewrap_session, expression, left):
    code = f"import torch\nx = torch.tensor([3.0, 1.0, 2.0])\nprint({expression}, {left})\n"
    case = instrument(code)
    calls = ("torch.exp(", "torch.stack(", "torch.clamp(", "x.neg(", "torch.zeros(")
    texts = [case.module.code_for_node(node) for node in case.nodes]
    run = bubblewrap_session.run(
        code,
        traced=watched(case).traced,
        entry="perturb:omitted",
        arguments={"sites": [n for n, text in enumerate(texts) if text.startswith(calls)]},
    )
    assert run.outcome is Outcome.OK, run.stderr
    one, other = run.seen[:2]
    assert one.value.numbers.few == other.value.numbers.few


@pytest.mark.parametrize("expression", PRECISE)
def test_double_precision_is_given_in_lists_as_well(bubblewrap_session, expression):
    name = expression.partition("(")[0]
    precise, plain = shown(bubblewrap_session, expression, "perturb:doubled", name)
    assert (plain.text, precise.text) == ("torch.float32", "torch.float64")


@pytest.mark.parametrize("entry", ["perturb:doubled", "perturb:nudged"])
@pytest.mark.parametrize(
    "expression",
    [
        "[torch.add(x, 1, out=v), v][1]",
        "[torch.cumsum(x, 0, out=x), x][1]",
        "[x.mul_(x), x][1]",
        "[torch.nn.init.constant_(x, 7.0), x][1]",
        "[torch.add(x, 1, out=none), none][1]",
        "[h.mul_(3), h.sum().backward(), r.grad][2]",
        "[w.clone().add_(r).sum().backward(), r.grad][1]",
        "[torch.nn.init.constant_(r, 7.0), r][1]",
        "torch.inference_mode()(lambda: [t := x + 0, t.mul_(3), t][2])()",
    ],
)
def test_what_a_call_writes_to_other_arguments_is_seen(bubblewrap_session, expression, entry):
    name = next(n for n in ("torch.add", "cumsum", "mul_", "constant_", "add_") if n in expression)
    other, plain = shown(bubblewrap_session, expression, entry, name)
    assert other.numbers.few == pytest.approx(plain.numbers.few)
    assert other.dtype == plain.dtype


@pytest.mark.parametrize(
    "given", ["torch.tensor([1, 2])", "numpy.array([1, 2])", "numpy.float32([1, 2])"]
)
def test_whole_numbers_and_arrays_are_widened(bubblewrap_session, given):
    code = f"import numpy, torch\nprint(torch.as_tensor({given}).dtype)\n"
    case = instrument(code)
    run = bubblewrap_session.run(
        code,
        traced=watched(case).traced,
        entry="perturb:widened",
        arguments={"sites": list(range(len(case.nodes)))},
    )
    assert run.seen[0].value.text == "torch.float64"


@pytest.mark.parametrize(
    ("numbers", "others", "told"),
    [
        ("5.0, 5.0, 3.0", "1.0, 2.0, 3.0", 2),
        ("5.0, 4.0, 3.0", "1.0, 2.0, 3.0", 0),
        ("5.0, 4.0, 3.0", "1.0, 1.0, 1.0", 0),
        ("5.0, 5.0, 5.0", "1.0, 1.0, 1.0", 2),
    ],
)
def test_indices_of_equal_elements_are_told(bubblewrap_session, numbers, others, told):
    code = dedent(
        f"""
        import torch

        def place(x, weights):
            return torch.argmax(x)

        x, weights = torch.tensor([{numbers}]), torch.tensor([{others}])
        print(place(x, weights))
        print(1 - place(x, weights))
        """
    )
    case = instrument(code)
    sites = [
        n for n, node in enumerate(case.nodes) if case.module.code_for_node(node)[:5] == "place"
    ]
    given = {"sites": sites, "spots": [[0, 1], [1, 1]]}
    traced = watched(case).traced
    run = bubblewrap_session.run(code, traced=traced, entry="selected:run", arguments=given)
    assert (run.outcome, len(run.seen)) == (Outcome.OK, told)


@pytest.mark.parametrize(
    ("text", "name", "made"),
    [
        ("torch.hypot(x, x).sum().backward()", "torch.hypot", True),
        ("torch.where(x > 0, x, x.sqrt() * 0).sum().backward()", "torch.where", False),
        ("torch.where(x > 0, x, x.sqrt() * 0).sum().backward()", "x.sqrt", True),
        ("(torch.sin(x) * torch.tensor(float('nan'))).sum().backward()", "torch.sin", False),
        ("torch.div(x, 0 * x).sum().backward()", "torch.div", False),  # not finite itself
        ("layer(x).square().sum().backward()", "layer", False),
        ("print(torch.hypot(x, x))", "torch.hypot", None),
        ("[part.sqrt().sum() for part in torch.split(x, 1)][0].backward()", "torch.split", False),
    ],
)
def test_where_gradients_become_no_numbers(bubblewrap_session, text, name, made):
    assert backwards(bubblewrap_session, TORCH_ZEROS, text, name) == (
        [] if made is None else [made]
    )


@pytest.mark.tf
@pytest.mark.parametrize(
    ("text", "name", "made"),
    [
        ("y = tf.norm(x)", "tf.norm", True),
        ("y = tf.sin(x) * tf.constant(float('nan'))", "tf.sin", False),
        ("y = tf.where(x > 0., x, 0. * tf.sqrt(x))", "tf.where", False),
    ],
)
def test_where_gradients_of_tensorflow_become_no_numbers(tf_target, text, name, made):
    with tf_target.session() as session:
        assert backwards(session, TENSORFLOW_ZEROS, text, name) == [made]


TORCH_ZEROS = """
import torch
x = torch.zeros(3, requires_grad=True)
layer = torch.nn.Linear(3, 2)
{}
"""
TENSORFLOW_ZEROS = """
import tensorflow as tf
x = tf.Variable([0., 0., 0.])
with tf.GradientTape() as tape:
    {}
print(tape.gradient(y, x))
"""


def backwards(session, template, text, name):
    """What is told of the gradients that go back through the calls of a name."""
    code = template.format(text)
    case = instrument(code)
    sites = [
        n
        for n, node in enumerate(case.nodes)
        if case.module.code_for_node(node).startswith(f"{name}(")
    ]
    run = session.run(
        code, traced=watched(case).traced, entry="perturb:gradients", arguments={"sites": sites}
    )
    assert run.outcome is Outcome.OK, run.stderr
    return [event["made"] for event in run.extra if event["e"] == "gradients"]


@pytest.mark.tf
@pytest.mark.slow
@pytest.mark.parametrize("call", ["x.__rmul__(2.0)", "x.__add__(x)"])
def test_methods_that_go_by_another_name_are_called_on_the_changed_tensor(tf_target, call):
    code = f"import tensorflow as tf\nx = tf.constant([3.0, 1.0])\nprint({call})"
    case = instrument(code)
    sites = [n for n, node in enumerate(case.nodes) if case.module.code_for_node(node) == call]
    given = {"sites": sites, "factor": 0.5}
    with tf_target.session() as session:
        text = watched(case).traced
        run = session.run(code, traced=text, entry="perturb:scaled", arguments=given)
    assert run.outcome is Outcome.OK, run.exception
    assert run.seen[0].value.numbers.few == (3.0, 1.0)


@pytest.mark.tf
@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "half"),
    [
        ("tf.math.abs([3.0, 1])", (1.5, 0.5)),
        ("tf.math.abs([[3.0], (-1.0,)])", (1.5, 0.5)),
        ("tf.math.abs(np.array([3.0, 1.0]))", (1.5, 0.5)),
        ("tf.math.abs(np.float64(3.0))", (1.5,)),
        ("tf.math.maximum(3.0, 1.0)", (1.5,)),
        ("tf.nn.leaky_relu([-4.0], 0.5)", (-1.0,)),  # beside an input a number is a setting
        ("tf.constant([3.0, 1.0]) * 2.0", (6.0, 2.0)),  # another call
        ("tf.gather([3, 1], [1])", (1.0,)),  # whole numbers stay what they are
        ("tf.keras.initializers.Constant(3.0)([1])", (3.0,)),  # a class keeps what it is given
    ],
)
def test_arrays_lists_and_lone_numbers_are_inputs_of_tensorflow(tf_target, call, half):
    code = f"import numpy as np\nimport tensorflow as tf\nprint({call})"
    case = instrument(code)
    names = ("tf.math", "tf.nn", "tf.gather", "tf.keras")
    texts = enumerate(map(case.module.code_for_node, case.nodes))
    sites = [number for number, text in texts if text.startswith(names)]
    given = {"sites": sites, "factor": 0.5}
    with tf_target.session() as session:
        text = watched(case).traced
        run = session.run(code, traced=text, entry="perturb:scaled", arguments=given)
    assert run.outcome is Outcome.OK, run.exception
    assert run.seen[0].value.numbers.few == half
