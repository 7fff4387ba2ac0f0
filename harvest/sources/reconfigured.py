"""Networks whose layers have other parameters: what existing networks of other people would have.

In comes a network, out comes the same with other values for one or two parameters of up to three
layers, drawn from the table. It may or may not be valid: shapes that do not fit fail everywhere.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from harvest.sources.layers import Parameter, specs
from harvest.sources.networks import Layer, Network

CHANGED = 3
"""Layers of a network that may be changed."""
WIDTHS = ("units", "filters", "input_dim", "data_format")
"""Not changed inside a network: they make most networks fail everywhere."""


def reconfigured(
    network: Network,
    random: np.random.Generator,
    *,
    keep: Collection[str] = (),
    invalid: float = 0.0,
) -> Network:
    """The network with other parameters of some layers; its output and those to keep stay.

    `invalid` is the chance of a parameter to get a value that no layer should take.
    """
    able = [layer for layer in network.layers if layer.name not in keep and _parameters(layer)]
    able = [layer for layer in able if layer.name != network.output.name]
    count = min(len(able), 1 + int(random.integers(CHANGED)))
    chosen = {able[int(place)].name for place in random.choice(len(able), count, replace=False)}
    return network.with_layers(
        _changed(layer, random, invalid) if layer.name in chosen else layer
        for layer in network.layers
    )


def _parameters(layer: Layer) -> list[Parameter]:
    named = {each.name: each for spec in specs(layer.kind) for each in spec.parameters}
    return [each for name, each in named.items() if name not in WIDTHS]


def _changed(layer: Layer, random: np.random.Generator, invalid: float) -> Layer:
    """One or two of its parameters with other values."""
    able = _parameters(layer)
    count = min(len(able), 1 + int(random.integers(2)))
    config = dict(layer.config)
    for place in random.choice(len(able), count, replace=False):
        parameter = able[int(place)]
        wrong = bool(parameter.invalid) and random.random() < invalid
        values = parameter.invalid if wrong else parameter.legal
        config[parameter.name] = values[int(random.integers(len(values)))]
    return replace(layer, config=config)
