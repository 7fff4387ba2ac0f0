"""A step does the same to a live value (the probe) and to its text (the generated case)."""

import libcst as cst
import pytest

from analysis.target.observation import Outcome
from analysis.values import Value
from citadel.plan.model import Step
from citadel.rewrite.steps import apply_steps, code_of

MAKERS = {
    "torch": "import torch\nx = torch.arange(24.0).reshape(2, 3, 4)\n"
    "s = torch.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse()\n",
    "tensorflow": "import tensorflow as tf\nx = tf.reshape(tf.range(24.0), [2, 3, 4])\n"
    "s = tf.sparse.from_dense([[0.0, 2.0], [3.0, 0.0]])\n",
}
COMPARE = """
import numpy as np, side, planned
live = side.module("live")
def plain(value):
    if isinstance(value, (list, tuple, str)):
        return value
    if getattr(value, "is_quantized", False):
        return value.dtype, value.dequantize().tolist()
    value = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    return value.shape, value.tolist()
for text, name, given, value in CASES:
    function = planned.STEPS.get(name) or live.STEPS[name]
    assert plain(eval(text)) == plain(function(value, *given)), (text, name, given)
    print(text)
"""
TENSOR_STEPS = [
    Step(name="lift", amount=1),
    Step(name="lift", amount=2, behind=1),
    Step(name="repeat", amount=1),
    Step(name="repeat", amount=2, behind=1),
    Step(name="lower", amount=1),
    Step(name="lower", amount=2),
    Step(name="lower", amount=1, behind=1),
    Step(name="lead", amount=2),
    Step(name="behead", amount=1),
    Step(name="behead", amount=2),
    Step(name="narrow", amount=2),
    Step(name="narrow", amount=6),
    Step(name="list"),
    Step(name="mean"),
    Step(name="sum"),
]
SPARSE_STEPS = [Step(name="indices"), Step(name="values"), Step(name="shape")]
LIST_STEPS = [
    Step(name="resize", amount=1),
    Step(name="resize", amount=5),
    Step(name="resize", amount=3, behind=1),
    Step(name="resize", amount=1, behind=1),
    Step(name="ends", amount=4),
    Step(name="inner"),
    Step(name="extend", amount=2, text="1"),
    Step(name="extend", amount=1, behind=1, text="0"),
]
SIZES = Value(
    kind="list", items=tuple(Value(kind="int", text=str(number)) for number in (1, 2, 3, 4))
)


def cases(framework):
    tensor = Value(kind="tensor", text=f"{framework}.Tensor", shape=(2, 3, 4))
    sparse = Value(kind="tensor", text=f"{framework}.Sparse", shape=(2, 2))
    yield from (("x", tensor, step) for step in TENSOR_STEPS)
    yield from (("s", sparse, step) for step in SPARSE_STEPS)
    yield from (("[1, 2, 3, 4]", SIZES, step) for step in LIST_STEPS)
    yield "3", Value(kind="int", text="3"), Step(name="ends", amount=2)
    yield "3", Value(kind="int", text="3"), Step(name="each", amount=2)
    if framework == "tensorflow":
        yield "[1, 2, 3, 4]", SIZES, Step(name="tensor")
        yield "x", tensor, Step(name="variable")
    else:
        yield "3", Value(kind="int", text="3"), Step(name="tensor", text="float16")
        yield "x", tensor, Step(name="quantize", text="qint8")
    yield "3", Value(kind="int", text="3"), Step(name="tensor")
    yield "'same'", Value(kind="str", text="'same'"), Step(name="say", text="'SAME'")


@pytest.mark.parametrize(
    ("framework", "fixture"),
    [
        pytest.param("torch", "torch_target", marks=pytest.mark.torch),
        pytest.param("torch", "torch113_target", marks=pytest.mark.torch113),
        pytest.param("tensorflow", "tf_target", marks=[pytest.mark.tf, pytest.mark.slow]),
        pytest.param("tensorflow", "tf213_target", marks=[pytest.mark.tf, pytest.mark.slow]),
    ],
)
def test_text_and_live_value_agree(request, framework, fixture):
    rows = []
    for name, value, step in cases(framework):
        api = "torch.sin" if framework == "torch" else "tf.sin"
        changed = apply_steps(cst.parse_expression(name), (step,), value, api)
        said, *given = step.to_json()
        rows.append(f"({code_of(changed)!r}, {said!r}, {given!r}, {name}),")
    code = MAKERS[framework] + "CASES = [\n" + "\n".join(rows) + "\n]\n" + COMPARE
    with request.getfixturevalue(fixture).session() as session:
        seen = session.run(code)
    assert seen.outcome is Outcome.OK, seen.stderr
    assert len(seen.stdout.splitlines()) == len(rows)
