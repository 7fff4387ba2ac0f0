"""Roulette wheel and Metropolis-Hastings, against the formulas."""

import numpy as np
import pytest

from harvest.sources.lemon.guidance import POOL, Rules, Seeds
from harvest.sources.lemon.mutants import Mutant
from harvest.sources.lemon.source import RULES, distances_of
from harvest.sources.seeds import lenet, seed_network


def mutant(order=0):
    network = seed_network(lenet, 0)
    return Mutant(seed="s", network=network, weights={}, shapes={}, chain=("LR",) * order)


def test_there_are_twelve_rules():
    assert " ".join(RULES) == "LR LS LC LA MLA AFRm AFRp GF WS NAI NEB NS"


def test_a_seed_that_was_chosen_often_is_chosen_less():
    seeds = Seeds([mutant(), mutant()])
    seeds.chosen = [3, 0]  # scores 1/4 and 1: a fifth and four fifths
    random = np.random.default_rng(0)
    counts = [0, 0]
    for _ in range(2000):
        seeds.chosen = [3, 0]
        seeds.choose(random, guided=True)
        counts[0] += seeds.chosen[0] - 3
        counts[1] += seeds.chosen[1]
    assert counts[0] / 2000 == pytest.approx(0.2, abs=0.03)


def test_without_guidance_all_seeds_are_alike():
    random, seeds = np.random.default_rng(0), Seeds([mutant(), mutant()])
    drawn = 0
    for _ in range(2000):
        seeds.chosen = [9, 0]
        seeds.choose(random, guided=False)
        drawn += seeds.chosen[0] - 9
    assert drawn / 2000 == pytest.approx(0.5, abs=0.04)


def test_a_full_pool_gives_up_the_mutant_chosen_most_often_and_no_seed_model():
    seeds = Seeds([mutant() for _ in range(POOL - 2)])
    seeds.add(mutant(1))
    seeds.add(mutant(2))
    seeds.chosen[POOL - 2] = 5
    seeds.chosen[0] = 50
    seeds.add(mutant(3))
    assert len(seeds.mutants) == POOL
    assert [one.order for one in seeds.mutants[-2:]] == [2, 3]
    assert seeds.chosen[0] == 50


def test_acceptance_falls_with_the_distance_of_ranks():
    rules = Rules(tuple(RULES))
    for name in RULES:
        rules.record(name, amplified=False)
    rules.record("GF", amplified=True)  # the best
    assert rules.priority("GF") == 0.5
    ranked = sorted(RULES, key=rules.priority, reverse=True)
    assert ranked[0] == "GF"
    p = 1 / 12
    assert rules.acceptance("GF", ranked[3]) == pytest.approx((1 - p) ** 3)
    assert rules.acceptance(ranked[3], "GF") == 1


def test_the_chain_visits_all_rules():
    random, rules = np.random.default_rng(0), Rules(tuple(RULES))
    drawn = {rules.choose(random, guided=True) for _ in range(300)}
    assert drawn == set(RULES)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_does_not_guide(bad):
    fine, broken = np.array([[0.7, 0.3], [0.6, 0.4]]), np.array([[bad, 0.3], [0.2, 0.8]])
    (found,) = distances_of({"tensorflow": fine, "torch": broken}).values()
    assert found[0] == 0.0
    assert 0.0 < found[1] < 1.0
    assert distances_of({"tensorflow": broken, "torch": fine})["tensorflow", "torch"][0] == 0.0


def test_scores_of_other_classes_are_not_compared():
    fine, other = np.array([[0.7, 0.3]]), np.array([[0.2, 0.3, 0.5]])
    assert [*distances_of({"tensorflow": fine, "jax": fine, "torch": other})] == [
        ("tensorflow", "jax")
    ]
    assert distances_of({"tensorflow": fine, "torch": other}) == {}
