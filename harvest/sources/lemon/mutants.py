"""What LEMON mutates: a network with its weights, the shapes of its states, and its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harvest.sources.networks import Array, Layer, Network, Weights

MOST_LAYERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """`shapes` are those of inputs and states; `chain` the rules that made it of its seed model."""

    seed: str
    network: Network
    weights: Weights
    shapes: Mapping[str, tuple[int, ...]]
    chain: tuple[str, ...] = ()
    acc: float = 0.0

    @property
    def order(self) -> int:
        """How many rules were applied to the seed model."""
        return len(self.chain)

    def given(self, layer: Layer) -> tuple[int, ...]:
        """The shape of a layer's first input."""
        return self.shapes[layer.inputs[0]]

    def keeping(self) -> list[Layer]:
        """The layers in the middle whose output is shaped as their one input."""
        return [
            layer
            for layer in self.network.layers[:-1]
            if len(layer.inputs) == 1 and self.shapes[layer.name] == self.given(layer)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a rule does: other layers, or other weights of the layers that there are.

    `weights` are those that change or come new; layers that are new and not among them get weights
    from a seed. `rebuilt` tells that the network is another one.
    """

    network: Network
    weights: Mapping[str, tuple[Array, ...]] = field(default_factory=dict)
    rebuilt: bool = True


def fresh(network: Network, kind: str, *beside: Layer) -> str:
    """A name that no layer has, neither of the network nor of those that come with this one."""
    names = {layer.name for layer in (*network.layers, *beside)} | set(network.inputs)
    number = len(names)
    while f"{kind.lower()}_{number}" in names:
        number += 1
    return f"{kind.lower()}_{number}"


def inserted(network: Network, after: str, added: list[Layer]) -> Network:
    """The network with a chain of layers behind one: all that took its output take the last's."""
    last = added[-1].name
    layers: list[Layer] = []
    for layer in network.layers:
        layers.append(_rewired(layer, after, last))
        if layer.name == after:
            layers.extend(added)
    return network.with_layers(layers)


def removed(network: Network, gone: Layer) -> Network:
    """The network without a layer that has one input, which takes its place."""
    rest = (layer for layer in network.layers if layer.name != gone.name)
    return network.with_layers(_rewired(layer, gone.name, gone.inputs[0]) for layer in rest)


def _rewired(layer: Layer, old: str, new: str) -> Layer:
    inputs = tuple(new if name == old else name for name in layer.inputs)
    return Layer(name=layer.name, kind=layer.kind, config=layer.config, inputs=inputs)
