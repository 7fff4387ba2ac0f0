"""Reports about layers and models of TensorFlow."""

import pytest

from .conftest import bugs, verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

MODEL = """
    import tensorflow as tf
    model = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Reshape((7, 7))])
    model(tf.ones([1, 4]))
"""

FUNCTIONAL = """
    import numpy as np
    import tensorflow as tf

    inputs = tf.keras.Input(shape=(8, 8, 3))
    outputs = tf.keras.layers.Conv2D(4, 3, strides=2**31, padding="same")(inputs)
    model = tf.keras.Model(inputs, outputs)
    print(model.predict(np.ones((1, 8, 8, 3), "float32"), verbose=0).shape)
"""

SUBCLASSED = """
    import numpy as np
    import tensorflow as tf

    class Words(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.vectors = tf.keras.layers.Embedding(4, 2)
            self.out = tf.keras.layers.Dense(1)

        def call(self, words):
            return self.out(tf.reduce_sum(self.vectors(words), 1))

    model = Words()
    model.compile(optimizer="sgd", loss="mse")
    model.fit(np.array([[9, 1]]), np.array([[1.0]]), verbose=0)
"""

OVERFLOW = """
    import numpy as np
    import tensorflow as tf

    inputs = tf.keras.Input(shape=(3,))
    large = tf.keras.layers.Rescaling(1e30)(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.UnitNormalization()(large))
    y = model.predict(np.ones((1, 3), "float32"), verbose=0)
    assert np.allclose(y, 0.57735), y
"""

POOLED = """
    import numpy as np
    import tensorflow as tf

    data = np.full((1, 4, 4, 2), np.nan, dtype=np.float32)
    seen = tf.keras.layers.Input(shape=(4, 4, 2))
    out = tf.keras.layers.MaxPooling2D(pool_size=(2, 2), strides=(2, 2), padding="same")(seen)
    pooled = tf.keras.Model(seen, out).predict(data, verbose=0)
    print("pooled", pooled.ravel()[:3])
"""

LAYER = """
import tensorflow as tf
tf.keras.layers.Conv2DTranspose(2, [3, 3], strides=[1, 1], padding="same", dilation_rate=[0, 2])
"""


def test_a_layer_that_cannot_be_made_has_siblings(triaged):
    found = triaged("Conv2DTranspose", LAYER, "ValueError: a dilation of 0")
    assert found.case.reproduces
    layers = "tf.keras.layers."
    assert bugs(found) >= {f"{layers}Conv3DTranspose", f"{layers}Conv1D", f"{layers}Conv2D"}
    (lifted,) = (f for f in found.bugs if f.api == f"{layers}Conv3DTranspose")
    assert "[3, 3, 3]" in lifted.code
    assert "dilation_rate=[0, 2, 2]" in lifted.code


def test_the_layer_in_a_model_is_blamed_for_what_it_says_itself(triaged):
    found = triaged("Reshape", MODEL, "The model raises an error when it is called.")
    assert found.case.api == "tf.keras.layers.Reshape"
    assert "Exception encountered" not in found.case.symptom.message


def test_a_functional_model_fails_for_layers_of_other_dimensions_as_well(triaged):
    found = triaged("Conv2D strides", FUNCTIONAL, "ValueError: Attr strides has value 2147483648")
    assert found.case.reproduces
    assert found.case.api == "tf.keras.layers.Conv2D"
    assert bugs(found) >= {"tf.keras.layers.Conv1D", "tf.keras.layers.Conv3D"}
    (lifted,) = (f for f in found.bugs if f.api == "tf.keras.layers.Conv3D")
    assert "(inputs[..., None, :])" in lifted.code
    assert "Conv3D" in lifted.code


def test_the_layer_in_a_subclassed_model_is_blamed_for_what_fit_raises(bench, read):
    text = "InvalidArgumentError: indices[0,0] = 9 is not in [0, 4)"
    found = verified(bench, read("fit fails", SUBCLASSED, text=text))
    assert found.case.reproduces
    assert found.case.api == "tf.keras.layers.Embedding"


def test_the_layer_in_a_model_is_blamed_for_what_predict_returns(bench, read):
    found = verified(bench, read("zeros in a model", OVERFLOW))
    assert found.case.reproduces
    assert found.case.api == "tf.keras.layers.UnitNormalization"
    assert True in found.witness.own  # another result of the layer changes what is shown


SMOOTHED = """
import tensorflow as tf
loss = tf.keras.losses.CategoricalCrossentropy(label_smoothing=3.0)
print(loss(tf.constant([[0.0, 1.0]]), tf.constant([[0.4, 0.6]])))
"""


def test_what_a_loss_is_made_with_is_known_when_it_is_called(triaged):
    """Losses and initialisers are no layers, but are made and called like them."""
    title = "CategoricalCrossentropy accepts label_smoothing outside of [0, 1]"
    found = triaged(title, SMOOTHED, "No error is raised.")
    assert found.case.reproduces
    assert "tf.keras.losses.BinaryCrossentropy" in bugs(found)
    function = next(f for f in found.bugs if f.api.endswith(".binary_crossentropy"))
    assert "label_smoothing=3.0" in function.code
    assert "tf.keras.losses.LogCosh" not in bugs(found)  # has no such argument


def test_what_a_layer_calls_is_tried_in_the_model(triaged, bench):
    """Keras 3 puts models together of placeholders, which no function takes; Keras 2's do."""
    text = (
        "A window that is all NaN comes out as `-3.4028235e+38`.\n\n"
        "**Describe the expected behavior**\n\nNaN, like `np.max` and `tf.reduce_max`."
    )
    found = triaged("MaxPooling2D replaces NaN by a finite number", POOLED, text)
    (pool,) = (f for f in found.bugs if f.api == "tf.nn.max_pool2d")
    (line,) = (line for line in pool.code.splitlines() if "max_pool2d" in line)
    assert (
        "Lambda(lambda x: tf.nn.max_pool2d(x, " in line
    ) is bench.target.info.version.startswith("2.21")
