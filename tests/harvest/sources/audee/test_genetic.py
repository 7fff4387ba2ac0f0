"""Algorithm 1: its operators by their definitions, the whole on functions with a known best."""

import numpy as np
import pytest

from harvest.sources.audee.genetic import (
    Individual,
    Measured,
    Settings,
    child,
    crossed,
    evolve,
    fittest,
    noisy,
)

MANY = 20_000


def individual(*genes, fitness=0.0):
    return Individual(genes=np.array(genes, dtype=float), measured=Measured(fitness=fitness))


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_a_gene_comes_of_the_first_parent_with_the_probability_r1(rate):
    made = crossed(np.ones(MANY), np.zeros(MANY), rate, np.random.default_rng(0))
    assert set(np.unique(made)) <= {0.0, 1.0}
    assert made.mean() == pytest.approx(rate, abs=0.02)


def test_noise_is_that_of_cauchy():
    """Half of it lies within one scale, and some of it anywhere."""
    noise = noisy(np.full(MANY, 3.0), 0.5, np.random.default_rng(0)) - 3.0
    assert np.mean(np.abs(noise) < 0.5) == pytest.approx(0.5, abs=0.02)
    assert np.abs(noise).max() > 500


def test_a_child_is_mutated_with_the_probability_r2():
    people = [individual(1.0, 1.0), individual(2.0, 2.0)]
    random = np.random.default_rng(0)
    settings = Settings(mutation=0.3)
    pure = sum(set(child(people, settings, random)) <= {1.0, 2.0} for _ in range(2000))
    assert pure / 2000 == pytest.approx(0.7, abs=0.04)


def test_the_fittest_are_kept_and_what_cannot_be_measured_is_last():
    people = [individual(n, fitness=f) for n, f in enumerate((1.0, np.nan, 5.0, np.inf))]
    assert [one.genes[0] for one in fittest(people, 3)] == [3, 2, 0]


def test_fitness_never_falls_and_rises_on_a_slope():
    settings = Settings(generations=12)
    found = evolve(
        np.zeros(4), lambda x: Measured(fitness=float(x.sum())), settings, np.random.default_rng(1)
    )
    assert not found.stopped
    assert len(found.course) == 12
    assert list(found.course) == sorted(found.course)
    assert found.course[-1] > max(found.course[0], 0)
    assert found.best.genes.sum() == pytest.approx(found.course[-1])


def test_the_search_ends_with_the_first_failure():
    seen = []

    def measure(genes):
        seen.append(genes)
        return Measured(fitness=0.0, stop=bool(np.abs(genes).max() > 1))

    found = evolve(np.zeros(3), measure, Settings(generations=50), np.random.default_rng(0))
    assert found.stopped
    assert found.best.genes is seen[-1]
    assert [bool(np.abs(one).max() > 1) for one in seen] == [False] * (len(seen) - 1) + [True]


def test_the_start_is_measured_first_and_survivors_are_not_measured_again():
    seen = []

    def measure(genes):
        seen.append(genes)
        return Measured(fitness=0.0)

    start = np.ones(2)
    settings = Settings(population=6, kept=2, generations=3)
    evolve(start, measure, settings, np.random.default_rng(0))
    assert seen[0] is start
    assert len(seen) == 6 + 4 + 4


def test_equal_seeds_search_alike():
    runs = [
        evolve(
            np.zeros(5),
            lambda x: Measured(fitness=float(x[0])),
            Settings(),
            np.random.default_rng(7),
        )
        for _ in range(2)
    ]
    np.testing.assert_array_equal(runs[0].best.genes, runs[1].best.genes)
