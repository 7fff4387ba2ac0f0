"""Fitness and oracles on executions with known states."""

import numpy as np
import pytest

from harvest.sources.audee.causes import culprit
from harvest.sources.audee.oracles import (
    LOGITS,
    apart,
    failing,
    rate_alone,
    spread,
    with_logits,
)
from harvest.sources.audee.variants import SEEDS, mutated, seed_model
from harvest.sources.backends import Execution
from harvest.sources.model import HitKind
from harvest.sources.networks import Layer, Network

PLAIN = Network(
    name="n",
    inputs={"in": (1, 2)},
    layers=(
        Layer(name="a", kind="ReLU", inputs=("in",)),
        Layer(name="b", kind="Dense", config={"units": 3, "activation": "softmax"}, inputs=("a",)),
    ),
)
SPLIT = with_logits(PLAIN)


def ran(name, a, scores, probabilities=(0.2, 0.3, 0.5)):
    states = {"a": [[a, a]], LOGITS: [scores], "b": [probabilities]}
    return Execution(
        backend=name, states={key: np.array(each, "float32") for key, each in states.items()}
    )


def both(one, other):
    return {"x": one, "y": other}


def test_the_softmax_becomes_a_layer_so_that_logits_have_a_name():
    assert [layer.name for layer in SPLIT.layers] == ["a", LOGITS, "b"]
    assert SPLIT.find(LOGITS).config == {"units": 3, "activation": None}
    assert (SPLIT.output.kind, SPLIT.output.inputs) == ("Softmax", (LOGITS,))
    assert with_logits(SPLIT) == SPLIT


def test_both_fitness_functions_look_at_the_logits():
    found = both(ran("x", 1, (1, 2, 4)), ran("y", 1, (1, 5, 4), (1, 0, 0)))
    assert apart(SPLIT, found) == pytest.approx(1.0)
    assert spread(SPLIT, found) == pytest.approx(3.0)


def test_infinity_is_one_step_before_nan():
    assert spread(SPLIT, both(ran("x", 1, (1, 2, np.inf)), ran("y", 1, (0, 0, 0)))) == np.inf


def test_labels_that_differ_without_a_layer_are_rounding():
    found = both(ran("x", 1, (1, 2, 2 + 1e-6)), ran("y", 1, (1, 2 + 1e-6, 2)))
    failed = failing(SPLIT, found)
    assert failed.labels
    assert not failed.parted
    assert culprit(SPLIT, found, failed) is None
    assert not failing(SPLIT, both(ran("x", 1, (1, 2, 3)), ran("y", 1, (1, 2, 3))))


def test_labels_that_differ_are_blamed_on_the_first_layer_above_t1():
    found = both(ran("x", 1, (1, 2, 3)), ran("y", 1, (1, 3.5, 3)))
    fault = culprit(SPLIT, found, failing(SPLIT, found))
    assert (fault.layer, fault.kind) == (LOGITS, HitKind.INCONSISTENCY)
    assert fault.rate > 1e6


def test_nan_everywhere_is_blamed_on_the_layer_that_makes_it():
    nan = (np.nan,) * 3
    found = both(ran("x", 1, nan, nan), ran("y", 1, nan, nan))
    failed = failing(SPLIT, found)
    assert failed.nan == LOGITS
    fault = culprit(SPLIT, found, failed)
    assert (fault.layer, fault.kind, fault.everywhere) == (LOGITS, HitKind.NON_FINITE, True)


def test_nan_on_one_side_is_an_inconsistency_of_its_kind():
    found = both(ran("x", 1, (1, 2, np.nan)), ran("y", 1, (1, 2, 3)))
    fault = culprit(SPLIT, found, failing(SPLIT, found))
    assert (fault.layer, fault.kind, fault.everywhere) == (LOGITS, HitKind.NON_FINITE, False)


def test_the_rate_of_a_layer_alone_is_its_delta_over_eps():
    one = np.array([0.5, 0.25])
    assert rate_alone(one, one + 3e-4) == pytest.approx(3000)
    assert rate_alone(one * 1e6, (one + 3e-4) * 1e6) == pytest.approx(6000, rel=1e-2)
    assert rate_alone(one, one[:1]) == np.inf


def test_seed_models_are_the_seven_of_the_paper_with_logits():
    assert len(SEEDS) == 7
    for number in range(7):
        network = seed_model(number, 0)
        assert network.find(LOGITS)
        made = mutated(network, np.random.default_rng(number))
        assert made.layers[-2:] == network.layers[-2:]
        assert 1 <= sum(a != b for a, b in zip(made.layers, network.layers, strict=True)) <= 3
