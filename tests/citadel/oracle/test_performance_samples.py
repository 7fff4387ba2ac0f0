"""Samples of one ratio: intervals, decisions, equality, control, growth."""

import math
import random

import pytest

from citadel.oracle import samples
from citadel.oracle.samples import Decision


def logs(ratio, count, noise=0.02, seed=0):
    draw = random.Random(seed)
    return [math.log(ratio) + draw.gauss(0, noise) for _ in range(count)]


WANTED = math.log(samples.LEAST)


def test_an_interval_holds_its_median():
    found = samples.interval(logs(2, 20))
    assert found.low < found.middle < found.high
    assert found.ratios()[1] == pytest.approx(2, rel=0.05)
    assert found == samples.interval(logs(2, 20))


def test_one_outlier_moves_nothing():
    calm = logs(1, 11)
    assert samples.decide([*calm, math.log(50)], WANTED) is Decision.CLEAN


@pytest.mark.parametrize("ratio", [1.5, 2, 10])
def test_a_clear_effect_is_found_at_the_first_look(ratio):
    assert samples.decide(logs(ratio, 5), WANTED) is Decision.BUG


def test_a_small_effect_takes_more_runs():
    assert samples.decide(logs(1.3, 5), WANTED) is Decision.MORE
    assert samples.decide(logs(1.3, 20), WANTED) is Decision.BUG


def test_equal_code_is_clean_at_once():
    assert samples.decide(logs(1, 5), WANTED) is Decision.CLEAN


def test_equal_code_makes_no_alarm_however_noisy():
    for seed in range(200):
        for count in samples.STAGES:
            found = samples.decide(logs(1, count, 0.1, seed), WANTED, last=True)
            assert found is not Decision.BUG


def test_what_varies_too_much_is_noisy():
    wide = logs(1.3, 40, noise=1.0)
    assert samples.decide(wide, WANTED) is Decision.MORE
    assert samples.decide(wide, WANTED, last=True) is Decision.NOISY


def test_half_of_the_sources_effect_is_wanted():
    wanted = samples.needed(math.log(9))
    assert wanted == pytest.approx(math.log(3))
    assert samples.decide(logs(2, 20), wanted) is Decision.CLEAN
    assert samples.decide(logs(4, 20), wanted) is Decision.BUG
    assert samples.needed(math.log(1.05)) == pytest.approx(WANTED)


def test_a_drift_of_the_machine_raises_the_bar():
    found = logs(1.4, 20)
    assert samples.decide(found, WANTED) is Decision.BUG
    assert samples.decide(found, WANTED, drift=math.log(1.5), last=True) is not Decision.BUG


def test_too_few_runs_decide_nothing_unless_they_count():
    assert samples.decide([1.0, 1.0], WANTED) is Decision.MORE
    assert samples.decide([1.0, 1.0], WANTED, last=True) is Decision.NOISY
    assert samples.decide([1.0, 1.0], WANTED, counted=True) is Decision.BUG
    assert samples.decide([0.0, 0.0], WANTED, counted=True) is Decision.CLEAN
    assert samples.decide([0.0, 1.0], WANTED, counted=True) is Decision.MORE


def test_two_runs_decide_where_they_are_far_away():
    far = math.log(samples.FAR)
    assert samples.decide([far + 0.1, far + 0.2], WANTED) is Decision.BUG
    assert samples.decide([far + 0.1, far - 0.1], WANTED) is Decision.MORE
    assert samples.decide([far + 0.1, far + 0.1], far + 0.5) is Decision.MORE
    assert samples.decide([0.0, 0.1], far + 0.2) is Decision.CLEAN
    assert samples.decide([far + 0.1], WANTED) is Decision.MORE


def test_no_effect_is_shown_by_a_narrow_interval_around_one():
    assert samples.decide_equal(logs(1, 20)) is Decision.BUG
    assert samples.decide_equal(logs(0.5, 20)) is Decision.CLEAN
    assert samples.decide_equal(logs(1.5, 20)) is Decision.CLEAN
    assert samples.decide_equal(logs(1, 20, noise=0.6), last=True) is Decision.NOISY
    assert samples.decide_equal([0.0, 0.0], counted=True) is Decision.BUG
    assert samples.decide_equal([0.1, 0.1], counted=True) is Decision.CLEAN


def test_the_control_compares_each_side_with_itself():
    assert samples.control([1, 1, 1, 1], [2, 2, 2, 2]) == 0
    assert samples.control([1, 2, 1, 2], [3, 3, 3, 3]) == pytest.approx(math.log(2))
    assert samples.control([1], [1]) == 0


@pytest.mark.parametrize(
    ("series", "slope"),
    [
        ([100 * step for step in range(12)], 100),
        ([5, 900, 901, *[1000 + 8 * step for step in range(9)]], 8),
        ([1000] * 12, 0),
        ([0, 500, 900, *[1000] * 9], 0),
        ([1000, 2000] * 6, 0),
        ([1, 2, 3], 0),
    ],
)
def test_growth_goes_on_while_what_only_warms_up_stops(series, slope):
    assert samples.slope(series) == slope
