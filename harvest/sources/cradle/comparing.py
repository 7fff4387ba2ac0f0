"""Two executions of one network -> the paper's distances, patterns and localisation map.

Section 3.2 (D_CLASS, D_MAD, thresholds, inconsistency patterns) and 3.3 (R_L on the instance that
is most inconsistent, highlighting above the third quartile).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from harvest.sources import metrics
from harvest.sources.backends import Execution
from harvest.sources.networks import Array, Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What two backends make of a network.

    `rates` is R_L by layer, on the instance `worst`; `errors` the relative error of each layer for
    the whole batch. `by_class` and `by_mad` tell by which metric the paper calls it inconsistent.
    """

    pair: tuple[str, str]
    d_class: float
    d_mad: float
    by_class: bool
    by_mad: bool
    patterns: tuple[tuple[int, ...], tuple[int, ...]]
    worst: int
    rates: Mapping[str, float]
    highlighted: tuple[str, ...]
    errors: Mapping[str, float]

    @property
    def backends(self) -> str:
        """The pair in words."""
        return " and ".join(self.pair)

    @property
    def pattern(self) -> str:
        """Both histograms in words."""
        by_class, by_mad = self.patterns
        return (
            f"D_CLASS {metrics.pattern_text(by_class, metrics.CLASS_NAMES)};"
            f" D_MAD {metrics.pattern_text(by_mad, metrics.MAD_NAMES)}"
        )

    @property
    def inconsistent(self) -> bool:
        """Whether the paper calls it so, by either metric."""
        return self.by_class or self.by_mad

    def place(self, layer: str) -> int:
        """The rank of a layer by its R, from 1; 0 if it has none."""
        if layer not in self.rates:
            return 0
        own = self.rates[layer]
        return 1 + sum(rate > own for rate in self.rates.values())


def of_one_shape(outputs: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of the shape that most have: scores of other things do not compare."""
    shapes = Counter(each.shape for each in outputs.values())
    usual = max(shapes, key=lambda shape: shapes[shape], default=())
    return {name: each for name, each in outputs.items() if each.shape == usual}


def labels(outputs: Mapping[str, Array]) -> list[int]:
    """A label for each prediction: what most backends find most likely, for want of a truth."""
    middle = np.median(np.stack([_predictions(each) for each in outputs.values()]), axis=0)
    return [int(each) for each in np.argmax(np.nan_to_num(middle), axis=-1)]


def _predictions(output: Array) -> Array:
    """Scores of classes, one row per prediction: a classifier may make one at each position."""
    return output.reshape(-1, output.shape[-1])


def compare(network: Network, one: Execution, other: Execution, truth: list[int]) -> Comparison:
    """Compare two executions that both came to the end; the outputs are scores of classes."""
    outputs = one.states[network.output.name], other.states[network.output.name]
    first, second = (_predictions(output) for output in outputs)
    classes = [
        float(metrics.d_class(label, a, b))
        for label, a, b in zip(truth, first, second, strict=True)
    ]
    hot = np.eye(first.shape[-1])[truth]
    mads = [metrics.d_mad(o, a, b) for o, a, b in zip(hot, first, second, strict=True)]
    worst = max(
        range(len(truth)), key=lambda n: (classes[n], mads[n], metrics.delta(first[n], second[n]))
    )
    worst //= len(truth) // len(outputs[0])
    rates = metrics.localisation_map(
        network,
        {name: state[worst : worst + 1] for name, state in one.states.items()},
        {name: state[worst : worst + 1] for name, state in other.states.items()},
    )
    return Comparison(
        pair=(one.backend, other.backend),
        d_class=max(classes),
        d_mad=max(mads),
        by_class=metrics.exceeds(classes, metrics.CLASS_THRESHOLD),
        by_mad=metrics.exceeds(mads, metrics.MAD_THRESHOLD),
        patterns=(
            metrics.pattern(classes, metrics.CLASS_BINS),
            metrics.pattern(mads, metrics.MAD_BINS),
        ),
        worst=worst,
        rates=rates,
        highlighted=metrics.highlighted(rates),
        errors={
            layer.name: metrics.relative_error(one.states[layer.name], other.states[layer.name])
            for layer in network.layers
        },
    )
