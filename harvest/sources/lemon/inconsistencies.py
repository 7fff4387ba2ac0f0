"""LEMON's own oracle: D_MAD above T, counted and attributed as in the paper (section 3.4).

An inconsistency is an initial model, an input of it and a pair of backends; of all mutants that
show it the largest distance is kept. Its bug is the backend that is voted out and the layer with
the largest R.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from harvest.sources.backends import Execution
from harvest.sources.cradle.comparing import labels, of_one_shape
from harvest.sources.lemon.mutants import Mutant
from harvest.sources.metrics import d_mad, localisation_map
from harvest.sources.networks import Array, Network
from harvest.sources.voting import vote

THRESHOLD = 0.4
"""T of the paper, for D_MAD."""
UNKNOWN = "unknown"
Pair = tuple[str, ...]
Key = tuple[str, int, Pair]
"""The initial model, the number of the input, the backends."""
Bug = tuple[str, str]
"""The backend that is voted out, and the class of the layer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beyond:
    """An inconsistency of a mutant: `layer` has the largest R, which is `rate`."""

    key: Key
    distance: float
    odd: str
    layer: str
    rate: float


class Inconsistencies:
    """Those of one search."""

    def __init__(self) -> None:
        self.largest: dict[Key, float] = {}
        self._bugs: dict[Bug, dict[Key, float]] = {}

    def take(
        self, mutant: Mutant, executions: Mapping[str, Execution], *, voted: bool
    ) -> list[Beyond]:
        """Keep what is new or larger; attributed, if all backends that vote have run."""
        name = mutant.network.output.name
        distances = distances_of({each: one.states[name] for each, one in executions.items()})
        found = []
        for pair, number in above(distances):
            key, distance = (mutant.seed, number, pair), distances[pair][number]
            if distance <= self.largest.get(key, 0.0) and not voted:
                continue
            self.largest[key] = max(distance, self.largest.get(key, 0.0))
            if voted:
                found.append(_attributed(mutant.network, executions, distances, key))
        for one in found:
            known = self._bugs.setdefault((one.odd, mutant.network.find(one.layer).kind), {})
            known[one.key] = max(one.distance, known.get(one.key, 0.0))
        return found

    def told(self) -> dict[str, str]:
        """Lines about them, by their names: how many, of which models, of which bugs."""
        head = "inconsistent by D_MAD"
        if not self.largest:
            return {head: f"0 (model, input, pair of backends) above {THRESHOLD}"}
        model, number, pair = max(self.largest, key=lambda key: self.largest[key])
        told = f"{len(self.largest)} (model, input, pair of backends) above {THRESHOLD}, largest"
        where = f"in {model}, input {number}, {' and '.join(pair)}"
        by_model: dict[str, dict[Key, float]] = {}
        for key, distance in self.largest.items():
            by_model.setdefault(f"{key[0]} {'+'.join(key[2])}", {})[key] = distance
        lines = {
            head: f"{told} {self.largest[model, number, pair]:.3g} {where}",
            f"{head}, by model": _listed(by_model),
        }
        if self._bugs:
            named = {f"{odd} {kind}": found for (odd, kind), found in self._bugs.items()}
            lines[f"{head}, by layer of the largest R"] = _listed(named)
        return lines


def distances_of(outputs: Mapping[str, Array]) -> dict[Pair, list[float]]:
    """D_MAD of each instance by the pair of backends; `outputs` are scores, (batch, classes).

    Instances with NaN or infinities in either count as 0: they are hits of their own, and would
    drown all else. So are outputs of another shape than most have, which are left out.
    """
    outputs = of_one_shape(outputs)
    hot = np.eye(next(iter(outputs.values())).shape[-1])[labels(outputs)]
    found: dict[Pair, list[float]] = {}
    for pair in combinations(outputs, 2):
        scores = zip(hot, *(outputs[name] for name in pair), strict=True)
        found[pair] = [
            d_mad(truth, one, other) if np.isfinite((one, other)).all() else 0.0
            for truth, one, other in scores
        ]
    return found


def above(distances: Mapping[Pair, list[float]]) -> Iterator[tuple[Pair, int]]:
    """The pairs and the numbers of instances that are inconsistent."""
    for pair, found in distances.items():
        yield from ((pair, number) for number, each in enumerate(found) if each > THRESHOLD)


def _attributed(
    network: Network,
    executions: Mapping[str, Execution],
    distances: Mapping[Pair, list[float]],
    key: Key,
) -> Beyond:
    """Who is voted out on this input, and the layer whose R is the largest for the pair."""
    _, number, pair = key
    near = {frozenset(each) for each, found in distances.items() if found[number] <= THRESHOLD}
    voted = vote(
        {name: name for name in executions}, lambda one, other: frozenset((one, other)) in near
    )
    states = [
        {name: state[number : number + 1] for name, state in executions[each].states.items()}
        for each in pair
    ]
    rates = localisation_map(network, *states)
    layer = max(rates, key=lambda name: rates[name])
    return Beyond(
        key=key,
        distance=distances[pair][number],
        odd="+".join(voted.odd) or UNKNOWN,
        layer=layer,
        rate=rates[layer],
    )


def _listed(found: Mapping[str, Mapping[Key, float]]) -> str:
    """Counts and largest distances, the most frequent first."""
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return ", ".join(f"{name} {len(own)} ({max(own.values()):.3g})" for name, own in ordered)
