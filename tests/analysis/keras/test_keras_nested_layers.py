"""Layers that models call, on each backend of Keras 3."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument
from analysis.target.session import Limits

pytestmark = pytest.mark.slow

FUNCTIONAL = """
    import numpy as np
    import keras

    inputs = keras.Input(shape=(8, 8, 3))
    outputs = keras.layers.AveragePooling2D(2)(inputs)
    model = keras.Model(inputs, outputs)
    print(model(np.ones((1, 8, 8, 3), "float32")).shape)
"""


def test_the_layer_of_a_functional_model_is_called_where_the_text_does(session):
    code = dedent(FUNCTIONAL)
    seen = session.run(code, traced=instrument(code).traced, limits=Limits(wall=60.0))
    pooled = [call for call in seen.calls if call.name == "keras.layers.AveragePooling2D"]
    symbolic, real = (call for call in pooled if call.form == "module")
    assert (symbolic.site, symbolic.occurrence, symbolic.depth) == (real.site, 1, 0)
    assert (real.occurrence, real.depth) == (2, 1)
    shapes = [call.arguments[0].value.shape for call in (symbolic, real)]
    assert shapes == [(1, 8, 8, 3), (1, 8, 8, 3)]
    assert {call.arguments[0].value.kind for call in (symbolic, real)} == {"tensor"}
