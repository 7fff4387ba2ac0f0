"""LEMON's five rules for the inside of a layer (section 3.2): GF, WS, NAI, NEB, NS.

They change weights of some neurons and leave the network as it is, so nothing is built anew. What
belongs to a neuron tells `neurons`; a layer of which it does not is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from harvest.sources.lemon.layer_rules import Rule
from harvest.sources.lemon.mutants import Change, Mutant
from harvest.sources.lemon.neurons import alike, incoming, outgoing
from harvest.sources.networks import Array, Layer

SHARE = 0.3
"""Of a layer's neurons, as in the paper's published settings."""
NOISE = 0.8
"""The standard deviation of the noise, as a fraction of that of the layer's weights."""

_Edit = Callable[[list[Array], Array, np.random.Generator], None]
"""Changes views, the last axis of each of which is the neurons', for those chosen."""
_Views = Callable[[Layer, Sequence[Array]], list[Array]]


def gaussian_fuzzing(views: list[Array], chosen: Array, random: np.random.Generator) -> None:
    """GF: add noise to the weights of neurons."""
    kernel = views[0]
    noise = random.standard_normal(kernel[..., chosen].shape) * NOISE * float(np.std(kernel))
    kernel[..., chosen] += noise.astype(kernel.dtype)


def weight_shuffling(views: list[Array], chosen: Array, random: np.random.Generator) -> None:
    """WS: shuffle the incoming weights of each neuron."""
    kernel = views[0]
    for neuron in chosen:
        flat = kernel[..., neuron].ravel()
        kernel[..., neuron] = random.permutation(flat).reshape(kernel.shape[:-1])


def activation_inverse(views: list[Array], chosen: Array, _random: np.random.Generator) -> None:
    """NAI: flip the sign of what neurons give to their activation."""
    for view in views:
        view[..., chosen] *= -1


def effect_block(views: list[Array], chosen: Array, _random: np.random.Generator) -> None:
    """NEB: nothing goes on from neurons: zero what the next layer weighs them with."""
    views[0][..., chosen] = 0


def neuron_switch(views: list[Array], chosen: Array, _random: np.random.Generator) -> None:
    """NS: let neurons change places, in pairs."""
    pairs = chosen[: len(chosen) // 2 * 2]
    there, back = pairs[::2], pairs[1::2]
    for view in views:
        kept = view[..., there].copy()
        view[..., there] = view[..., back]
        view[..., back] = kept


def _before(layer: Layer, arrays: Sequence[Array]) -> list[Array]:
    view = incoming(layer, arrays)
    return [] if view is None else [view]


def _rule(edit: _Edit, *, views: _Views = outgoing, least: int = 1) -> Rule:
    """A rule for layers that have at least `least` neurons to choose among."""

    def rule(mutant: Mutant, random: np.random.Generator) -> Change | None:
        fitting = [
            layer
            for layer in mutant.network.layers
            if (own := mutant.weights.get(layer.name))
            and (found := views(layer, own))
            and found[0].shape[-1] >= least
        ]
        if not fitting:
            return None
        layer = fitting[int(random.integers(len(fitting)))]
        # Copies are contiguous, so that views of other shapes are views of them.
        arrays = [array.copy() for array in mutant.weights[layer.name]]
        seen = views(layer, arrays)
        neurons = seen[0].shape[-1]
        count = min(neurons, max(least, round(SHARE * neurons)))
        edit(seen, random.choice(neurons, count, replace=False), random)
        return Change(network=mutant.network, weights={layer.name: tuple(arrays)}, rebuilt=False)

    return rule


WEIGHT_RULES: dict[str, Rule] = {
    "GF": _rule(gaussian_fuzzing),
    "WS": _rule(weight_shuffling),
    "NAI": _rule(activation_inverse),
    "NEB": _rule(effect_block, views=_before),
    "NS": _rule(neuron_switch, views=alike, least=2),
}
