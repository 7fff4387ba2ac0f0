"""NaN everywhere: a case where double precision has numbers, else the limit that explains it."""

import re

import numpy as np
import pytest

from harvest.sources.audee.amplifying import Prepared
from harvest.sources.audee.not_a_number import (
    BEYOND,
    DEMANDED,
    EARLIER,
    NO_SCRIPT,
    PRODUCTS,
    explain,
)
from harvest.sources.backends import Backends
from harvest.sources.networks import make_inputs
from harvest.sources.suspects import Suspect

pytestmark = [pytest.mark.keras, pytest.mark.slow]

NAIVE = """
from keras import ops
from keras.src import backend

def wrong(x, axis=-1):
    exponentials = ops.exp(x)
    return exponentials / ops.sum(exponentials, axis=axis, keepdims=True)

backend.nn.softmax = wrong
"""
"""As in the papers: nothing is subtracted before the exponentials overflow."""
NARROW = """
from keras import ops
from keras.src import backend

def wrong(x, axis=-1):
    return ops.where((x > 500) & (x < 600), ops.exp(x) / ops.exp(x), x)

backend.nn.softmax = wrong
"""
"""Not to be met by chance, and nothing in double precision, which can hold the exponentials."""
TWO = ("tensorflow", "torch")


@pytest.fixture(scope="module")
def naive(keras_interpreter):
    patches = dict.fromkeys(TWO, NAIVE)
    with Backends(keras_interpreter, names=TWO, patches=patches) as backends:
        backends.start()
        yield backends


def explained(backends, suspect, **changed):
    inputs = {**make_inputs(suspect.network, 0), **changed}
    return explain(backends, suspect, Prepared(inputs=inputs), "Found by: a test.")


def test_a_script_shows_what_need_not_be(naive, backends):
    suspect = Suspect(kind="Softmax", config={"axis": -1}, shapes=((2, 9, 10, 4),))
    found = explained(naive, suspect)
    assert (found.limit, found.no_case) == ("", "")
    assert found.case.title == "keras.layers.Softmax returns NaN"
    assert "(2, 9, 10, 4)" not in found.case.code  # it was made smaller
    assert {one.label for one in naive.script(found.case.code).values()} == {"AssertionError"}
    assert set(backends.script(found.case.code).values()) == {None}


def test_numbers_that_only_the_search_found_are_made_round(keras_interpreter):
    suspect = Suspect(kind="Softmax", config={"axis": -1}, shapes=((2, 6),))
    inputs = make_inputs(suspect.network, 0)["in0"]
    inputs[1, 2] = 541.7312
    patches = dict.fromkeys(TWO, NARROW)
    with Backends(keras_interpreter, names=TWO, patches=patches) as narrow:
        narrow.start()
        found = explained(narrow, suspect, in0=inputs)
        assert {one.label for one in narrow.script(found.case.code).values()} == {"AssertionError"}
    given = found.case.code.partition("x = ")[2].partition(", dtype")[0]
    numbers = [float(one) for one in re.findall(r"[-\d.e]*\d\.?[-\d.e]*", given)]
    assert sorted(numbers) == [*[0.0] * 11, pytest.approx(541.7312)]  # 500 does not show it


def test_the_root_of_a_negative_number_is_demanded(backends):
    config = {"axis": -1, "epsilon": -1.0}
    found = explained(backends, Suspect(kind="LayerNormalization", config=config, shapes=((2, 6),)))
    assert found.case is None
    assert found.limit == DEMANDED


def test_what_double_precision_alone_can_hold_is_an_overflow(backends):
    config = {"units": 4, "activation": "linear"}
    suspect = Suspect(kind="SimpleRNN", config=config, shapes=((2, 12, 4),))
    weights = {"layer": (np.full((4, 4), 1.0), np.full((4, 4), -1e9), np.zeros(4))}
    inputs = {"in0": np.full((2, 12, 4), 1e30, "float32")}
    weights = {"layer": tuple(one.astype("float32") for one in weights["layer"])}
    found = explain(backends, suspect, Prepared(inputs=inputs, weights=weights), "")
    assert found.case is None
    assert found.limit == BEYOND


@pytest.mark.parametrize("large", [1e20, 1e37])
def test_products_that_overflow_are_arithmetic(backends, large):
    config = {"groups": 2, "axis": -1, "epsilon": 0.001}
    suspect = Suspect(kind="GroupNormalization", config=config, shapes=((2, 4),))
    inputs = np.random.default_rng(0).standard_normal((2, 4)).astype("float32") * large
    found = explained(backends, suspect, in0=inputs.clip(-1e38, 1e38).astype("float32"))
    assert found.case is None
    assert found.limit == PRODUCTS


def test_what_comes_in_infinite_is_not_the_layers_fault(backends):
    suspect = Suspect(kind="Softmax", config={"axis": -1}, shapes=((2, 6),))
    found = explained(backends, suspect, in0=np.full((2, 6), np.inf, "float32"))
    assert found.limit == EARLIER


def test_numbers_that_are_too_many_make_no_script(backends):
    suspect = Suspect(kind="Softmax", config={"axis": -1}, shapes=((8, 9),))
    found = explained(backends, suspect)
    assert (found.case, found.limit, found.no_case) == (None, "", NO_SCRIPT)
