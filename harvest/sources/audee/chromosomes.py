"""Levels of mutation (Audee, section 4.1): what of an execution is a vector of genes.

Inputs flattened, weights one behind the other, or both; the rest stays as it is. Genes have no
limits, arrays have: indices lie below a number, variances are not negative, nothing is infinite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from harvest.sources.audee.genetic import Genes
from harvest.sources.networks import Array, Weights

LARGEST = float(np.finfo("float32").max) / 4
"""Genes beyond it are cut off: what is made of them must be a number in single precision."""


class Level(StrEnum):
    """What a search mutates, beside the parameters of layers."""

    INPUT = "input"
    WEIGHT = "weight"
    JOINT = "input and weight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chromosome:
    """Arrays <-> genes. `domain` is that of the network's inputs ("real", or a number of indices).

    `positive` names weights that are no negative numbers: (layer, place).
    """

    level: Level
    inputs: Mapping[str, Array]
    weights: Weights
    domain: str | int = "real"
    positive: frozenset[tuple[str, int]] = frozenset()

    def start(self) -> Genes:
        """The genes of the arrays that it was made of."""
        flat = [each.astype("float64").ravel() for each in self._mutated()]
        return np.concatenate(flat) if flat else np.zeros(0)

    def arrays(self, genes: Genes) -> tuple[dict[str, Array], dict[str, tuple[Array, ...]]]:
        """Inputs and weights of some genes."""
        left = np.clip(np.nan_to_num(genes), -LARGEST, LARGEST)
        inputs = dict(self.inputs)
        weights = dict(self.weights)
        if self.level is not Level.WEIGHT:
            for name, array in self.inputs.items():
                taken, left = left[: array.size], left[array.size :]
                inputs[name] = self._input(taken, array)
        if self.level is not Level.INPUT:
            for layer, arrays in self.weights.items():
                made: list[Array] = []
                for place, array in enumerate(arrays):
                    taken, left = left[: array.size], left[array.size :]
                    value = np.abs(taken) if (layer, place) in self.positive else taken
                    made.append(value.reshape(array.shape).astype(array.dtype))
                weights[layer] = tuple(made)
        return inputs, weights

    def _mutated(self) -> Iterable[Array]:
        if self.level is not Level.WEIGHT:
            yield from self.inputs.values()
        if self.level is not Level.INPUT:
            for arrays in self.weights.values():
                yield from arrays

    def _input(self, genes: Genes, array: Array) -> Array:
        if isinstance(self.domain, int):
            genes = np.mod(np.rint(genes), self.domain)
        return genes.reshape(array.shape).astype(array.dtype)


def positives(
    shapes: Mapping[str, list[tuple[str, tuple[int, ...]]]],
) -> frozenset[tuple[str, int]]:
    """The weights whose names say that they are variances."""
    return frozenset(
        (layer, place)
        for layer, variables in shapes.items()
        for place, (name, _) in enumerate(variables)
        if "variance" in name
    )
