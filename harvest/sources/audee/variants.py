"""Network-level mutation (Audee, section 4.1): other values for the parameters of layers.

In comes a seed model, or an entry of the table of parameters; out comes a network that may or may
not be valid: with a small chance a value is one that no layer should take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from harvest.sources.audee.oracles import LOGITS, with_logits
from harvest.sources.layers import LAYERS, SHAPES, LayerSpec, draw, specs
from harvest.sources.networks import Network
from harvest.sources.reconfigured import reconfigured
from harvest.sources.seeds import (
    Builder,
    gru,
    lenet,
    lstm,
    mobilenet,
    resnet,
    seed_network,
    simple_rnn,
    vgg,
)
from harvest.sources.suspects import Suspect

SEEDS: tuple[Callable[[Builder], None], ...] = (
    lenet,
    resnet,
    vgg,
    mobilenet,
    simple_rnn,
    lstm,
    gru,
)
"""The paper's: LeNet-5, ResNet-20, VGG-16, MobileNet-V2, SimpleRNN, LSTM, GRU; here small."""
BATCH = 2
VARIANTS = 500
"""Of each seed model, as in the paper; then the next variant of the seed model itself."""
INVALID = 0.06
"""The chance of a parameter to get a crafted invalid value."""
FUNCTIONS = 0.3
"""The chance of a model of one layer to be a function of `keras.ops`."""


def seed_model(number: int, seed: int) -> Network:
    """The seed model of a step: one family after the other, each with many variants."""
    family = SEEDS[number % len(SEEDS)]
    network = with_logits(seed_network(family, seed + number // (len(SEEDS) * VARIANTS)))
    shapes = {name: (BATCH, *shape[1:]) for name, shape in network.inputs.items()}
    return replace(network, inputs=shapes)


def mutated(network: Network, random: np.random.Generator) -> Network:
    """The model with other parameters of some layers; its classifier stays."""
    return reconfigured(network, random, keep=(LOGITS,), invalid=INVALID)


def lone(random: np.random.Generator, functions: Sequence[LayerSpec] = ()) -> Suspect:
    """A model of one layer of the table, or of one of some functions."""
    able = functions if functions and random.random() < FUNCTIONS else LAYERS
    spec = able[int(random.integers(len(able)))]
    return Suspect(
        kind=spec.kind,
        config=draw(spec, random, invalid=INVALID),
        shapes=(SHAPES[spec.rank],) * spec.arity,
        domain=spec.indices or "real",
        seed=0,
    )


def others(kind: str, name: str, value: object) -> Iterator[object]:
    """The legal values of a parameter but one, the usual one first."""
    told = [
        legal
        for spec in specs(kind)
        for parameter in spec.parameters
        if parameter.name == name
        for legal in parameter.legal
    ]
    yield from (each for place, each in enumerate(told) if each not in (value, *told[:place]))
