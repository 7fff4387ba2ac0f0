"""CRADLE's comparison of two executions, by hand-made states, and its drawing."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from harvest.sources.backends import Execution
from harvest.sources.cradle.comparing import compare, labels
from harvest.sources.cradle.drawing import draw
from harvest.sources.cradle.source import Comparing
from harvest.sources.model import Tally
from harvest.sources.networks import Layer, Network

NETWORK = Network(
    name="<n> & co",
    inputs={"in": (2, 3)},
    layers=(
        Layer(name="a", kind="ReLU", inputs=("in",)),
        Layer(name="b<script>", kind="ReLU", inputs=("a",)),
        Layer(name="c", kind="Add", inputs=("a", "b<script>")),
        Layer(name="out", kind="Dense", inputs=("c",)),
    ),
)
SCORES = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])


def ran(backend, *, wrong=0.0, out=SCORES):
    states = {
        "a": np.ones((2, 3)),
        "b<script>": np.ones((2, 3)) + np.array([[0.0], [wrong]]),
        "c": np.full((2, 3), 2.0) + np.array([[0.0], [wrong]]),
        "out": out,
    }
    return Execution(backend=backend, states=states)


@pytest.fixture
def found():
    other = SCORES[:, [0, 2, 1]] * [[1], [1]]  # the second instance loses its first place
    return compare(NETWORK, ran("x"), ran("y", wrong=0.5, out=other), [0, 2])


def test_the_most_inconsistent_instance_is_localised(found):
    assert found.worst == 1
    assert found.d_class == 8  # from the first place to the second
    assert not found.by_class  # which the paper's threshold still allows
    assert found.rates["b<script>"] == pytest.approx(0.5 / 1e-7)
    assert found.rates["c"] == pytest.approx(0.0, abs=1e-6)
    assert found.highlighted == ("b<script>",)
    assert (found.place("b<script>"), found.place("nothing")) == (1, 0)


def test_a_classifier_of_sequences_makes_a_prediction_at_each_position():
    sequences = np.stack([SCORES, SCORES], axis=1)  # (2 instances, 2 positions, 3 classes)
    other = sequences.copy()
    other[1, 0] = other[1, 0, ::-1]
    first, second = ran("x", out=sequences), ran("y", wrong=0.5, out=other)
    truth = labels({"x": sequences})
    assert truth == [0, 0, 2, 2]
    found = compare(NETWORK, first, second, truth)
    assert (found.worst, found.d_class) == (1, 12)
    assert found.rates["b<script>"] == pytest.approx(0.5 / 1e-7)


@pytest.mark.parametrize(
    ("one", "other", "d_mad"),
    [
        (SCORES * np.nan, SCORES, [1.0]),
        (SCORES * np.inf, SCORES, [1.0]),
        (SCORES * np.nan, SCORES * np.nan, [0.0]),
        (SCORES[:1], SCORES, []),  # two shapes: nothing to compare
        (SCORES[:, None][:, :0], SCORES[:, None][:, :0], []),
    ],
)
def test_any_two_outputs_can_be_compared(one, other, d_mad):
    found = Comparing(None, Tally()).compared(NETWORK, [ran("x", out=one), ran("y", out=other)])
    assert [each.d_mad for each in found] == d_mad


def test_one_pattern_is_one_inconsistency_whatever_the_network():
    tally = Tally()
    work = Comparing(None, tally)
    for name in ("first", "second", "third"):
        work.compared(replace(NETWORK, name=name), [ran("x"), ran("y", out=SCORES * 1e3)])
    told = tally.facts["pairs of backends"]
    assert told.startswith("3 compared; inconsistent by D_CLASS 0, by D_MAD 3;")
    told = tally.facts["unique inconsistencies"]
    assert told == ("1 by pair of backends and pattern: 3 of x+y, D_CLASS 2 of 0; D_MAD 2 of 0.8-1")


TIED = np.array([[0.3, 0.3, 0.3], [0.2, 0.3, 0.5]])
UP = TIED + np.array([[0, 1e-6, 3e-6], [0, 0, 0]])
DOWN = TIED + np.array([[2e-6, 1e-6, 0], [0, 0, 0]])
TURNED = "D_CLASS 1 of 0, 1 of 8-15; D_MAD 2 of 0-0.2"
"""Rounding puts the label of the first instance in the first place or in the third."""


class Pretending:
    """Two backends whose layers agree, but for the scores of the second."""

    def __init__(self, *, eager=UP, compiled=UP):
        self.eager, self.compiled = eager, compiled

    def describe(self, network, inputs):
        return {layer.name: [] for layer in network.layers}

    def run(self, network, weights, inputs, wall):
        return {"x": ran("x", out=UP), "y": ran("y", out=self.eager)}

    def predict(self, network, weights, inputs):
        outputs = {"x": UP, "y": self.compiled}
        return {name: Execution(backend=name, states={"out": out}) for name, out in outputs.items()}


def test_scores_that_part_without_a_layer_are_a_hit_for_each_pair_and_pattern():
    work = Comparing(Pretending(eager=DOWN), Tally())
    (hit,) = work.hits(NETWORK, 0)
    assert hit.key == f"inconsistency:x+y:{TURNED}"
    assert hit.title == f"x and y by D_CLASS: {TURNED}"
    assert f"pattern of x and y: {TURNED}" in hit.origin
    assert hit.case is None
    assert "no layer by itself" in hit.no_case
    assert TURNED in hit.files[0][1]
    assert list(work.hits(replace(NETWORK, name="another"), 1)) == []


def test_what_is_compiled_is_measured_in_the_same_way():
    tally = Tally()
    (hit,) = Comparing(Pretending(compiled=DOWN), tally).hits(NETWORK, 0)
    assert f", compiled; pattern of x and y: {TURNED}" in hit.origin
    assert dict(hit.measures)["D_CLASS"] == 12
    assert tally.facts["pairs of backends"].startswith("1 compared; inconsistent by D_CLASS 0")
    told = tally.facts["pairs of backends, compiled"]
    assert told.startswith("1 compared; inconsistent by D_CLASS 1, by D_MAD 0;")


def test_errors_are_of_the_whole_batch(found):
    assert found.errors["a"] == 0
    assert found.errors["b<script>"] == pytest.approx(0.5 / 1.5)


def test_labels_are_what_most_find():
    wrong = SCORES[:, ::-1]
    assert labels({"x": SCORES, "y": SCORES, "z": wrong}) == [0, 2]
    assert labels({"x": SCORES, "y": SCORES, "z": np.full((2, 3), np.nan)}) is not None


def test_the_drawing_is_a_picture_whatever_layers_are_called(found):
    text = draw(NETWORK, found, "b<script>")
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert "<script" not in text
    told = [each.text for each in root.iter() if each.text]
    assert "b<script>" in told
    assert any("number 1 of 4" in each for each in told)
