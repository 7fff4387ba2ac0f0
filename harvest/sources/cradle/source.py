"""CRADLE: seed models on all backends of Keras, every pair compared; layers that part are hits.

The paper's metrics decide what it calls inconsistent, and are told. What becomes a hit is decided
by the relative error per layer (`judging`), because untrained weights hide bugs from D_CLASS and
D_MAD; then the layer is looked at alone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, count

import numpy as np

from harvest.sources.backends import Backends, Execution, Failure
from harvest.sources.blaming import Blame, Ran
from harvest.sources.cradle.comparing import Comparison, compare, labels
from harvest.sources.cradle.drawing import draw
from harvest.sources.judging import Judgement, judge
from harvest.sources.metrics import TOLERANCE
from harvest.sources.model import Hit, Search, Tally
from harvest.sources.networks import Network, Weights, make_inputs, make_weights
from harvest.sources.reconfigured import reconfigured
from harvest.sources.seeds import FAMILIES, Builder, seed_network

VARIANTS = 1000
"""Variants of one seed; the next seed has others."""


class Cradle:
    """The source; `patches` is what `Backends` takes, for tests."""

    name = "cradle"
    summary = "seed models on every backend of Keras 3, compared in pairs and localised (ICSE'19)"

    def __init__(self, patches: Mapping[str, str] | None = None) -> None:
        self._patches = patches

    def generate(self, search: Search) -> Iterator[Hit]:
        """Compare networks until the budget is spent; see `CaseSource`."""
        with Backends(search.interpreter, patches=self._patches) as backends:
            backends.start()
            search.progress()
            end = time.monotonic() + search.budget
            work = Comparing(backends, search.tally)
            for round_ in count():
                for family in FAMILIES:
                    if time.monotonic() >= end:
                        return
                    yield from work.hits(_network(family, search.seed, round_), search.seed)
                    search.progress()


class Comparing:
    """Runs networks and keeps count of what the paper counts."""

    def __init__(self, backends: Backends, tally: Tally) -> None:
        self._backends = backends
        self._tally = tally
        self._blame = Blame(backends)
        self._pairs = self._by_class = self._by_mad = self._by_error = 0
        self._patterns: set[tuple[object, ...]] = set()

    def hits(self, network: Network, seed: int) -> Iterator[Hit]:
        """Run one network on all backends and look at every pair."""
        inputs = make_inputs(network, seed)
        shapes = self._backends.describe(network, inputs)
        weights: Weights = {} if isinstance(shapes, Failure) else make_weights(shapes, seed)
        executions = self._backends.run(network, weights, inputs)
        self._tally.executed += 1
        whole = [one for one in executions.values() if one.failure is None]
        self._tally.valid += len(whole) == len(executions)
        self._tally.apis |= {f"keras.layers.{layer.kind}" for layer in network.layers}
        compared = self.compared(network, whole)
        ran = Ran(network=network, inputs=inputs, weights=weights, executions=executions)
        found = judge(network, executions)
        for judged in found:
            yield from self._hit(ran, judged, compared, f"seed {seed}")
        if not found:
            compiled = self._backends.predict(network, weights, inputs)
            last = network.with_layers((network.output,))
            for judged in judge(last, compiled):
                yield from self._hit(ran, judged, compared, f"compiled, seed {seed}")

    def compared(self, network: Network, whole: list[Execution]) -> list[Comparison]:
        """Compare every two executions that came to the end; counts what the paper counts.

        An output of another shape than most have is for `judge`: scores of other things do not
        compare. Inconsistencies of one pair with equal patterns are one, of whatever networks
        (section 3.2).
        """
        shapes = Counter(one.states[network.output.name].shape for one in whole)
        usual = max(shapes, key=lambda shape: shapes[shape], default=(0,))
        whole = [one for one in whole if one.states[network.output.name].shape == usual]
        if len(whole) < 2 or 0 in usual:
            return []
        truth = labels({one.backend: one.states[network.output.name] for one in whole})
        found = [compare(network, a, b, truth) for a, b in combinations(whole, 2)]
        self._pairs += len(found)
        for one in found:
            self._by_class += one.by_class
            self._by_mad += one.by_mad
            self._by_error += any(error > TOLERANCE for error in one.errors.values())
            if one.by_class or one.by_mad:
                self._patterns.add((one.pair, one.patterns))
        self._tally.facts["pairs of backends"] = (
            f"{self._pairs} compared; inconsistent by D_CLASS {self._by_class}, by D_MAD"
            f" {self._by_mad}, unique patterns {len(self._patterns)}; by the relative error of a"
            f" layer {self._by_error}"
        )
        return found

    def _hit(
        self,
        ran: Ran,
        judged: Judgement,
        compared: list[Comparison],
        seed: str,
    ) -> Iterator[Hit]:
        telling = _telling(compared, judged)
        measures = {"relative error": judged.error}
        files: tuple[tuple[str, str], ...] = ()
        if telling is not None:
            measures |= {
                "R": telling.rates.get(judged.layer, 0.0),
                "rank of R": float(telling.place(judged.layer)),
                "D_CLASS": telling.d_class,
                "D_MAD": telling.d_mad,
            }
            files = ((".svg", draw(ran.network, telling, judged.layer)),)
        origin = f"cradle, network {ran.network.name}, layer {judged.layer}, {seed}"
        if telling is not None and telling.highlighted:
            origin += f"; the first layer above the third quartile of R is {telling.highlighted[0]}"
        hit = self._blame.hit(ran, judged, origin=origin, measures=measures, files=files)
        if hit is not None:
            yield hit


def _network(family: Callable[[Builder], None], seed: int, number: int) -> Network:
    """The variants of a seed, each once as it is and once with other parameters of its layers.

    The paper's networks are of many hands; ours would all have the parameters that we think of.
    """
    variant, changed = divmod(number, 2)
    variant += seed * VARIANTS
    network = seed_network(family, variant)
    if not changed:
        return network
    made = reconfigured(network, np.random.default_rng(variant))
    return replace(made, name=f"{network.name}-reconfigured")


def _telling(compared: list[Comparison], judged: Judgement) -> Comparison | None:
    """The pair that shows a disagreement best: one that was voted out and one of the majority."""
    odd = set(judged.vote.odd)
    fitting = [one for one in compared if len(odd & set(one.pair)) == 1] or compared
    return max(fitting, key=lambda one: one.errors.get(judged.layer, 0.0), default=None)


CRADLE = Cradle()
