"""Functions of TensorFlow where the report has a layer that is called on Keras' placeholders."""

from dataclasses import replace
from textwrap import dedent

import pytest

from analysis.catalog.model import ApiKind
from analysis.target.observation import Argument
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation

LAYER = "tf.keras.layers.Pool"
MODEL = dedent("""
    import tensorflow as tf
    seen = tf.keras.Input((4,))
    out = tf.keras.layers.Pool(2)(seen)
    tf.keras.Model(seen, out).predict(x)
""").lstrip()


def placeholder(module: str) -> Argument:
    text = f"{module}.keras_tensor.KerasTensor"
    return Argument(value=Value(kind="tensor", text=text, shape=(1, 4), dtype="float32"))


@pytest.fixture
def pool(api):
    return api(LAYER, "size: int", kind=ApiKind.MODULE, call="inputs: Tensor")


@pytest.fixture
def made(call):
    def make(*inputs, number=2):
        layer = Value(kind="module", text=LAYER)
        one = call(LAYER, form="module", receiver=layer)
        return replace(one, number=number, arguments=inputs)

    return make


KERAS_3 = placeholder("keras.src.backend.common")
KERAS_2 = placeholder("keras.src.engine")


@pytest.mark.parametrize(
    ("target", "signature", "given", "written"),
    [
        ("tf.nn.pool", "input: Tensor, size: int", KERAS_3,
         "tf.keras.layers.Lambda(lambda x: tf.nn.pool(x, 2))(seen)"),
        ("tf.nn.relu", "features: Tensor", KERAS_3, "tf.keras.layers.Lambda(tf.nn.relu)(seen)"),
        ("tf.nn.pool", "input: Tensor, size: int", KERAS_2, "tf.nn.pool(seen, 2)"),
        ("tf.keras.ops.pool", "input: Tensor, size: int", KERAS_3, "tf.keras.ops.pool(seen, 2)"),
    ],
)  # fmt: skip
def test_a_function_on_placeholders(case, pool, api, call, made, target, signature, given, written):
    built = ("tf.keras.layers.Pool(2)", call(LAYER, 2, form="class"))
    one = case(MODEL, pool, "tf.keras.layers.Pool(2)(seen)", made(given), built=built)
    code = one.ways(api(target, signature))[0]
    assert code == MODEL.replace("tf.keras.layers.Pool(2)(seen)", written)


def test_that_a_place_was_given_placeholders_before_counts(pool, api, made, call):
    tensor = call("tf.f", {(1, 4)}).arguments[0]
    before, failing = made(KERAS_3), made(tensor, number=3)
    plan = plans(invocation(failing, pool, [before, failing]), api("tf.f", "x: Tensor"))[0]
    assert plan.symbolic == ("arg:0",)
    assert plan.edits[-1] == "called within a Lambda layer"
    plan = plans(invocation(failing, pool, [failing]), api("tf.f", "x: Tensor"))[0]
    assert not plan.symbolic


def test_several_placeholders_come_in_a_list(case, api, call):
    code = "import tensorflow as tf\ny = tf.keras.layers.add(a, b)\n"
    one = replace(call("tf.keras.layers.add"), arguments=(KERAS_3, KERAS_3))
    source = api("tf.keras.layers.add", "x: Tensor, y: Tensor")
    way = case(code, source, "tf.keras.layers.add", one).ways(api("tf.sub", "x: Tensor, y: Tensor"))
    written = "tf.keras.layers.Lambda(lambda x: tf.sub(x[0], x[1]))([a, b])"
    assert way[0] == code.replace("tf.keras.layers.add(a, b)", written)
