"""What a layer alone shows when Algorithm 1 looks for the inputs that show it best.

In comes a one-layer network (a `Suspect`) and what it is suspected of, out comes an `Effect`, as
Algorithm 2 asks for it. A `Lab` runs networks: the backends of Keras, or whatever a test has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from harvest.sources.audee.causes import T2, Culprit, Effect
from harvest.sources.audee.chromosomes import Chromosome, Level
from harvest.sources.audee.genetic import Genes, Measured, Settings, evolve
from harvest.sources.audee.oracles import rate_alone
from harvest.sources.backends import Execution
from harvest.sources.judging import judge
from harvest.sources.model import HitKind
from harvest.sources.networks import Array, Network, Weights
from harvest.sources.suspects import Suspect

SHORT = Settings(population=4, kept=2, generations=3)
"""Many layers are amplified, each with few executions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a network is run with; `positive` names weights that are no negative numbers.

    `refused` is why no weights could be made: the layer's exception.
    """

    inputs: Mapping[str, Array]
    weights: Weights = field(default_factory=dict)
    positive: frozenset[tuple[str, int]] = frozenset()
    refused: str = ""


class Lab(Protocol):
    """Runs networks on two or more backends."""

    def prepare(self, network: Network, seed: int) -> Prepared:
        """Inputs and weights from a seed."""

    def run(self, network: Network, prepared: Prepared) -> Mapping[str, Execution]:
        """An execution per backend, those that we ended ourselves left out."""


def effect(
    lab: Lab,
    suspect: Suspect,
    fault: Culprit,
    random: np.random.Generator,
    *,
    strict: bool = False,
    given: Prepared | None = None,
) -> Effect:
    """Whether a layer alone shows the fault of a culprit, fails in another way, or neither.

    An inconsistency shows if R reaches t2, and if `strict` if our own oracle calls it one. `given`
    is what to begin with, in the place of inputs and weights from the seed.
    """
    network = suspect.network
    prepared = lab.prepare(network, suspect.seed) if given is None else given
    first = lab.run(network, prepared)
    failed = [one.failure is not None for one in first.values()]
    if fault.kind is HitKind.CRASH:
        died = any(one.failure is not None and one.failure.died for one in first.values())
        if died or len(set(failed)) > 1:
            return Effect.SHOWS
        return Effect.FAILS if not failed or failed[0] else Effect.GONE
    if not first or any(failed):
        return Effect.FAILS
    return _amplified(lab, network, prepared, fault, random, strict=strict)


def alone(suspect: Suspect, prepared: Prepared, name: str, states: list[Array]) -> Prepared:
    """What a layer of a network had, for the network of that layer alone."""
    return Prepared(
        inputs=dict(zip(suspect.network.inputs, states, strict=True)),
        weights={"layer": prepared.weights.get(name, ())},
        positive=frozenset(("layer", place) for layer, place in prepared.positive if layer == name),
    )


def _amplified(
    lab: Lab,
    network: Network,
    prepared: Prepared,
    fault: Culprit,
    random: np.random.Generator,
    *,
    strict: bool,
) -> Effect:
    whole = isinstance(network.domain, int)
    chromosome = Chromosome(
        level=Level.JOINT if prepared.weights and not whole else Level.INPUT,
        inputs=prepared.inputs,
        weights=prepared.weights,
        domain=network.domain,
        positive=prepared.positive,
    )
    failing = False

    def measure(genes: Genes) -> Measured:
        """R of the layer; NaN, where that is looked for, or a failure, ends the search."""
        nonlocal failing
        inputs, weights = chromosome.arrays(genes)
        arranged = Prepared(inputs=inputs, weights=weights)
        done = lab.run(network, arranged)
        states = [one.states.get(network.output.name) for one in done.values()]
        arrays = [each for each in states if each is not None]
        if len(arrays) < len(states) or len(arrays) < 2:
            failing = True
            return Measured(fitness=np.inf, stop=True)
        nan = [bool(np.isnan(each).any()) for each in arrays]
        if fault.kind is HitKind.NON_FINITE:
            finite = [np.isfinite(each) for each in arrays]
            same = all(np.array_equal(finite[0], other) for other in finite[1:])
            shown = all(nan) if fault.everywhere else not same
            largest = max(float(np.max(np.abs(each), initial=0.0)) for each in arrays)
            return Measured(fitness=largest, stop=shown)
        if any(nan):
            failing = True
            return Measured(fitness=np.inf, stop=True)
        rate = rate_alone(*arrays[:2])
        return Measured(fitness=rate, stop=bool(judge(network, done)) if strict else rate >= T2)

    stopped = evolve(chromosome.start(), measure, SHORT, random).stopped
    if failing:
        return Effect.FAILS
    return Effect.SHOWS if stopped else Effect.GONE
