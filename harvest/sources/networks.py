"""Networks of Keras layers as data: what is generated, mutated, sent to backends and written down.

A network is a list of layers in an order in which each one's inputs come before it; the last one
is the output. Weights are arrays beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Weights = Mapping[str, tuple[Array, ...]]
"""By the name of the layer, in the order of `keras.Layer.weights`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer: the class in `keras.layers`, its configuration (JSON), the names of its inputs."""

    name: str
    kind: str
    config: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As the worker reads it."""
        return {
            "name": self.name,
            "class": self.kind,
            "config": dict(self.config),
            "inputs": list(self.inputs),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """`inputs` has the shape of each input with its batch; `domain` says what they stand for.

    A domain is "real" or, for indices of an embedding, the number that they are below.
    """

    name: str
    inputs: Mapping[str, tuple[int, ...]]
    layers: tuple[Layer, ...]
    domain: str | int = "real"

    @property
    def output(self) -> Layer:
        """The last layer."""
        return self.layers[-1]

    def find(self, name: str) -> Layer:
        """The layer of a name."""
        return next(layer for layer in self.layers if layer.name == name)

    def before(self, name: str) -> tuple[str, ...]:
        """pre(L): the layers that a layer takes its inputs from; inputs of the network are none."""
        known = {layer.name for layer in self.layers}
        return tuple(one for one in self.find(name).inputs if one in known)

    def after(self, name: str) -> tuple[Layer, ...]:
        """The layers that take the output of one."""
        return tuple(layer for layer in self.layers if name in layer.inputs)

    def with_layers(self, layers: Iterable[Layer], name: str | None = None) -> Network:
        """The same with other layers."""
        return replace(self, layers=tuple(layers), name=name or self.name)

    def to_json(self) -> str:
        """The layers as text: equal for equal networks."""
        return json.dumps([layer.to_json() for layer in self.layers], sort_keys=True)


def make_inputs(network: Network, seed: int) -> dict[str, Array]:
    """Inputs from a seed: normal numbers, or indices."""
    random = np.random.default_rng([seed, 1])
    return {name: _input(network.domain, shape, random) for name, shape in network.inputs.items()}


def _input(domain: str | int, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    if isinstance(domain, int):
        return random.integers(0, domain, shape).astype("int32")
    return random.standard_normal(shape).astype("float32")


def make_weights(shapes: Mapping[str, Iterable[tuple[str, tuple[int, ...]]]], seed: int) -> Weights:
    """Weights from a seed, the same for every backend, that keep activations of the order of one.

    Each variable has a generator of its own, so that a layer that is put in changes no other one's.
    """
    return {
        layer: tuple(
            _weight(name, shape, np.random.default_rng([seed, 2, *layer.encode(), number]))
            for number, (name, shape) in enumerate(variables)
        )
        for layer, variables in shapes.items()
    }


def _weight(name: str, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    """One variable, by what its name says that it is for."""
    if "variance" in name or name in ("gamma", "scale"):
        drawn = random.uniform(0.3, 1.7, shape)
    elif "kernel" in name or name == "embeddings":
        fan_in = max(1, int(np.prod(shape[:-1])))
        drawn = random.standard_normal(shape) * np.sqrt(2.0 / fan_in)
    else:
        drawn = random.standard_normal(shape) * 0.2
    return drawn.astype("float32")
