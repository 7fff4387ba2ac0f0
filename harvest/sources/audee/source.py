"""Audee: parameters of layers, inputs and weights mutated, failures localised by Algorithm 2.

Models of one layer, drawn from the table of parameters with some invalid values, take turns with
variants of the paper's seed models. What runs and agrees is searched on: Algorithm 1 mutates its
inputs, its weights or both, towards logits that differ or towards NaN.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from harvest.sources.audee.amplifying import Prepared
from harvest.sources.audee.bench import Bench
from harvest.sources.audee.chromosomes import Chromosome, Level
from harvest.sources.audee.genetic import Genes, Measured, Settings, evolve
from harvest.sources.audee.oracles import Failing, apart, failing, spread
from harvest.sources.audee.reporting import Reporter
from harvest.sources.audee.variants import SEEDS, lone, mutated, seed_model
from harvest.sources.backends import Backends
from harvest.sources.model import Hit, Search, State
from harvest.sources.networks import Network
from harvest.sources.operations import operations

LONE = 15
"""Models of one layer for each variant of a seed model."""
FITNESS = {"inconsistency": apart, "NaN": spread}
SCALE = {"inconsistency": 2.0, "NaN": 1000.0}
"""Of the noise: what overflows is far from what a seed has."""
TURNS = tuple((level, goal) for goal in FITNESS for level in Level)
WEIGHTLESS = tuple((Level.INPUT, goal) for goal in FITNESS)
SHORT = Settings(population=4, kept=2, generations=2)
"""For models of one layer; variants of seed models are searched on for longer."""


class Audee:
    """The source; `patches` is what `Backends` takes, for tests."""

    name = "audee"
    summary = "parameters, inputs and weights mutated on backends of Keras 3, causes named (ASE'20)"
    settings = ("mutants",)

    def __init__(self, patches: Mapping[str, str] | None = None) -> None:
        self._patches = patches

    def generate(self, search: Search) -> Iterator[Hit]:
        """Mutate until the budget is spent; see `CaseSource`."""
        with Backends(search.interpreter, patches=self._patches) as backends:
            backends.start()
            search.progress()
            end = time.monotonic() + search.budget
            work = Searching(backends, search)
            work.resume(search.notes.read())
            while time.monotonic() < end and not work.complete:
                yield from work.step()
                search.notes.write(lambda: work.state)
                search.progress()
            if work.complete:
                search.notes.clear()


class Searching:
    """One search: what was run, which failures it met, how long it took."""

    def __init__(self, backends: Backends, search: Search) -> None:
        self._bench = Bench(backends, search.tally)
        self._functions = operations(backends)
        self._tally = search.tally
        self._seed = search.seed
        self._mutants = search.mutants
        self._lone = 0 if search.mutants else LONE
        self._random = np.random.default_rng([search.seed, 5])
        self._reporter = Reporter(self._bench, self._random)
        self._failures: Counter[str] = Counter()
        self._turns: Counter[str] = Counter()
        self._steps = 0
        self._spent = 0.0

    @property
    def state(self) -> dict[str, Any]:
        """What is remembered: how far it is, what comes next, what is known."""
        return {
            "steps": self._steps,
            "turns": dict(self._turns),
            "random": self._random.bit_generator.state,
            "reporter": self._reporter.state,
        }

    def resume(self, state: State) -> None:
        """Go on where an earlier search was."""
        if state:
            self._steps = state["steps"]
            self._turns.update(state["turns"])
            self._random.bit_generator.state = state["random"]
            self._reporter.resume(state["reporter"])

    @property
    def complete(self) -> bool:
        """Whether each seed model has all of the variants that were asked for."""
        return bool(self._mutants) and self._steps >= self._mutants * len(SEEDS)

    def step(self) -> Iterator[Hit]:
        """One variant, searched on if it runs and agrees."""
        self._steps += 1
        number, place = divmod(self._steps - 1, self._lone + 1)
        if place < self._lone:
            suspect = lone(self._random, self._functions)
            origin = f"audee, layer {suspect.kind} {dict(suspect.config)}"
            network, settings = suspect.network, SHORT
        else:
            network = mutated(seed_model(number, self._seed), self._random)
            origin, settings = f"audee, variant of {network.name}", Settings()
        origin += f", seed {self._seed}"
        begun = time.monotonic()
        prepared, level = self._searched(network, settings)
        self._spent += time.monotonic() - begun
        if prepared is not None:
            yield from self._reporter.hits(network, prepared, f"{origin}, level {level}")
        self._told()

    def _searched(self, network: Network, settings: Settings) -> tuple[Prepared | None, str]:
        """Inputs and weights with which a network fails, and the level that found them."""
        self._bench.stage = "network"
        self._tally.rules.add("network")
        prepared = self._bench.prepare(network, self._seed)
        executions = self._bench.run(network, prepared)
        found = failing(network, executions) if len(executions) > 1 else Failing()
        if found:
            self._count("network", found)
            return prepared, "network"
        if len(executions) < 2 or any(one.failure is not None for one in executions.values()):
            return None, ""
        return self._evolved(network, prepared, settings)

    def _evolved(
        self, network: Network, prepared: Prepared, settings: Settings
    ) -> tuple[Prepared | None, str]:
        level, goal = self._turn(weightless=not any(prepared.weights.values()))
        self._bench.stage = level.value
        self._tally.rules |= {level.value, f"fitness {goal}"}
        chromosome = Chromosome(
            level=level,
            inputs=prepared.inputs,
            weights=prepared.weights,
            domain=network.domain,
            positive=prepared.positive,
        )
        failed = Failing()

        def measure(genes: Genes) -> Measured:
            nonlocal failed
            inputs, weights = chromosome.arrays(genes)
            executions = self._bench.run(network, Prepared(inputs=inputs, weights=weights))
            if len(executions) < 2:
                return Measured(fitness=np.nan)
            failed = failing(network, executions)
            return Measured(fitness=FITNESS[goal](network, executions), stop=bool(failed))

        settings = replace(settings, scale=SCALE[goal])
        evolved = evolve(chromosome.start(), measure, settings, self._random)
        if not evolved.stopped:
            return None, ""
        self._count(level.value, failed)
        inputs, weights = chromosome.arrays(evolved.best.genes)
        return Prepared(inputs=inputs, weights=weights, positive=prepared.positive), level.value

    def _turn(self, *, weightless: bool) -> tuple[Level, str]:
        """Levels and fitness functions take turns; what has no weights has inputs only."""
        name = "weightless" if weightless else "all"
        turns = WEIGHTLESS if weightless else TURNS
        self._turns[name] += 1
        return turns[(self._turns[name] - 1) % len(turns)]

    def _count(self, level: str, found: Failing) -> None:
        """By the oracle that fired first, and the level of mutation."""
        kind = found.parted[0].kind.value if found.parted else "NaN" if found.nan else "label"
        self._failures[f"{kind} by {level}"] += 1

    def _told(self) -> None:
        facts, counts = self._tally.facts, self._bench.counts
        if self._mutants:
            facts["seed models"] = (
                f"{self._steps} of {self._mutants * len(SEEDS)} variants, {self._mutants} of each"
            )
        searched = sum(number for stage, number in counts.items() if stage != "localisation")
        facts["mutation levels"] = (
            ", ".join(f"{stage} {number}" for stage, number in counts.items())
            + f"; {searched / max(self._spent, 1e-9):.1f}/s without localisation"
        )
        facts["failures"] = ", ".join(f"{n} {c}" for n, c in sorted(self._failures.items())) or "0"
        told = self._reporter
        facts["causes by Algorithm 2"] = (
            f"{_pairs(told.causes)}; undecided (crash or NaN on replacement)"
            f" {len(told.undecided - told.causes)}"
        )
        facts["no hits"] = (
            f"seen before {told.counts['seen before']}, not by the layer alone"
            f" {told.counts['not alone']}"
        )
        facts["layers at fault"] = (
            f"by R above t1 {told.counts['by R']}, by the other oracles {told.counts['else']};"
            f" none, labels differ {told.counts['labels only']}"
        )


def _pairs(causes: set[tuple[str, str]]) -> str:
    told = ", ".join(f"({layer}, {parameter})" for layer, parameter in sorted(causes))
    return f"{len(causes)}: {told}" if told else "0"


AUDEE = Audee()
