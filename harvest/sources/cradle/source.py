"""CRADLE: seed models on all backends of Keras, every pair compared; layers that part are hits.

Which layer is to blame is decided by the relative error per layer (`judging`), because untrained
weights hide bugs from D_CLASS and D_MAD; then the layer is looked at alone. What the paper's
metrics call inconsistent although no layer parts is a hit, too: one for each pair of backends and
pattern.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, count
from pathlib import Path
from typing import Any

import numpy as np

from harvest.importers.folder import Unreadable
from harvest.sources.backends import Backends, Execution, Failure
from harvest.sources.blaming import ROUNDING, Blame, Ran
from harvest.sources.cradle.comparing import Comparison, compare, labels, of_one_shape
from harvest.sources.cradle.drawing import draw
from harvest.sources.cradle.saved import faithful, model_files, read_saved
from harvest.sources.judging import Judgement, judge
from harvest.sources.layers import api
from harvest.sources.metrics import TOLERANCE
from harvest.sources.model import Hit, HitKind, Search, State, Tally
from harvest.sources.networks import Array, Network, Weights, make_inputs, make_weights
from harvest.sources.reconfigured import reconfigured
from harvest.sources.seeds import FAMILIES, Builder, seed_network

VARIANTS = 1000
"""Variants of one seed; the next seed has others."""
EAGER, COMPILED = "pairs of backends", "pairs of backends, compiled"
LISTED = 5
"""Patterns that are told, the most frequent ones."""
LONGEST = 200
"""Characters of what is wrong with a saved model."""
PATIENCE = 300.0
"""Seconds that each backend has for the layers of a saved model: JAX compiles all of them."""
NOT_ITS_LAYERS = "its layers, one by one, do not come to what it predicts"


class Cradle:
    """The source; `patches` is what `Backends` takes, for tests."""

    name = "cradle"
    summary = "seed models on every backend of Keras 3, compared in pairs and localised (ICSE'19)"
    settings = ("models",)

    def __init__(self, patches: Mapping[str, str] | None = None) -> None:
        self._patches = patches

    def generate(self, search: Search) -> Iterator[Hit]:
        """Compare networks until the budget is spent, or saved models; see `CaseSource`."""
        files = [] if search.models is None else model_files(search.models)
        with Backends(search.interpreter, patches=self._patches) as backends:
            backends.start()
            search.progress()
            end = time.monotonic() + search.budget
            work = Comparing(backends, search.tally)
            first = work.resume(search.notes.read())
            for number in count(first):
                if files and number >= len(files):
                    search.notes.clear()
                    return
                if time.monotonic() >= end:
                    return
                if files:
                    yield from work.saved(files[number], search.seed)
                else:
                    round_, place = divmod(number, len(FAMILIES))
                    network = _network(FAMILIES[place], search.seed, round_)
                    yield from work.hits(network, search.seed)
                search.notes.write(partial(work.state, number + 1))
                search.progress()


@dataclass(slots=True)
class Counts:
    """Pairs of executions, and how many of them are inconsistent by what."""

    pairs: int = 0
    by_class: int = 0
    by_mad: int = 0
    by_error: int = 0

    def add(self, found: list[Comparison]) -> str:
        """Count some more; all so far in words."""
        self.pairs += len(found)
        self.by_class += sum(one.by_class for one in found)
        self.by_mad += sum(one.by_mad for one in found)
        apart = (any(error > TOLERANCE for error in one.errors.values()) for one in found)
        self.by_error += sum(apart)
        return (
            f"{self.pairs} compared; inconsistent by D_CLASS {self.by_class}, by D_MAD"
            f" {self.by_mad}; by the relative error of a layer {self.by_error}"
        )


class Comparing:
    """Runs networks and keeps count of what the paper counts."""

    def __init__(self, backends: Backends, tally: Tally) -> None:
        self._backends = backends
        self._tally = tally
        self._blame = Blame(backends)
        self._counts = {EAGER: Counts(), COMPILED: Counts()}
        self._patterns: Counter[str] = Counter()
        self._keys: set[str] = set()

    def state(self, number: int) -> dict[str, Any]:
        """What is remembered, with the number of the network that comes next."""
        return {"next": number, "keys": self._keys, "blame": self._blame.state}

    def resume(self, state: State) -> int:
        """Take what an earlier search has found for known; the number of the next network."""
        if not state:
            return 0
        self._keys |= state["keys"]
        self._blame.resume(state["blame"])
        return int(state["next"])

    def hits(self, network: Network, seed: int) -> Iterator[Hit]:
        """Run one network on all backends and look at every pair."""
        inputs = make_inputs(network, seed)
        shapes = self._backends.describe(network, inputs)
        weights: Weights = {} if isinstance(shapes, Failure) else make_weights(shapes, seed)
        origin = f"cradle, network {network.name}, seed {seed}"
        yield from self._looked(network, inputs, weights, origin)

    def saved(self, path: Path, seed: int) -> Iterator[Hit]:
        """Load a model on all backends and look at it as at ours; why one is left out is told."""
        try:
            model = read_saved(self._backends, path, seed)
        except Unreadable as problem:
            self._tell(path.name, f"left out: {problem.reason}")
            return
        yield from (hit for hit in model.hits if self._is_new(hit.key))
        origin = f"cradle, model {path.name}, seed {seed}"
        network, inputs = model.network, model.inputs
        yield from self._looked(network, inputs, model.weights, origin, model.loaded)

    def _looked(
        self,
        network: Network,
        inputs: Mapping[str, Array],
        weights: Weights,
        origin: str,
        loaded: Mapping[str, Execution] | None = None,
    ) -> Iterator[Hit]:
        """Run a network, and look at every pair; `loaded` is what it predicts as a saved model."""
        wall = None if loaded is None else PATIENCE
        executions = self._backends.run(network, weights, inputs, wall=wall)
        if loaded is not None and not faithful(network, executions, loaded):
            self._tell(network.name, f"left out: {NOT_ITS_LAYERS}")
            return
        for name, one in executions.items():
            if loaded is not None and one.failure is not None and one.failure.ours:
                self._tell(network.name, f"not on {name}: {one.failure.label}")
        ran = Ran(network=network, inputs=inputs, weights=weights, executions=executions)
        self._tally.executed += 1
        self._tally.valid += all(one.failure is None for one in executions.values())
        self._tally.apis |= {api(layer.kind) for layer in network.layers}
        parted = judge(network, executions)
        yield from self._found(ran, executions, parted, EAGER, origin)
        if not parted:
            compiled = loaded or self._backends.predict(network, weights, inputs)
            last = network.with_layers((network.output,))
            yield from self._found(ran, compiled, judge(last, compiled), COMPILED, origin)

    def _is_new(self, key: str) -> bool:
        new = key not in self._keys
        self._keys.add(key)
        return new

    def _tell(self, name: str, what: str) -> None:
        """Tell in a line what is the matter with a saved model."""
        self._tally.facts[name] = " ".join(what.split())[:LONGEST]

    def compared(
        self, network: Network, executions: Iterable[Execution], how: str = EAGER
    ) -> list[Comparison]:
        """Compare every two executions that came to the end; counts what the paper counts.

        An output of another shape than most have is for `judge`: scores of other things do not
        compare. Of what is compiled only the output is known.
        """
        whole = [one for one in executions if one.failure is None]
        outputs = of_one_shape({one.backend: one.states[network.output.name] for one in whole})
        whole = [one for one in whole if one.backend in outputs]
        if len(whole) < 2 or not all(each.size for each in outputs.values()):
            return []
        truth = labels(outputs)
        if how == COMPILED:
            network = network.with_layers((network.output,))
        found = [compare(network, a, b, truth) for a, b in combinations(whole, 2)]
        self._tally.facts[how] = self._counts[how].add(found)
        self._patterns.update(_unique(one) for one in found if one.inconsistent)
        if self._patterns:
            self._tally.facts["unique inconsistencies"] = _listed(self._patterns)
        return found

    def _found(
        self,
        ran: Ran,
        executions: Mapping[str, Execution],
        parted: tuple[Judgement, ...],
        how: str,
        origin: str,
    ) -> Iterator[Hit]:
        """The hits of what ran in one way: layers that part, or inconsistencies of the paper."""
        compared = self.compared(ran.network, executions.values(), how)
        origin = origin if how == EAGER else f"{origin}, compiled"
        for judged in parted:
            yield from self._hit(ran, judged, compared, origin)
        for one in compared:
            key = _unique(one)
            if one.inconsistent and not parted and self._is_new(key):
                yield _of_scores(ran.network, one, key, origin)

    def _hit(
        self, ran: Ran, judged: Judgement, compared: list[Comparison], origin: str
    ) -> Iterator[Hit]:
        telling = _telling(compared, judged)
        measures = {"relative error": judged.error}
        files: tuple[tuple[str, str], ...] = ()
        origin += f", layer {judged.layer}"
        if telling is not None:
            measures |= _measures(telling, judged.layer)
            files = ((".svg", draw(ran.network, telling, judged.layer)),)
            origin += _localised(telling)
        hit = self._blame.hit(ran, judged, origin=origin, measures=measures, files=files)
        if hit is not None:
            yield hit


def _of_scores(network: Network, found: Comparison, key: str, origin: str) -> Hit:
    """An inconsistency by the paper's metrics where no layer is to blame; R says where to look."""
    first = next(iter(found.highlighted), network.output.name)
    metric = "D_CLASS" if found.by_class else "D_MAD"
    return Hit(
        key=key,
        kind=HitKind.INCONSISTENCY,
        subject=api(network.find(first).kind),
        title=f"{found.backends} by {metric}: {found.pattern}",
        origin=origin + _localised(found),
        measures=tuple(_measures(found, first).items()),
        no_case=ROUNDING,
        files=((".svg", draw(network, found, first)),),
    )


def _unique(found: Comparison) -> str:
    """What inconsistencies that are one have in common (section 3.2): the pair and the pattern."""
    return f"{HitKind.INCONSISTENCY}:{'+'.join(found.pair)}:{found.pattern}"


def _listed(patterns: Counter[str]) -> str:
    """How many unique ones there are, and which are the most frequent."""
    most = (
        f"{times} of {key.partition(':')[2].replace(':', ', ')}"
        for key, times in patterns.most_common(LISTED)
    )
    return f"{len(patterns)} by pair of backends and pattern: {' | '.join(most)}"


def _measures(found: Comparison, layer: str) -> dict[str, float]:
    return {
        "R": found.rates.get(layer, 0.0),
        "rank of R": float(found.place(layer)),
        "D_CLASS": found.d_class,
        "D_MAD": found.d_mad,
    }


def _localised(found: Comparison) -> str:
    """The pattern of a pair, and what its map highlights first."""
    told = f"; pattern of {found.backends}: {found.pattern}"
    if found.highlighted:
        told += f"; the first layer above the third quartile of R is {found.highlighted[0]}"
    return told


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
