"""Where executions part, by hand-made states."""

import numpy as np
import pytest

from harvest.sources.backends import Execution, Failure
from harvest.sources.judging import judge
from harvest.sources.known_limits import limit_of
from harvest.sources.model import HitKind
from harvest.sources.networks import Layer, Network

NETWORK = Network(
    name="n",
    inputs={"in": (1, 2)},
    layers=(
        Layer(name="a", kind="ReLU", inputs=("in",)),
        Layer(name="b", kind="ELU", inputs=("a",)),
        Layer(name="c", kind="Dense", inputs=("b",)),
    ),
)


def ran(backend, *values, failure=None):
    """States of as many layers as there are values."""
    names = [layer.name for layer in NETWORK.layers]
    states = {name: np.full((1, 2), value) for name, value in zip(names, values, strict=False)}
    return Execution(backend=backend, states=states, failure=failure)


def judged(*executions):
    return judge(NETWORK, {one.backend: one for one in executions})


def test_the_first_layer_that_differs_is_blamed_and_what_follows_is_not():
    (found,) = judged(ran("x", 1, 2, 3), ran("y", 1, 2, 3), ran("z", 1, 2.5, 9))
    assert (found.layer, found.kind, found.vote.odd) == ("b", HitKind.INCONSISTENCY, ("z",))
    assert found.error == pytest.approx(0.2)


def test_rounding_is_no_disagreement():
    assert judged(ran("x", 1, 2, 3), ran("y", 1, 2, 3), ran("z", 1, 2.00001, 3.0001)) == ()


def test_an_exception_on_one_backend():
    failure = Failure(layer="b", types=("ValueError", "Exception"), message="no")
    (found,) = judged(ran("x", 1, 2, 3), ran("y", 1, failure=failure), ran("z", 1, 2, 3))
    assert (found.layer, found.kind, found.vote.odd) == ("b", HitKind.CRASH, ("y",))
    assert found.failures["y"].label == "ValueError"


def test_what_one_accepts_and_the_others_refuse():
    failure = Failure(layer="b", types=("ValueError",), message="Invalid padding")
    refused = [ran(name, 1, failure=failure) for name in "xz"]
    (found,) = judged(ran("y", 1, 2, 3), *refused)
    assert (found.layer, found.vote.odd, found.accepts) == ("b", ("y",), True)
    assert found.parted == "y accepts what x and z refuse (ValueError)"
    (found,) = judged(ran("y", 1, failure=failure), ran("x", 1, 2, 3), ran("z", 1, 2, 3))
    assert not found.accepts
    assert found.parted == "y against x and z: ValueError"


def test_what_all_refuse_is_no_hit():
    failure = Failure(layer="b", types=("ValueError",))
    assert judged(*(ran(name, 1, failure=failure) for name in "xyz")) == ()


def test_what_kills_all_is_a_hit():
    failure = Failure(layer="b", died="signal SIGSEGV")
    (found,) = judged(*(ran(name, 1, failure=failure) for name in "xyz"))
    assert (found.kind, found.vote.odd) == (HitKind.CRASH, ("x", "y", "z"))


@pytest.mark.parametrize("died", ["timeout", "memory", "lost"])
def test_our_own_kills_have_no_say(died):
    failure = Failure(layer="b", died=died)
    assert judged(ran("x", 1, 2, 3), ran("y", 1, failure=failure), ran("z", 1, 2, 3)) == ()


def test_nan_on_one_backend():
    (found,) = judged(ran("x", 1, 2, 3), ran("y", 1, np.nan, np.nan), ran("z", 1, 2, 3))
    assert (found.layer, found.kind, found.vote.odd) == ("b", HitKind.NON_FINITE, ("y",))


def test_without_a_majority_nobody_is_voted_out():
    (found,) = judged(ran("x", 1, 2, 3), ran("y", 1, 4, 3), ran("z", 1, 8, 3))
    assert found.vote.odd == ()


def test_limits_have_reasons():
    failure = Failure(layer="b", types=("NotImplementedError",), message="not implemented")
    (found,) = judged(ran("x", 1, 2, 3), ran("y", 1, failure=failure), ran("z", 1, 2, 3))
    assert "not implemented" in limit_of("ELU", {}, found)
    other = Failure(layer="b", types=("RuntimeError",), message="Given normalized_shape=[1]")
    (found,) = judged(ran("x", 1, 2, 3), ran("y", 1, failure=other), ran("z", 1, 2, 3))
    assert limit_of("LayerNormalization", {"axis": 1}, found) == ""


@pytest.mark.parametrize(
    ("message", "explained"),
    [
        ("The Conv2D op currently only supports the NHWC tensor format on the CPU", True),
        ("Default MaxPoolingOp only supports NHWC on device type CPU", True),
        ("Value for attr 'padding' of \"CAUSAL_\" is not in the list; attr=data_format", False),
    ],
)
def test_a_limit_of_layouts_is_about_layouts(message, explained):
    failure = Failure(layer="b", types=("InvalidArgumentError",), message=message)
    (found,) = judged(
        ran("tensorflow", 1, failure=failure), ran("jax", 1, 2, 3), ran("torch", 1, 2, 3)
    )
    assert bool(limit_of("MaxPooling2D", {}, found)) == explained


def test_limits_of_values_are_of_layers_and_parameters():
    (found,) = judged(ran("x", 1, 2, 3), ran("y", 1, 2, 3), ran("z", 1, 2.5, 9))
    assert limit_of("UpSampling2D", {"interpolation": "bicubic"}, found)
    assert not limit_of("UpSampling2D", {"interpolation": "bilinear"}, found)
    assert not limit_of("AveragePooling2D", {"padding": "same"}, found)
