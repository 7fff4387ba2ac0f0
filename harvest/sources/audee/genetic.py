"""Algorithm 1 of Audee (section 4.2): a genetic search over vectors of genes.

In comes a vector and a function that measures one; out comes the first vector that fails, or else
the fittest one that was seen. Noise is Cauchy's: mostly small, now and then of any magnitude.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Genes = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`population` is n of the paper, `kept` m, `crossover` r1, `mutation` r2.

    `scale` is that of the Cauchy distribution; `generations` bounds the search.
    """

    population: int = 6
    kept: int = 3
    crossover: float = 0.5
    mutation: float = 0.4
    scale: float = 0.2
    generations: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a vector comes to; `stop` says that it is what was looked for."""

    fitness: float
    stop: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Individual:
    """A vector of genes with what it comes to."""

    genes: Genes
    measured: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolved:
    """The best vector, the best fitness of each generation, and whether `best` stopped it."""

    best: Individual
    course: tuple[float, ...]

    @property
    def stopped(self) -> bool:
        """Whether a failure was found."""
        return self.best.measured.stop


def evolve(
    start: Genes,
    measure: Callable[[Genes], Measured],
    settings: Settings,
    random: np.random.Generator,
) -> Evolved:
    """Search from a vector on; failures are looked for in every generation.

    The fittest go on as they are and are not measured again, so fitness never falls.
    """
    drawn = (noisy(start, settings.scale, random) for _ in range(settings.population - 1))
    people: list[Individual] = []
    course: list[float] = []
    born = [start, *drawn]
    for _ in range(settings.generations):
        for genes in born:
            one = Individual(genes=genes, measured=measure(genes))
            if one.measured.stop:
                return Evolved(best=one, course=(*course, one.measured.fitness))
            people.append(one)
        people = fittest(people, settings.kept)
        course.append(people[0].measured.fitness)
        born = [child(people, settings, random) for _ in range(settings.population - len(people))]
    return Evolved(best=people[0], course=tuple(course))


def fittest(people: list[Individual], count: int) -> list[Individual]:
    """The best ones, best first; equally fit ones in the order in which they came."""
    return sorted(people, key=lambda one: _rank(one.measured.fitness), reverse=True)[:count]


def child(people: list[Individual], settings: Settings, random: np.random.Generator) -> Genes:
    """A child of two parents that are drawn, with noise at times."""
    first, second = (people[int(place)].genes for place in random.integers(len(people), size=2))
    made = crossed(first, second, settings.crossover, random)
    return noisy(made, settings.scale, random) if random.random() < settings.mutation else made


def crossed(first: Genes, second: Genes, rate: float, random: np.random.Generator) -> Genes:
    """Gene by gene: that of the first parent with the probability r1, else of the second."""
    return np.where(random.random(first.shape) < rate, first, second)


def noisy(genes: Genes, scale: float, random: np.random.Generator) -> Genes:
    """The genes with Cauchy noise."""
    return genes + scale * random.standard_cauchy(genes.shape)


def _rank(fitness: float) -> float:
    """What cannot be measured is the worst."""
    return -np.inf if np.isnan(fitness) else fitness
