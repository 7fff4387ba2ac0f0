"""The papers' numbers, and what the formulas do at their edges."""

import numpy as np
import pytest

from harvest.sources import metrics
from harvest.sources.networks import Layer, Network

SCORES = np.array([0.05, 0.4, 0.3, 0.1, 0.08, 0.04, 0.03])


@pytest.mark.parametrize(
    ("label", "rank", "sigma"), [(1, 1, 16), (2, 2, 8), (3, 3, 4), (4, 4, 2), (0, 5, 1), (5, 6, 0)]
)
def test_sigma_halves_with_each_rank(label, rank, sigma):
    assert metrics.rank(label, SCORES) == rank
    assert metrics.sigma(label, SCORES) == sigma


def ranked(label, place):
    """Scores that put a label at a place."""
    order = [each for each in range(10) if each != label]
    order.insert(place - 1, label)
    scores = np.zeros(10)
    scores[order] = np.linspace(1, 0.1, 10)
    return scores


def test_d_class_of_the_paper():
    assert metrics.d_class(3, ranked(3, 1), ranked(3, 7)) == 16
    assert metrics.d_class(3, ranked(3, 1), ranked(3, 3)) == 12
    assert metrics.d_class(3, ranked(3, 8), ranked(3, 9)) == 0


def test_d_mad_of_the_paper():
    truth, one, other = np.array([0.0]), np.array([0.4]), np.array([-0.1])
    assert metrics.d_mad(truth, one, other) == pytest.approx(0.6)
    assert metrics.d_mad(truth, truth, truth) == 0


def test_delta_is_the_mean_absolute_deviation():
    assert metrics.delta(np.array([1.0, -1.0, 3.0]), np.array([0.0, 1.0, 3.0])) == 1.0
    assert metrics.delta(np.zeros(0), np.zeros(0)) == 0


def test_the_share_of_instances_that_exceed():
    assert metrics.exceeds([0.0, 0.3], 0.2)
    assert not metrics.exceeds([0.0, 0.2], 0.2)
    assert not metrics.exceeds([0.0, 0.3], 0.2, share=0.5)


def test_patterns_are_histograms_over_the_papers_bins():
    assert metrics.pattern([0, 1, 2, 3, 4, 7, 8, 15, 16], metrics.CLASS_BINS) == (1, 1, 2, 2, 2, 1)
    assert metrics.pattern([0, 0.19, 0.2, 0.5, 1.0], metrics.MAD_BINS) == (2, 1, 1, 0, 1)


def test_change_rate():
    assert metrics.change_rate(0.3, 0.1) == pytest.approx(0.2 / (0.1 + 1e-7))
    assert metrics.change_rate(0.0, 0.0) == 0
    assert metrics.change_rate(1e-3, 0.0) == pytest.approx(1e4)


def test_the_map_takes_the_largest_delta_among_predecessors():
    layers = (
        Layer(name="a", kind="ReLU", inputs=("in",)),
        Layer(name="b", kind="ReLU", inputs=("in",)),
        Layer(name="c", kind="Add", inputs=("a", "b")),
    )
    network = Network(name="n", inputs={"in": (1, 2)}, layers=layers)
    zero = {name: np.zeros((1, 2)) for name in "abc"}
    other = {"a": np.full((1, 2), 0.1), "b": np.full((1, 2), 0.4), "c": np.full((1, 2), 0.8)}
    rates = metrics.localisation_map(network, zero, other)
    assert rates["c"] == pytest.approx((0.8 - 0.4) / (0.4 + 1e-7))
    assert rates["b"] == pytest.approx(0.4 / 1e-7)
    assert metrics.highlighted({"a": 0.0, "b": 9.0, "c": 0.1, "d": 0.0, "e": 0.2}) == ("b",)


def test_the_third_quartile_of_layers_that_are_alike_highlights_none():
    assert metrics.highlighted({"a": 1.0, "b": 1.0}) == ()


@pytest.mark.parametrize(
    ("one", "other", "error"),
    [
        ([1.0, 2.0], [1.0, 2.2], 0.2 / 2.2),
        ([0.0, 0.0], [0.0, 0.0], 0.0),
        ([np.nan, 1.0], [np.nan, 1.0], 0.0),
        ([np.inf, 1.0], [np.inf, 1.0], 0.0),
        ([np.inf, 1.0], [-np.inf, 1.0], np.inf),
        ([np.nan, 1.0], [1.0, 1.0], np.inf),
        ([1.0], [1.0, 1.0], np.inf),
        ([], [], 0.0),
    ],
)
def test_relative_error(one, other, error):
    assert metrics.relative_error(np.array(one), np.array(other)) == pytest.approx(error)
