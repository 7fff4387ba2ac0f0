"""LEMON's seven rules for intact layers (section 3.2): LR, LS, LC, LA, MLA, AFRm, AFRp.

A rule gets a mutant and a random generator and returns a change, or nothing where it does not
apply. What LA and MLA insert comes from `insertions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

import numpy as np

from harvest.sources.layers import draw
from harvest.sources.lemon.insertions import BUNDLES, additions, kept, pick
from harvest.sources.lemon.mutants import MOST_LAYERS, Change, Mutant, fresh, inserted, removed
from harvest.sources.networks import Layer

Rule = Callable[[Mutant, np.random.Generator], Change | None]
_T = TypeVar("_T")
ACTIVATIONS = ("relu", "tanh", "sigmoid", "elu", "selu", "softplus", "softsign", "gelu", "swish")
RECURRENT = ("SimpleRNN", "LSTM", "GRU")
"""Layers of Keras whose activation is tanh where their configuration has none."""
ACTIVATING = ("ReLU", "LeakyReLU", "ELU", "Softmax")
"""Layers of Keras that are an activation and have no weights."""


def layer_removal(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """LR: take away a layer that keeps its input's shape."""
    layer = _one(mutant.keeping(), random)
    return None if layer is None else Change(network=removed(mutant.network, layer))


def layer_switch(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """LS: let two layers of equal input and output shapes change places.

    One's input is shaped as the other's, and its output as the other's: behind each other or in
    branches beside each other, whether or not they keep the shape.
    """
    middle = [layer for layer in mutant.network.layers[:-1] if len(layer.inputs) == 1]
    pairs = [
        pair
        for pair in combinations(middle, 2)
        if len({(mutant.given(each), mutant.shapes[each.name]) for each in pair}) == 1
    ]
    pair = _one(pairs, random)
    if pair is None:
        return None
    one, other = pair
    swapped = {
        one.name: replace(one, kind=other.kind, config=other.config),
        other.name: replace(other, kind=one.kind, config=one.config),
    }
    layers = (swapped.get(layer.name, layer) for layer in mutant.network.layers)
    weights = {
        one.name: mutant.weights.get(other.name, ()),
        other.name: mutant.weights.get(one.name, ()),
    }
    return Change(network=mutant.network.with_layers(layers), weights=weights)


def layer_copy(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """LC: put a copy of a layer that keeps the shape behind it, weights and all."""
    layer = _one(mutant.keeping(), random)
    if layer is None or len(mutant.network.layers) >= MOST_LAYERS:
        return None
    copy = replace(layer, name=fresh(mutant.network, layer.kind), inputs=(layer.name,))
    weights = {copy.name: mutant.weights.get(layer.name, ())}
    return Change(network=inserted(mutant.network, layer.name, [copy]), weights=weights)


def layer_addition(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """LA: put a layer of the table that keeps the shape behind any."""
    after = _place(mutant, random)
    if after is None:
        return None
    shape = mutant.shapes[after]
    spec = _one(additions(len(shape)), random)
    if spec is None:
        return None
    layer = Layer(
        name=fresh(mutant.network, spec.kind),
        kind=spec.kind,
        config=kept(spec, draw(spec, random), shape),
        inputs=(after,) * spec.arity,
    )
    return Change(network=inserted(mutant.network, after, [layer]))


def multi_layer_addition(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """MLA: put a bundle behind any layer whose last output is shaped as its first input."""
    after = _place(mutant, random)
    if after is None:
        return None
    shape = mutant.shapes[after]
    bundle = _one([made for make in BUNDLES if (made := make(shape, random))], random)
    if bundle is None:
        return None
    layers: list[Layer] = []
    for kind, config in bundle:
        before = layers[-1].name if layers else after
        name = fresh(mutant.network, kind, *layers)
        layers.append(Layer(name=name, kind=kind, config=config, inputs=(before,)))
    return Change(network=inserted(mutant.network, after, layers))


def activation_removal(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """AFRm: take away the activation of a layer."""
    return _reactivated(mutant, random, ("linear",))


def activation_replacement(mutant: Mutant, random: np.random.Generator) -> Change | None:
    """AFRp: replace the activation of a layer by another."""
    return _reactivated(mutant, random, ACTIVATIONS)


LAYER_RULES: dict[str, Rule] = {
    "LR": layer_removal,
    "LS": layer_switch,
    "LC": layer_copy,
    "LA": layer_addition,
    "MLA": multi_layer_addition,
    "AFRm": activation_removal,
    "AFRp": activation_replacement,
}


def activation_of(layer: Layer) -> str:
    """The activation of a layer, "linear" where it has none; those with parameters by their kind.

    >>> activation_of(Layer(name="x", kind="GRU", config={"units": 2}, inputs=()))
    'tanh'
    """
    if layer.kind in ACTIVATING:
        return layer.kind.lower()
    usual = "tanh" if layer.kind in RECURRENT else "linear"
    return str(layer.config.get("activation", usual) or "linear")


def _reactivated(mutant: Mutant, random: np.random.Generator, to: tuple[str, ...]) -> Change | None:
    owns = {layer.name: activation_of(layer) for layer in mutant.network.layers[:-1]}
    fitting = [
        layer
        for layer in mutant.network.layers[:-1]
        if owns[layer.name] != "linear" and (owns[layer.name],) != to
    ]
    layer = _one(fitting, random)
    if layer is None:
        return None
    activation = _one([name for name in to if name != owns[layer.name]], random)
    if layer.kind in ACTIVATING:
        changed = replace(layer, kind="Activation", config={"activation": activation})
    else:
        changed = replace(layer, config={**layer.config, "activation": activation})
    layers = (changed if each.name == layer.name else each for each in mutant.network.layers)
    return Change(network=mutant.network.with_layers(layers))


def _place(mutant: Mutant, random: np.random.Generator) -> str | None:
    """Behind which layer something may be put."""
    if len(mutant.network.layers) >= MOST_LAYERS:
        return None
    return _one([layer.name for layer in mutant.network.layers[:-1]], random)


def _one(among: Sequence[_T], random: np.random.Generator) -> _T | None:
    """Any of several, or nothing of none."""
    return pick(among, random) if among else None
