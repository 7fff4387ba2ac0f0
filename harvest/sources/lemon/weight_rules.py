"""LEMON's five rules for the inside of a layer (section 3.2): GF, WS, NAI, NEB, NS.

They change weights of some neurons and leave the network as it is, so nothing is built anew. A
neuron is an entry of the kernel's last axis; what comes in is the axis before it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harvest.sources.lemon.layer_rules import Rule
from harvest.sources.lemon.mutants import Change, Mutant
from harvest.sources.networks import Array

SHARE = 0.3
"""Of a layer's neurons, as in the paper's published settings."""
NOISE = 0.8
"""The standard deviation of the noise, as a fraction of that of the layer's weights."""

_Edit = Callable[[list[Array], Array, np.random.Generator], None]


def gaussian_fuzzing(arrays: list[Array], chosen: Array, random: np.random.Generator) -> None:
    """GF: add noise to the weights of neurons."""
    kernel = arrays[0]
    noise = random.standard_normal(kernel[..., chosen].shape) * NOISE * float(np.std(kernel))
    kernel[..., chosen] += noise.astype(kernel.dtype)


def weight_shuffling(arrays: list[Array], chosen: Array, random: np.random.Generator) -> None:
    """WS: shuffle the incoming weights of each neuron."""
    kernel = arrays[0]
    for neuron in chosen:
        flat = kernel[..., neuron].ravel()
        kernel[..., neuron] = random.permutation(flat).reshape(kernel.shape[:-1])


def activation_inverse(arrays: list[Array], chosen: Array, _random: np.random.Generator) -> None:
    """NAI: flip the sign of what neurons give to their activation."""
    for array in arrays:
        if array.shape[-1:] == arrays[0].shape[-1:]:
            array[..., chosen] *= -1


def effect_block(arrays: list[Array], chosen: Array, _random: np.random.Generator) -> None:
    """NEB: nothing goes on from neurons: zero what the next layer weighs them with."""
    arrays[0][..., chosen, :] = 0


def neuron_switch(arrays: list[Array], chosen: Array, _random: np.random.Generator) -> None:
    """NS: let neurons change places, in pairs."""
    pairs = chosen[: len(chosen) // 2 * 2]
    there, back = pairs[::2], pairs[1::2]
    for array in arrays:
        if array.shape[-1:] == arrays[0].shape[-1:]:
            kept = array[..., there].copy()
            array[..., there] = array[..., back]
            array[..., back] = kept


def _rule(edit: _Edit, *, axis: int = -1, least: int = 1) -> Rule:
    """A rule for layers whose kernel has `least` neurons to choose along an axis."""

    def rule(mutant: Mutant, random: np.random.Generator) -> Change | None:
        fitting = [
            name
            for name, arrays in mutant.weights.items()
            if arrays and arrays[0].ndim >= 2 and arrays[0].shape[axis] >= least
        ]
        if not fitting:
            return None
        name = fitting[int(random.integers(len(fitting)))]
        arrays = [array.copy() for array in mutant.weights[name]]
        neurons = arrays[0].shape[axis]
        count = min(neurons, max(least, round(SHARE * neurons)))
        edit(arrays, random.choice(neurons, count, replace=False), random)
        return Change(network=mutant.network, weights={name: tuple(arrays)}, rebuilt=False)

    return rule


WEIGHT_RULES: dict[str, Rule] = {
    "GF": _rule(gaussian_fuzzing),
    "WS": _rule(weight_shuffling),
    "NAI": _rule(activation_inverse),
    "NEB": _rule(effect_block, axis=-2),
    "NS": _rule(neuron_switch, least=2),
}
